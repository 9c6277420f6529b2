from dhcp_fast.plan.compiled cimport Naming, Subnet4
from dhcp_fast.plan.described cimport Described
from dhcp_fast.plan.reservation_set cimport ReservationSet
from dhcp_fast.plan.tenant_view cimport TenantView
from dhcp_fast.leases.pools cimport AddressSpace, Pool
from libc.stdint cimport int64_t, uint32_t

cdef class ServedView(Described):
    """A subnet of either family, compiled, as far as its pools go."""
    cdef TenantView tenant
    cdef int pool_count(self) noexcept
    cdef int space_count(self) noexcept
    cdef Pool* pool(self, int at) noexcept              # NULL: one without a bitmap
    cdef AddressSpace* space(self, int at) noexcept     # NULL: of a pool without a bitmap
    cdef void set_served(self, bint served) noexcept    # not until its leases are counted in
    cdef object use(self, int at)                       # PoolUse of a pool with a bitmap

cdef class SubnetView(ServedView):
    """An IPv4 subnet, compiled; see compile.pyx."""
    cdef Subnet4 subnet
    cdef readonly ReservationSet reservations
    cdef readonly bint enabled              # as configured; the subnet itself may have to wait
    cdef readonly object shared_network     # subnets of one shared network have the same name; None: alone
    cdef int add_pools(self, list pools, list forbidden) except -1
    cdef void drop_pool_options(self) noexcept

cdef int fill_naming(Described owner, Naming* naming, dict fields) except -1
cdef uint32_t lifetime_of(object column) except? 0
cdef int64_t seconds_or_usual(object column) except? -2
