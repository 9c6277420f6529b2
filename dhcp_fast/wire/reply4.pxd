"""A DHCPv4 reply written in place into a preallocated buffer (RFC 2131 section 2, figure 1)."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from dhcp_fast.wire.codes cimport OPT_BOOT_FILE_NAME
from dhcp_fast.wire.cursor cimport store_u32
from dhcp_fast.wire.packet4 cimport Field, Packet4

cdef enum:
    MIN_REPLY = 300         # BOOTP's size (RFC 951); shorter replies are ignored by old clients and relays
    REPLY_BUFFER = 1472     # payload of one unfragmented datagram
    LONGEST_SNAME = 63      # octets of text in the header's fields, which end with a zero
    LONGEST_FILE = 127

# The header's two text fields as places for options (RFC 2132 section 9.3), in the order in which they are read.
cdef enum OverloadField:
    OVERLOAD_FILE
    OVERLOAD_SNAME
    OVERLOAD_FIELDS

cdef struct Reply4:
    uint8_t* data
    uint16_t used           # octets written
    uint16_t limit          # octets that options may fill; END and option 82 have their room beyond it
    Field relay_information  # echoed last (RFC 3046 section 2.2)
    uint16_t overload       # where option 52 begins; 0: not sent
    uint16_t room[OVERLOAD_FIELDS]      # octets that options may still fill in the two fields
    bint is_free[OVERLOAD_FIELDS]       # which of them hold no text
    bint incomplete         # an option had no room
    uint64_t left_out[4]    # the codes of those, where there are any

cdef void begin_reply(Reply4* reply, uint8_t* data, const Packet4* request, uint8_t message_type) noexcept nogil
cdef void reserve_relay_information(Reply4* reply, const Packet4* request) noexcept nogil
cdef void allow_overload(Reply4* reply, bint file_is_free, bint sname_is_free) noexcept nogil
cdef void rewind(Reply4* reply, uint16_t used) noexcept nogil
cdef bint put_elsewhere(Reply4* reply, uint8_t code, const uint8_t* value, uint16_t length) noexcept nogil
cdef void set_addresses(Reply4* reply, uint32_t ciaddr, uint32_t yiaddr, uint32_t siaddr) noexcept nogil
cdef bint set_server_name(Reply4* reply, const uint8_t* name, uint16_t length) noexcept nogil
cdef bint set_boot_file(Reply4* reply, const uint8_t* name, uint16_t length) noexcept nogil
cdef uint16_t finish_reply(Reply4* reply) noexcept nogil

cdef inline bint put_option(Reply4* reply, uint8_t code, const uint8_t* value, uint16_t length) noexcept nogil:
    """Append the option, cut in pieces when over 255 octets; False when it does not fit."""
    cdef uint8_t* p = reply.data + reply.used
    if length > 255 or reply.used + 2 + length > reply.limit or code == OPT_BOOT_FILE_NAME:
        return put_elsewhere(reply, code, value, length)
    p[0] = code
    p[1] = <uint8_t>length
    if length:      # else there may be no value
        memcpy(p + 2, value, length)
    reply.used += 2 + length
    return True

cdef inline bint put_u32(Reply4* reply, uint8_t code, uint32_t value) noexcept nogil:
    cdef uint8_t octets[4]
    store_u32(octets, value)
    return put_option(reply, code, octets, 4)
