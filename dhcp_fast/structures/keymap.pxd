from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.structures.siphash cimport mix

cdef struct KeySlot:
    uint64_t key
    uint32_t value          # 1 and up; 0: empty

cdef struct KeyMap:
    KeySlot* slots
    uint64_t mask

cdef bint keymap_init(KeyMap* table, uint64_t entries) noexcept nogil
cdef void keymap_put(KeyMap* table, uint64_t key, uint32_t value) noexcept nogil

cdef inline uint32_t keymap_get(const KeyMap* table, uint64_t key) noexcept nogil:
    """Return the value under `key`, or 0."""
    cdef uint64_t at = mix(key) & table.mask
    while table.slots[at].value:
        if table.slots[at].key == key:
            return table.slots[at].value
        at = (at + 1) & table.mask
    return 0
