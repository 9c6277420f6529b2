from libc.stdint cimport uint32_t

from dhcp_fast.clients.remembered cimport begin_remembered
from dhcp_fast.plan.compiled cimport ClassMask, Tenant
from dhcp_fast.state.slot cimport RECALL_DONE, Slot
from dhcp_fast.state.state cimport Client, State
from dhcp_fast.wire.codes cimport DHCPDISCOVER, OPT_DHCP_REQUESTED_ADDRESS, OPT_DHCP_SERVER_IDENTIFIER
from dhcp_fast.wire.packet4 cimport Packet4, has, option_u32

cdef void recall_missing(State* state, Slot* slot, const Client* client, bint asks_line) noexcept nogil
cdef void remember_options(State* state, const Client* client) noexcept nogil

cdef inline void recall_row(State* state, Slot* slot, const Client* client, bint asks_line) noexcept nogil:
    """Give the packet its missing options, or note that its row is to be read.

    `asks_line`: options of a relay count.
    """
    if asks_line or slot.recall == RECALL_DONE or may_lack(&state.packet, client.subnet.tenant):
        recall_missing(state, slot, client, asks_line)

cdef inline bint may_lack(const Packet4* packet, const Tenant* tenant) noexcept nogil:
    """Return whether a message that may have earlier options may need them."""
    return packet.message_type != DHCPDISCOVER and (
        tenant.keeps_others or tenant.kept.words[0] & ~packet.present[0] != 0)

cdef inline void remember(State* state, const Client* client) noexcept nogil:
    """Note the options of a DISCOVER; of a client in no class none, where that is as good."""
    cdef const ClassMask* classes = &client.classes
    if client.subnet.tenant.kept_by_all or classes.words[0] | classes.words[1] | classes.words[2] | classes.words[3]:
        remember_options(state, client)
    else:
        begin_remembered(state, client.identity)

cdef inline uint32_t named_address(const Packet4* packet) noexcept nogil:
    """Return which address the client speaks of: in answer to an OFFER option 50's, else ciaddr's, else option 50's."""
    if packet.ciaddr and not (has(packet, OPT_DHCP_SERVER_IDENTIFIER) and has(packet, OPT_DHCP_REQUESTED_ADDRESS)):
        return packet.ciaddr
    return option_u32(packet, OPT_DHCP_REQUESTED_ADDRESS)
