from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State

cdef int judge(State* state, Slot* slot, object told) except -1
