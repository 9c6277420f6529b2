from libc.stdint cimport uint32_t

from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Client, State
from dhcp_fast.state.reasons cimport Reason
from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.wire.codes cimport OPT_DHCP_REQUESTED_ADDRESS, OPT_DHCP_SERVER_IDENTIFIER
from dhcp_fast.wire.packet4 cimport Field, Packet4, has, option_u32

cdef Reason identify(State* state, Slot* slot, Client* client) noexcept nogil
cdef void keep(Slot* slot, const Packet4* packet, const Field* field, Octets* octets) noexcept nogil
cdef void enter_subnet(Slot* slot, Client* client, Subnet4* subnet) noexcept nogil

cdef inline uint32_t named_address(const Packet4* packet) noexcept nogil:
    """Which address the client speaks of: in answer to an OFFER option 50's, else ciaddr's, else option 50's."""
    if packet.ciaddr and not (has(packet, OPT_DHCP_SERVER_IDENTIFIER) and has(packet, OPT_DHCP_REQUESTED_ADDRESS)):
        return packet.ciaddr
    return option_u32(packet, OPT_DHCP_REQUESTED_ADDRESS)
