from libc.stdint cimport int64_t, uint32_t

cdef enum:
    KEPT = 64                   # answers

cdef struct Answer:
    int64_t when                # nanoseconds of the clock that never jumps; 0: none
    uint32_t source
    uint32_t peer
    bint leads

cdef class Routes:
    """Destinations of the kernel's routes from an interface; see routes.pyx."""
    cdef int fd
    cdef Answer answers[KEPT]
    cdef bint lead_to(self, int ifindex, uint32_t source, uint32_t peer) noexcept nogil
