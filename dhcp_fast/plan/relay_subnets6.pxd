from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.plan.compiled6 cimport PlanView6, RelayAddress6, Subnet6

# A link-address that is unique on its link only, and the address from which its relay sends.
cdef struct LinkLocal:
    uint64_t hi, lo
    uint64_t source_hi, source_lo

cdef int next_naming(const PlanView6* plan, uint64_t hi, uint64_t lo, uint32_t tenant_no, int after) noexcept nogil
cdef Subnet6* subnet_of_link_local(
    const PlanView6* plan, const LinkLocal* link, uint32_t tenant_no, bint* several) noexcept nogil
