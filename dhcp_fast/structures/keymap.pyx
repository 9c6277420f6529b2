"""A keyed map of numbers: open addressing at half load at most, filled once and then read."""

from libc.stdlib cimport calloc


cdef bint keymap_init(KeyMap* table, uint64_t entries) noexcept nogil:
    """Return room for `entries` at half load; False when memory is short."""
    cdef uint64_t size = 8
    while size < entries * 2:
        size *= 2
    table.slots = <KeySlot*>calloc(size, sizeof(KeySlot))
    table.mask = size - 1
    return table.slots != NULL


cdef void keymap_put(KeyMap* table, uint64_t key, uint32_t value) noexcept nogil:
    cdef uint64_t at = mix(key) & table.mask
    while table.slots[at].value and table.slots[at].key != key:
        at = (at + 1) & table.mask
    table.slots[at].key = key
    table.slots[at].value = value
