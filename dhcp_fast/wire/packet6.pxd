"""A DHCPv6 client's message as pointers into its datagram (RFC 8415 sections 8 and 21, RFC 9915).

Nothing is copied, and nothing points into the struct itself: a `Packet6` may be copied, and is valid as long as the
datagram's buffer is. Three outcomes for an option: present, absent, or the whole message is malformed and `parse6`
says why; what only tells of the client and is malformed counts as not sent, and `ignored` remembers it.

Bounds: 8 identity associations and 16 addresses and prefixes. Clients send one or two; of a message with more, a part
could be answered only, and a Reply that leaves out what a Request, Renew or Release names tells the client wrong things
(RFC 8415 section 18.2.10.1), so it is a fault of its own.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.wire.cursor cimport Cursor, load_u16, take
from dhcp_fast.wire.faults6 cimport Fault6
from dhcp_fast.wire.packet4 cimport Field

cdef enum:
    HEADER6 = 4             # message type and transaction id (RFC 8415 section 8)
    MAX_IAS = 8
    MAX_IA_ADDRESSES = 16
    ADDRESS6 = 16           # octets of an address

# An address (IAADDR) or a delegated prefix (IAPREFIX) within an identity association; an address has length 128.
cdef struct IaAddress6:
    const uint8_t* address
    uint32_t preferred, valid
    uint8_t length
    Field excluded          # RFC 6603: prefix length and subnet id, checked against `length`

cdef struct Ia6:
    uint16_t kind           # OPT6_IA_NA, OPT6_IA_TA (obsolete since RFC 9915) or OPT6_IA_PD
    uint32_t iaid, t1, t2
    uint16_t first, count   # its addresses within `Packet6.addresses`

cdef struct Packet6:
    const uint8_t* raw
    uint16_t length
    uint8_t message_type
    uint32_t transaction_id     # 24 bits
    uint64_t present[4]
    uint64_t asked[4]           # option 6: codes below 256
    Field options[256]          # of an option that is repeated the first
    uint16_t ia_count, address_count
    Ia6 ias[MAX_IAS]
    IaAddress6 addresses[MAX_IA_ADDRESSES]
    IaAddress6 registered       # RFC 9686: the address that stands outside of any identity association
    uint8_t ignored             # options that count as not sent, being malformed: bits of IGNORED6

# What tells of the client and nothing that its lease rests on, by the bits of `ignored`.
cdef enum:
    IGNORED6_USER_CLASS = 1
    IGNORED6_VENDOR_CLASS = 2
    IGNORED6_VENDOR_OPTS = 4
    IGNORED6_FQDN = 8
    IGNORED6_ARCHITECTURE = 16
    IGNORED6_NII = 32

cdef inline bint has6(const Packet6* packet, uint8_t code) noexcept nogil:
    return (packet.present[code >> 6] >> (code & 63)) & 1

cdef inline bint next_option6(Cursor* c, uint16_t* code, Field* value) noexcept nogil:
    """One option (RFC 8415 section 21.1); False when its octets are not there."""
    cdef const uint8_t* header = take(c, 4)
    if header == NULL:
        return False
    code[0] = load_u16(header)
    value.length = load_u16(header + 2)
    value.data = take(c, value.length)
    return value.data != NULL

cdef inline bint next_piece6(Cursor* c, Field* value) noexcept nogil:
    """One piece of a user class or vendor class: its length in two octets, then its data (sections 21.15, 21.16)."""
    cdef const uint8_t* header = take(c, 2)
    if header == NULL:
        return False
    value.length = load_u16(header)
    value.data = take(c, value.length)
    return value.data != NULL

cdef Fault6 parse6(Packet6* packet, const uint8_t* data, size_t length) noexcept nogil
cdef Fault6 check6(const Packet6* packet) noexcept nogil
cdef bint names_another_server(const Packet6* packet, Field server_id) noexcept nogil
cdef bint asks6(const Packet6* packet, uint16_t code) noexcept nogil
cdef Field option6(const Packet6* packet, uint16_t code) noexcept nogil
cdef Field option_in(Field options, uint16_t wanted) noexcept nogil
cdef Field vendor_part6(const Packet6* packet, uint8_t code, uint32_t enterprise) noexcept nogil
cdef uint16_t elapsed6(const Packet6* packet) noexcept nogil
cdef bint consumed6(Field value, size_t fixed) noexcept nogil
