from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State

cdef enum:
    NEWEST = 0x7FFFFFFFFFFFFFFF     # the version of what a rehearsal gave, above every row's

cdef int judge(State* state, Slot* slot, object told) except -1
cdef void judge_by_memory(State* state, Slot* slot) noexcept nogil
