"""Hierarchical bitmaps for pools: O(levels) at any fill, a little over 2 MiB for a /8.

Each bit of a level is set if a word of 64 bits below is not zero. So finding the next member climbs
until a later bit is set and descends to it: at most six words up and six down for 2^32 numbers.
`Numbers` shows the same structure to Python for the model test.
"""

from libc.stdlib cimport calloc, free

from dhcp_fast.structures.cache_lines cimport lines_new

cdef extern from *:
    int ctz "__builtin_ctzll"(unsigned long long) noexcept nogil
    int popcount "__builtin_popcountll"(unsigned long long) noexcept nogil


cdef Bitmap* bitmap_new(uint64_t size) noexcept nogil:
    """Return an empty set over 0 .. size - 1 (size at least 1); NULL when memory is short."""
    cdef Bitmap* bitmap = <Bitmap*>lines_new(1, sizeof(Bitmap))
    cdef uint64_t words = size
    if bitmap == NULL:
        return NULL
    bitmap.size = size
    while True:
        words = (words + 63) >> 6
        bitmap.words[bitmap.levels] = words
        bitmap.level[bitmap.levels] = <uint64_t*>calloc(words, 8)
        if bitmap.level[bitmap.levels] == NULL:
            bitmap_free(bitmap)
            return NULL
        bitmap.levels += 1
        if words == 1:
            return bitmap


cdef void bitmap_free(Bitmap* bitmap) noexcept nogil:
    cdef int i
    if bitmap != NULL:
        for i in range(bitmap.levels):
            free(bitmap.level[i])
        free(bitmap)


cdef void bitmap_fill(Bitmap* bitmap) noexcept nogil:
    """Fill the bitmap, so that every number is a member."""
    cdef int i
    cdef uint64_t w, bits = bitmap.size
    for i in range(bitmap.levels):
        for w in range(bitmap.words[i]):
            bitmap.level[i][w] = ~<uint64_t>0
        if bits & 63:
            bitmap.level[i][bitmap.words[i] - 1] = (<uint64_t>1 << (bits & 63)) - 1
        bits = bitmap.words[i]
    bitmap.count = bitmap.size


cdef void bitmap_summarise(Bitmap* bitmap) noexcept nogil:
    """Set the levels above and the count after the words of level 0 were written: 64 numbers at a time."""
    cdef int i
    cdef uint64_t w
    bitmap.count = 0
    for w in range(bitmap.words[0]):
        bitmap.count += popcount(bitmap.level[0][w])
    for i in range(1, bitmap.levels):
        for w in range(bitmap.words[i]):
            bitmap.level[i][w] = 0
        for w in range(bitmap.words[i - 1]):
            bitmap.level[i][w >> 6] |= <uint64_t>(bitmap.level[i - 1][w] != 0) << (w & 63)


cdef void bitmap_add(Bitmap* bitmap, uint64_t number) noexcept nogil:
    cdef int i = 0
    cdef uint64_t was, position = number
    if number >= bitmap.size or bitmap_has(bitmap, number):
        return
    bitmap.count += 1
    while True:
        was = bitmap.level[i][position >> 6]
        bitmap.level[i][position >> 6] = was | (<uint64_t>1 << (position & 63))
        i += 1
        if was or i == bitmap.levels:
            return
        position >>= 6


cdef void bitmap_remove(Bitmap* bitmap, uint64_t number) noexcept nogil:
    cdef int i = 0
    cdef uint64_t position = number
    if number >= bitmap.size or not bitmap_has(bitmap, number):
        return
    bitmap.count -= 1
    while True:
        bitmap.level[i][position >> 6] &= ~(<uint64_t>1 << (position & 63))
        i += 1
        if bitmap.level[i - 1][position >> 6] or i == bitmap.levels:
            return
        position >>= 6


cdef void bitmap_remove_range(Bitmap* bitmap, uint64_t first, uint64_t last) noexcept nogil:
    """Remove first .. last; costs a step for each member removed, not for each number."""
    cdef int64_t number = bitmap_next(bitmap, first)
    while number >= 0 and <uint64_t>number <= last:
        bitmap_remove(bitmap, <uint64_t>number)
        number = bitmap_next(bitmap, <uint64_t>number + 1)


cdef int64_t bitmap_next(const Bitmap* bitmap, uint64_t start) noexcept nogil:
    """Return the lowest member that is at least `start`, or -1."""
    cdef int i = 0
    cdef uint64_t word, position = start
    if start >= bitmap.size:
        return -1
    word = bitmap.level[0][position >> 6] & (~<uint64_t>0 << (position & 63))
    while not word:
        i += 1
        if i == bitmap.levels:
            return -1
        position = (position >> 6) + 1
        if (position >> 6) >= bitmap.words[i]:
            return -1
        word = bitmap.level[i][position >> 6] & (~<uint64_t>0 << (position & 63))
    position = (position & ~<uint64_t>63) | <uint64_t>ctz(word)
    while i:
        i -= 1
        position = (position << 6) | <uint64_t>ctz(bitmap.level[i][position])
    return <int64_t>position


cdef class Numbers:
    """A set of numbers 0 .. size - 1 over one bitmap."""

    cdef Bitmap* bitmap

    def __cinit__(self, uint64_t size, bint full=False):
        if size < 1 or size > <uint64_t>1 << 32:
            raise ValueError("size must be 1 .. 2^32")
        self.bitmap = bitmap_new(size)
        if self.bitmap == NULL:
            raise MemoryError
        if full:
            bitmap_fill(self.bitmap)

    def __dealloc__(self):
        bitmap_free(self.bitmap)

    def add(self, uint64_t number):
        bitmap_add(self.bitmap, number)

    def remove(self, uint64_t number):
        bitmap_remove(self.bitmap, number)

    def remove_range(self, uint64_t first, uint64_t last):
        bitmap_remove_range(self.bitmap, first, last)

    def next(self, uint64_t start):
        return bitmap_next(self.bitmap, start)

    def __contains__(self, uint64_t number):
        return number < self.bitmap.size and bitmap_has(self.bitmap, number)

    def __len__(self):
        return self.bitmap.count
