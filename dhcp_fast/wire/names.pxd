"""Names that clients send, in the two encodings of RFC 4702 section 2.3: whether they are well-formed."""

from libc.stdint cimport uint8_t, uint16_t

cdef enum:
    LONGEST_NAME = 253
    LONGEST_LABEL = 63

cdef bint are_labels(const uint8_t* wire, uint16_t length) noexcept nogil
cdef bint is_dotted(const uint8_t* text, uint16_t length) noexcept nogil

cdef inline uint16_t trimmed(const uint8_t* text, uint16_t length) noexcept nogil:
    """Return the length without NULs and dots at the end, which clients add to a name in ASCII."""
    while length and (text[length - 1] == 0 or text[length - 1] == b'.'):
        length -= 1
    return length
