"""Checks of names in DNS labels and in ASCII."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t


cdef bint are_labels(const uint8_t* wire, uint16_t length) noexcept nogil:
    """Return whether the octets are labels up to the root label or the end (RFC 4702 section 2.3.1, RFC 4704 section
    4.2), uncompressed, and with dots between them not longer than a name may be."""
    cdef uint32_t at = 0, size, text = 0
    while at < length:
        size = wire[at]
        at += 1
        if size == 0:
            return at == length
        text += size + (text > 0)
        if size > LONGEST_LABEL or at + size > length or text > LONGEST_NAME:
            return False
        at += size
    return True


cdef bint is_dotted(const uint8_t* text, uint16_t length) noexcept nogil:
    """Return whether no part between dots is empty or too long for DNS (RFC 4702 section 2.3.2); an empty name has
    none."""
    cdef uint16_t i, size = 0
    if length == 0:
        return True
    if length > LONGEST_NAME:
        return False
    for i in range(length):
        if text[i] != b'.':
            size += 1
            if size > LONGEST_LABEL:
                return False
        elif not size:
            return False
        else:
            size = 0
    return size > 0
