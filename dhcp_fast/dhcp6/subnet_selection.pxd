from dhcp_fast.dhcp6.client cimport Client6
from dhcp_fast.state.reasons cimport Reason
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State

cdef Reason find_subnet(State* state, const Slot* slot, Client6* client) noexcept nogil
cdef Reason find_for_information(State* state, const Slot* slot, Client6* client) noexcept nogil
