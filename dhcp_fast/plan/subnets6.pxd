from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.plan.compile6 cimport SubnetView6
from dhcp_fast.plan.compiled6 cimport PlanView6, Pool6, Range6, Subnet6

cdef Subnet6* subnet_by_no(const PlanView6* plan, uint32_t no) noexcept nogil
cdef Pool6* pool_by_no(const PlanView6* plan, uint32_t no) noexcept nogil
cdef Subnet6* subnet_of_relay(const PlanView6* plan, uint64_t hi, uint64_t lo, uint32_t tenant_no) noexcept nogil
cdef Subnet6* subnet_of_interface_id(
    const PlanView6* plan, const uint8_t* data, uint16_t length, uint32_t tenant_no) noexcept nogil
cdef Subnet6* subnet_of_address(const PlanView6* plan, uint64_t hi, uint64_t lo, uint32_t tenant_no) noexcept nogil
cdef bint is_reachable(const PlanView6* plan, Subnet6* subnet) noexcept nogil
cdef Subnet6* local_subnet_of(const PlanView6* plan, int ifindex, uint64_t hi, uint64_t lo) noexcept nogil
cdef Subnet6* subnet_of_interface(const PlanView6* plan, int ifindex) noexcept nogil
cdef Subnet6* linkless_subnet(const PlanView6* plan, uint32_t tenant_no) noexcept nogil
cdef Pool6* pool_of_lease(const PlanView6* plan, uint32_t tenant_no, uint64_t hi, uint64_t lo) noexcept nogil
cdef bint is_forbidden(const Subnet6* subnet, uint64_t hi, uint64_t lo) noexcept nogil
cdef Range6 prefix_around(const Pool6* pool, uint64_t hi, uint64_t lo) noexcept nogil
cdef bint is_prefix_forbidden(const Subnet6* subnet, const Pool6* pool, uint64_t index) noexcept nogil

cdef inline Subnet6* next_on_wire(const Subnet6* subnet, const Subnet6* entry) noexcept nogil:
    """Return the next subnet of a shared network until all were visited, beginning at `entry`; NULL then."""
    cdef Subnet6* following = subnet.next_on_wire
    return NULL if following == entry else following

cdef class Plan6:
    """The whole compiled IPv6 configuration; see the .pyx."""
    cdef PlanView6 view
    cdef readonly dict subnets          # number -> SubnetView6
    cdef dict spaces                    # pool number -> (bounds, Space)
    cdef dict links                     # subnet number -> (relay addresses, interfaces by address, by binding)
    cdef list names                     # of tenants, kept alive
    cdef list linkless                  # SubnetView6 of each tenant, kept alive
    cdef dict wires                     # (tenant number, name of the shared network) -> list of SubnetView6
    cdef int link(self, SubnetView6 view) except -1
    cdef int unlink(self, uint32_t no) except -1
    cdef int link_wire(self, tuple wire) except -1
