"""Where a packet comes from: relay or interface -> tenant and subnet, and what this server calls itself there.

A relay says it in up to four ways, and the most explicit one counts: the virtual network (RFC 6607) chooses the tenant;
then link selection (RFC 3527), subnet selection (RFC 3011) or giaddr the subnet. A relay that the operator has bound to
a tenant keeps to it whatever is said.
"""

from libc.stdint cimport uint16_t

from dhcp_fast.leases.lease_table cimport LEASE_ACTIVE, LEASE_EXPIRED, NO_LEASE, Lease, lease_at, lease_find
from dhcp_fast.dhcp4.allocation cimport is_client
from dhcp_fast.dhcp4.client cimport identify
from dhcp_fast.plan.subnets cimport (
    local_subnet_of, next_on_wire, subnet_of_address, subnet_of_interface, subnet_of_relay, tenant_named, trusted)
from dhcp_fast.state.unknown_relays cimport note_unknown_relay
from dhcp_fast.state.reasons cimport (
    REASON_DHCP_DISABLED, REASON_NONE, REASON_NOT_SERVED_HERE, REASON_NO_IDENTITY, REASON_NO_SUBNET,
    REASON_SEVERAL_TENANTS, REASON_UNKNOWN_NETWORK, REASON_UNTRUSTED_RELAY)
from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.wire.codes cimport OPT_DHCP_AGENT_OPTIONS, OPT_SUBNET_SELECTION, OPT_VIRTUAL_SUBNET_SELECTION
from dhcp_fast.wire.cursor cimport load_u32
from dhcp_fast.wire.packet4 cimport Field, Packet4, forget, has, option_u32, use_network

cdef enum:
    NETWORK_BY_NAME = 0         # RFC 6607 section 3.5: the type octet
    NETWORK_GLOBAL = 255


cdef Reason find_subnet(State* state, Slot* slot, Client* client) noexcept nogil:
    """The subnet that the packet speaks for (RFC 2131 section 4.3.1), and our identifier towards it."""
    cdef Reason reason
    client.server_id = slot.rx.ours
    if state.packet.giaddr:
        reason = find_behind_relay(state, client)
    else:
        reason = find_on_wire(state, slot, client)
    if reason != REASON_NONE:
        return reason
    if client.subnet == NULL:
        return REASON_NO_SUBNET
    return REASON_NONE if client.subnet.enabled or enter_sibling(client) else REASON_DHCP_DISABLED


cdef bint enter_sibling(Client* client) noexcept nogil:
    """The subnet that the packet came by is not served: take the first of its shared network that is, if any."""
    cdef Subnet4* subnet = next_on_wire(client.subnet, client.subnet)
    while subnet != NULL and not subnet.enabled:
        subnet = next_on_wire(subnet, client.subnet)
    if subnet != NULL:
        client.subnet = subnet
    return subnet != NULL


cdef Reason find_behind_relay(State* state, Client* client) noexcept nogil:
    """RFC 3527 section 3: link selection counts before subnet selection, and both before giaddr."""
    cdef Packet4* packet = &state.packet
    cdef uint32_t tenant_no = 0
    if not trusted(state.plan, packet.giaddr, &tenant_no):
        note_unknown_relay(state, 0, packet.giaddr)
        return REASON_UNTRUSTED_RELAY
    if packet.server_override.data != NULL:     # RFC 5107 section 4
        client.server_id = load_u32(packet.server_override.data)
    if packet.network.data != NULL or has(packet, OPT_VIRTUAL_SUBNET_SELECTION):
        if not tenant_no and not find_tenant(state, &tenant_no):
            return REASON_UNKNOWN_NETWORK
    if packet.link_selection.data != NULL:
        client.subnet = subnet_of_address(state.plan, load_u32(packet.link_selection.data), tenant_no)
    elif has(packet, OPT_SUBNET_SELECTION):
        client.subnet = subnet_of_address(state.plan, option_u32(packet, OPT_SUBNET_SELECTION), tenant_no)
    else:
        client.subnet = subnet_of_relay(state.plan, packet.giaddr, tenant_no)
    return REASON_NONE


cdef bint find_tenant(State* state, uint32_t* tenant_no) noexcept nogil:
    """The tenant of that virtual network (RFC 6607 section 7): the tenant's name is the network's, the global network
    is the default tenant's. The relay's word counts before the client's (section 7.3). False when nobody has it.

    With a single tenant there is nothing to choose: the server is then one that does not know virtual networks, and the
    control sub-option that comes back tells the relay so.
    """
    cdef Packet4* packet = &state.packet
    cdef Field network = packet.network
    if state.plan.tenant_count < 2:
        return True
    if network.data == NULL:
        network = packet.options[OPT_VIRTUAL_SUBNET_SELECTION]
    if network.data[0] == NETWORK_GLOBAL:
        tenant_no[0] = state.plan.default_tenant
    elif network.data[0] == NETWORK_BY_NAME:
        tenant_no[0] = tenant_named(state.plan, network.data + 1, <uint16_t>(network.length - 1))
    if not tenant_no[0]:
        return False
    use_network(packet, network)
    return True


cdef Reason find_on_wire(State* state, Slot* slot, Client* client) noexcept nogil:
    """A client that has its address is known by it; one that has none is on the wire of the interface, which must be
    one that we serve. A proxy on that wire may select another subnet of its tenant (RFC 3011 section 2)."""
    cdef Packet4* packet = &state.packet
    if packet.relay_echo.data != NULL and not behind_switch(state, slot.rx.ifindex):
        packet.circuit_id.data = packet.remote_id.data = packet.subscriber_id.data = NULL
        packet.relay_id.data = packet.relay_said.data = NULL
        forget(packet, OPT_DHCP_AGENT_OPTIONS)
    if packet.ciaddr:
        return find_by_ciaddr(state, slot, client)
    client.subnet = subnet_of_interface(state.plan, slot.rx.ifindex)
    if client.subnet == NULL:
        return REASON_NOT_SERVED_HERE
    if has(packet, OPT_SUBNET_SELECTION):
        client.subnet = subnet_of_address(
            state.plan, option_u32(packet, OPT_SUBNET_SELECTION), client.subnet.tenant.no)
    return REASON_NONE


cdef bint behind_switch(const State* state, int ifindex) noexcept nogil:
    """Whether what option 82 says there without a relay is a switch's word (RFC 3046 section 2.1): elsewhere any client
    could claim another's circuit. It is echoed all the same (section 2.2)."""
    cdef int i
    for i in range(state.switch_count):
        if state.switches[i] == ifindex:
            return True
    return False


cdef Reason find_by_ciaddr(State* state, Slot* slot, Client* client) noexcept nogil:
    """On a wire that we serve an address of that wire, and whatever is broadcast there: who was moved to it with the
    address of another network has to hear so (RFC 2131 section 4.3.2). Else, through routers, the address alone."""
    cdef uint32_t ciaddr = state.packet.ciaddr
    cdef Subnet4* local = NULL
    cdef Reason reason
    if state.plan.local_count:
        local = local_subnet_of(state.plan, slot.rx.ifindex, ciaddr)
    if local != NULL and (local.network <= ciaddr <= local.last or slot.rx.local != slot.rx.ours):
        client.subnet = local
        return REASON_NONE
    if state.plan.tenant_count < 2:
        client.subnet = subnet_of_address(state.plan, ciaddr, 0)
        reason = REASON_NONE
    else:
        reason = find_tenant_of(state, slot, client)
    if client.subnet == NULL:
        client.subnet = local
    return reason


cdef Reason find_tenant_of(State* state, Slot* slot, Client* client) noexcept nogil:
    """Tenants may overlap: the address is that tenant's whose lease of it we know to be this client's (engine rule 29).
    Where several have the address, and not one of them alone the lease, nobody can tell, and silence does no harm."""
    cdef int i, rank, best = 0, among = 0, count = 0
    cdef Subnet4* found = NULL
    cdef Subnet4* subnet
    for i in range(state.plan.tenant_count):
        subnet = subnet_of_address(state.plan, state.packet.ciaddr, state.plan.tenants[i].tenant_no)
        if subnet == NULL:
            continue
        count += 1
        client.subnet = subnet
        rank = known_binding(state, slot, client)
        if rank > best:
            best = rank
            among = 0
        if rank == best:
            among += 1
            found = subnet
    client.subnet = found
    return REASON_NONE if count < 2 or best and among == 1 else REASON_SEVERAL_TENANTS


cdef int known_binding(State* state, Slot* slot, Client* client) noexcept nogil:
    """2: the client's lease of its ciaddr in this subnet runs, by what we know; 1: it has run out; 0: there is none."""
    cdef uint32_t index = lease_find(state.leases, client.subnet.tenant.no, 0, state.packet.ciaddr)
    cdef Lease* lease
    if index == NO_LEASE or identify(state, slot, client) == REASON_NO_IDENTITY or not is_client(state, client, index):
        return 0
    lease = lease_at(state.leases, index)
    return 2 if lease.state == LEASE_ACTIVE else lease.state == LEASE_EXPIRED


cdef bint own_address(const State* state, const Slot* slot, uint32_t address) noexcept nogil:
    """Whether a server identifier means this server."""
    cdef int i
    if address == slot.rx.ours:
        return True
    for i in range(state.own_address_count):
        if state.own_addresses[i] == address:
            return True
    return False
