"""A 64-ary hierarchical bitmap: which of up to 2^32 numbers are in the set, and the next one from a place."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef enum:
    MAX_LEVELS = 6

# A query mostly needs the first cache line only.
cdef struct Bitmap:
    uint64_t size               # numbers 0 .. size - 1
    uint64_t count              # members
    uint64_t* level[MAX_LEVELS]  # level 0 has a bit a number; a bit above stands for a word below that is not zero
    uint64_t words[MAX_LEVELS]   # words on each level
    int levels

cdef Bitmap* bitmap_new(uint64_t size) noexcept nogil
cdef void bitmap_free(Bitmap* bitmap) noexcept nogil
cdef void bitmap_fill(Bitmap* bitmap) noexcept nogil
cdef void bitmap_summarise(Bitmap* bitmap) noexcept nogil
cdef void bitmap_add(Bitmap* bitmap, uint64_t number) noexcept nogil
cdef void bitmap_remove(Bitmap* bitmap, uint64_t number) noexcept nogil
cdef void bitmap_remove_range(Bitmap* bitmap, uint64_t first, uint64_t last) noexcept nogil
cdef int64_t bitmap_next(const Bitmap* bitmap, uint64_t start) noexcept nogil

cdef inline bint bitmap_has(const Bitmap* bitmap, uint64_t number) noexcept nogil:
    return (bitmap.level[0][number >> 6] >> (number & 63)) & 1
