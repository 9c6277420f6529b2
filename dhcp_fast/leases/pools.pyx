"""Choosing an address: the place that the client's hash names, else the next free one.

Servers that look for "the next free one" in the same pool at the same time would name the same address and all but
one would be refused by the database. So each prefers the chunks for which it wins a rendezvous hash over the live
servers; it is a hint, looked at a few times, and then any free address will do. The workers of one server share its
chunks out among them in the same way. The addresses of a sequential pool they share out one by one, all servers and
their workers: with three servers each has every third address, and gives the lowest of those.
"""

from libc.stdlib cimport calloc, free
from libc.string cimport memset

from dhcp_fast.structures.bitmap cimport (
    bitmap_add, bitmap_free, bitmap_has, bitmap_new, bitmap_next, bitmap_remove, bitmap_summarise)
from dhcp_fast.structures.siphash cimport mix
from dhcp_fast.structures.cache_lines cimport lines_new

cdef extern from *:
    int popcount "__builtin_popcountll"(unsigned long long) noexcept nogil
    int ctz "__builtin_ctzll"(unsigned long long) noexcept nogil

cdef enum:
    PREFERENCE_TRIES = 8
    LANE_WORDS = 64         # of 64 addresses that are looked through for one of our lane


cdef AddressSpace* space_new(uint32_t base, uint64_t size) noexcept nogil:
    cdef AddressSpace* space = <AddressSpace*>lines_new(1, sizeof(AddressSpace))
    if space == NULL:
        return NULL
    space.base = base
    space.size = size
    space.taken = <uint64_t*>calloc((size + 63) >> 6, 8)
    space.offered = <uint64_t*>calloc((size + 63) >> 6, 8)
    if space.taken == NULL or space.offered == NULL:
        space_free(space)
        return NULL
    return space


cdef void space_free(AddressSpace* space) noexcept nogil:
    if space != NULL:
        free(space.taken)
        free(space.offered)
        free(space.foreign)
        free(space)


cdef bint note_foreign(AddressSpace* space, uint32_t address, uint32_t until) noexcept nogil:
    """Note that there is a row of the address that is another worker's client's, or was: that has the address until
    then, or (0) has it no more. False when memory is short."""
    cdef uint32_t at = address - space.base
    if space.foreign == NULL:
        space.foreign = <uint64_t*>calloc((space.size + 63) >> 6, 16)
        if space.foreign == NULL:
            return False
    rows_of(space)[at >> 6] |= <uint64_t>1 << (at & 63)
    space.foreign[at >> 6] &= ~(<uint64_t>1 << (at & 63))
    space.foreign[at >> 6] |= <uint64_t>(until != 0) << (at & 63)
    if until != <uint32_t>ENDLESS:
        space.foreign_until = max(space.foreign_until, until)
    return True


cdef void doubt_foreign(AddressSpace* space, uint32_t until) noexcept nogil:
    """Mark each address of another worker's client as doubtful until then: no row of it was seen."""
    memset(rows_of(space), 0, ((space.size + 63) >> 6) * 8)
    space.doubted_until = max(space.doubted_until, until)


cdef int64_t next_doubted(const AddressSpace* space, uint64_t first) noexcept nogil:
    """Return the first address that is in doubt, by its distance from the space's first, from the 64 on in which
    `first` lies; -1 when there is none."""
    cdef const uint64_t* rows = rows_of(space)
    cdef uint64_t w, bits
    for w in range(first >> 6, (space.size + 63) >> 6):
        bits = space.foreign[w] & ~rows[w]
        if bits:
            return <int64_t>(w << 6) + ctz(bits)
    return -1


cdef bint pool_init(Pool* pool, uint32_t start, uint32_t end) noexcept nogil:
    """Return every address of start .. end permitted, none free yet; False when memory is short."""
    cdef uint64_t i, size = <uint64_t>end - start + 1
    cdef uint64_t words = (size + 63) >> 6
    pool.start = start
    pool.end = end
    pool.permitted = <uint64_t*>calloc(words, 8)
    pool.free = bitmap_new(size)
    if pool.permitted == NULL or pool.free == NULL:
        return False
    for i in range(words):
        pool.permitted[i] = ~<uint64_t>0
    if size & 63:
        pool.permitted[words - 1] = (<uint64_t>1 << (size & 63)) - 1
    return True


cdef void pool_clear(Pool* pool) noexcept nogil:
    free(pool.permitted)
    bitmap_free(pool.free)


cdef void pool_forbid(Pool* pool, uint32_t first, uint32_t last) noexcept nogil:
    """Forbid addresses first .. last; addresses outside of the pool do not matter."""
    cdef uint64_t at, end
    if last < pool.start or first > pool.end:
        return
    at = max(first, pool.start) - pool.start
    end = min(last, pool.end) - pool.start
    while at <= end:
        if at & 63 == 0 and end - at >= 63:
            pool.permitted[at >> 6] = 0
            at += 64
        else:
            pool.permitted[at >> 6] &= ~(<uint64_t>1 << (at & 63))
            at += 1


cdef void pool_withhold(Pool* pool, uint32_t address) noexcept nogil:
    """Withhold an address that the pool permits from everybody from now on."""
    cdef uint32_t at = address - pool.start
    if not pool_permits(pool, address):
        return
    pool.permitted[at >> 6] &= ~(<uint64_t>1 << (at & 63))
    pool.usable -= 1
    if bitmap_has(pool.free, at):
        bitmap_remove(pool.free, at)


cdef void pool_open(Pool* pool, const AddressSpace* space) noexcept nogil:
    """Make free what is permitted and not taken, 64 addresses at once; the pool lies in the space."""
    cdef uint64_t w, first = pool.start - space.base
    cdef uint64_t last_word = (space.size - 1) >> 6
    cdef int shift = first & 63
    cdef uint64_t taken
    pool.usable = 0
    for w in range(pool.free.words[0]):
        taken = space.taken[(first >> 6) + w] >> shift
        if shift and (first >> 6) + w < last_word:
            taken |= space.taken[(first >> 6) + w + 1] << (64 - shift)
        pool.usable += popcount(pool.permitted[w])
        pool.free.level[0][w] = pool.permitted[w] & ~taken
    bitmap_summarise(pool.free)


cdef void mark_taken(AddressSpace* space, uint32_t address) noexcept nogil:
    """Mark it taken without a look at the pools, which are opened afterwards."""
    cdef uint32_t at = address - space.base
    space.taken[at >> 6] |= <uint64_t>1 << (at & 63)


cdef Pool* pool_of(Pool* pools, int count, uint32_t address) noexcept nogil:
    cdef int i
    for i in range(count):
        if pool_covers(&pools[i], address):
            return &pools[i]
    return NULL


cdef void take_address(AddressSpace* space, Pool* pools, int count, uint32_t address) noexcept nogil:
    """Take an address; one that is taken is free in no pool, so that a renewal looks at none."""
    cdef uint32_t at = address - space.base
    cdef Pool* pool
    if is_taken(space, address):
        return
    pool = pool_of(pools, count, address)
    space.taken[at >> 6] |= <uint64_t>1 << (at & 63)
    if pool != NULL:
        bitmap_remove(pool.free, address - pool.start)


cdef void give_back(AddressSpace* space, Pool* pools, int count, uint32_t address) noexcept nogil:
    cdef uint32_t at = address - space.base
    cdef Pool* pool = pool_of(pools, count, address)
    space.taken[at >> 6] &= ~(<uint64_t>1 << (at & 63))
    if pool != NULL and pool_permits(pool, address):
        bitmap_add(pool.free, address - pool.start)


cdef inline bint preferred(uint64_t chunk, const NodeRing* ring) noexcept nogil:
    cdef int i
    cdef uint64_t mine = mix(ring.mine ^ mix(chunk))
    for i in range(ring.count):
        if mix(ring.others[i] ^ mix(chunk)) > mine:
            return False
    return ring.workers <= 1 or mix(~mix(chunk)) % ring.workers == ring.worker


cdef int64_t pool_pick(const Pool* pool, uint64_t position, const NodeRing* ring) noexcept nogil:
    """Return a free address's distance from the pool's start, or -1 when none is free."""
    cdef uint64_t size = pool.free.size
    if pool.free.count == 0:
        return -1
    if pool.sequential:
        return next_in_lane(pool, position, ring) if ring.lanes > 1 else bitmap_next(pool.free, 0)
    position = position % size
    if bitmap_has(pool.free, position):
        return <int64_t>position
    return next_preferred(pool, position, ring)


cdef void ring_set_lanes(NodeRing* ring) noexcept nogil:
    """Share the addresses of sequential pools out anew: first among the servers in the order of their numbers, then
    among the workers of each, of which the others need not know how many they are."""
    cdef uint32_t i, rank = 0, nodes = <uint32_t>ring.count + 1
    for i in range(<uint32_t>ring.count):
        rank += ring.others[i] < ring.mine
    ring.lanes = nodes * max(ring.workers, <uint32_t>1)
    ring.lane = rank + nodes * ring.worker
    ring.comb = 0
    i = 0
    while i < 64:
        ring.comb |= <uint64_t>1 << i
        i += ring.lanes


cdef int64_t next_in_lane(const Pool* pool, uint64_t position, const NodeRing* ring) noexcept nogil:
    """Return the lowest free address of our lane, else any of the lowest ones: if all servers took the very lowest, all
    but one would lose, most often to the one whose lane that is."""
    cdef int64_t first = bitmap_next(pool.free, 0), found = first
    cdef uint64_t word, skipped, mine
    cdef int _try
    for _try in range(LANE_WORDS):
        if found < 0:
            break
        word = <uint64_t>found >> 6
        skipped = (ring.lane + ring.lanes - (word << 6) % ring.lanes) % ring.lanes      # to our first one in the word
        mine = pool.free.level[0][word] & (ring.comb << skipped) if skipped < 64 else 0
        if mine:
            return <int64_t>(word << 6) + ctz(mine)
        found = bitmap_next(pool.free, (word + 1) << 6)
    return first if first < 0 else one_of_word(pool, <uint64_t>first >> 6, position & 63)


cdef inline int64_t one_of_word(const Pool* pool, uint64_t word, int turn) noexcept nogil:
    """Return a free address of 64 of which one is free; which, depends on the turn."""
    cdef uint64_t bits = pool.free.level[0][word]
    bits = bits >> turn | bits << ((64 - turn) & 63)
    return <int64_t>(word << 6) + ((ctz(bits) + turn) & 63)


cdef int64_t next_preferred(const Pool* pool, uint64_t position, const NodeRing* ring) noexcept nogil:
    cdef uint64_t chunk_size = 4096 if pool.free.size > 32768 else 64
    cdef int64_t found, first = -1
    cdef int _try
    for _try in range(PREFERENCE_TRIES if ring.count or ring.workers > 1 else 1):
        found = bitmap_next(pool.free, position)
        if found < 0:
            found = bitmap_next(pool.free, 0)
        if preferred(<uint64_t>found // chunk_size, ring):
            return found
        if first < 0:
            first = found
        position = (<uint64_t>found // chunk_size + 1) * chunk_size
    return first
