from libc.stdint cimport uint8_t

cdef class CopyOut:
    """The octets of one COPY out of the messages that carry them; see copy_out.pyx."""
    cdef uint8_t* room
    cdef size_t payload, tail, filled
    cdef readonly bint ended
    cdef readonly str error

    cdef bint take_message(self) except -1
    cdef void used(self, size_t count) noexcept nogil
