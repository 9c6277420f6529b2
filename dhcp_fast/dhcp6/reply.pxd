from dhcp_fast.dhcp6.client cimport Client6
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State

cdef void answer(State* state, Slot* slot, const Client6* client) noexcept nogil
cdef void answer_registration(State* state, Slot* slot) noexcept nogil
cdef bint address_reply(const State* state, Slot* slot) noexcept nogil
