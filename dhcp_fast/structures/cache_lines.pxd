"""Memory for what a packet looks at: zeroed, and begun with a cache line, so that a small struct is in one, not two."""

from libc.string cimport memset

cdef extern from "<stdlib.h>" nogil:
    int posix_memalign(void**, size_t, size_t)

cdef enum:
    LINE = 64


cdef inline void* lines_new(size_t count, size_t size) noexcept nogil:
    """Allocate `count` structs of `size` octets, for free(); NULL when memory is short."""
    cdef void* memory = NULL
    cdef size_t octets = count * size if count else size
    if posix_memalign(&memory, LINE, octets):
        return NULL
    memset(memory, 0, octets)
    return memory
