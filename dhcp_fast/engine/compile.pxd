from dhcp_fast.engine.view cimport KeyMap, OptionSet, Subnet4, Tenant
from dhcp_fast.alloc.leaseop cimport Octets
from libc.stdint cimport uint32_t, uint64_t

cdef bint keymap_init(KeyMap* table, uint64_t entries) noexcept nogil
cdef void keymap_put(KeyMap* table, uint64_t key, uint32_t value) noexcept nogil
cdef uint32_t keymap_get(const KeyMap* table, uint64_t key) noexcept nogil

cdef class TenantView:
    """A tenant's client classes, compiled."""
    cdef Tenant view
    cdef list keep
    cdef Octets hold(self, object text)
    cdef int options(self, OptionSet* into, object rows) except -1

cdef class SubnetView(TenantView):
    """One subnet, compiled; see compile.pyx."""
    cdef Subnet4 subnet
    cdef TenantView tenant
    cdef readonly object shared_network     # subnets of one wire bear the same name; None: alone
    cdef int add_pools(self, list pools, list forbidden) except -1
    cdef int add_reservations(self, list reservations, const uint64_t* key) except -1
