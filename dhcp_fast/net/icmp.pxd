from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    ECHO_BATCH = 64

cdef struct EchoReply:
    uint32_t source
    uint16_t sequence

cdef class IcmpSocket:
    """A raw socket for echo requests and their replies; see icmp.pyx."""
    cdef readonly int fd
    cdef object sock
    cdef uint16_t identifier
    cdef uint64_t key[2]
    cdef bint send(self, uint32_t address, uint16_t sequence) noexcept nogil
    cdef int receive(self, EchoReply* into, bint* more) noexcept nogil
    cdef bint read(self, const uint8_t* data, size_t length, EchoReply* into) noexcept nogil
    cdef uint64_t token(self, uint32_t address, uint16_t sequence) noexcept nogil
