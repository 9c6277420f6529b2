"""A DHCPv6 reply written in place into a preallocated buffer, envelopes of relays included (RFC 8415 sections 8, 9).

Options nest: a relay's envelope holds the message in one, an identity association its addresses. One that is open takes
what is put until it is closed, when its length is written; `finish_reply6` closes what is open.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.wire.packet4 cimport Field

cdef enum:
    REPLY6_BUFFER = 1452    # payload of one unfragmented datagram on Ethernet
    MAX_OPEN = 12           # nine relays, an identity association, a prefix in it, and one to spare

cdef struct Reply6:
    uint8_t* data
    uint16_t used           # octets written
    uint16_t limit          # octets that there may be
    uint16_t depth
    bint incomplete         # an option had no room
    uint64_t left_out[4]    # the codes of those; 0 is any above 255
    uint16_t open[MAX_OPEN]     # where the options begin that are still open, outermost first

cdef void begin_reply6(Reply6* reply, uint8_t* data, uint16_t limit) noexcept nogil
cdef void rewind6(Reply6* reply, uint16_t used) noexcept nogil
cdef uint8_t* reserve6(Reply6* reply, uint32_t length) noexcept nogil
cdef bint begin_message6(Reply6* reply, uint8_t kind, uint32_t transaction_id) noexcept nogil
cdef bint put_option6(Reply6* reply, uint16_t code, const uint8_t* value, uint16_t length) noexcept nogil
cdef bint put_field6(Reply6* reply, uint16_t code, Field value) noexcept nogil
cdef bint put_u8_6(Reply6* reply, uint16_t code, uint8_t value) noexcept nogil
cdef bint put_u32_6(Reply6* reply, uint16_t code, uint32_t value) noexcept nogil
cdef bint open_option6(Reply6* reply, uint16_t code) noexcept nogil
cdef void close_option6(Reply6* reply) noexcept nogil
cdef void drop_option6(Reply6* reply) noexcept nogil
cdef bint open_ia6(Reply6* reply, uint16_t kind, uint32_t iaid, uint32_t t1, uint32_t t2) noexcept nogil
cdef bint put_address6(Reply6* reply, const uint8_t* address, uint32_t preferred, uint32_t valid) noexcept nogil
cdef bint put_prefix6(Reply6* reply, const uint8_t* prefix, uint8_t length, uint32_t preferred, uint32_t valid,
                      const uint8_t* excluded, uint8_t excluded_length) noexcept nogil
cdef bint put_status6(Reply6* reply, uint16_t status, const uint8_t* text, uint16_t length) noexcept nogil
cdef uint16_t finish_reply6(Reply6* reply) noexcept nogil
