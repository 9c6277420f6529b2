"""Writing DHCPv6 replies: options in the caller's order, each whole or not at all.

Options that do not fit are left out, and the caller is informed. An open option can be dropped with
its content, so that no identity association is sent incomplete. Nothing is written beyond `limit`.
"""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

from dhcp_fast.wire.codes6 cimport OPT6_IA_TA, OPT6_IAADDR, OPT6_IAPREFIX, OPT6_PD_EXCLUDE, OPT6_STATUS_CODE
from dhcp_fast.wire.cursor cimport store_u16, store_u32
from dhcp_fast.wire.packet6 cimport ADDRESS6, HEADER6


cdef void begin_reply6(Reply6* reply, uint8_t* data, uint16_t limit) noexcept nogil:
    reply.data = data
    reply.limit = limit
    reply.depth = 0
    rewind6(reply, 0)


cdef void rewind6(Reply6* reply, uint16_t used) noexcept nogil:
    """Take back the options put since `used` octets; options open now were open then."""
    reply.used = used
    reply.incomplete = False
    memset(reply.left_out, 0, sizeof(reply.left_out))


cdef uint8_t* reserve6(Reply6* reply, uint32_t length) noexcept nogil:
    """Return room for the next octets, NULL when there is none: the only place where the writer checks bounds."""
    cdef uint8_t* p = reply.data + reply.used
    if length > <uint32_t>(reply.limit - reply.used):
        return NULL
    reply.used += <uint16_t>length
    return p


cdef bint begin_message6(Reply6* reply, uint8_t kind, uint32_t transaction_id) noexcept nogil:
    """Begin a message of RFC 8415 section 8."""
    cdef uint8_t* p = reserve6(reply, HEADER6)
    if p == NULL:
        return False
    store_u32(p, transaction_id & 0xFFFFFF)
    p[0] = kind
    return True


cdef uint8_t* begin_option(Reply6* reply, uint16_t code, uint16_t length) noexcept nogil:
    """Return an option's header (RFC 8415 section 21.1) and room for its value."""
    cdef uint8_t* p = reserve6(reply, 4 + <uint32_t>length)
    if p == NULL:
        leave_out(reply, code if code < 256 else 0)
        return NULL
    store_u16(p, code)
    store_u16(p + 2, length)
    return p + 4


cdef void leave_out(Reply6* reply, uint16_t code) noexcept nogil:
    reply.incomplete = True
    reply.left_out[code >> 6] |= <uint64_t>1 << (code & 63)


cdef bint put_option6(Reply6* reply, uint16_t code, const uint8_t* value, uint16_t length) noexcept nogil:
    cdef uint8_t* p = begin_option(reply, code, length)
    if p != NULL and length:
        memcpy(p, value, length)
    return p != NULL


cdef bint put_field6(Reply6* reply, uint16_t code, Field value) noexcept nogil:
    """Return what was received, sent back; nothing when it was absent."""
    return value.data == NULL or put_option6(reply, code, value.data, value.length)


cdef bint put_u8_6(Reply6* reply, uint16_t code, uint8_t value) noexcept nogil:
    return put_option6(reply, code, &value, 1)


cdef bint put_u32_6(Reply6* reply, uint16_t code, uint32_t value) noexcept nogil:
    cdef uint8_t octets[4]
    store_u32(octets, value)
    return put_option6(reply, code, octets, 4)


cdef bint open_option6(Reply6* reply, uint16_t code) noexcept nogil:
    """Open the option that contains the following ones."""
    cdef uint16_t at = reply.used
    if reply.depth == MAX_OPEN or begin_option(reply, code, 0) == NULL:
        return False
    reply.open[reply.depth] = at
    reply.depth += 1
    return True


cdef void close_option6(Reply6* reply) noexcept nogil:
    cdef uint16_t at
    reply.depth -= 1
    at = reply.open[reply.depth]
    store_u16(reply.data + at + 2, reply.used - at - 4)


cdef void drop_option6(Reply6* reply) noexcept nogil:
    """Drop the option as if it had not been opened."""
    reply.depth -= 1
    reply.used = reply.open[reply.depth]


cdef bint open_ia6(Reply6* reply, uint16_t kind, uint32_t iaid, uint32_t t1, uint32_t t2) noexcept nogil:
    """Open IA_NA, IA_TA or IA_PD (RFC 8415 sections 21.4, 21.5, 21.21); an IA_TA has no T1 and T2."""
    cdef uint8_t* p
    if not open_option6(reply, kind):
        return False
    p = reserve6(reply, 4 if kind == OPT6_IA_TA else 12)
    if p == NULL:
        drop_option6(reply)
        return False
    store_u32(p, iaid)
    if kind != OPT6_IA_TA:
        store_u32(p + 4, t1)
        store_u32(p + 8, t2)
    return True


cdef bint put_address6(Reply6* reply, const uint8_t* address, uint32_t preferred, uint32_t valid) noexcept nogil:
    """Put IAADDR (RFC 8415 section 21.6): in an IA_NA or IA_TA, or on its own in an ADDR-REG-REPLY (RFC 9686)."""
    cdef uint8_t* p = begin_option(reply, OPT6_IAADDR, 24)
    if p == NULL:
        return False
    memcpy(p, address, ADDRESS6)
    store_u32(p + 16, preferred)
    store_u32(p + 20, valid)
    return True


cdef bint put_prefix6(Reply6* reply, const uint8_t* prefix, uint8_t length, uint32_t preferred, uint32_t valid,
                      const uint8_t* excluded, uint8_t excluded_length) noexcept nogil:
    """Put IAPREFIX (RFC 8415 section 21.22) in an IA_PD; `excluded`, NULL for none, is a longer prefix in it (RFC
    6603)."""
    cdef uint8_t* p
    if not open_option6(reply, OPT6_IAPREFIX):
        return False
    p = reserve6(reply, 25)
    if p == NULL or excluded != NULL and not put_excluded(reply, length, excluded, excluded_length):
        drop_option6(reply)
        return False
    store_u32(p, preferred)
    store_u32(p + 4, valid)
    p[8] = length
    memcpy(p + 9, prefix, ADDRESS6)
    close_option6(reply)
    return True


cdef bint put_excluded(Reply6* reply, uint8_t delegated, const uint8_t* excluded, uint8_t length) noexcept nogil:
    """Put (RFC 6603 section 4.2) the length, then the prefix's bits behind the delegated ones, shifted left to an
    octet's edge and filled with zeros. False also for one that is no longer than what is delegated."""
    cdef uint8_t* p
    cdef int octets, at, bit
    if not delegated < length <= 128:
        return False
    octets = (length - delegated + 7) // 8
    p = begin_option(reply, OPT6_PD_EXCLUDE, <uint16_t>(1 + octets))
    if p == NULL:
        return False
    p[0] = length
    for at in range(octets):
        p[1 + at] = 0
    for bit in range(length - delegated):
        p[1 + bit // 8] |= bit_of(excluded, delegated + bit) << (7 - bit % 8)
    return True


cdef inline uint8_t bit_of(const uint8_t* octets, int bit) noexcept nogil:
    return (octets[bit // 8] >> (7 - bit % 8)) & 1


cdef bint put_status6(Reply6* reply, uint16_t status, const uint8_t* text, uint16_t length) noexcept nogil:
    """Put the status (RFC 8415 section 21.13) of the message, or of what is open; `text` is UTF-8 for people."""
    cdef uint8_t* p
    if length > 0xFFFF - 2:
        return False
    p = begin_option(reply, OPT6_STATUS_CODE, 2 + length)
    if p == NULL:
        return False
    store_u16(p, status)
    if length:
        memcpy(p + 2, text, length)
    return True


cdef uint16_t finish_reply6(Reply6* reply) noexcept nogil:
    """Close what is open; the whole length."""
    while reply.depth:
        close_option6(reply)
    return reply.used
