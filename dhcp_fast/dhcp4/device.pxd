from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State

cdef void note_device(const State* state, Slot* slot) noexcept nogil
