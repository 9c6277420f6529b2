"""A message read, and what was decided of its leases noted: parts for the answer, operations for the database.

The first operation is in the packet's own slot, each further one in a slot of its own. The answer is built at once, for
the case that the database takes them all; retry.pyx builds another where it does not.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from dhcp_fast.clients.declines cimport quarantine_of
from dhcp_fast.clients.tenure cimport NO_FENCE
from dhcp_fast.dhcp6.client cimport association_of, link_hop, own_lease
from dhcp_fast.dhcp6.device cimport note_device
from dhcp_fast.dhcp6.eligibility cimport reserved_lease, subnet_of
from dhcp_fast.dhcp6.holders cimport is_for_another, takes_over
from dhcp_fast.dhcp6.hostname cimport name_after, note_host_name
from dhcp_fast.dhcp6.reply cimport address_reply, answer
from dhcp_fast.leases.client_identity cimport note_hashes
from dhcp_fast.leases.lease_operation cimport (
    IA_NA, OP_BIND, OP_DECLINE, OP_RELEASE, OP_RENEW, Association, LeaseOp, Octets, within)
from dhcp_fast.leases.lease_table cimport (
    LEASE_ACTIVE, NO_LEASE, PARTIAL, Lease, lease_at, lease_find, row_version)
from dhcp_fast.plan.compiled6 cimport Subnet6
from dhcp_fast.state.queue cimport slot_at, take_part
from dhcp_fast.state.reasons cimport NOTICE_NO_ROOM, REASON_NO_REPLY_ADDRESS
from dhcp_fast.state.samples cimport keep_sample6
from dhcp_fast.state.slot cimport (
    EXCHANGE_AT_ONCE, EXCHANGE_NONE, EXCHANGE_RENEWING, MAX_PARTS, NO_SLOT, NO_STATUS, PART_IDLE, PART_OPEN)
from dhcp_fast.state.state cimport ACTION_REPLY, ACTION_WRITE, drop, runs
from dhcp_fast.wire.codes6 cimport OPT6_IA_PD, OPT6_RAPID_COMMIT
from dhcp_fast.wire.cursor cimport load_u64
from dhcp_fast.wire.faults6 cimport FAULT6_NONE
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.packet6 cimport IaAddress6, check6, has6, parse6
from dhcp_fast.wire.relay6 cimport Relays6, open_relays6, remote_id6

cdef enum:
    LONGEST = 255               # octets stored of a relay's identifier
    SHORTEST_LEASE = 120        # seconds, for a client that waits for its reserved address
    AT_ONCE_MICROSECONDS = 100000
    INFINITE = 0xFFFFFFFF


cdef Fault6 read_packet(State* state, const Slot* slot) noexcept nogil:
    """Return the slot's datagram into `state.message6`: relays' envelopes, then the client's message."""
    cdef Field message
    cdef Fault6 fault = open_relays6(&state.message6.relays, slot.rx.data, slot.rx.length, &message)
    if fault == FAULT6_NONE:
        fault = parse6(&state.message6.packet, message.data, message.length)
    return check6(&state.message6.packet) if fault == FAULT6_NONE else fault


# --- sender of a message, for all of its operations

cdef void note_sender(State* state, Slot* slot, const Client6* client) noexcept nogil:
    """Note the sender in the packet's own operation, of which the further ones are copies."""
    cdef LeaseOp* op = &slot.op
    op.tenant_no = client.subnet.tenant.no
    op.version = 0
    op.relay = 0
    op.hw_type = client.hw_type
    op.hw_address = client.hw_address
    op.client_id = Octets(NULL, 0)
    op.circuit_id = op.remote_id = Octets(NULL, 0)
    op.association.duid = client.duid
    op.association.has_link = False
    op.association.relay_hi = op.association.relay_lo = 0
    op.association.next_hop_hi = slot.rx.peer_hi
    op.association.next_hop_lo = slot.rx.peer_lo
    op.association.interface_id = Octets(NULL, 0)
    note_host_name(state, slot, client, client.subnet, 0, 0)
    if client.relay != NULL:
        note_relays(state, slot, client)
    op.ia_type = IA_NA          # marks the family: the relay options are those of IPv6
    note_hashes(state.hash_key, op)
    slot.status = NO_STATUS
    slot.xid = state.message6.packet.transaction_id
    slot.part_count = slot.parts_open = 0
    slot.abandoned = slot.unread = False


cdef void note_relays(const State* state, Slot* slot, const Client6* client) noexcept nogil:
    """Note the client's line by the relay next to it, and its route: the relay that names the link,
    its interface, and the address that the client has there. If no relay names a link, the
    outermost one.
    """
    cdef const Relays6* relays = &state.message6.relays
    cdef Association* into = &slot.op.association
    cdef int at = link_hop(client)
    slot.op.circuit_id = kept(client.relay.interface_id)
    slot.op.remote_id = kept(remote_id6(relays))
    into.next_hop_hi = load_u64(client.relay.peer_address)
    into.next_hop_lo = load_u64(client.relay.peer_address + 8)
    into.has_link = at >= 0
    if into.has_link:
        into.link_hi = load_u64(relays.hops[at].link_address)
        into.link_lo = load_u64(relays.hops[at].link_address + 8)
    into.interface_id = kept(relays.hops[max(at, 0)].interface_id)
    into.relay_hi = slot.rx.peer_hi
    into.relay_lo = slot.rx.peer_lo
    if at > 0:                              # as the relay behind it saw it
        into.relay_hi = load_u64(relays.hops[at - 1].peer_address)
        into.relay_lo = load_u64(relays.hops[at - 1].peer_address + 8)


cdef inline Octets kept(Field field) noexcept nogil:
    return Octets(field.data, min(field.length, <uint16_t>LONGEST) if field.data != NULL else 0)


cdef Wish wish_of(const State* state, const Client6* client, const Ia6* ia) noexcept nogil:
    return Wish(ia.kind, association_of(state, client, ia.kind, ia.iaid), ia, 0, length_hint(state, ia), False)


cdef Exchange exchange_of_solicit(const State* state, const Subnet6* subnet) noexcept nogil:
    """Return both sides must agree to a commit at once: the client by the option, the subnet by its switch."""
    if subnet.rapid_commit and has6(&state.message6.packet, OPT6_RAPID_COMMIT):
        return EXCHANGE_AT_ONCE
    return EXCHANGE_NONE


cdef inline uint8_t length_hint(const State* state, const Ia6* ia) noexcept nogil:
    """Return the prefix length that an association asks for first; 0: any (RFC 8168 section 3.1)."""
    return state.message6.packet.addresses[ia.first].length if ia.kind == OPT6_IA_PD and ia.count else 0


cdef void note_unusual(State* state, const Slot* whole, int kind) noexcept nogil:
    """Count it, and keep the packet's sender for the log."""
    state.noticed[kind] += 1
    state.last_notice = kind
    keep_sample6(&state.notices[kind], whole.op.association.duid.data, whole.op.association.duid.length,
                 whole.rx.peer_hi, whole.rx.peer_lo, whole.op.subnet_no)


# --- parts

cdef Part* new_part(State* state, Slot* slot, const Ia6* ia) noexcept nogil:
    """Return NULL if the message requests more than can be answered, which is counted; reply.pyx
    answers associations without a part for it.
    """
    cdef Part* part
    if slot.part_count == MAX_PARTS:
        note_unusual(state, slot, NOTICE_NO_ROOM)
        return NULL
    part = &slot.parts[slot.part_count]
    slot.part_count += 1
    memset(part, 0, sizeof(Part))
    part.outcome = PART_IDLE
    part.ia_type = ia.kind
    part.iaid = ia.iaid
    part.ia = <uint8_t>(ia - state.message6.packet.ias)
    part.shown = True
    return part


cdef Part* add_part(State* state, Slot* slot, const Ia6* ia, const Candidate* lease) noexcept nogil:
    """Add the lease without lifetimes: it is the association's no longer."""
    cdef Part* part = new_part(state, slot, ia)
    if part != NULL:
        part.hi = lease.hi
        part.lo = lease.lo
        part.prefix_length = lease.prefix_length
    return part


cdef Part* add_lease(State* state, Slot* slot, const Client6* client, const Ia6* ia,
                     const Candidate* lease) noexcept nogil:
    """Add the lease with lifetimes, and a name for the client by the lease, unless the packet's operation is another
    lease's."""
    cdef Part* part = add_part(state, slot, ia, lease)
    if part != NULL:
        part.subnet_no = lease.subnet.no
        set_lifetimes(state, slot, part, client, lease)
        if not slot.parts_open:
            name_after(state, slot, client, lease.subnet, lease.hi, lease.lo)
    return part


cdef void add_status(State* state, Slot* slot, const Ia6* ia, uint16_t status) noexcept nogil:
    cdef Part* part = new_part(state, slot, ia)
    if part != NULL:
        part.status = status


cdef void set_lifetimes(
        State* state, const Slot* slot, Part* part, const Client6* client, const Candidate* lease) noexcept nogil:
    """Set the valid lifetime: the requested one within the subnet's bounds, else its usual time;
    shorter for a client that will move soon. Preferred: the subnet's, else five eighths (RFC 8415
    section 21.6: never longer than valid).
    """
    cdef const Subnet6* subnet = lease.subnet
    cdef uint32_t asked = asked_time(state, part)
    part.valid = subnet.lease_time
    if asked:
        part.valid = within(asked, subnet.min_lease_time, subnet.max_lease_time)
    if waits_for_reserved(state, slot, client, part):
        part.valid = min(part.valid, shortest(subnet))
    if subnet.preferred_time >= 0:
        part.preferred = min(<uint32_t>subnet.preferred_time, part.valid)
    else:
        part.preferred = preferred_share(part.valid)


cdef inline uint32_t preferred_share(uint32_t valid) noexcept nogil:
    return INFINITE if valid == INFINITE else <uint32_t>(<uint64_t>valid * 5 // 8)


cdef inline uint32_t shortest(const Subnet6* subnet) noexcept nogil:
    return subnet.min_lease_time if subnet.min_lease_time < subnet.lease_time else SHORTEST_LEASE


cdef bint waits_for_reserved(
        const State* state, const Slot* slot, const Client6* client, const Part* part) noexcept nogil:
    """Return whether the reserved lease is another client's for now: a short one, to be moved at its renewal. Where
    another association of the same client has it, there is nothing to wait for."""
    cdef Candidate reserved
    if not reserved_lease(client, part.ia_type, &reserved) or reserved.hi == part.hi and reserved.lo == part.lo:
        return False
    return not (is_for_another(state, slot, &state.message6.packet.ias[part.ia], &reserved)
                or is_held_by_client(state, slot, &reserved))


cdef bint is_held_by_client(const State* state, const Slot* slot, const Candidate* lease) noexcept nogil:
    """Return whether an association with the DUID of the message holds it, as far as the row was read in full."""
    cdef uint32_t index = lease_find(state.leases, lease.subnet.tenant.no, lease.hi, lease.lo)
    cdef const Lease* held
    if index == NO_LEASE:
        return False
    held = lease_at(state.leases, index)
    return (held.state == LEASE_ACTIVE and runs(state, held) and not held.flags & PARTIAL
            and held.client_parts_hash == slot.op.client_parts_hash)


cdef uint32_t asked_time(const State* state, const Part* part) noexcept nogil:
    """Return the valid lifetime that the message requests for this lease, or for the first that it
    names; 0: none.
    """
    cdef const Ia6* ia = &state.message6.packet.ias[part.ia]
    cdef const IaAddress6* address
    cdef int at
    for at in range(ia.first, ia.first + ia.count):
        address = &state.message6.packet.addresses[at]
        if load_u64(address.address) == part.hi and load_u64(address.address + 8) == part.lo:
            return address.valid
    return state.message6.packet.addresses[ia.first].valid if ia.count else 0


# --- operations

cdef bint add_operation(State* state, Slot* slot, const Client6* client, Part* part, const Candidate* lease,
                        int kind) noexcept nogil:
    """Return the write that the part asks for. False: no slot is left for it."""
    cdef uint32_t index = slot.packet
    cdef Slot* its = slot
    if slot.parts_open:
        index = take_part(state.queue, slot.packet)
        if index == NO_SLOT:
            return False
        its = slot_at(state.queue, index)
        its.op = slot.op
        its.exchange = slot.exchange
        its.xid = slot.xid
        its.decided = slot.decided
        its.named_in = slot.named_in
    its.part = <uint8_t>(part - slot.parts)
    fill_operation(state, slot, &its.op, client, part, lease, kind)
    if lease.subnet != NULL and part.valid:
        name_after(state, its, client, lease.subnet, lease.hi, lease.lo)
    part.outcome = PART_OPEN
    slot.parts_open += 1
    return True


cdef bint ask_row(State* state, Slot* slot, const Client6* client, const Ia6* ia,
                  const Candidate* lease) noexcept nogil:
    """Return an operation that every row refuses: the lease's row and the configuration are read, and the message
    decided again. False: there is no room for it."""
    cdef Part* part = add_part(state, slot, ia, lease)
    if part == NULL or not add_operation(state, slot, client, part, lease, OP_RENEW):
        return False
    slot.exchange = EXCHANGE_RENEWING
    slot.op.fence = NO_FENCE
    return True


cdef void fill_operation(State* state, Slot* packet, LeaseOp* op, const Client6* client, const Part* part,
                         const Candidate* lease, int kind) noexcept nogil:
    cdef const Subnet6* subnet = lease.subnet
    cdef uint32_t known = lease_find(state.leases, op.tenant_no, part.hi, part.lo)
    if subnet == NULL:
        subnet = subnet_of(state, client, part.ia_type, lease)
    if subnet == NULL:
        subnet = client.subnet
    own_lease(state, client, part.ia_type, part.iaid, op)
    op.kind = <uint8_t>kind
    op.ia_type = <uint8_t>part.ia_type
    op.subnet_no = subnet.no
    op.fence = subnet.fence
    op.hi = part.hi
    op.lo = part.lo
    op.lifetime = part.valid
    op.margin = quarantine_of(state, op, subnet.quarantine) if kind == OP_DECLINE else subnet.reuse_margin
    op.association.prefix_length = part.prefix_length
    op.association.iaid = part.iaid
    op.association.preferred = part.preferred
    op.unheld = kind == OP_BIND and known == NO_LEASE
    op.version = 0
    op.tells_device = False
    if kind == OP_BIND:
        if known != NO_LEASE and takes_over(
                state, packet, client, &state.message6.packet.ias[part.ia], op.client, lease):
            op.version = row_version(lease_at(state.leases, known))
        note_device(state, packet, op, client.subnet.tenant)
    if (kind == OP_RELEASE or kind == OP_DECLINE) and known != NO_LEASE and (
            state.now - op.received <= AT_ONCE_MICROSECONDS):
        op.version = row_version(lease_at(state.leases, known))


cdef Action decided(State* state, Slot* slot, const Client6* client) noexcept nogil:
    """Return the answer for the case that all is written as it was decided, and its way."""
    answer(state, slot, client)
    if not address_reply(state, slot):
        return drop(state, REASON_NO_REPLY_ADDRESS)
    return ACTION_WRITE if slot.parts_open else ACTION_REPLY
