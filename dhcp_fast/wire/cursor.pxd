"""A two-field cursor: the only code of the codec that checks bounds.

Reads say whether the bytes were there; a failed read leaves the cursor alone. Multi-byte values are assembled
octet by octet, so alignment and host byte order never matter.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t


cdef struct Cursor:
    const uint8_t* p
    const uint8_t* end


cdef inline Cursor cursor(const uint8_t* data, size_t length) noexcept nogil:
    cdef Cursor c
    c.p = data
    c.end = data + length
    return c


cdef inline size_t remaining(const Cursor* c) noexcept nogil:
    return <size_t>(c.end - c.p)


cdef inline bint take_u8(Cursor* c, uint8_t* value) noexcept nogil:
    if c.p == c.end:
        return False
    value[0] = c.p[0]
    c.p += 1
    return True


cdef inline const uint8_t* take(Cursor* c, size_t length) noexcept nogil:
    """Return the next `length` octets, or NULL when fewer are left."""
    cdef const uint8_t* start = c.p
    if remaining(c) < length:
        return NULL
    c.p += length
    return start


cdef inline uint16_t load_u16(const uint8_t* p) noexcept nogil:
    return <uint16_t>((<uint16_t>p[0] << 8) | p[1])


cdef inline uint32_t load_u32(const uint8_t* p) noexcept nogil:
    return (<uint32_t>p[0] << 24) | (<uint32_t>p[1] << 16) | (<uint32_t>p[2] << 8) | p[3]


cdef inline uint64_t load_u64(const uint8_t* p) noexcept nogil:
    return (<uint64_t>load_u32(p) << 32) | load_u32(p + 4)


cdef inline void store_u16(uint8_t* p, uint16_t value) noexcept nogil:
    p[0] = <uint8_t>(value >> 8)
    p[1] = <uint8_t>value


cdef inline void store_u64(uint8_t* p, uint64_t value) noexcept nogil:
    store_u32(p, <uint32_t>(value >> 32))
    store_u32(p + 4, <uint32_t>value)


cdef inline void store_u32(uint8_t* p, uint32_t value) noexcept nogil:
    p[0] = <uint8_t>(value >> 24)
    p[1] = <uint8_t>(value >> 16)
    p[2] = <uint8_t>(value >> 8)
    p[3] = <uint8_t>value
