from dhcp_fast.dhcp6.client cimport Client6
from dhcp_fast.plan.compiled6 cimport Subnet6
from dhcp_fast.state.slot cimport Part, Slot
from dhcp_fast.state.state cimport State

cdef const Part* first_lease(const Slot* slot) noexcept nogil
cdef const Subnet6* subnet_of_part(const State* state, const Client6* client, const Part* part) noexcept nogil
cdef const Subnet6* speaker(const State* state, const Slot* slot, const Client6* client) noexcept nogil
