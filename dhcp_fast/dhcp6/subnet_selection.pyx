"""Where a message comes from: relay or interface -> tenant and subnet (RFC 8415 section 13.1).

Of the relays that a message came through, the one next to the client says most. Its interface id chooses the subnet
that bears it (`interface_id`), else its link-address does; one of zeros, as a switch's (RFC 6221), leaves it to the
relay behind it, and in the end to the interface that the datagram came in on.
"""

from libc.stdint cimport uint16_t, uint32_t

from dhcp_fast.plan.compiled6 cimport Subnet6
from dhcp_fast.plan.subnets6 cimport (
    next_on_wire, subnet_of_address, subnet_of_interface, subnet_of_interface_id, subnet_of_relay, tenant_named,
    trusted)
from dhcp_fast.state.reasons cimport (
    REASON_DHCP_DISABLED, REASON_NONE, REASON_NOT_SERVED_HERE, REASON_NO_SUBNET, REASON_UNKNOWN_NETWORK,
    REASON_UNTRUSTED_RELAY)
from dhcp_fast.state.unknown_relays cimport note_unknown_relay
from dhcp_fast.wire.cursor cimport load_u64
from dhcp_fast.wire.relay6 cimport LINK_LOCAL6, Hop6, Relays6, names_link6

cdef enum:
    NETWORK_BY_NAME = 0         # RFC 6607 section 3.5: the type octet
    NETWORK_GLOBAL = 255
    GROUP = 0xFF                # first octet of a multicast address


cdef Reason find_subnet(State* state, const Slot* slot, Client6* client) noexcept nogil:
    """The subnet that the message speaks for, or the reason why there is none."""
    cdef Reason reason
    if state.message6.relays.count:
        reason = find_behind_relays(state, slot, client)
    else:
        reason = find_on_wire(state, slot, client)
    if reason != REASON_NONE:
        return reason
    if client.subnet == NULL:
        return REASON_NO_SUBNET
    return REASON_NONE if client.subnet.enabled or enter_sibling(client) else REASON_DHCP_DISABLED


cdef bint enter_sibling(Client6* client) noexcept nogil:
    """The subnet that the message came by is not served: take the first of its shared network that is, if any."""
    cdef Subnet6* subnet = next_on_wire(client.subnet, client.subnet)
    while subnet != NULL and not subnet.enabled:
        subnet = next_on_wire(subnet, client.subnet)
    if subnet != NULL:
        client.subnet = subnet
    return subnet != NULL


cdef Reason find_behind_relays(State* state, const Slot* slot, Client6* client) noexcept nogil:
    """A relay is known by the source of its datagrams."""
    cdef Relays6* relays = &state.message6.relays
    cdef uint32_t tenant_no = 0
    cdef int at
    if not trusted(state.plan6, slot.rx.peer_hi, slot.rx.peer_lo, &tenant_no):
        note_unknown_relay(state, slot.rx.peer_hi, slot.rx.peer_lo)
        return REASON_UNTRUSTED_RELAY
    if not tenant_no and not find_tenant(state, &tenant_no):
        return REASON_UNKNOWN_NETWORK
    for at in range(relays.count - 1, -1, -1):
        client.subnet = subnet_of_hop(state, &relays.hops[at], tenant_no)
        if client.subnet != NULL:
            return REASON_NONE
        if names_link6(&relays.hops[at]):
            return REASON_NO_SUBNET
    client.subnet = subnet_of_interface(state.plan6, slot.rx.ifindex)
    return REASON_NONE


cdef Subnet6* subnet_of_hop(const State* state, const Hop6* hop, uint32_t tenant_no) noexcept nogil:
    cdef Subnet6* subnet = NULL
    if hop.interface_id.data != NULL:
        subnet = subnet_of_interface_id(state.plan6, hop.interface_id.data, hop.interface_id.length, tenant_no)
    if subnet == NULL and names_link6(hop):
        subnet = subnet_of_relay(
            state.plan6, load_u64(hop.link_address), load_u64(hop.link_address + 8), tenant_no)
    return subnet


cdef bint find_tenant(State* state, uint32_t* tenant_no) noexcept nogil:
    """The tenant of the virtual network that a relay names (RFC 6607 section 7), the nearest to the client first: the
    tenant's name is the network's, the global network is the default tenant's. False when nobody has it.

    With a single tenant there is nothing to choose: the server is then one that does not know virtual networks.
    """
    cdef Relays6* relays = &state.message6.relays
    cdef Hop6* hop
    cdef int at
    if state.plan6.tenant_count < 2:
        return True
    for at in range(relays.count - 1, -1, -1):
        hop = &relays.hops[at]
        if hop.network.data == NULL:
            continue
        if hop.network.data[0] == NETWORK_GLOBAL:
            tenant_no[0] = state.plan6.default_tenant
        elif hop.network.data[0] == NETWORK_BY_NAME:
            tenant_no[0] = tenant_named(state.plan6, hop.network.data + 1, <uint16_t>(hop.network.length - 1))
        hop.network_used = tenant_no[0] != 0
        return hop.network_used
    return True


cdef Reason find_on_wire(State* state, const Slot* slot, Client6* client) noexcept nogil:
    """A client on the wire of an interface that is served, or one that sends from its address through routers, and may
    come in on such an interface too."""
    cdef Subnet6* routed = NULL
    client.subnet = subnet_of_interface(state.plan6, slot.rx.ifindex)
    if slot.rx.peer_hi >> 54 != LINK_LOCAL6 and slot.rx.local_hi >> 56 != GROUP:
        routed = subnet_of_address(
            state.plan6, slot.rx.peer_hi, slot.rx.peer_lo, client.subnet.tenant.no if client.subnet != NULL else 0)
    if routed != NULL:
        client.subnet = routed
    return REASON_NONE if client.subnet != NULL else REASON_NOT_SERVED_HERE
