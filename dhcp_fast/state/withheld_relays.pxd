from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.plan.compiled6 cimport Subnet6
from dhcp_fast.state.state cimport State

cdef void see_relay(State* state, Subnet4* subnet, uint32_t giaddr) noexcept nogil
cdef void see_relay6(State* state, Subnet6* subnet, uint64_t hi, uint64_t lo) noexcept nogil
