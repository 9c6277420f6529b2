"""The decisions, one function a message (RFC 2131 section 4.3).

Each decides a packet: it is dropped with a counted reason, answered at once, or becomes an
operation for the database with the reply already written into the slot. Replies to operations leave
after the COMMIT; retry.pyx handles rows that are refused.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memset

from dhcp_fast.clients.declines cimport quarantine_of
from dhcp_fast.clients.tenure cimport NO_FENCE
from dhcp_fast.dhcp4.allocation cimport (
    choose_address, forget_offer, held_by_other, may_have, must_move, remember_offer)
from dhcp_fast.dhcp4.client cimport enter_subnet, identify, named_address
from dhcp_fast.dhcp4.decision cimport nothing_free, read_packet, refuse, reply, write
from dhcp_fast.dhcp4.reserved cimport is_client
from dhcp_fast.dhcp4.hostname cimport name_by_subnet
from dhcp_fast.dhcp4.limits cimport circuit_is_full, over_rate, under_pressure
from dhcp_fast.dhcp4.lost_leases cimport deny, deny_in_doubt, is_kept, was_lost
from dhcp_fast.dhcp4.own_address cimport selected_address
from dhcp_fast.dhcp4.ping_check cimport check_first
from dhcp_fast.dhcp4.rapid_commit cimport bind_at_once, on_bootp, wants_rapid_commit
from dhcp_fast.dhcp4.reply cimport answer, answer_nak
from dhcp_fast.dhcp4.reply_address cimport address_reply
from dhcp_fast.dhcp4.reserved cimport is_shared, look_up, must_look_up, note_sharing, starts_anew
from dhcp_fast.dhcp4.server_id cimport came_to_us_alone, for_us
from dhcp_fast.dhcp4.subnet_selection cimport find_subnet
from dhcp_fast.leases.lease_operation cimport OP_BIND, OP_DECLINE, OP_RELEASE, OP_RENEW, OP_REVOKE, within
from dhcp_fast.leases.lease_table cimport (
    LEASE_ACTIVE, NO_LEASE, is_unseen, lease_at, lease_at_address, lease_find, row_version)
from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.plan.subnets cimport subnet_on_wire
from dhcp_fast.sharing.early_renewal cimport early_renewal
from dhcp_fast.sharing.holds cimport hold_address
from dhcp_fast.sharing.lease_ownership cimport has_doubted_lease
from dhcp_fast.state.plan_doubt cimport takes_look
from dhcp_fast.state.reasons cimport (
    NOTICE_NAK_CIRCUIT_FULL, NOTICE_NAK_CLOCK_IN_DOUBT, NOTICE_NAK_MUST_MOVE, NOTICE_NAK_NOT_ALLOWED,
    NOTICE_NAK_WRONG_NETWORK, NOTICE_NONE, NOTICE_OFFER_TAKEN_BACK, NOTICE_OPTIONS_IGNORED, REASON_CIRCUIT_FULL,
    REASON_DATABASE_AWAY, REASON_DHCP_DISABLED, REASON_NONE, REASON_NO_ADDRESS_ASKED, REASON_NO_REPLY_ADDRESS,
    REASON_NO_SUBNET, REASON_OTHER_SERVER, REASON_OVERLOAD, REASON_RELAY_OFFERS, Reason)
from dhcp_fast.state.slot cimport (
    EXCHANGE_INIT_REBOOT, EXCHANGE_NONE, EXCHANGE_REBINDING, EXCHANGE_RENEWING, EXCHANGE_SELECTING,
    EXCHANGE_WITHDRAWN, RECALL_WANTED, SLOTS)
from dhcp_fast.state.state cimport ACTION_REPLY, Client, count_ignored, database_may_err, drop, notice
from dhcp_fast.state.undecided cimport drop_stale, shed_for
from dhcp_fast.wire.codes cimport (
    DHCPACK, DHCPDECLINE, DHCPDISCOVER, DHCPINFORM, DHCPOFFER, DHCPRELEASE, DHCPREQUEST, OPT_DHCP_LEASE_TIME,
    OPT_DHCP_REQUESTED_ADDRESS, OPT_DHCP_SERVER_IDENTIFIER)
from dhcp_fast.wire.faults cimport FAULT_NONE
from dhcp_fast.wire.packet4 cimport BOOTP, Packet4, has, has_unread_server, may_select_another, option_u32

cdef enum:
    AT_ONCE_MICROSECONDS = 100000
    SHORTEST_LEASE = 120        # seconds, for a client that waits for its reserved address
    RELAYED_UNICAST = 0x80          # of the relay's flags
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
    state.last_notice = NOTICE_NONE
    if fault != FAULT_NONE:
        return drop(state, fault)
    kind = state.packet.message_type
    state.received[kind] += 1
    if state.packet.ignored.some:
        count_ignored(state, &state.packet.ignored)
        notice(state, slot, NOTICE_OPTIONS_IGNORED, 0)
    if state.limited:
        fault = over_rate(state)
        if fault != REASON_NONE:
            return drop(state, fault)
    slot.decided = slot.asked = slot.recall = slot.tenure = slot.counted = 0
    slot.unasked = False
    slot.op.received = state.now
    if slot.rx.received:
        slot.op.received -= max(0, (state.now_real - slot.rx.received) // 1000)
        if state.now_real - slot.rx.received > STALE_NANOSECONDS and kind != DHCPRELEASE and kind != DHCPDECLINE:
            return drop_stale(state, slot)
    if (kind == DHCPDISCOVER or kind == BOOTP) and state.queue.in_use > SHED_ABOVE:
        return drop(state, shed_for(state, REASON_OVERLOAD))
    return on_message(state, slot)


cdef Action on_message(State* state, Slot* slot) noexcept nogil:
    """Decide the parsed packet; also again, when the configuration was found to be newer than the decision."""
    cdef Client client
    cdef int kind = state.packet.message_type
    cdef int reason
    memset(&client, 0, sizeof(client))
    reason = find_subnet(state, slot, &client)
    if reason == REASON_NONE:
        reason = identify(state, slot, &client)
    if reason == REASON_NO_SUBNET and kind == DHCPREQUEST:
        return on_homeless(state, slot, &client)
    if reason == REASON_NONE:
        reason = go_home(state, slot, &client)
    if reason != REASON_NONE:
        return drop(state, reason)
    slot.xid = state.packet.xid
    slot.exchange = EXCHANGE_NONE
    slot.op.margin = client.subnet.reuse_margin
    if not for_us(state, &client):
        if kind == DHCPREQUEST:
            go_elsewhere(state, &client)
        return drop(state, REASON_OTHER_SERVER)
    if client.reservation != NULL and must_look_up(state, slot, &client):
        return look_up(state, slot, &client)
    if kind == DHCPDISCOVER:
        return on_discover(state, slot, &client)
    if kind == DHCPREQUEST:
        return on_request(state, slot, &client)
    if kind == DHCPINFORM:
        return on_inform(state, slot, &client)
    if kind == DHCPRELEASE:
        return on_release(state, slot, &client)
    if kind == BOOTP:
        return on_bootp(state, slot, &client)
    return on_decline(state, slot, &client)


cdef Reason go_home(State* state, Slot* slot, Client* client) noexcept nogil:
    """Enter the subnet of an address that the client names, on a shared network."""
    if (client.subnet.next_on_wire == NULL or state.packet.message_type == DHCPDISCOVER
            or state.packet.message_type == BOOTP):
        return REASON_NONE
    enter_subnet(slot, client, subnet_on_wire(client.subnet, named_address(&state.packet)))
    name_by_subnet(state, slot, client, named_address(&state.packet))
    return REASON_NONE if client.subnet.enabled else REASON_DHCP_DISABLED


cdef void go_elsewhere(State* state, Client* client) noexcept nogil:
    """Release the offer: the client has selected another server: our offer is over, and what it asks for there is not
    to be had here."""
    cdef uint32_t address = option_u32(&state.packet, OPT_DHCP_REQUESTED_ADDRESS)
    forget_offer(state, client)
    if may_have(client, address):
        hold_address(state, client.subnet, address)


cdef uint32_t granted_time(State* state, const Subnet4* subnet) noexcept nogil:
    """Return the lease time asked for within the subnet's bounds, else its usual one (RFC 2131 section 4.3.1)."""
    cdef uint32_t asked = option_u32(&state.packet, OPT_DHCP_LEASE_TIME)
    if not has(&state.packet, OPT_DHCP_LEASE_TIME):
        return subnet.lease_time
    return within(asked, subnet.min_lease_time, subnet.max_lease_time)


cdef void set_lease_time(State* state, Client* client, uint32_t address) noexcept nogil:
    """Set how long the client gets the address: by its subnet, shorter where the pools run full or it is soon to
    move."""
    client.lease_time = granted_time(state, client.subnet)
    if client.reservation != NULL and client.reservation.address:
        shorten_for_reservation(client, address)
    elif under_pressure(state, client) and client.subnet.min_lease_time < client.subnet.lease_time:
        client.lease_time = client.subnet.min_lease_time


cdef void shorten_for_reservation(Client* client, uint32_t address) noexcept nogil:
    """Shorten the lease, because the reserved address is another client's for now; it moves at its renewal."""
    cdef Subnet4* subnet = client.subnet
    cdef uint32_t shortest = subnet.min_lease_time if subnet.min_lease_time < subnet.lease_time else SHORTEST_LEASE
    if client.reservation.address != address:
        client.lease_time = min(client.lease_time, shortest)


# --- DISCOVER (section 4.3.1): nothing is written, the offer lives in memory

cdef Action on_discover(State* state, Slot* slot, Client* client) noexcept nogil:
    cdef uint64_t taken_back = state.offers_taken_back
    cdef uint32_t address
    cdef Action checked
    if state.away:
        return drop(state, state.away)
    if circuit_is_full(state, slot, client):
        return drop(state, REASON_CIRCUIT_FULL)
    address = choose_address(state, client)
    if state.offers_taken_back != taken_back:
        notice(state, slot, NOTICE_OFFER_TAKEN_BACK, address)
    if not address:
        return nothing_free(state, client)
    enter_subnet(slot, client, client.subnet)
    name_by_subnet(state, slot, client, address)
    if not remember_offer(state, client, address):
        return drop(state, REASON_RELAY_OFFERS)
    if client.subnet.ping_check:
        checked = check_first(state, slot, client, address)
        if checked != ACTION_REPLY:
            return checked
    set_lease_time(state, client, address)
    if wants_rapid_commit(state, client):
        return bind_at_once(state, slot, client, address)
    answer(state, slot, client, DHCPOFFER, address, client.lease_time)
    return reply(state, slot, False)


# --- REQUEST (section 4.3.2): four states, distinguished by server identifier, requested address
# and ciaddr

cdef Action on_request(State* state, Slot* slot, Client* client) noexcept nogil:
    cdef Packet4* packet = &state.packet
    cdef uint32_t asked = option_u32(packet, OPT_DHCP_REQUESTED_ADDRESS)
    if slot.recall == RECALL_WANTED:
        return ask_row(state, slot, client)
    # and it is ours: the answer to an OFFER, whatever its ciaddr
    if has(packet, OPT_DHCP_SERVER_IDENTIFIER):
        return on_selecting(state, slot, client, asked if asked else selected_address(state, slot, client))
    if packet.ciaddr:
        slot.exchange = EXCHANGE_RENEWING if came_by_unicast(packet, slot) else EXCHANGE_REBINDING
        return on_known_address(state, slot, client, packet.ciaddr)
    if has_unread_server(packet):
        return on_unread_server(state, slot, client)
    if not asked:
        return drop(state, REASON_NO_ADDRESS_ASKED)
    slot.exchange = EXCHANGE_INIT_REBOOT
    return on_known_address(state, slot, client, asked)


cdef Action ask_row(State* state, Slot* slot, Client* client) noexcept nogil:
    """Return a renewal under a fence that no row accepts: row and configuration are read, and the packet decided again
    (recall.pyx, state/plan_doubt.pxd)."""
    slot.exchange = EXCHANGE_RENEWING
    slot.op.fence = NO_FENCE
    return write(state, slot, client, OP_RENEW, named_address(&state.packet))


cdef Action on_unread_server(State* state, Slot* slot, Client* client) noexcept nogil:
    """Decide for a server id that cannot be read: the client may have selected a server that cannot
    be read (decisions: Malformed options). It may mean us if it has our offer, or our lease;
    otherwise `refuse` does not answer.
    """
    cdef uint32_t address = selected_address(state, slot, client)
    return on_selecting(state, slot, client, address) if address else drop(state, REASON_OTHER_SERVER)


cdef inline bint came_by_unicast(const Packet4* packet, const Slot* slot) noexcept nogil:
    """Return whether the packet came by unicast, to the server or to a relay that marks it (RFC 5010 section 3), as
    from a client in RENEWING."""
    if packet.giaddr:
        return packet.relay_flags.data != NULL and packet.relay_flags.data[0] & RELAYED_UNICAST
    return came_to_us_alone(slot)


cdef Action on_selecting(State* state, Slot* slot, Client* client, uint32_t address) noexcept nogil:
    """Decide afresh whether or not we remember an offer: it may be another server's, or from before a restart."""
    if not address:
        return drop(state, REASON_NO_ADDRESS_ASKED)
    if not may_have(client, address):
        return refuse_selected(state, slot, client, NOTICE_NAK_NOT_ALLOWED, address)
    if must_move(state, client, address):
        return refuse_selected(state, slot, client, NOTICE_NAK_MUST_MOVE, address)
    if circuit_is_full(state, slot, client):    # "unable to satisfy": a NAK, RFC 2131 section 3.1 step 4
        return refuse_selected(state, slot, client, NOTICE_NAK_CIRCUIT_FULL, address)
    if database_may_err(state) and held_by_other(state, client, address):
        return refuse(state, slot, client, NOTICE_NAK_CLOCK_IN_DOUBT, address)
    slot.exchange = EXCHANGE_SELECTING
    set_lease_time(state, client, address)
    answer(state, slot, client, DHCPACK, address, client.lease_time)
    if not address_reply(state, slot, False):
        return drop(state, REASON_NO_REPLY_ADDRESS)
    return write(state, slot, client, OP_BIND, address)


cdef Action refuse_selected(State* state, Slot* slot, Client* client, int why, uint32_t address) noexcept nogil:
    """Refuse an offered address, after a look whether the configuration is the newest."""
    if not may_select_another(&state.packet) and takes_look(state, slot):
        return ask_row(state, slot, client)
    return refuse(state, slot, client, why, address)


cdef Action on_known_address(State* state, Slot* slot, Client* client, uint32_t address) noexcept nogil:
    """Decide INIT-REBOOT, RENEWING and REBINDING: the client names its address, and the row must agree."""
    cdef uint32_t index, remaining
    if not client.subnet.network <= address <= client.subnet.last:
        return refuse(state, slot, client, NOTICE_NAK_WRONG_NETWORK, address)
    index = lease_find(state.leases, client.subnet.tenant.no, 0, address)
    if is_kept(state, client, index):
        if is_unseen(lease_at(state.leases, index)):    # its row may be a later one: the client asks again
            return drop(state, REASON_DATABASE_AWAY)
        return deny(state, slot, client, address)
    if state.doubts_end and has_doubted_lease(client, address):
        return deny_in_doubt(state, slot, client, address)
    if not may_have(client, address) or must_move(state, client, address):
        return withdraw(state, slot, client, address)
    if circuit_is_full(state, slot, client):    # it has moved here; its lease on the line where it was is left alone
        if client.subnet.authoritative:
            return refuse(state, slot, client, NOTICE_NAK_CIRCUIT_FULL, address)
        return drop(state, REASON_CIRCUIT_FULL)
    set_lease_time(state, client, address)
    remaining = early_renewal(state, &slot.op, client.identity, client.subnet.no, client.lease_time,
                              client.subnet.cache_threshold, index)
    if remaining:
        state.early_renewals += 1
        answer(state, slot, client, DHCPACK, address, remaining)
        return reply(state, slot, False)
    slot.op.lo = address
    if slot.exchange != EXCHANGE_INIT_REBOOT and is_shared(state, &slot.op, index):
        note_sharing(state, slot)
    if index != NO_LEASE and client.subnet.cache_threshold > 0 and not slot.decided:
        slot.op.version = row_version(lease_at(state.leases, index))    # another server may receive this too
    answer(state, slot, client, DHCPACK, address, client.lease_time)
    if not address_reply(state, slot, False):
        return drop(state, REASON_NO_REPLY_ADDRESS)
    if was_lost(state, client, index) or starts_anew(state, slot, client, address):
        return write(state, slot, client, OP_BIND, address)
    return write(state, slot, client, OP_RENEW, address)


cdef Action withdraw(State* state, Slot* slot, Client* client, uint32_t address) noexcept nogil:
    """Withdraw the lease, because the configuration has taken the address away: the row is revoked,
    and committed so, before the NAK leaves.

    The database decides whether the client has a lease; without it, only a client that needs an
    answer gets this one.
    """
    if slot.exchange == EXCHANGE_RENEWING or client.subnet.authoritative:
        slot.exchange = EXCHANGE_WITHDRAWN
    answer_nak(state, slot, client)
    if not address_reply(state, slot, True):
        return drop(state, REASON_NO_REPLY_ADDRESS)
    return write(state, slot, client, OP_REVOKE, address)


cdef Action on_homeless(State* state, Slot* slot, Client* client) noexcept nogil:
    """Decide for a client without a subnet: a lease of its own that is left over from a subnet is
    withdrawn, of the relay's tenant if it came by a relay. Another client that renews with us by
    unicast takes us for the server of its lease, so it gets a NAK (specification 1.6).
    """
    cdef Packet4* packet = &state.packet
    cdef uint32_t address = packet.ciaddr
    cdef uint32_t index
    if not address and not has(packet, OPT_DHCP_SERVER_IDENTIFIER) and not has_unread_server(packet):
        address = option_u32(packet, OPT_DHCP_REQUESTED_ADDRESS)
    client.subnet = &state.nowhere
    if not address or identify(state, slot, client) != REASON_NONE:
        return drop(state, REASON_NO_SUBNET)
    index = lease_at_address(state.leases, client.identity, client.tenant_no, address)
    if index == NO_LEASE and client.other_identity:
        index = lease_at_address(state.leases, client.other_identity, client.tenant_no, address)
    if (index == NO_LEASE or lease_at(state.leases, index).state != LEASE_ACTIVE
            or not is_client(state, client, index)):
        if packet.ciaddr and not packet.giaddr and came_by_unicast(packet, slot):
            return refuse(state, slot, client, NOTICE_NAK_WRONG_NETWORK, address)
        return drop(state, REASON_NO_SUBNET)
    slot.xid = packet.xid
    slot.exchange = EXCHANGE_RENEWING
    slot.op.tenant_no = lease_at(state.leases, index).tenant_no
    return withdraw(state, slot, client, address)


# --- RELEASE (4.3.4), DECLINE (4.3.3): no reply; the row's own predicate decides

cdef Action on_release(State* state, Slot* slot, Client* client) noexcept nogil:
    if not state.packet.ciaddr:
        return drop(state, REASON_NO_ADDRESS_ASKED)
    slot.op.version = version_seen(state, slot, state.packet.ciaddr)
    return write(state, slot, client, OP_RELEASE, state.packet.ciaddr)


cdef Action on_decline(State* state, Slot* slot, Client* client) noexcept nogil:
    cdef uint32_t address = option_u32(&state.packet, OPT_DHCP_REQUESTED_ADDRESS)
    if not address:
        return drop(state, REASON_NO_ADDRESS_ASKED)
    forget_offer(state, client)
    slot.op.lo = address
    slot.op.margin = quarantine_of(state, &slot.op, client.subnet.quarantine)
    slot.op.version = version_seen(state, slot, address)
    return write(state, slot, client, OP_DECLINE, address)


cdef uint64_t version_seen(State* state, const Slot* slot, uint32_t address) noexcept nogil:
    """Return the version of the lease that the client ends, so that it ends even if the database's
    clock was put back. 0: none is known, or the packet waited so long that its client may have a
    new lease; then the time decides.
    """
    cdef uint32_t index = lease_find(state.leases, slot.op.tenant_no, 0, address)
    if index == NO_LEASE or state.now - slot.op.received > AT_ONCE_MICROSECONDS:
        return 0
    return row_version(lease_at(state.leases, index))


# --- INFORM (4.3.5): parameters only, no lease

cdef Action on_inform(State* state, Slot* slot, Client* client) noexcept nogil:
    """Answer an INFORM only where the client's address fits the network that it is asked from (section 3.4): another's
    router and servers are of no use to it. A client that leaves it out, against section 4.4.3, is reached by its
    relay."""
    cdef uint32_t address = state.packet.ciaddr
    if slot.recall == RECALL_WANTED:
        return ask_row(state, slot, client)
    if not address and not state.packet.giaddr:
        return drop(state, REASON_NO_ADDRESS_ASKED)
    if address and not client.subnet.network <= address <= client.subnet.last:
        return drop(state, REASON_NO_SUBNET)
    answer(state, slot, client, DHCPACK, address, 0)
    return reply(state, slot, False)
