from dhcp_fast.plan.compile cimport ServedView
from dhcp_fast.plan.tenant_view cimport TenantView
from dhcp_fast.plan.compiled6 cimport Pool6, Subnet6

cdef class TenantView6(TenantView):
    """A tenant as DHCPv6 sees it."""

cdef class SubnetView6(ServedView):
    """An IPv6 subnet, compiled; see compile6.pyx."""
    cdef Subnet6 subnet
    cdef readonly bint enabled              # as configured; the subnet itself may have to wait
    cdef readonly object shared_network     # subnets of one shared network have the same name; None: alone
    cdef readonly dict bitmaps              # number of each pool with a bitmap -> (first, last, prefix length)
    cdef int add_pools(self, list pools, list forbidden) except -1
    cdef int add_pool(self, Pool6* pool, dict row, list forbidden) except -1
