from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State

cdef bint address_reply(State* state, Slot* slot, bint nak) noexcept nogil
