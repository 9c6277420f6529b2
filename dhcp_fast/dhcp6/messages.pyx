"""The decisions, one function per message (RFC 8415 section 18.3, as RFC 9915 keeps it).

Each decides a packet: it is dropped with a counted reason, answered at once, or becomes operations
for the database with the answer already written. The decisions on each association are in
associations.pyx.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

from dhcp_fast.clients.tenure cimport settle
from dhcp_fast.dhcp6.associations cimport (
    doubts_plan, looks_up, on_declined, on_released, on_renewed, on_requested, on_solicited)
from dhcp_fast.dhcp6.classes cimport match_classes
from dhcp_fast.dhcp6.client cimport identify
from dhcp_fast.dhcp6.decision cimport decided, exchange_of_solicit, note_sender, note_unusual, read_packet, wish_of
from dhcp_fast.dhcp6.eligibility cimport subnet_on_link
from dhcp_fast.dhcp6.holders cimport tenure_of
from dhcp_fast.dhcp6.limits cimport over_rate
from dhcp_fast.dhcp6.recall cimport asks_row, recall_options
from dhcp_fast.dhcp6.registration cimport on_registration
from dhcp_fast.dhcp6.subnet_selection cimport find_for_information, find_subnet
from dhcp_fast.leases.client_identity cimport BY_DUID, identity_hash
from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.plan.compiled6 cimport Subnet6
from dhcp_fast.state.occupancy6 cimport forget_offers
from dhcp_fast.state.reasons cimport (
    NOTICE_NONE, NOTICE_OPTIONS_IGNORED, REASON_BY_UNICAST, REASON_DATABASE_AWAY, REASON_DENIED_CLASS, REASON_FAULT6,
    REASON_LEFT_TO_ANOTHER, REASON_NONE, REASON_NO_ADDRESS_ASKED, REASON_OTHER_SERVER, REASON_OVERLOAD,
    REASON_QUEUE_FULL)
from dhcp_fast.state.rendezvous cimport (
    EVERY_PEER, PATIENCE, Rendezvous, falls_to_peer, is_heard_elsewhere, peers_on_link)
from dhcp_fast.state.slot cimport (
    EXCHANGE_ENDING, EXCHANGE_NONE, EXCHANGE_REBINDING, EXCHANGE_RENEWING, EXCHANGE_SELECTING,
    RECALL_WANTED, SLOTS, Exchange)
from dhcp_fast.state.state cimport ACTION_WRITE, count_ignored, drop
from dhcp_fast.state.undecided cimport drop_stale, shed_for
from dhcp_fast.wire.codes6 cimport (
    MSG6_ADDR_REG_INFORM, MSG6_CONFIRM, MSG6_DECLINE, MSG6_INFORMATION_REQUEST, MSG6_REBIND, MSG6_RELEASE,
    MSG6_RENEW, MSG6_REQUEST, MSG6_SOLICIT, OPT6_CLIENTID, OPT6_ELAPSED_TIME, OPT6_IA_NA, STATUS6_NOTONLINK,
    STATUS6_SUCCESS)
from dhcp_fast.wire.cursor cimport load_u64
from dhcp_fast.wire.faults6 cimport FAULT6_NONE
from dhcp_fast.wire.ignored cimport add_ignored
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.packet6 cimport Packet6, elapsed6, has6, names_another_server, option6

cdef enum:
    GROUP = 0xFF                    # first octet of a multicast address
    SHED_ABOVE = SLOTS * 3 // 4     # slots in use from which new conversations are not begun


cdef int64_t STALE_NANOSECONDS = 5000000000


cdef Action on_packet(State* state, Slot* slot) noexcept nogil:
    """Decide a datagram just received.

    Stale datagrams are dropped because the client has retried by now; messages that end a lease are
    always processed.
    """
    cdef int fault = read_packet(state, slot)
    cdef int kind
    slot.op.subnet_no = 0
    slot.op.association.duid = Octets(NULL, 0)
    slot.part_count = slot.parts_open = 0
    state.last_notice = NOTICE_NONE
    if fault != FAULT6_NONE:
        return drop(state, REASON_FAULT6 + fault)
    kind = state.message6.packet.message_type
    state.received[kind] += 1
    if state.message6.packet.ignored.some or state.message6.relays.ignored.some:
        count_ignored6(state, slot)
    if state.limited:
        fault = over_rate(state, slot)
        if fault != REASON_NONE:
            return drop(state, fault)
    slot.decided = slot.counted = slot.tenure = slot.recall = 0
    slot.op.received = state.now
    if slot.rx.received:
        slot.op.received -= max(0, (state.now_real - slot.rx.received) // 1000)
        if state.now_real - slot.rx.received > STALE_NANOSECONDS and kind != MSG6_RELEASE and kind != MSG6_DECLINE:
            return drop_stale(state, slot)
    if kind == MSG6_SOLICIT and state.queue.in_use > SHED_ABOVE:
        return drop(state, shed_for(state, REASON_OVERLOAD))
    return on_message(state, slot)


cdef void count_ignored6(State* state, Slot* slot) noexcept nogil:
    """Count the client's and its relays' ignored options, once a packet for each code."""
    cdef Packet6* packet = &state.message6.packet
    cdef Field client_id = option6(packet, OPT6_CLIENTID)
    add_ignored(&packet.ignored, &state.message6.relays.ignored)
    count_ignored(state, &packet.ignored)
    slot.op.association.duid = Octets(client_id.data, client_id.length)
    note_unusual(state, slot, NOTICE_OPTIONS_IGNORED)


cdef Action on_message(State* state, Slot* slot) noexcept nogil:
    """Decide the parsed message; also again, when the configuration was found to be newer than the decision."""
    cdef Client6 client
    cdef int kind = state.message6.packet.message_type
    cdef Reason reason = enter(state, slot, &client)
    if reason != REASON_NONE:
        return drop(state, reason)
    if kind == MSG6_CONFIRM and slot.recall != RECALL_WANTED:
        return on_confirm(state, slot, &client)
    if kind == MSG6_SOLICIT and state.away:
        return drop(state, state.away)
    if kind == MSG6_ADDR_REG_INFORM:
        return on_registration(state, slot, &client)
    slot.exchange = exchange_of(state, &client)
    if slot.recall == RECALL_WANTED:
        return ACTION_WRITE if asks_row(state, slot, &client) else drop(state, shed_for(state, REASON_QUEUE_FULL))
    if client.reservation != NULL and asks_for_leases(kind):
        if slot.tenure:
            settle(slot, tenure_of(&client, slot.tenure_type))
        if looks_up(state, slot, &client):
            return ACTION_WRITE
    if not decide_associations(state, slot, &client):
        return drop(state, REASON_DATABASE_AWAY if slot.unread else shed_for(state, REASON_QUEUE_FULL))
    if kind == MSG6_REQUEST and not slot.parts_open and doubts_plan(state, slot, &client):
        return ACTION_WRITE
    return decided(state, slot, &client)


cdef inline bint asks_for_leases(int kind) noexcept nogil:
    return kind == MSG6_SOLICIT or kind == MSG6_REQUEST or kind == MSG6_RENEW or kind == MSG6_REBIND


cdef Reason enter(State* state, Slot* slot, Client6* client) noexcept nogil:
    """Return whether the message is for us, and whose it is; the cheapest look first."""
    cdef Packet6* packet = &state.message6.packet
    cdef Reason reason
    memset(client, 0, sizeof(Client6))
    if names_another_server(packet, state.server_id):
        if packet.message_type == MSG6_REQUEST:
            forget_offered(state, slot, client)
        return REASON_OTHER_SERVER
    if is_only_for_groups(packet.message_type) and not state.message6.relays.count and slot.rx.local_hi >> 56 != GROUP:
        return REASON_BY_UNICAST
    if packet.message_type == MSG6_INFORMATION_REQUEST:
        reason = find_for_information(state, slot, client)
    else:
        reason = find_subnet(state, slot, client)
    if reason != REASON_NONE:
        return reason
    identify(state, slot, client)
    if client.subnet.tenant.keeps_options6:
        recall_options(state, slot, client)
    if client.subnet.tenant.class_count and slot.recall != RECALL_WANTED and not match_classes(state, slot, client):
        return REASON_DENIED_CLASS
    note_sender(state, slot, client)
    return REASON_LEFT_TO_ANOTHER if is_left_to_another(state, slot, client) else REASON_NONE


cdef inline bint is_only_for_groups(int kind) noexcept nogil:
    """Return whether it is one of the messages that no client sends to one server (section 16); the others are answered
    however they come."""
    return (kind == MSG6_SOLICIT or kind == MSG6_CONFIRM or kind == MSG6_REBIND
            or kind == MSG6_INFORMATION_REQUEST)


cdef bint is_left_to_another(State* state, const Slot* slot, const Client6* client) noexcept nogil:
    """Return whether another server answers.

    All servers have one DUID, so every server that receives a message is addressed. The client's
    DUID picks one of those that may have received it, which answers at once; the others answer when
    the client has tried for a second. A client that does not send its elapsed time would wait in
    vain, so all answer it.
    """
    cdef Rendezvous* shared = state.rendezvous
    cdef Packet6* packet = &state.message6.packet
    cdef uint64_t identity
    if shared.peer_count == 0 or client.duid.data == NULL or not has6(packet, OPT6_ELAPSED_TIME):
        return False
    identity = identity_hash(state.hash_key, BY_DUID, 0, &client.duid)
    if client.relay == NULL:
        return (elapsed6(packet) <= PATIENCE and slot.rx.local_hi >> 56 == GROUP
                and falls_to_peer(shared, identity, peers_on_link(shared, slot.rx.ifindex)))
    return falls_to_peer(shared, identity, <uint64_t>EVERY_PEER) and is_heard_elsewhere(
        shared, slot.rx.peer_hi, slot.rx.peer_lo, elapsed6(packet), state.now)


cdef void forget_offered(State* state, Slot* slot, Client6* client) noexcept nogil:
    """Forget offered leases, because the client has chosen another server (engine rule 4)."""
    cdef int i
    if find_subnet(state, slot, client) != REASON_NONE:
        return
    identify(state, slot, client)
    for i in range(state.message6.packet.ia_count):
        forget_offers(state, wish_of(state, client, &state.message6.packet.ias[i]).identity, client.subnet)


cdef Exchange exchange_of(const State* state, const Client6* client) noexcept nogil:
    cdef int kind = state.message6.packet.message_type
    if kind == MSG6_REQUEST:
        return EXCHANGE_SELECTING
    if kind == MSG6_RENEW:
        return EXCHANGE_RENEWING
    if kind == MSG6_REBIND:
        return EXCHANGE_REBINDING
    if kind == MSG6_RELEASE or kind == MSG6_DECLINE:
        return EXCHANGE_ENDING
    return exchange_of_solicit(state, client.subnet) if kind == MSG6_SOLICIT else EXCHANGE_NONE


cdef bint decide_associations(State* state, Slot* slot, Client6* client) noexcept nogil:
    """Return each for itself, in the order of the message. False: there is no room for what is to be written, or what
    would decide was not read yet."""
    cdef const Packet6* packet = &state.message6.packet
    cdef int i, kind = packet.message_type
    cdef bint room = True
    for i in range(packet.ia_count):
        if kind == MSG6_SOLICIT:
            room = on_solicited(state, slot, client, &packet.ias[i])
        elif kind == MSG6_REQUEST:
            room = on_requested(state, slot, client, &packet.ias[i])
        elif kind == MSG6_RENEW or kind == MSG6_REBIND:
            room = on_renewed(state, slot, client, &packet.ias[i])
        elif kind == MSG6_RELEASE:
            room = on_released(state, slot, client, &packet.ias[i])
        elif kind == MSG6_DECLINE:
            room = on_declined(state, slot, client, &packet.ias[i])
        if not room:
            return False
    return True


cdef Action on_confirm(State* state, Slot* slot, Client6* client) noexcept nogil:
    """Answer whether (section 18.3.3) The subnet of the first one speaks in it."""
    cdef Subnet6* subnet
    cdef Subnet6* first = NULL
    cdef const Packet6* packet = &state.message6.packet
    cdef int i, at, count = 0
    cdef uint64_t hi, lo
    slot.exchange = EXCHANGE_NONE
    slot.status = STATUS6_SUCCESS
    for i in range(packet.ia_count):
        if packet.ias[i].kind != OPT6_IA_NA:
            continue
        for at in range(packet.ias[i].first, packet.ias[i].first + packet.ias[i].count):
            hi = load_u64(packet.addresses[at].address)
            lo = load_u64(packet.addresses[at].address + 8)
            count += 1
            subnet = subnet_on_link(client, hi, lo)
            if subnet == NULL:
                slot.status = STATUS6_NOTONLINK
            elif first == NULL:
                first = subnet
    if not count:
        return drop(state, REASON_NO_ADDRESS_ASKED)
    if first != NULL:
        client.subnet = first
    return decided(state, slot, client)
