"""Asking for memory that will be needed soon."""

cdef extern from *:
    """
    static inline void ipam_prefetch(const void* memory) {
        __builtin_prefetch(memory);
        /* Without it the compiler takes a function that only prefetches for one without effect, and leaves it out. */
        __asm__ volatile("" : : "r"(memory));
    }
    """
    void prefetch "ipam_prefetch"(const void*) noexcept nogil
