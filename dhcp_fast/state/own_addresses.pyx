cdef const OwnAddress* addresses_on(const OwnAddresses* own, int ifindex, int* count) noexcept nogil:
    """Return the first of the interface's addresses; `count` of them follow each other. NULL: it has none."""
    cdef int low = 0, high = own.count, middle
    while low < high:
        middle = (low + high) >> 1
        if own.entries[middle].ifindex < ifindex:
            low = middle + 1
        else:
            high = middle
    count[0] = 0
    while low + count[0] < own.count and own.entries[low + count[0]].ifindex == ifindex:
        count[0] += 1
    return &own.entries[low] if count[0] else NULL


cdef bint is_own_address(const OwnAddresses* own, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return whether an interface of this host has it."""
    cdef int i
    for i in range(own.count):
        if own.entries[i].lo == lo and own.entries[i].hi == hi:
            return True
    return False
