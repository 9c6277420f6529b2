from dhcp_fast.dhcp6.client cimport Client6
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State
from dhcp_fast.wire.packet6 cimport Ia6

# False: no room is left for what is to be written.
cdef bint on_solicited(State* state, Slot* slot, const Client6* client, const Ia6* ia) noexcept nogil
cdef bint on_requested(State* state, Slot* slot, const Client6* client, const Ia6* ia) noexcept nogil
cdef bint on_renewed(State* state, Slot* slot, const Client6* client, const Ia6* ia) noexcept nogil
cdef bint on_released(State* state, Slot* slot, const Client6* client, const Ia6* ia) noexcept nogil
cdef bint on_declined(State* state, Slot* slot, const Client6* client, const Ia6* ia) noexcept nogil
cdef bint names_lease(const State* state, const Ia6* ia) noexcept nogil
cdef bint holds_any(State* state, const Client6* client, const Ia6* ia) noexcept nogil
cdef bint looks_up(State* state, Slot* slot, const Client6* client) noexcept nogil
cdef bint doubts_plan(State* state, Slot* slot, const Client6* client) noexcept nogil
