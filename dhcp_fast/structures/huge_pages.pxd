"""Memory for large tables: zeroed, never moved, on huge pages where the kernel has them.

A table of ten million entries is looked up in no order at all, and with pages of 4 KiB nearly every look also misses
the processor's address translation. (Linux: mmap(2), madvise(2).)
"""

from libc.stdint cimport uintptr_t

cdef extern from "<sys/mman.h>" nogil:
    void* mmap(void*, size_t, int, int, int, long)
    int munmap(void*, size_t)
    int madvise(void*, size_t, int)
    int PROT_READ, PROT_WRITE, MAP_PRIVATE, MAP_ANONYMOUS, MADV_HUGEPAGE
    void* MAP_FAILED

cdef enum:
    HUGE_PAGE = 2097152


cdef inline void* pages_new(size_t size, bint huge) noexcept nogil:
    """Allocate `size` octets, a multiple of HUGE_PAGE; NULL when memory is short. Without `huge` only what is touched
    counts."""
    cdef void* memory = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    cdef size_t before
    if memory == MAP_FAILED:
        return NULL
    before = (HUGE_PAGE - <uintptr_t>memory % HUGE_PAGE) % HUGE_PAGE
    if before:
        munmap(memory, before)
    if before < HUGE_PAGE:
        munmap(<char*>memory + before + size, HUGE_PAGE - before)
    memory = <char*>memory + before
    if huge:
        madvise(memory, size, MADV_HUGEPAGE)
    return memory


cdef inline void pages_free(void* memory, size_t size) noexcept nogil:
    if memory != NULL:
        munmap(memory, size)
