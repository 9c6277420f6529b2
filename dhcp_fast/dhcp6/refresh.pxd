from dhcp_fast.dhcp6.client cimport Client6
from dhcp_fast.state.state cimport State

cdef void want_refresh(State* state, const Client6* client) noexcept nogil
