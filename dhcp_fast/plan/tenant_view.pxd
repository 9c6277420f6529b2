from dhcp_fast.plan.compiled cimport Tenant
from dhcp_fast.plan.described cimport Described

cdef class TenantView(Described):
    """A tenant's client classes, compiled."""
    cdef Tenant view
    cdef object reserved                    # keeps the reservations that its subnets share
    cdef list templates                     # (index among its classes, value that distinguishes the template)
    cdef int count_values(self, object tables) except -1
