"""A DHCPv6 client's message as pointers into its datagram (RFC 8415 sections 8 and 21, RFC 9915).

Nothing is copied, and nothing points into the struct itself: a `Packet6` may be copied, and is valid as long as the
datagram's buffer is. An option is present or absent; a malformed one is absent and noted in `ignored` (decisions:
Malformed options).

Bounds: 8 identity associations and 16 addresses and prefixes. Clients send one or two. A message
with more could only be answered in part. A Reply without an address of a Request, Renew or Release
misleads the client (RFC 8415 section 18.2.10.1), so this is a fault of its own.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.wire.cursor cimport Cursor, cursor, load_u16, remaining, take
from dhcp_fast.wire.codes6 cimport OPT6_CLIENTID
from dhcp_fast.wire.faults6 cimport FAULT6_BAD_DUID, FAULT6_NONE, Fault6
from dhcp_fast.wire.client_options cimport CodeSet
from dhcp_fast.wire.ignored cimport NO_CODE, Ignored, note_ignored
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
    Field excluded          # RFC 6603: prefix length and subnet id, which fit `length`; `data` NULL: none

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
    Field options[256]          # of an option that is repeated the first well-formed one
    uint16_t ia_count, address_count
    Ia6 ias[MAX_IAS]
    IaAddress6 addresses[MAX_IA_ADDRESSES]
    IaAddress6 registered       # RFC 9686: the address outside of any identity association
    Field recalled              # options that the client sent earlier (client_options.pxd); `data` NULL: none
    CodeSet recalled_codes      # codes in it that count, because the message lacks them
    Ignored ignored

cdef inline bint has6(const Packet6* packet, uint8_t code) noexcept nogil:
    return (packet.present[code >> 6] >> (code & 63)) & 1

cdef inline bint next_option6(Cursor* c, uint16_t* code, Field* value) noexcept nogil:
    """Return one option (RFC 8415 section 21.1); False, and the cursor left alone, when its octets are not there."""
    cdef const uint8_t* header = take(c, 4)
    if header == NULL:
        return False
    code[0] = load_u16(header)
    value.length = load_u16(header + 2)
    value.data = take(c, value.length)
    if value.data == NULL:
        c.p = header
    return value.data != NULL

cdef inline uint8_t cut_code6(const Cursor* c) noexcept nogil:
    """Return the code of the option that is cut where the cursor is, as far as it is counted."""
    cdef uint16_t code
    if remaining(c) < 4:
        return NO_CODE
    code = load_u16(c.p)
    return <uint8_t>code if code <= 255 else <uint8_t>NO_CODE

cdef inline bint next_piece6(Cursor* c, Field* value) noexcept nogil:
    """Return one piece of a user class or vendor class: its length in two octets, then its data (sections 21.15,
    21.16)."""
    cdef const uint8_t* header = take(c, 2)
    if header == NULL:
        return False
    value.length = load_u16(header)
    value.data = take(c, value.length)
    return value.data != NULL

cdef inline void keep6(Packet6* packet, uint8_t code, Field value) noexcept nogil:
    packet.present[code >> 6] |= <uint64_t>1 << (code & 63)
    packet.options[code] = value

cdef inline Fault6 ignore6(Packet6* packet, uint8_t code) noexcept nogil:
    """Ignore an instance that is malformed or cut. The client identifier alone determines whose the message is."""
    note_ignored(&packet.ignored, code)
    return FAULT6_BAD_DUID if code == OPT6_CLIENTID else FAULT6_NONE

cdef inline bint consumed6(Field value, size_t fixed) noexcept nogil:
    """Return whether nothing but options is behind `fixed` octets, to the last octet."""
    cdef Cursor c = cursor(value.data, value.length)
    cdef uint16_t code
    cdef Field inner
    if take(&c, fixed) == NULL:
        return False
    while remaining(&c):
        if not next_option6(&c, &code, &inner):
            return False
    return True
