from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Client, State
from dhcp_fast.state.reasons cimport Reason

cdef Reason find_subnet(State* state, Slot* slot, Client* client) noexcept nogil
