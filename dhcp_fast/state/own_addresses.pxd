"""Addresses of this host's interfaces, of the family that the process serves, as the kernel has them now.

They are sorted by interface, and within it in the kernel's order, in which the primary address
comes first. `engine.configure.set_own_addresses` replaces the table between two packets, whenever
the kernel announces a change.
"""

from libc.stdint cimport uint8_t, uint64_t

# IPv4: hi is 0.
cdef struct OwnAddress:
    int ifindex
    uint8_t prefix          # length
    uint8_t scope           # as rtnetlink(7) has it: 0 is global, 253 the link, 254 the host
    uint64_t hi, lo

cdef struct OwnAddresses:
    OwnAddress* entries
    int count

cdef const OwnAddress* addresses_on(const OwnAddresses* own, int ifindex, int* count) noexcept nogil
cdef bint is_own_address(const OwnAddresses* own, uint64_t hi, uint64_t lo) noexcept nogil
