"""Explanation of one packet: the engine's own functions on an engine of its own, nothing sent and
nothing written.

`explain` puts a packet into a slot as a socket would and lets `on_packet` decide it. Then it calls
the same functions for their results: subnet, reservation, classes, the client's leases, and the
scope of each option. No rule is repeated here; a scope is identified by the memory of the value
that `find_option` returned.
"""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy, memset

from dhcp_fast.clients.recalled cimport note_recalled
from dhcp_fast.clients.tenure cimport NO_FENCE
from dhcp_fast.dhcp4.classes cimport first_failing, holds, is_given, last_leaf, template_value, value_of
from dhcp_fast.dhcp4.client cimport identify
from dhcp_fast.dhcp4.messages cimport on_packet
from dhcp_fast.dhcp4.options cimport Scopes, find_option, gather
from dhcp_fast.dhcp4.ping_check cimport is_own
from dhcp_fast.dhcp4.retry cimport decide_again, on_refused
from dhcp_fast.dhcp4.subnet_selection cimport find_subnet
from dhcp_fast.engine.batch cimport owner_of
from dhcp_fast.engine.engine cimport Engine
from dhcp_fast.engine.tenures cimport judge, judge_by_memory
from dhcp_fast.leases.lease_operation cimport OP_BIND, OP_RENEW, LeaseOp, Octets
from dhcp_fast.leases.lease_table cimport (
    LEASE_ACTIVE, LEASE_DECLINED, LEASE_EXPIRED, NO_LEASE, Lease, Span, lease_at, lease_find, lease_of_client,
    next_of_client)
from dhcp_fast.leases.pools cimport pool_covers
from dhcp_fast.net.datagram cimport BY_FRAME, RECEIVE_BUFFER, Datagram
from dhcp_fast.plan.compiled cimport ClientClass, OptionSet, Subnet4, add_class, in_class, last_asked
from dhcp_fast.plan.conditions cimport (
    BY_LOCALLY_ADMINISTERED, BY_MAC_PREFIX, BY_MATCH, BY_USER_CLASS, BY_VENDOR_CLASS, CRITERIA, GIVEN, OF_CLASS,
    Leaf, seen)
from dhcp_fast.plan.relays cimport Relay, entry_at, relay_at
from dhcp_fast.plan.subnets cimport next_on_wire, span_of, subnet_by_no
from dhcp_fast.state.queue cimport slot_at, slot_give, slot_take
from dhcp_fast.state.reasons cimport REASON_NONE
from dhcp_fast.state.slot cimport NO_SLOT, RECALL_WANTED, Slot
from dhcp_fast.state.state cimport ACTION_DROP, ACTION_WRITE, Client, State, database_now
from dhcp_fast.wire.codes cimport OPT_USER_CLASS, OPT_VENDOR_CLASS_IDENTIFIER
from dhcp_fast.wire.faults cimport FAULT_NONE
from dhcp_fast.wire.packet4 cimport Field, Packet4, has, parse4

from ipam_core.dhcp.reasons import REASON_NAMES

# By the numbers of TenantBy (state/state.pxd).
TENANT_BY = (
    None, "relay", "relay_network", "client_network", "link", "lease", "reachable", "default")

NOTHING = (0, b"", b"")     # of a row that holds nothing, or cannot be read

cdef enum:
    LAST_CODE = 254
    MICROSECONDS = 1000000

cdef uint32_t EVERYBODY = 0xFFFFFFFF


def explain(
        Engine engine, bytes packet, uint32_t ours, int ifindex, unsigned short port=67, bint broadcast=False,
        object recalled=None, sender=None, holder=None, bint rehearses=False):
    """Return the result of a packet from `sender` (None: its relay, or a client with its address)
    and `port` to the address `ours` or to all, on interface `ifindex`: a dict.

    `holder`: of the lease at the client's reserved address, once the answer requires it: `looks_up`
    is then the tenant's number and the address, and all else is left out. `rehearses`: no row can
    be read; memory decides. `recalled`: a Recalled (database/leases/recollection.py) with the row
    of the client's lease, once the answer requires it. `recalls` is then the row's address and
    client, as in Batch.owners, and all else is left out. `drop`: the reason, None if it is
    answered. `reply`: the octets. `sent`: (by "udp" or "frame", address, port, interface or 0 for
    the route's, hardware address of a frame). `entry`: the RelayEntry of its relay, None if that is
    not trusted. `tenant`: its number, 0: none was found; `tenant_by`: how it was chosen, of
    TENANT_BY. `subnet`, `pool`: numbers. `reservation`: subnet, or minus the tenant where it holds
    in all of them, and place in its list. `classes`: of each of the tenant's how it was decided
    (`decisions`). `leases`: (address, state, expires) of the client there. `sources`: code ->
    (scope, number or place). `pinged`: whether a server would ping the address before it offers it;
    here nothing is sent.
    """
    cdef uint32_t index = slot_take(engine.state.queue)
    cdef Slot* slot
    if index == NO_SLOT or len(packet) > RECEIVE_BUFFER:
        raise ValueError("the packet has no room")
    slot = slot_at(engine.state.queue, index)
    memcpy(slot.request, <const uint8_t*>packet, len(packet))
    slot.rx.length = <unsigned short>len(packet)
    slot.rx.received = 0
    slot.rx.ours = ours
    slot.rx.local = EVERYBODY if broadcast else ours
    slot.rx.ifindex = ifindex
    slot.rx.port = port
    slot.rx.peer = lawful_sender(&engine.state, slot) if sender is None else <uint32_t>sender
    try:
        return decide(engine, slot, NOTHING if rehearses else recalled, holder, rehearses)
    finally:
        slot_give(engine.state.queue, index)


cdef dict decide(Engine engine, Slot* slot, object recalled, object holder, bint rehearses):
    cdef State* state = &engine.state
    cdef Client client
    cdef int action
    cdef int identified = -1
    cdef Subnet4* chosen
    engine.read_clocks()
    action = on_packet(state, slot)
    if action == ACTION_WRITE and slot.recall == RECALL_WANTED:
        if recalled is None:
            return {"recalls": owner_of(&slot.op)}
        note_recalled(slot, recalled[0], recalled[1], recalled[2])
        action = decide_again(state, slot)
    if action == ACTION_WRITE and slot.tenure == RECALL_WANTED:
        if rehearses:
            judge_by_memory(state, slot)
        elif holder is None:
            return {"looks_up": (slot.op.tenant_no, slot.op.lo)}
        else:
            judge(state, slot, holder)
        action = decide_again(state, slot)
    # the explanation uses the newest configuration
    if action == ACTION_WRITE and slot.op.fence == NO_FENCE:
        action = decide_again(state, slot)
    if action == ACTION_WRITE and not row_takes(state, &slot.op):
        action = on_refused(state, slot)
    found = {"drop": REASON_NAMES[state.last_reason] if action == ACTION_DROP else None,
             "reply": None if action == ACTION_DROP else slot.tx.data[:slot.tx.length],
             "sent": None if action == ACTION_DROP else sent_to(&slot.tx)}
    chosen = subnet_by_no(state.plan, slot.op.subnet_no)
    memset(&client, 0, sizeof(client))
    if parse4(&state.packet, slot.rx.data, slot.rx.length) == FAULT_NONE:
        found["entry"] = entry_at(&state.plan.relays, state.packet.giaddr) if state.packet.giaddr else None
        if find_subnet(state, slot, &client) == REASON_NONE:
            identified = identify(state, slot, &client)
            if action != ACTION_DROP and chosen != NULL:    # of a shared network perhaps a sibling
                client.subnet = chosen
    found["tenant"] = client.subnet.tenant.no if client.subnet != NULL else client.tenant_no
    found["tenant_by"] = TENANT_BY[client.tenant_by] if found["tenant"] else None
    if client.subnet != NULL:
        found.update(tell(state, slot, &client, identified == REASON_NONE, action != ACTION_DROP))
    return found


cdef bint row_takes(const State* state, const LeaseOp* op) noexcept nogil:
    """Return whether the lease statement would find its condition true (dhcp_lease.sql); the cache holds the table's
    rows."""
    cdef uint32_t index = lease_find(state.leases, op.tenant_no, op.hi, op.lo)
    cdef Lease* lease
    cdef bint own
    if index == NO_LEASE:
        return op.kind == OP_BIND
    lease = lease_at(state.leases, index)
    own = lease.client == op.client or lease.client_parts_hash == op.client_parts_hash
    own |= op.kind == OP_BIND and op.version != 0 and op.version == lease.version
    if op.kind == OP_BIND:
        return lease.reuse <= database_now(state) // MICROSECONDS or (own and lease.state != LEASE_DECLINED)
    if op.kind == OP_RENEW:
        return own and (lease.state == LEASE_ACTIVE or lease.state == LEASE_EXPIRED)
    return own and lease.state == LEASE_ACTIVE


cdef tuple sent_to(const Datagram* tx):
    by_frame = tx.way == BY_FRAME
    return ("frame" if by_frame else "udp", tx.peer, tx.port, tx.ifindex, tx.mac[:6] if by_frame else None)


cdef uint32_t lawful_sender(State* state, const Slot* slot) noexcept nogil:
    """Return where the packet's relay may send: its own address, or the first of the sources that its entry lists. A
    client without a relay sends from its ciaddr."""
    cdef const Relay* relay
    if parse4(&state.packet, slot.rx.data, slot.rx.length) != FAULT_NONE:
        return 0
    if not state.packet.giaddr:
        return state.packet.ciaddr
    relay = relay_at(&state.plan.relays, 0, state.packet.giaddr)
    if relay == NULL or not relay.source_count:
        return state.packet.giaddr
    return <uint32_t>relay.sources[0].lo


cdef dict tell(State* state, Slot* slot, Client* client, bint identified, bint answered):
    cdef uint32_t address = 0
    told = {"subnet": client.subnet.no, "classes": decisions(state, slot, client)}
    if identified:
        told["leases"] = leases_of(state, client)
        if client.reservation != NULL:
            told["reservation"] = place_of(client)
    if answered:
        address = (<uint32_t>slot.reply[16] << 24 | <uint32_t>slot.reply[17] << 16
                   | <uint32_t>slot.reply[18] << 8 | slot.reply[19])
        told["pool"] = pool_of(client, address)
        told["pinged"] = bool(client.subnet.ping_check and identified and not is_own(state, client, address))
        told["sources"] = sources(state, client, address)
    return told


cdef tuple place_of(const Client* client):
    """Return the place of its reservation: the subnet's number, or minus the tenant's, and the place in the list
    there."""
    if client.reserved_in == NULL:
        return -<int>client.subnet.tenant.no, <int>(client.reservation - client.subnet.tenant.reserved)
    return client.reserved_in.no, <int>(client.reservation - client.reserved_in.reservations)


cdef list decisions(State* state, const Slot* slot, Client* client):
    """Return the decisions of all classes, those too that are behind one that is denied, where the engine stops:
    `decision`, and what the client brings to a template that it is in, else None."""
    cdef int i
    found = []
    for i in range(client.subnet.tenant.class_count):
        told = decision(&state.packet, slot, client, &client.subnet.tenant.classes[i])
        found.append((*told, seen(template_value(
            &state.packet, slot, client, &client.subnet.tenant.classes[i])) if told[0] else None))
        if told[0]:
            add_class(&client.classes, i)
    return found


cdef tuple decision(const Packet4* packet, const Slot* slot, const Client* client, const ClientClass* wanted):
    """Return (whether the client is in the class, criterion that decided, place of the leaf or -1,
    the octets compared or None, whether it holds). The criterion is the first that fails, else the
    last of the class.
    """
    cdef int at, criterion = GIVEN
    cdef bint met, inside = True
    if is_given(client, wanted.no):
        return True, criterion, -1, None, True
    criterion = first_failing(packet, slot, client, wanted)
    if criterion == CRITERIA:
        criterion = last_asked(wanted)
    else:
        inside = False
    if criterion != BY_MATCH:
        return inside, criterion, -1, seen(value_for(packet, criterion)), inside
    at = last_leaf(packet, slot, client, wanted, &met)
    return (inside, criterion, at, seen(looked_at(packet, slot, client, &wanted.leaves[at])),
            bool(holds(packet, slot, client, &wanted.leaves[at])))


cdef Field looked_at(const Packet4* packet, const Slot* slot, const Client* client, const Leaf* leaf) noexcept nogil:
    """Return the value that a leaf looked at; where it asks for values of a template, what the client brings to
    that."""
    if leaf.subject == OF_CLASS and leaf.index >= 0 and leaf.value_count:
        return template_value(packet, slot, client, &client.subnet.tenant.classes[leaf.index])
    return value_of(packet, slot, leaf)


cdef Field value_for(const Packet4* packet, int criterion) noexcept nogil:
    """Return what the criterion looks at; `data` NULL: the packet does not have it."""
    if criterion == BY_VENDOR_CLASS and has(packet, OPT_VENDOR_CLASS_IDENTIFIER):
        return packet.options[OPT_VENDOR_CLASS_IDENTIFIER]
    if criterion == BY_USER_CLASS and has(packet, OPT_USER_CLASS):
        return packet.options[OPT_USER_CLASS]
    if (criterion == BY_MAC_PREFIX or criterion == BY_LOCALLY_ADMINISTERED) and packet.hlen:
        return Field(packet.raw + 28, packet.hlen)
    return Field(NULL, 0)


cdef list leases_of(State* state, const Client* client):
    """Return the leases on its wire, under both of its identities, as the choice of an address looks at them."""
    cdef Subnet4* subnet = client.subnet
    found = []
    while subnet != NULL:
        found += leases_in(state, client, subnet)
        subnet = next_on_wire(subnet, client.subnet)
    return found


cdef list leases_in(State* state, const Client* client, const Subnet4* subnet):
    cdef Span span = span_of(subnet)
    cdef uint32_t index
    cdef Lease* lease
    found = []
    for identity in (client.identity, client.other_identity):
        index = lease_of_client(state.leases, identity, &span) if identity else NO_LEASE
        while index != NO_LEASE:
            lease = lease_at(state.leases, index)
            found.append((lease.address, chr(lease.state), lease.expires))
            index = next_of_client(state.leases, index, &span)
    return found


cdef object pool_of(const Client* client, uint32_t address):
    cdef int i
    for i in range(client.subnet.pool_count):
        if pool_covers(&client.subnet.pools[i], address):
            return client.subnet.pools[i].no
    return None


cdef dict sources(State* state, const Client* client, uint32_t address):
    cdef int code
    cdef Octets value
    cdef Scopes scopes
    found = {}
    gather(&scopes, &state.packet, client, address)
    for code in range(1, LAST_CODE + 1):
        value = find_option(&scopes, <uint8_t>code)
        if value.data != NULL:
            found[code] = source(client, address, code, value.data)
    return found


cdef tuple source(const Client* client, uint32_t address, int code, const uint8_t* data):
    """Return whose the value is: a scope's option, or a field of the reservation, a class or the subnet."""
    cdef int i
    if client.reservation != NULL and (
            client.reservation.options != NULL and has_value(client.reservation.options, code, data)
            or client.reservation.hostname.data == data):
        return ("reservation", 0)
    for i in range(client.subnet.tenant.class_count):
        if in_class(&client.classes, i) and (
                has_value(&client.subnet.tenant.classes[i].options, code, data)
                or client.subnet.tenant.classes[i].boot.server_name.data == data
                or client.subnet.tenant.classes[i].boot.file.data == data):
            return ("class", i)
    for i in range(client.subnet.pool_count if client.subnet.pool_options != NULL else 0):
        if pool_covers(&client.subnet.pools[i], address) and has_value(&client.subnet.pool_options[i], code, data):
            return ("pool", client.subnet.pools[i].no)
    return ("subnet", client.subnet.no)


cdef bint has_value(const OptionSet* options, int code, const uint8_t* data) noexcept nogil:
    cdef int i
    for i in range(options.count):
        if options.items[i].code == code and options.items[i].value.data == data:
            return True
    return False
