"""The options of a packet that count as absent (decisions: Malformed options), by code."""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

cdef enum:
    NO_CODE = 0         # a rest too short for a code, or a code above 255

# `codes` is valid only where there are `some`, so that a well-formed packet pays one store for it.
cdef struct Ignored:
    bint some
    uint64_t codes[4]

cdef inline void note_ignored(Ignored* ignored, uint8_t code) noexcept nogil:
    if not ignored.some:
        ignored.some = True
        memset(ignored.codes, 0, sizeof(ignored.codes))
    ignored.codes[code >> 6] |= <uint64_t>1 << (code & 63)

cdef inline void add_ignored(Ignored* ignored, const Ignored* more) noexcept nogil:
    cdef int code
    for code in range(256):
        if is_ignored(more, <uint8_t>code):
            note_ignored(ignored, <uint8_t>code)

cdef inline bint is_ignored(const Ignored* ignored, uint8_t code) noexcept nogil:
    return ignored.some and (ignored.codes[code >> 6] >> (code & 63)) & 1
