from libc.stdint cimport int64_t, uint16_t, uint32_t

from dhcp_fast.leases.lease_table cimport Lease, Span
from dhcp_fast.leases.pools cimport AddressSpace
from dhcp_fast.plan.compile cimport SubnetView
from dhcp_fast.plan.compiled cimport PlanView, Subnet4

cdef Subnet4* subnet_by_no(const PlanView* plan, uint32_t no) noexcept nogil
cdef Subnet4* subnet_of_relay(const PlanView* plan, uint32_t giaddr, uint32_t tenant_no) noexcept nogil
cdef Subnet4* subnet_of_address(const PlanView* plan, uint32_t address, uint32_t tenant_no) noexcept nogil
cdef Subnet4* subnet_of_lease(const PlanView* plan, const Lease* lease) noexcept nogil
cdef Subnet4* subnet_of_row(const PlanView* plan, const Lease* lease, uint32_t no) noexcept nogil
cdef void prefetch_search(const PlanView* plan, uint32_t address) noexcept nogil
cdef uint32_t prefetch_range(const PlanView* plan, uint32_t address) noexcept nogil
cdef Subnet4* subnet_in_range(const PlanView* plan, uint32_t index, uint32_t address) noexcept nogil
cdef bint is_reachable(const PlanView* plan, Subnet4* subnet) noexcept nogil
cdef Subnet4* subnet_of_interface(const PlanView* plan, int ifindex) noexcept nogil
cdef Subnet4* local_subnet_of(const PlanView* plan, int ifindex, uint32_t address) noexcept nogil

cdef Subnet4* subnet_on_wire(Subnet4* entry, uint32_t address) noexcept nogil

cdef inline Subnet4* next_on_wire(const Subnet4* subnet, const Subnet4* entry) noexcept nogil:
    """Return the next subnet of a shared network until all were visited, beginning at `entry`; NULL then."""
    cdef Subnet4* following = subnet.next_on_wire
    return NULL if following == entry else following

cdef inline Span span_of(const Subnet4* subnet) noexcept nogil:
    cdef Span span
    span.tenant_no = subnet.tenant.no
    span.hi = 0
    span.first = subnet.network
    span.last = subnet.last
    return span

cdef class Plan:
    """The whole compiled configuration; see the .pyx."""
    cdef PlanView view
    cdef readonly dict subnets          # number -> SubnetView
    cdef dict spaces                    # number -> Space
    cdef dict giaddrs                   # number -> tuple of relay addresses
    cdef dict links                     # number -> (indexes of interfaces by address, by binding)
    cdef list names                     # of tenants, kept alive
    cdef dict wires                     # (tenant number, name of the shared network) -> list of SubnetView
    cdef int link(self, SubnetView view) except -1
    cdef int unlink(self, uint32_t no) except -1
    cdef int link_wire(self, tuple wire) except -1

cdef class Space:
    """Owner of one subnet's AddressSpace."""
    cdef AddressSpace* space
    cdef readonly uint32_t no
