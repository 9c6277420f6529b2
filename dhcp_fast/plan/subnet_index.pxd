from libc.stdint cimport uint32_t

from dhcp_fast.plan.compiled cimport PlanView, Subnet4

cdef void* opened(void* memory, int* room, int count, int at, size_t size) except NULL
cdef void closed(void* memory, int count, int at, size_t size) noexcept
cdef void order_tenants(PlanView* view) noexcept
cdef int number_subnet(PlanView* view, Subnet4* subnet) except -1
cdef void forget_number(PlanView* view, uint32_t no) noexcept
cdef int insert_range(PlanView* view, Subnet4* subnet) except -1
cdef void remove_range(PlanView* view, const Subnet4* subnet) noexcept
cdef int insert_giaddr(PlanView* view, uint32_t giaddr, Subnet4* subnet) except -1
cdef void remove_giaddrs(PlanView* view, const Subnet4* subnet) noexcept
cdef int insert_local(PlanView* view, int ifindex, bint bound, Subnet4* subnet) except -1
cdef void remove_locals(PlanView* view, const Subnet4* subnet) noexcept
cdef void free_arrays(PlanView* view) noexcept
