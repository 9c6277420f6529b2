"""The latest MOST_VALUES values of clients, each with its count; clients may invent any number of them.

A table has its memory from the start and allocates nothing later, so counting needs no allocation;
the kernel provides no memory for unused entries. A further value replaces the one that was not seen
for longest.
"""

from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy

from dhcp_fast.structures.siphash cimport siphash

MOST = MOST_VALUES


cdef bint count_value(
        ValueTable* table, const uint64_t* key, const uint8_t* octets, uint8_t length) noexcept nogil:
    """Count the octets once more; return whether others were forgotten for them."""
    cdef uint64_t hash = siphash(key, octets, length)
    cdef uint16_t index = table.buckets[hash & (BUCKETS - 1)]
    cdef bint is_full = False
    while index and not is_same(&table.at[index], hash, octets, length):
        index = table.at[index].next
    if index:
        unlink(table, index)
    else:
        is_full = table.used == MOST_VALUES
        index = forget_oldest(table) if is_full else next_place(table)
        fill(table, index, hash, octets, length)
    link_newest(table, index)
    table.at[index].count += 1
    return is_full


cdef inline bint is_same(
        const RecentValue* value, uint64_t hash, const uint8_t* octets, uint8_t length) noexcept nogil:
    return value.hash == hash and value.length == length and memcmp(value.octets, octets, length) == 0


cdef inline uint16_t next_place(ValueTable* table) noexcept nogil:
    table.used += 1
    return <uint16_t>table.used


cdef uint16_t forget_oldest(ValueTable* table) noexcept nogil:
    """Return its place."""
    cdef uint16_t index = table.oldest
    cdef uint16_t* link = &table.buckets[table.at[index].hash & (BUCKETS - 1)]
    while link[0] != index:
        link = &table.at[link[0]].next
    link[0] = table.at[index].next
    unlink(table, index)
    return index


cdef void fill(
        ValueTable* table, uint16_t index, uint64_t hash, const uint8_t* octets, uint8_t length) noexcept nogil:
    cdef RecentValue* value = &table.at[index]
    cdef uint16_t* bucket = &table.buckets[hash & (BUCKETS - 1)]
    value.hash = hash
    value.count = 0
    value.length = length
    memcpy(value.octets, octets, length)
    value.next = bucket[0]
    bucket[0] = index


cdef inline void unlink(ValueTable* table, uint16_t index) noexcept nogil:
    cdef const RecentValue* value = &table.at[index]
    if value.newer:
        table.at[value.newer].older = value.older
    else:
        table.newest = value.older
    if value.older:
        table.at[value.older].newer = value.newer
    else:
        table.oldest = value.newer


cdef inline void link_newest(ValueTable* table, uint16_t index) noexcept nogil:
    table.at[index].newer = 0
    table.at[index].older = table.newest
    if table.newest:
        table.at[table.newest].newer = index
    else:
        table.oldest = index
    table.newest = index


cdef class RecentValues:
    """A table of values; `count` is for the model test."""

    def __cinit__(self):
        self.table = <ValueTable*>calloc(1, sizeof(ValueTable))
        if self.table == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.table)

    def count(self, bytes value):
        cdef uint64_t key[2]
        key[0] = key[1] = 0
        if not 0 < len(value) <= LONGEST_VALUE:
            raise ValueError(f"1 to {LONGEST_VALUE} octets")
        return count_value(self.table, key, <const uint8_t*><const char*>value, <uint8_t>len(value))

    def take(self):
        """Return (octets, how often they were seen) of what was seen since the last call, oldest first."""
        cdef uint16_t index = self.table.oldest
        cdef RecentValue* value
        found = []
        while index:
            value = &self.table.at[index]
            if value.count:
                found.append((<bytes>value.octets[:value.length], value.count))
                value.count = 0
            index = value.newer
        return found

    def __len__(self):
        return self.table.used
