"""Explanation of one DHCPv6 message: the engine's own functions on an engine of its own; see explain.pyx."""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy, memset

from dhcp_fast.clients.recalled cimport note_recalled
from dhcp_fast.clients.tenure cimport NO_FENCE
from dhcp_fast.dhcp6.classes cimport first_failing, holds, is_given, last_leaf, match_classes, template_value, value_of
from dhcp_fast.dhcp6.client cimport Client6, association_of, identify
from dhcp_fast.dhcp6.decision cimport read_packet
from dhcp_fast.dhcp6.messages cimport on_packet
from dhcp_fast.dhcp6.recall cimport recall_options
from dhcp_fast.dhcp6.retry cimport decide_again
from dhcp_fast.dhcp6.speaker cimport speaker
from dhcp_fast.dhcp6.subnet_selection cimport find_subnet
from dhcp_fast.engine.batch cimport owner_of
from dhcp_fast.engine.engine cimport Engine
from dhcp_fast.engine.tenures cimport judge, judge_by_memory
from dhcp_fast.leases.lease_table cimport (
    NO_LEASE, Lease, first_of_client, lease_at, lease_hi, lease_lo)
from dhcp_fast.net.datagram cimport RECEIVE_BUFFER
from dhcp_fast.plan.compiled cimport ClientClass, add_class, last_asked
from dhcp_fast.plan.compiled6 cimport Pool6
from dhcp_fast.plan.conditions cimport (
    BY_LOCALLY_ADMINISTERED, BY_MAC_PREFIX, BY_MATCH, BY_USER_CLASS, BY_VENDOR_CLASS, CRITERIA, GIVEN,
    OF_CLASS, Leaf, seen)
from dhcp_fast.plan.relays cimport entry_at
from dhcp_fast.plan.subnets6 cimport pool_of_lease
from dhcp_fast.state.queue cimport give_parts, slot_at, slot_give, slot_take
from dhcp_fast.state.reasons cimport REASON_NONE
from dhcp_fast.state.slot cimport NO_SLOT, RECALL_WANTED, Slot
from dhcp_fast.state.state cimport ACTION_DROP, ACTION_WRITE, State
from dhcp_fast.wire.codes6 cimport OPT6_USER_CLASS, OPT6_VENDOR_CLASS
from dhcp_fast.wire.faults6 cimport FAULT6_NONE
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.packet6 cimport Packet6, option6

from dhcp_fast.engine.explain import NOTHING, TENANT_BY
from ipam_core.dhcp.reasons import REASON_NAMES

LOW = 0xFFFFFFFFFFFFFFFF

cdef enum:
    SERVER_PORT = 547

# All_DHCP_Relay_Agents_and_Servers, ff02::1:2 (RFC 8415 section 7.1).
cdef uint64_t GROUP_HI = 0xFF02000000000000
cdef uint64_t GROUP_LO = 0x10002


def explain6(Engine engine, bytes packet, object sender, unsigned short port=547, int interface=0, to=0,
             recalled=None, holder=None, bint rehearses=False):
    """Return the result of a packet from the address `sender`, a number, and this port, as a dict.
    It arrives on the interface of this index (0: none that is served) at the address `to`, a number
    too (0: on an interface the servers' group).

    `recalled`: as in explain, the row of a lease of the message; `holder`: of the client's reserved
    lease. If the answer depends on one that is None, the dict has only `recalls`, as in explain, or
    `looks_up`: the tenant's number and the address. `rehearses`: no row can be read; memory
    decides.

    `drop`: the reason, None if it is answered. `reply`: the octets, as they leave once all is
    written that is to be. `port`: where to. `hardware`: the client's address, as far as it is
    known. `entry`: the RelayEntry of a relay at the sender's address, None if that is not trusted.
    `tenant`, `tenant_by`: as in explain. `subnet`: the number of the answer's, which on a shared
    network is its first lease's. `reservation`: subnet and place in its list. `classes`: the
    decision for each of the tenant's, as in explain.pyx. `leases`: (address, state, expires) of the
    message's associations. `pools`: by address. `given`: addresses and prefixes of the reply, for
    hold_leases6.
    """
    cdef uint32_t index = slot_take(engine.state.queue)
    cdef Slot* slot
    if index == NO_SLOT or len(packet) > RECEIVE_BUFFER:
        raise ValueError("the packet has no room")
    slot = slot_at(engine.state.queue, index)
    memset(&slot.rx, 0, sizeof(slot.rx))
    slot.rx.data = slot.request
    slot.tx.data = slot.reply
    memcpy(slot.request, <const char*>packet, len(packet))
    slot.rx.length = <unsigned short>len(packet)
    slot.rx.peer_hi = <uint64_t>(sender >> 64)
    slot.rx.peer_lo = <uint64_t>(sender & LOW)
    slot.rx.local_hi = <uint64_t>(to >> 64)
    slot.rx.local_lo = <uint64_t>(to & LOW)
    if interface and not to:
        slot.rx.local_hi, slot.rx.local_lo = GROUP_HI, GROUP_LO
    slot.rx.ifindex = interface
    slot.rx.local_port = SERVER_PORT
    slot.rx.port = port
    try:
        return decide(engine, slot, NOTHING if rehearses else recalled, holder, rehearses)
    finally:
        give_parts(engine.state.queue, index)
        slot_give(engine.state.queue, index)


cdef dict decide(Engine engine, Slot* slot, object recalled, object holder, bint rehearses):
    cdef State* state = &engine.state
    cdef Client6 client
    cdef int i, action
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
            return {"looks_up": row_of(slot)}
        else:
            judge(state, slot, holder)
        action = decide_again(state, slot)
    # the explanation uses the newest configuration
    if action == ACTION_WRITE and slot.op.fence == NO_FENCE:
        action = decide_again(state, slot)
    dropped = action == ACTION_DROP
    found = {"drop": REASON_NAMES[state.last_reason] if dropped else None,
             "reply": b"" if dropped else slot.tx.data[:slot.tx.length],
             "port": slot.tx.port,
             "entry": entry_at(
                 &state.plan6.relays, (<object>slot.rx.peer_hi << 64) | slot.rx.peer_lo)}
    memset(&client, 0, sizeof(client))
    unknown = read_packet(state, slot) != FAULT6_NONE or find_subnet(state, slot, &client) != REASON_NONE
    found["tenant"] = client.subnet.tenant.no if client.subnet != NULL else client.tenant_no
    found["tenant_by"] = TENANT_BY[client.tenant_by] if found["tenant"] else None
    if unknown:
        return found
    identify(state, slot, &client)
    recall_options(state, slot, &client)
    match_classes(state, slot, &client)
    found["subnet"] = client.subnet.no if dropped else speaker(state, slot, &client).no
    found["hardware"] = b"" if client.hw_address.data == NULL else client.hw_address.data[:client.hw_address.length]
    found["classes"] = decisions(&state.message6.packet, slot, &client)
    if client.reservation != NULL:
        found["reservation"] = place_of(&client)
    found["leases"] = leases_of(state, &client)
    found["pools"] = {(<object>slot.parts[i].hi << 64) | slot.parts[i].lo: pool_no(state, &client, slot, i)
                      for i in range(slot.part_count)}
    found["given"] = [] if dropped else [
        (client.subnet.tenant.no, (<object>slot.parts[i].hi << 64) | slot.parts[i].lo,
         association_of(state, &client, slot.parts[i].ia_type, slot.parts[i].iaid))
        for i in range(slot.part_count) if slot.parts[i].valid]
    return found


cdef tuple row_of(const Slot* slot):
    return slot.op.tenant_no, (<object>slot.op.hi << 64) | slot.op.lo


cdef tuple place_of(const Client6* client):
    if client.reserved_in == NULL:
        return -<int>client.subnet.tenant.no, <int>(client.reservation - client.subnet.tenant.reserved6)
    return client.reserved_in.no, <int>(client.reservation - client.reserved_in.reservations)


cdef list decisions(const Packet6* packet, const Slot* slot, Client6* client):
    cdef int i
    found = []
    for i in range(client.subnet.tenant.class_count):
        told = decision(packet, slot, client, &client.subnet.tenant.classes[i])
        found.append((*told, seen(template_value(
            packet, slot, client, &client.subnet.tenant.classes[i])) if told[0] else None))
        if told[0]:
            add_class(&client.classes, i)
    return found


cdef tuple decision(const Packet6* packet, const Slot* slot, const Client6* client, const ClientClass* wanted):
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
        return inside, criterion, -1, seen(value_for(packet, client, criterion)), inside
    at = last_leaf(packet, slot, client, wanted, &met)
    return (inside, criterion, at, seen(looked_at(packet, slot, client, &wanted.leaves[at])),
            bool(holds(packet, slot, client, &wanted.leaves[at])))


cdef Field looked_at(const Packet6* packet, const Slot* slot, const Client6* client, const Leaf* leaf) noexcept nogil:
    """Return the value that a leaf looked at; where it asks for values of a template, what the client brings to
    that."""
    if leaf.subject == OF_CLASS and leaf.index >= 0 and leaf.value_count:
        return template_value(packet, slot, client, &client.subnet.tenant.classes[leaf.index])
    return value_of(packet, client, leaf)


cdef Field value_for(const Packet6* packet, const Client6* client, int criterion) noexcept nogil:
    """Return what the criterion looks at; `data` NULL: the message does not have it."""
    if criterion == BY_VENDOR_CLASS:
        return option6(packet, OPT6_VENDOR_CLASS)
    if criterion == BY_USER_CLASS:
        return option6(packet, OPT6_USER_CLASS)
    if criterion == BY_MAC_PREFIX or criterion == BY_LOCALLY_ADMINISTERED:
        return Field(client.hw_address.data, client.hw_address.length)
    return Field(NULL, 0)


cdef object pool_no(State* state, const Client6* client, const Slot* slot, int part):
    cdef const Pool6* pool = pool_of_lease(
        state.plan6, client.subnet.tenant.no, slot.parts[part].hi, slot.parts[part].lo)
    return None if pool == NULL else pool.no


cdef list leases_of(State* state, const Client6* client):
    """Return the leases of the associations that the message names."""
    cdef int i
    cdef uint64_t identity
    cdef uint32_t index
    cdef Lease* lease
    found = []
    for i in range(state.message6.packet.ia_count):
        identity = association_of(
            state, client, state.message6.packet.ias[i].kind, state.message6.packet.ias[i].iaid)
        index = first_of_client(state.leases, identity)
        while index != NO_LEASE:
            lease = lease_at(state.leases, index)
            if lease.client == identity and lease.tenant_no == client.subnet.tenant.no:
                found.append(((<object>lease_hi(state.leases, lease) << 64) | lease_lo(state.leases, lease),
                              chr(lease.state), lease.expires))
            index = lease.client_next
    return found
