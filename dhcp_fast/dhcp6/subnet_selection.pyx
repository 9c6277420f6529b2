"""Choice of a message's tenant and subnet by its relay or interface (RFC 8415 section 13.1).

The tenant is that of the relay's entry or of the link, as for DHCPv4; the subnet is searched within
it. The relay next to the client is the most specific one. Its interface id chooses the subnet with
that `interface_id`, else its link-address does, a link-local one if a subnet names it. Zeros, as
from a switch (RFC 6221), leave the choice to the next relay, and in the end to the interface of the
datagram.
"""

from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.dhcp6.client cimport association_of
from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.leases.lease_table cimport LEASE_ACTIVE, NO_LEASE, lease_at, lease_find
from dhcp_fast.plan.compiled6 cimport PlanView6, Subnet6
from dhcp_fast.plan.relays cimport Relay, may_send, note_sender, relay_at, tenant_of_network
from dhcp_fast.plan.relay_subnets6 cimport LinkLocal, subnet_of_link_local
from dhcp_fast.plan.subnets6 cimport (
    is_reachable, linkless_subnet, local_subnet_of, next_on_wire, subnet_of_address, subnet_of_interface,
    subnet_of_interface_id, subnet_of_relay)
from dhcp_fast.state.reasons cimport (
    REASON_DHCP_DISABLED, REASON_NONE, REASON_NOT_SERVED_HERE, REASON_NO_SUBNET, REASON_SEVERAL_TENANTS,
    REASON_UNKNOWN_NETWORK, REASON_UNTRUSTED_RELAY, REASON_UNTRUSTED_SOURCE)
from dhcp_fast.state.state cimport (
    BY_CLIENT_NETWORK, BY_DEFAULT, BY_LEASE, BY_LINK, BY_REACH, BY_RELAY, BY_RELAY_NETWORK)
from dhcp_fast.state.unknown_relays cimport note_unknown_relay
from dhcp_fast.state.withheld_relays cimport see_relay6
from dhcp_fast.wire.codes6 cimport OPT6_CLIENTID, OPT6_VIRTUAL_SUBNET_SELECTION
from dhcp_fast.wire.cursor cimport load_u64
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.packet6 cimport Packet6, has6
from dhcp_fast.wire.relay6 cimport LINK_LOCAL6, Hop6, Relays6, names_link6

cdef enum:
    GROUP = 0xFF                # first octet of a multicast address


cdef Reason find_subnet(State* state, const Slot* slot, Client6* client) noexcept nogil:
    """Return the subnet that the message speaks for, or the reason why there is none."""
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


cdef Reason find_for_information(State* state, const Slot* slot, Client6* client) noexcept nogil:
    """Find it as `find_subnet`, of an Information-request: on a served link without a subnet, and behind a trusted
    relay that names none, the tenant's global options are an answer."""
    cdef Reason reason = find_subnet(state, slot, client)
    if reason == REASON_NOT_SERVED_HERE:
        client.tenant_no = state.plan6.relays.default_tenant
        client.tenant_by = BY_LINK
    elif reason != REASON_NO_SUBNET:
        return reason
    client.subnet = linkless_subnet(state.plan6, client.tenant_no)
    return reason if client.subnet == NULL else REASON_NONE


cdef bint enter_sibling(Client6* client) noexcept nogil:
    """Return the subnet that the message came by is not served: take the first of its shared network that is, if
    any."""
    cdef Subnet6* subnet = next_on_wire(client.subnet, client.subnet)
    while subnet != NULL and not subnet.enabled:
        subnet = next_on_wire(subnet, client.subnet)
    if subnet != NULL:
        client.subnet = subnet
    return subnet != NULL


cdef Reason find_behind_relays(State* state, const Slot* slot, Client6* client) noexcept nogil:
    """Find the subnet behind relays. A relay is known by the source of its datagrams, and all is looked for within its
    tenant."""
    cdef Relays6* relays = &state.message6.relays
    cdef Relay* relay = relay_at(&state.plan6.relays, slot.rx.peer_hi, slot.rx.peer_lo)
    cdef bint ambiguous
    cdef int at
    if relay == NULL:
        note_unknown_relay(state, slot.rx.peer_hi, slot.rx.peer_lo)
        return REASON_UNTRUSTED_RELAY
    note_sender(relay, slot.rx.peer_hi, slot.rx.peer_lo)
    if not may_send(relay, slot.rx.peer_hi, slot.rx.peer_lo):
        return REASON_UNTRUSTED_SOURCE
    if not enter_tenant(state, slot, relay, client):
        return REASON_UNKNOWN_NETWORK
    for at in range(relays.count - 1, -1, -1):
        ambiguous = find_by_hop(state, slot, at, client)
        if client.subnet != NULL:
            if at == 0 or is_trusted_hop(state, at):
                see_relay6(state, client.subnet, load_u64(relays.hops[at].link_address),
                           load_u64(relays.hops[at].link_address + 8))
            return REASON_NONE
        if ambiguous or names_link6(&relays.hops[at]):
            return REASON_NO_SUBNET
    client.subnet = subnet_of_interface(state.plan6, slot.rx.ifindex)
    if client.subnet != NULL and client.subnet.tenant.no != client.tenant_no:
        client.subnet = NULL
    return REASON_NONE


cdef bint is_trusted_hop(const State* state, int at) noexcept nogil:
    """Return whether each relay up to there is trusted: a client may send an envelope of its own making."""
    cdef const Hop6* hops = state.message6.relays.hops
    cdef int i
    for i in range(at):
        if relay_at(&state.plan6.relays, load_u64(hops[i].peer_address), load_u64(hops[i].peer_address + 8)) == NULL:
            return False
    return True


cdef bint enter_tenant(State* state, const Slot* slot, const Relay* relay, Client6* client) noexcept nogil:
    """Return the tenant of the relay's entry. One that is known by a link-local address alone, as a switch's (RFC
    6221), is on our own link, whose tenant counts unless the entry names one. False: of a virtual network that nobody
    has."""
    cdef const Subnet6* local
    client.tenant_no = relay.tenant_no
    client.tenant_by = BY_RELAY
    if relay.vss:
        return enter_network(state, relay, client)
    if slot.rx.peer_hi >> 54 == LINK_LOCAL6 and not relay.is_bound:
        local = subnet_of_interface(state.plan6, slot.rx.ifindex)
        if local != NULL:
            client.tenant_no = local.tenant.no
            client.tenant_by = BY_LINK
    return True


cdef bint enter_network(State* state, const Relay* relay, Client6* client) noexcept nogil:
    """Enter the tenant of the virtual network in the packet (RFC 6607 section 7).

    The trusted relay nearest to the client names it, else, if the entry permits it, an option
    within, which the client may have made up.
    """
    cdef Relays6* relays = &state.message6.relays
    cdef const Packet6* packet = &state.message6.packet
    cdef int at = network_until(relays, trusted_hops(state))
    client.tenant_by = BY_RELAY_NETWORK
    if at < 0 and relay.client_vss:
        at = network_until(relays, relays.count)
        client.tenant_by = BY_CLIENT_NETWORK
    if at >= 0:
        client.tenant_no = tenant_of_network(
            &state.plan6.relays, relays.hops[at].network.data, relays.hops[at].network.length)
        relays.hops[at].network_used = client.tenant_no != 0
    elif relay.client_vss and has6(packet, OPT6_VIRTUAL_SUBNET_SELECTION):
        client.tenant_no = network_of_client(state, packet)
        client.network_used = client.tenant_no != 0
    else:
        client.tenant_by = BY_RELAY
    return client.tenant_no != 0


cdef inline uint32_t network_of_client(const State* state, const Packet6* packet) noexcept nogil:
    """Return the network that the client's own option names."""
    cdef Field named = packet.options[<int>OPT6_VIRTUAL_SUBNET_SELECTION]
    return tenant_of_network(&state.plan6.relays, named.data, named.length)


cdef int trusted_hops(const State* state) noexcept nogil:
    """Return the number of envelopes, from the outermost on, of relays that are trusted with
    virtual networks. Each identifies the source of the one within, and a client may send an
    envelope of its own making.
    """
    cdef const Relays6* relays = &state.message6.relays
    cdef const Relay* relay
    cdef int at = 1
    while at < relays.count:
        relay = relay_at(&state.plan6.relays, load_u64(relays.hops[at - 1].peer_address),
                         load_u64(relays.hops[at - 1].peer_address + 8))
        if relay == NULL or not relay.vss:
            break
        at += 1
    return at


cdef int network_until(const Relays6* relays, int count) noexcept nogil:
    """Return, of so many envelopes the innermost that names a virtual network; -1: none does."""
    cdef int at
    for at in range(count - 1, -1, -1):
        if relays.hops[at].network.data != NULL:
            return at
    return -1


cdef bint find_by_hop(const State* state, const Slot* slot, int at, Client6* client) noexcept nogil:
    """Return the subnet that the relay names.

    True: several have its link-local link-address, and nothing decides between them.
    """
    cdef const Hop6* hop = &state.message6.relays.hops[at]
    cdef LinkLocal link
    cdef bint ambiguous = False
    if hop.interface_id.data != NULL:
        client.subnet = subnet_of_interface_id(
            state.plan6, hop.interface_id.data, hop.interface_id.length, client.tenant_no)
    if client.subnet == NULL and names_link6(hop):
        client.subnet = subnet_of_relay(
            state.plan6, load_u64(hop.link_address), load_u64(hop.link_address + 8), client.tenant_no)
    elif client.subnet == NULL and load_u64(hop.link_address) >> 54 == LINK_LOCAL6:
        link = link_of(state, slot, at)
        client.subnet = subnet_of_link_local(state.plan6, &link, client.tenant_no, &ambiguous)
        client.linked_by = at + 1 if client.subnet != NULL else 0
    return ambiguous


cdef inline LinkLocal link_of(const State* state, const Slot* slot, int at) noexcept nogil:
    """Return the hop's link-address, and whence its relay sent the message on, as the one behind it saw it."""
    cdef const Hop6* hops = state.message6.relays.hops
    cdef LinkLocal link = LinkLocal(
        load_u64(hops[at].link_address), load_u64(hops[at].link_address + 8), slot.rx.peer_hi, slot.rx.peer_lo)
    if at > 0:
        link.source_hi = load_u64(hops[at - 1].peer_address)
        link.source_lo = load_u64(hops[at - 1].peer_address + 8)
    return link


cdef Reason find_on_wire(State* state, const Slot* slot, Client6* client) noexcept nogil:
    """Find the subnet of a client on the wire of an interface that is served, or one that sends from its address
    through routers, and may come in on such an interface too."""
    cdef const PlanView6* plan = state.plan6
    cdef Subnet6* local = subnet_of_interface(plan, slot.rx.ifindex)
    cdef Reason reason
    if slot.rx.peer_hi >> 54 != LINK_LOCAL6 and slot.rx.local_hi >> 56 != GROUP:
        reason = find_by_source(state, slot, client)
        if reason != REASON_NONE or client.tenant_by:
            return reason
        if local != NULL and local.tenant.no != plan.relays.default_tenant:
            return REASON_NO_SUBNET
    client.tenant_by = BY_LINK
    client.subnet = local
    return REASON_NONE if local != NULL else REASON_NOT_SERVED_HERE


cdef Reason find_by_source(const State* state, const Slot* slot, Client6* client) noexcept nogil:
    """Find the subnet by source address, as for DHCPv4.

    The order is: a lease of the address to this client, an entry with the address, the link if the
    address is on it. Then it is the smallest subnet with the address behind a relay or a link, else
    the default tenant's. If two have an equal claim, none is chosen. `tenant_by` BY_NOTHING: it is
    in no subnet of these.
    """
    cdef const PlanView6* plan = state.plan6
    cdef const Relay* relay
    cdef bint held = find_holder(state, slot, client)
    if held and client.subnet != NULL:
        client.tenant_by = BY_LEASE
        return REASON_NONE
    relay = relay_at(&plan.relays, slot.rx.peer_hi, slot.rx.peer_lo)
    if relay != NULL and relay.is_bound:
        client.tenant_by = BY_REACH
        client.tenant_no = relay.tenant_no
        client.subnet = subnet_of_address(plan, slot.rx.peer_hi, slot.rx.peer_lo, relay.tenant_no)
        return REASON_NONE
    if held:
        return REASON_SEVERAL_TENANTS
    client.subnet = local_subnet_of(plan, slot.rx.ifindex, slot.rx.peer_hi, slot.rx.peer_lo)
    if client.subnet != NULL:
        client.tenant_by = BY_LINK
        return REASON_NONE
    client.tenant_no = plan.relays.default_tenant
    if not find_reached(plan, slot, client):
        client.tenant_no = 0
        return REASON_SEVERAL_TENANTS
    client.subnet = subnet_of_address(plan, slot.rx.peer_hi, slot.rx.peer_lo, client.tenant_no)
    if client.subnet != NULL and not client.tenant_by:
        client.tenant_by = BY_DEFAULT
    return REASON_NONE


cdef bint find_reached(const PlanView6* plan, const Slot* slot, Client6* client) noexcept nogil:
    """Note the tenant of the smallest reachable subnet with the address, if there is one; False: two are as small."""
    cdef Subnet6* subnet
    cdef Subnet6* found = NULL
    cdef bint several = False
    cdef int i
    for i in range(plan.tenant_count):
        subnet = subnet_of_address(plan, slot.rx.peer_hi, slot.rx.peer_lo, plan.tenants[i].tenant_no)
        if subnet == NULL or not is_reachable(plan, subnet):
            continue
        if found == NULL or is_smaller(subnet, found):
            found = subnet
            several = False
        elif not is_smaller(found, subnet):
            several = True
    if found != NULL:
        client.tenant_by = BY_REACH
        client.tenant_no = found.tenant.no
    return not several


cdef inline bint is_smaller(const Subnet6* one, const Subnet6* other) noexcept nogil:
    """Return the smaller of two subnets with the same address."""
    cdef uint64_t of_one = one.span.first_hi ^ one.span.last_hi, of_other = other.span.first_hi ^ other.span.last_hi
    if of_one == of_other:
        return one.span.first_lo ^ one.span.last_lo < other.span.first_lo ^ other.span.last_lo
    return of_one < of_other


cdef bint find_holder(const State* state, const Slot* slot, Client6* client) noexcept nogil:
    """Return whether a lease of the address is this client's: the subnet of the one tenant whose it is, NULL where
    several have one; one that runs counts before those that are over."""
    cdef const PlanView6* plan = state.plan6
    cdef int i, rank, best = 0, among = 0
    cdef Subnet6* found = NULL
    cdef Subnet6* subnet
    if not has6(&state.message6.packet, OPT6_CLIENTID):
        return False
    client.duid = Octets(state.message6.packet.options[<int>OPT6_CLIENTID].data,
                         state.message6.packet.options[<int>OPT6_CLIENTID].length)
    for i in range(plan.tenant_count):
        subnet = subnet_of_address(plan, slot.rx.peer_hi, slot.rx.peer_lo, plan.tenants[i].tenant_no)
        rank = known_binding(state, slot, client, plan.tenants[i].tenant_no) if subnet != NULL else 0
        if rank > best:
            best = rank
            among = 0
        if rank and rank == best:
            among += 1
            found = subnet
    client.subnet = found if among == 1 else NULL
    return best != 0


cdef int known_binding(
        const State* state, const Slot* slot, const Client6* client, uint32_t tenant_no) noexcept nogil:
    """Return 2 if memory has an active lease of the source address for one of the message's associations.

    1: it was the last one to have it, as after a release that is still to be answered; 0: neither.
    """
    cdef const Packet6* packet = &state.message6.packet
    cdef uint32_t index = lease_find(state.leases, tenant_no, slot.rx.peer_hi, slot.rx.peer_lo)
    cdef int i
    for i in range(packet.ia_count if index != NO_LEASE else 0):
        if lease_at(state.leases, index).client == association_of(
                state, client, packet.ias[i].kind, packet.ias[i].iaid):
            return 2 if lease_at(state.leases, index).state == LEASE_ACTIVE else 1
    return 0
