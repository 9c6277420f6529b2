from libc.stdint cimport uint32_t

from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.state.state cimport State

cdef void hold_address(State* state, Subnet4* subnet, uint32_t address) noexcept nogil
cdef void lapse_holds(State* state) noexcept nogil
