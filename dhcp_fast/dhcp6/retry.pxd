from dhcp_fast.pg.bind cimport WonRow
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Action, State

cdef Action on_won(State* state, Slot* slot, const WonRow* won) noexcept nogil
cdef Action on_refused(State* state, Slot* slot) noexcept nogil
cdef Action decide_again(State* state, Slot* slot) noexcept nogil
