"""Client options as a lease's row keeps them: code and length, two octets each, then the value, in either family."""

from libc.stdint cimport uint8_t, uint16_t, uint64_t
from libc.string cimport memcpy

from dhcp_fast.wire.cursor cimport Cursor, load_u16, store_u16, take
from dhcp_fast.wire.view4 cimport Field

cdef enum:
    OPTION_HEAD = 4
    MOST_KEPT = 512         # octets of them that a row has

# Option codes below 256.
cdef struct CodeSet:
    uint64_t words[4]

cdef extern from *:
    int __builtin_ctzll(unsigned long long) noexcept nogil

cdef inline void add_code(CodeSet* codes, uint8_t code) noexcept nogil:
    codes.words[code >> 6] |= <uint64_t>1 << (code & 63)

cdef inline void drop_code(CodeSet* codes, uint8_t code) noexcept nogil:
    codes.words[code >> 6] &= ~(<uint64_t>1 << (code & 63))

cdef inline bint has_code(const CodeSet* codes, uint8_t code) noexcept nogil:
    return (codes.words[code >> 6] >> (code & 63)) & 1

cdef inline int take_lowest(uint64_t* word) noexcept nogil:
    """Clear the lowest bit of a word that has one, and return its number."""
    cdef int lowest = __builtin_ctzll(word[0])
    word[0] &= word[0] - 1
    return lowest

cdef inline uint16_t put_option(uint8_t* room, uint16_t used, uint16_t size, uint16_t code, Field value) noexcept nogil:
    """Return octets of `room` in use afterwards; an option that does not fit into `size` is left out."""
    if used + OPTION_HEAD + value.length > size:
        return used
    store_u16(room + used, code)
    store_u16(room + used + 2, value.length)
    memcpy(room + used + OPTION_HEAD, value.data, value.length)
    return used + OPTION_HEAD + value.length

cdef inline bint next_option(Cursor* c, uint16_t* code, Field* value) noexcept nogil:
    """Return the next option; False where none is left, or its octets are not all there."""
    cdef const uint8_t* head = take(c, OPTION_HEAD)
    if head == NULL:
        return False
    code[0] = load_u16(head)
    value.length = load_u16(head + 2)
    value.data = take(c, value.length)
    return value.data != NULL
