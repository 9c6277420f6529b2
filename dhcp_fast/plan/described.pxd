from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.plan.compiled cimport Boot, OptionSet

cdef class Described:
    """A compiled object; see described.pyx."""
    cdef list keep
    cdef Octets hold(self, object text)
    cdef int options(self, OptionSet* into, object rows) except -1

cdef void* array(size_t count, size_t size) except NULL
cdef int fill_boot(Described owner, Boot* boot, dict row) except -1
