from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.plan.compiled6 cimport Numbers6, Spans6, PlanView6, Pool6, Range6, Subnet6

cdef void* what_holds(const Spans6* spans, uint64_t hi, uint64_t lo) noexcept nogil
cdef void* numbered(const Numbers6* numbers, uint32_t no) noexcept nogil
cdef int interface_id_order(const Octets* its, const uint8_t* data, uint16_t length) noexcept nogil
cdef int interface_ids_before(
    const PlanView6* view, const uint8_t* data, uint16_t length, uint32_t no) noexcept nogil
cdef void order_tenants(PlanView6* view) noexcept
cdef int insert_subnet(PlanView6* view, Subnet6* subnet) except -1
cdef void remove_subnet(PlanView6* view, const Subnet6* subnet) noexcept
cdef int insert_relay_address(PlanView6* view, uint64_t hi, uint64_t lo, Subnet6* subnet) except -1
cdef int insert_local(PlanView6* view, int ifindex, bint bound, Subnet6* subnet) except -1
cdef void free_arrays(PlanView6* view) noexcept
