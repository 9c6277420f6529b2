from libc.stdint cimport uint32_t

from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.dhcp4.recall cimport named_address
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Client, State
from dhcp_fast.state.reasons cimport Reason
from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.wire.packet4 cimport Field, Packet4

cdef Reason identify(State* state, Slot* slot, Client* client) noexcept nogil
cdef void keep(Slot* slot, const Packet4* packet, const Field* field, Octets* octets) noexcept nogil
cdef void enter_subnet(Slot* slot, Client* client, Subnet4* subnet) noexcept nogil
