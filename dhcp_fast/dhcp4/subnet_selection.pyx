"""Finding of where a packet comes from: relay or interface -> tenant and subnet.

The tenant is that of the relay's entry or of the link, which only admins without a tenant write; no range that a tenant
draws has a say in it (decisions: Ownership of packets). Where the entry allows it, a relay may name another tenant as a
virtual network (RFC 6607). Within the tenant link selection (RFC 3527), subnet selection (RFC 3011) or giaddr choose
the subnet.
"""

from libc.stdint cimport uint32_t

from dhcp_fast.leases.lease_table cimport LEASE_ACTIVE, LEASE_EXPIRED, NO_LEASE, Lease, lease_at, lease_find
from dhcp_fast.dhcp4.reserved cimport is_client
from dhcp_fast.dhcp4.client cimport identify
from dhcp_fast.dhcp4.server_id cimport (
    came_to_us_alone, is_unicast, note_named_server, note_override, source_of_answer)
from dhcp_fast.plan.subnets cimport (
    is_reachable, local_subnet_of, next_on_wire, subnet_of_address, subnet_of_interface, subnet_of_relay)
from dhcp_fast.plan.relays cimport Relay, may_send, note_sender, relay_at, tenant_of_network
from dhcp_fast.state.unknown_relays cimport note_unknown_relay
from dhcp_fast.state.withheld_relays cimport see_relay
from dhcp_fast.state.reasons cimport (
    REASON_DHCP_DISABLED, REASON_NONE, REASON_NOT_SERVED_HERE, REASON_NO_IDENTITY, REASON_NO_OWN_ADDRESS,
    REASON_NO_SUBNET, REASON_SEVERAL_TENANTS, REASON_UNKNOWN_NETWORK, REASON_UNTRUSTED_RELAY, REASON_UNTRUSTED_SOURCE)
from dhcp_fast.state.state cimport (
    BY_CLIENT_NETWORK, BY_DEFAULT, BY_LEASE, BY_LINK, BY_REACH, BY_RELAY, BY_RELAY_NETWORK)
from dhcp_fast.plan.compiled cimport PlanView, Subnet4
from dhcp_fast.wire.codes cimport (
    DHCPDECLINE, DHCPINFORM, DHCPRELEASE, DHCPREQUEST, OPT_DHCP_AGENT_OPTIONS, OPT_DHCP_SERVER_IDENTIFIER,
    OPT_SUBNET_SELECTION, OPT_VIRTUAL_SUBNET_SELECTION)
from dhcp_fast.wire.cursor cimport load_u32
from dhcp_fast.wire.packet4 cimport Field, Packet4, forget, has, option_u32
from dhcp_fast.wire.relay4 cimport use_network

cdef Reason find_subnet(State* state, Slot* slot, Client* client) noexcept nogil:
    """Return the subnet that the packet speaks for (RFC 2131 section 4.3.1), and which server it names."""
    cdef Reason reason
    note_named_server(state, slot, client)
    if state.packet.giaddr:
        reason = find_behind_relay(state, slot, client)
    else:
        reason = find_on_wire(state, slot, client)
    if reason != REASON_NONE:
        return reason
    if not source_of_answer(state, slot, client) and is_answered(&state.packet):
        return REASON_NO_OWN_ADDRESS
    if client.subnet == NULL:
        return REASON_NO_SUBNET
    return REASON_NONE if client.subnet.enabled or enter_sibling(client) else REASON_DHCP_DISABLED


cdef inline bint is_answered(const Packet4* packet) noexcept nogil:
    return packet.message_type != DHCPRELEASE and packet.message_type != DHCPDECLINE


cdef bint enter_sibling(Client* client) noexcept nogil:
    """Return the subnet that the packet came by is not served: take the first of its shared network that is, if any."""
    cdef Subnet4* subnet = next_on_wire(client.subnet, client.subnet)
    while subnet != NULL and not subnet.enabled:
        subnet = next_on_wire(subnet, client.subnet)
    if subnet != NULL:
        client.subnet = subnet
    return subnet != NULL


cdef Reason find_behind_relay(State* state, Slot* slot, Client* client) noexcept nogil:
    """Apply RFC 3527 section 3: link selection counts before subnet selection, and both before giaddr; all within the
    tenant of the relay."""
    cdef Packet4* packet = &state.packet
    cdef Relay* relay = relay_at(&state.plan.relays, 0, packet.giaddr)
    if relay == NULL:
        note_unknown_relay(state, 0, packet.giaddr)
        return REASON_UNTRUSTED_RELAY
    note_sender(relay, 0, slot.rx.peer)
    if not may_send(relay, 0, slot.rx.peer):
        return REASON_UNTRUSTED_SOURCE
    client.tenant_no = relay.tenant_no
    client.tenant_by = BY_RELAY
    if relay.vss and not enter_network(state, relay, client):
        return REASON_UNKNOWN_NETWORK
    note_override(state, client)
    select_subnet(state, client)
    return REASON_NONE


cdef void select_subnet(State* state, Client* client) noexcept nogil:
    """Select the subnet, which may differ from the subnet of the relay's own address."""
    cdef const Packet4* packet = &state.packet
    cdef Subnet4* around
    cdef uint32_t selected = selected_by_relay(packet)
    if not selected:
        selected = selected_by_client(packet)
    if selected:
        client.subnet = subnet_of_address(state.plan, selected, client.tenant_no)
    else:
        client.subnet = subnet_of_relay(state.plan, packet.giaddr, client.tenant_no)
        if client.subnet != NULL:
            see_relay(state, client.subnet, packet.giaddr)
        return
    around = subnet_of_address(state.plan, packet.giaddr, client.tenant_no)
    if around != NULL:
        see_relay(state, around, packet.giaddr)


cdef inline uint32_t selected_by_relay(const Packet4* packet) noexcept nogil:
    """Link selection; 0: not sent, or no unicast address (decisions: Server identifier and source address)."""
    cdef uint32_t selected = load_u32(packet.link_selection.data) if packet.link_selection.data != NULL else 0
    return selected if is_unicast(selected) else 0


cdef inline uint32_t selected_by_client(const Packet4* packet) noexcept nogil:
    """Return the subnet selection; 0 as above."""
    cdef uint32_t selected = option_u32(packet, OPT_SUBNET_SELECTION) if has(packet, OPT_SUBNET_SELECTION) else 0
    return selected if is_unicast(selected) else 0


cdef bint enter_network(State* state, const Relay* relay, Client* client) noexcept nogil:
    """Enter the tenant of the virtual network in the packet (RFC 6607 section 7): the tenant has
    the network's name, the global network is the default tenant's. The relay's option has
    precedence over the client's (section 7.3), which counts only if the relay's entry permits it.
    False if no tenant has it.
    """
    cdef Packet4* packet = &state.packet
    cdef Field network = packet.network
    client.tenant_by = BY_RELAY_NETWORK
    if network.data == NULL and relay.client_vss and has(packet, OPT_VIRTUAL_SUBNET_SELECTION):
        network = packet.options[OPT_VIRTUAL_SUBNET_SELECTION]
        client.tenant_by = BY_CLIENT_NETWORK
    if network.data == NULL:
        client.tenant_by = BY_RELAY
        return True
    client.tenant_no = tenant_of_network(&state.plan.relays, network.data, network.length)
    if not client.tenant_no:
        return False
    use_network(packet, network)
    return True


cdef Reason find_on_wire(State* state, Slot* slot, Client* client) noexcept nogil:
    """Find the subnet: a client that has its address is known by it; any other is on the wire of the interface, which
    must be one that we serve. A proxy on that wire may select another subnet of its tenant (RFC 3011 section 2)."""
    cdef Packet4* packet = &state.packet
    cdef uint32_t selected
    if packet.message_type == DHCPINFORM and not packet.ciaddr:
        packet.ciaddr = slot.rx.peer    # RFC 2131 section 4.4.3 has the client fill it in; its source is as good
    if packet.relay_echo.data != NULL and not behind_switch(state, slot.rx.ifindex):
        packet.circuit_id.data = packet.remote_id.data = packet.subscriber_id.data = NULL
        packet.relay_id.data = packet.relay_said.data = NULL
        forget(packet, OPT_DHCP_AGENT_OPTIONS)
    if is_known_by_ciaddr(packet):
        return find_by_ciaddr(state, slot, client)
    client.subnet = subnet_of_interface(state.plan, slot.rx.ifindex)
    if client.subnet == NULL:
        return REASON_NOT_SERVED_HERE
    client.tenant_by = BY_LINK
    selected = selected_by_client(packet)
    if selected:
        client.subnet = subnet_of_address(state.plan, selected, client.subnet.tenant.no)
    return REASON_NONE


cdef inline bint is_known_by_ciaddr(const Packet4* packet) noexcept nogil:
    """Return whether the message is one of those (RFC 2131 table 5: RENEWING, REBINDING, INFORM and RELEASE) whose
    ciaddr counts. In a message that asks for an address it would let the client choose whose address that is."""
    if not packet.ciaddr:
        return False
    if packet.message_type == DHCPREQUEST:
        return not has(packet, OPT_DHCP_SERVER_IDENTIFIER)
    return packet.message_type == DHCPINFORM or packet.message_type == DHCPRELEASE


cdef bint behind_switch(const State* state, int ifindex) noexcept nogil:
    """Return whether option 82 without a relay comes from a switch there (RFC 3046 section 2.1):
    elsewhere any client could claim another's circuit. It is echoed all the same (section 2.2).
    """
    cdef int i
    for i in range(state.switch_count):
        if state.switches[i] == ifindex:
            return True
    return False


cdef Reason find_by_ciaddr(State* state, Slot* slot, Client* client) noexcept nogil:
    """Find the subnet by ciaddr.

    On a link that we serve, an address of the link counts, and any address in a broadcast: a client
    moved here with the address of another network must learn that (RFC 2131 section 4.3.2). Else,
    through routers, the address alone.
    """
    cdef uint32_t ciaddr = state.packet.ciaddr
    cdef bint unicast = came_to_us_alone(slot)
    cdef Subnet4* local = NULL
    cdef Reason reason
    if state.plan.local_count:
        local = local_subnet_of(state.plan, slot.rx.ifindex, ciaddr)
    if (unicast or local == NULL) and not serves_default_alone(state.plan):
        reason = find_owner(state, slot, client)
        if reason != REASON_NONE or client.tenant_by:
            return reason
    if local != NULL and (local.network <= ciaddr <= local.last or not unicast):
        client.subnet = local
        client.tenant_by = BY_LINK
        return REASON_NONE
    return find_routed(state, client, local)


cdef inline bint serves_default_alone(const PlanView* plan) noexcept nogil:
    return plan.tenant_count == 1 and plan.tenants[0].tenant_no == plan.relays.default_tenant


cdef Reason find_owner(State* state, Slot* slot, Client* client) noexcept nogil:
    """Find the tenant of a packet that may have come through routers.

    It is the tenant in which the address is leased to this client (engine rule 29). If several have
    such a lease, or none, it is the tenant whose entry contains the address. No configured range
    counts before these, not even one around an address of our interface.
    """
    cdef const Relay* relay
    cdef bint held = find_holder(state, slot, client)
    if held and client.subnet != NULL:
        client.tenant_by = BY_LEASE
        return REASON_NONE
    relay = relay_at(&state.plan.relays, 0, state.packet.ciaddr)
    if relay != NULL and relay.is_bound:
        client.tenant_by = BY_REACH
        client.tenant_no = relay.tenant_no
        client.subnet = subnet_of_address(state.plan, state.packet.ciaddr, relay.tenant_no)
        return REASON_NONE
    return REASON_SEVERAL_TENANTS if held else REASON_NONE


cdef Reason find_routed(State* state, Client* client, Subnet4* local) noexcept nogil:
    """Return the subnet of the tenant of the relay or link in front of the address, else the
    default tenant's. If two tenants have an equal claim, no subnet is chosen, because silence does
    no harm. `local`: subnet of the link of arrival, if that is served; an unknown address is judged
    there, if the link is the default tenant's.
    """
    cdef PlanView* plan = state.plan
    cdef uint32_t ciaddr = state.packet.ciaddr
    client.tenant_by = BY_DEFAULT
    client.tenant_no = plan.relays.default_tenant
    if not serves_default_alone(plan) and not find_reached(plan, client, ciaddr):
        client.tenant_no = 0
        return REASON_SEVERAL_TENANTS
    client.subnet = subnet_of_address(plan, ciaddr, client.tenant_no)
    if client.subnet == NULL:       # not even the default tenant's; a lease of any tenant's that is gone may be left
        client.tenant_no = 0
        if local != NULL and local.tenant.no == plan.relays.default_tenant:
            client.subnet = local
            client.tenant_by = BY_LINK
    return REASON_NONE


cdef bint find_reached(const PlanView* plan, Client* client, uint32_t ciaddr) noexcept nogil:
    """Note the tenant of the smallest reachable subnet with the address, if there is one; False: two are as small. A
    wider one has no say: a tenant may draw it around a relay of its own that is somewhere else."""
    cdef Subnet4* subnet
    cdef Subnet4* found = NULL
    cdef bint several = False
    cdef int i
    for i in range(plan.tenant_count):
        subnet = subnet_of_address(plan, ciaddr, plan.tenants[i].tenant_no)
        if subnet == NULL or not is_reachable(plan, subnet):
            continue
        if found == NULL or subnet.mask > found.mask:
            found = subnet
            several = False
        elif subnet.mask == found.mask:
            several = True
    if found != NULL:
        client.tenant_by = BY_REACH
        client.tenant_no = found.tenant.no
    return not several


cdef bint find_holder(State* state, Slot* slot, Client* client) noexcept nogil:
    """Return whether a lease of the address is this client's: the subnet of the one tenant whose it is, NULL where
    several have one; one that runs counts before those that have run out."""
    cdef int i, rank, best = 0, among = 0
    cdef Subnet4* found = NULL
    for i in range(state.plan.tenant_count):
        client.subnet = subnet_of_address(state.plan, state.packet.ciaddr, state.plan.tenants[i].tenant_no)
        rank = known_binding(state, slot, client) if client.subnet != NULL else 0
        if rank > best:
            best = rank
            among = 0
        if rank and rank == best:
            among += 1
            found = client.subnet
    client.subnet = found if among == 1 else NULL
    return best != 0


cdef int known_binding(State* state, Slot* slot, Client* client) noexcept nogil:
    """Return 2: the client's lease of its ciaddr in this subnet runs, by what we know; 1: it has run out; 0: there is
    none."""
    cdef uint32_t index = lease_find(state.leases, client.subnet.tenant.no, 0, state.packet.ciaddr)
    cdef Lease* lease
    if index == NO_LEASE or identify(state, slot, client) == REASON_NO_IDENTITY or not is_client(state, client, index):
        return 0
    lease = lease_at(state.leases, index)
    return 2 if lease.state == LEASE_ACTIVE else lease.state == LEASE_EXPIRED
