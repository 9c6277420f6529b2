"""Hash table of chains, by name; it grows with its contents.

The key is random at each start, so that nobody who may write names can put them all into one chain.
"""

import os

from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy

from dhcp_fast.structures.siphash cimport siphash

cdef enum:
    FIRST_SLOTS = 8

cdef uint64_t KEY[2]


cdef void draw_key():
    cdef bytes drawn = os.urandom(sizeof(KEY))
    memcpy(KEY, <const uint8_t*>drawn, sizeof(KEY))


draw_key()


cdef bint table_init(NameTable* table) noexcept nogil:
    """Return False when memory is short."""
    table.slots = <Named**>calloc(FIRST_SLOTS, sizeof(Named*))
    table.mask = FIRST_SLOTS - 1
    table.count = 0
    return table.slots != NULL


cdef Named* table_find(const NameTable* table, const uint8_t* name, uint8_t length) noexcept nogil:
    """Return NULL where there is none."""
    cdef uint64_t hashed = siphash(KEY, name, length)
    cdef Named* found = table.slots[hashed & table.mask]
    while found != NULL:
        if found.hash == hashed and found.length == length and memcmp(found.name, name, length) == 0:
            return found
        found = found.next
    return NULL


cdef void table_add(NameTable* table, Named* entry) noexcept nogil:
    """Add an entry; its name is set, and is in no chain yet."""
    entry.hash = siphash(KEY, entry.name, entry.length)
    if table.count > table.mask:
        grow(table)
    put(table, entry)
    table.count += 1


cdef void put(NameTable* table, Named* entry) noexcept nogil:
    cdef Named** slot = &table.slots[entry.hash & table.mask]
    entry.next = slot[0]
    slot[0] = entry


cdef void grow(NameTable* table) noexcept nogil:
    """Grow to twice as many slots; where memory is short the chains become longer instead."""
    cdef NameTable larger
    cdef Named* entry
    cdef Named* following
    cdef uint64_t i
    larger.mask = table.mask * 2 + 1
    larger.count = table.count
    larger.slots = <Named**>calloc(larger.mask + 1, sizeof(Named*))
    if larger.slots == NULL:
        return
    for i in range(table.mask + 1):
        entry = table.slots[i]
        while entry != NULL:
            following = entry.next
            put(&larger, entry)
            entry = following
    free(table.slots)
    table[0] = larger


cdef void table_remove(NameTable* table, Named* entry) noexcept nogil:
    cdef Named** place = &table.slots[entry.hash & table.mask]
    while place[0] != NULL and place[0] != entry:
        place = &place[0].next
    if place[0] == entry:
        place[0] = entry.next
        table.count -= 1
