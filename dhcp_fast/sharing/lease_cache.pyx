"""Cache of the database's leases, with the rules for taking in rows.

Rows come from our own statements, from other servers by the feed, from the first load, and from the
reading of a refused row. All pass through `learn`, and an older version never replaces a newer one
(engine rules 8, 15, 17).
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from dhcp_fast.clients.declines cimport note_decline
from dhcp_fast.leases.circuits cimport (
    Circuit, circuit_name, circuit_of, circuit_relay, lease_off_circuit, lease_on_circuit)
from dhcp_fast.leases.expiry_wheel cimport wheel_put
from dhcp_fast.leases.lease_operation cimport (
    HOLDS_BITS, HOLDS_OTHERS, HOLDS_VENDOR_CLASS, OP_BIND, OP_EXPIRE, OP_QUARANTINE, OP_RENEW, OP_SUPERSEDE,
    UNNAMED_BITS, LeaseOp, grants, is_unnamed)
from dhcp_fast.leases.lease_table cimport (
    DISPUTED, HOLDING, LEASE_ACTIVE, LEASE_DECLINED, LEASE_EXPIRED, LEASE_FOREIGN, LEASE_OWN, LEASE_REGISTERED,
    LEASE_RELEASED, NO_LEASE, PARTIAL, WIDE, WRITTEN_HERE, Lease, held_mark, held_options, is_held, is_unseen,
    lease_add, lease_at, lease_find, lease_make, lease_set_client, row_version)
from dhcp_fast.plan.subnets cimport subnet_of_row
from dhcp_fast.sharing.lease_ownership cimport GRACE_SECONDS, holding_of, mark_address, set_holding
from dhcp_fast.state.occupancy cimport mark_lease, mark_lease_in
from dhcp_fast.state.state cimport database_now, forgotten_at, runs


cdef void learn_written(State* state, const LeaseOp* op, const WonRow* won) noexcept nogil:
    """Learn the row `won` of an operation that the database has accepted."""
    cdef LeaseRow row
    row.tenant_no = op.tenant_no
    row.subnet_no = op.subnet_no
    row.brief = row.of_nobody = False
    row.written_here = True
    row.received = op.received
    row.unnamed = is_unnamed(op)
    row.unrelayed = op.kind == OP_RENEW and op.relay_hash == 0
    row.holds = holds_now(op) if op.kind == OP_BIND else 0
    row.hi = op.hi
    row.lo = op.lo
    row.version = won.version
    row.client = op.client
    row.renewed = won.renewed
    row.expires = won.expires
    row.reuse = won.expires
    row.client_parts_hash = op.client_parts_hash
    row.content_hash = op.content_hash
    row.relay_hash = op.relay_hash
    row.state = op.kind
    row.holding = LEASE_OWN if state.share.count == 1 else holding_after(state, op)
    if state.circuits.limit:
        find_circuit(state, op, &row)
    if grants(op):
        row.state = LEASE_ACTIVE
    elif op.kind == OP_QUARANTINE:
        row.state = LEASE_DECLINED
    elif op.kind == OP_SUPERSEDE:
        row.state = LEASE_RELEASED
    if grants(op) or row.state == LEASE_DECLINED:
        row.reuse = later_by(row.reuse, op.margin)
    if op.kind == OP_EXPIRE:
        learn_expiry(state, &row)
    else:
        learn(state, &row)


cdef bint is_newer(const State* state, const Lease* lease, int64_t received) noexcept nogil:
    """Return whether another server wrote the lease after a packet was received here; to the second, the statement is
    exact.

    Writes of this server are in the order of the packets. A time in the future is from before the
    database's clock was put back.
    """
    cdef int64_t renewed = <int64_t>lease.renewed * MICROSECONDS
    if lease.flags & (WRITTEN_HERE | PARTIAL | LEASE_FOREIGN) or not state.clock.known:
        return False
    return received + state.clock.offset + state.clock.bound < renewed <= database_now(state)


cdef uint8_t holding_after(State* state, const LeaseOp* op) noexcept nogil:
    """Return the owner of the written row: a grant contains it, the end of a lease keeps it."""
    cdef uint32_t index = lease_find(state.leases, op.tenant_no, op.hi, op.lo)
    if index != NO_LEASE and not grants(op):
        return lease_at(state.leases, index).flags & HOLDING
    return holding_of(state, &op.hw_address, &op.client_key, state.plan6 != NULL)


cdef void find_circuit(State* state, const LeaseOp* op, LeaseRow* row) noexcept nogil:
    """Find the circuit of the written row: a grant's own; a renewal keeps the parts that its packet
    does not name.
    """
    cdef uint32_t index = lease_find(state.leases, op.tenant_no, op.hi, op.lo)
    cdef Circuit* before = &state.circuits.at[circuit_of(&state.circuits, index)]     # entry 0 of both is empty
    row.relay = circuit_relay(op) if grants(op) else 0
    row.circuit = circuit_name(op, op.ia_type) if grants(op) else 0
    if op.kind != OP_BIND:
        row.relay = row.relay or before.relay
        row.circuit = row.circuit or before.name


cdef void learn_expiry(State* state, const LeaseRow* row) noexcept nogil:
    cdef uint32_t index = lease_find(state.leases, row.tenant_no, row.hi, row.lo)
    if index != NO_LEASE and lease_at(state.leases, index).version < row.version:
        lease_at(state.leases, index).version = row.version
        lease_at(state.leases, index).state = row.state
        lease_off_circuit(&state.circuits, lease_at(state.leases, index), index)


cdef bint learn(State* state, const LeaseRow* row) noexcept nogil:
    """Take the row into the cache unless a newer one is there. False only when memory is short."""
    cdef uint32_t index
    cdef Lease* lease
    if row.holding == LEASE_FOREIGN and needs_no_entry(state, row):
        return learn_in_passing(state, row)
    index = lease_make(state.leases, row.tenant_no, row.hi, row.lo)
    if index == NO_LEASE:
        return False
    lease = lease_at(state.leases, index)
    if (lease.version > row.version and not (is_held(lease) and gives_way(state, lease, row))
            or lease.version == row.version and not lease.flags & PARTIAL):
        if lease.version == row.version and not row.brief:
            note_held(lease, row.holds)     # known from the row, not from an event
        mark_lease_in(state, lease, subnet_of_row(state.plan, lease, row.subnet_no))
        return True
    if not take_row(state, lease, index, row):
        return False
    mark_lease_in(state, lease, subnet_of_row(state.plan, lease, row.subnet_no))
    return True


cdef bint gives_way(const State* state, Lease* lease, const LeaseRow* row) noexcept nogil:
    """Return whether an entry of a lost history gives way to the row.

    An acknowledged lease is kept for its client until its end, whatever older rows contain: in a
    dump the address may still be another client's, who has released it since.
    """
    cdef uint64_t known = row_version(lease)
    if lease.state != LEASE_ACTIVE or not runs(state, lease) or row.written_here and counts_at_once(lease, row):
        return True
    if row.version == known and is_unseen(lease):
        return True
    if ends_hold(state, lease, row, known):
        return True
    lease.version = held_mark() | (row.version if is_unseen(lease) else max(known, row.version))
    if row.client != lease.client:
        dispute(state, lease, row)
    return False


cdef inline bint counts_at_once(const Lease* lease, const LeaseRow* row) noexcept nogil:
    """Return what we wrote ourselves, unless it ended the older lease of another client."""
    return (row.state == LEASE_ACTIVE or row.client == lease.client
            or row.client_parts_hash == lease.client_parts_hash)


cdef void dispute(const State* state, Lease* lease, const LeaseRow* row) noexcept nogil:
    """Mark a dispute.

    While the other client's row is active, the address cannot be written for its client, which gets
    a NAK and another address. The other client released it and does not get it again: it is free
    when both have ended.
    """
    lease.flags &= ~DISPUTED
    if is_taken(state, row):
        lease.flags |= DISPUTED
        lease.reuse = max(lease.reuse, round_up(row.reuse))


cdef inline bint is_taken(const State* state, const LeaseRow* row) noexcept nogil:
    return (round_up(row.reuse) > round_down(database_now(state))
            and (row.state == LEASE_ACTIVE or row.state == LEASE_DECLINED or row.state == LEASE_REGISTERED))


cdef bint ends_hold(const State* state, const Lease* lease, const LeaseRow* row, uint64_t known) noexcept nogil:
    """Return whether the row ends a hold: its client has a new lease, released or lost it, or
    another client has it by now. The expiry of an older lease, of any client, is no evidence. A row
    is later by its version, or by its time: versions of a restored history begin again, and a clock
    that was put back dates rows before earlier grants.
    """
    cdef bint later = row.version > known or round_down(row.renewed) > lease.renewed
    return later and (row.state != LEASE_EXPIRED if row.client == lease.client else is_taken(state, row))


cdef bint learn_first(State* state, const LeaseRow* row) noexcept nogil:
    """Learn the row of an address that is not in the cache; the caller marks the address."""
    cdef uint32_t index
    if row.holding == LEASE_FOREIGN and needs_no_entry(state, row):
        return learn_in_passing(state, row)
    index = lease_add(state.leases, row.tenant_no, row.hi, row.lo)
    return index != NO_LEASE and take_row(state, lease_at(state.leases, index), index, row)


cdef inline bint take_row(State* state, Lease* lease, uint32_t index, const LeaseRow* row) noexcept nogil:
    cdef bint goes_on = lease.client == row.client and lease.state == LEASE_ACTIVE
    cdef Lease copy = lease[0]
    cdef const Lease* before = NULL
    # Given to its client elsewhere since the packet came: this packet, and others that waited as long, came in no order
    # with that.
    cdef bint late = row.written_here and goes_on and row.state == LEASE_ACTIVE and is_newer(state, lease, row.received)
    if goes_on:
        before = &copy
    lease.version = row.version
    lease.expires = round_down(row.expires)
    # A released address is free as soon as that is committed: the row's moment is before any later
    # statement's. So is a declined address that stays in service.
    lease.reuse = round_down(row.reuse) if is_free_at_once(row) else round_up(row.reuse)
    lease.state = row.state
    lease.flags &= ~(WRITTEN_HERE | DISPUTED)
    if row.written_here:
        lease.flags |= 0 if late else WRITTEN_HERE
    elif row.state == LEASE_DECLINED and not row.brief and not row.of_nobody:
        count_decline(state, lease, row)
    lease_set_client(state.leases, index, row.client)
    if row.brief:
        lease.flags |= PARTIAL
    elif not take_content(state, lease, index, row, before):
        return False
    if state.share.count > 1:
        set_holding(state, lease, row.holding)
        if not mark_by_row(state, lease, row):
            return False
    if row.holding == LEASE_FOREIGN:
        remember_for_a_while(state, index)
    elif row.state == LEASE_ACTIVE:
        wheel_put(state.leases, index, second_behind(lease.expires, 1))     # it ends within the second `expires`
    elif lease.reuse > round_down(database_now(state)):
        wheel_put(state.leases, index, lease.reuse)
    elif lease.flags & WIDE and state.freed_seconds:
        wheel_put(state.leases, index, forgotten_at(state, lease))
    return True


cdef inline uint32_t content_after(const Lease* before, const LeaseRow* row) noexcept nogil:
    """Return the content after the row: without a name in the packet the name stays, and so may the
    client's options.
    """
    cdef uint32_t content = content_hash_in(row.content_hash, row.subnet_no)
    if before != NULL and row.unnamed and not before.flags & PARTIAL:
        content = before.content_hash & ~<uint32_t>UNNAMED_BITS | content & UNNAMED_BITS
    content = content & ~<uint32_t>HOLDS_BITS | row.holds
    if row.written_here and before != NULL:
        content |= held_options(before)
    return content


cdef inline void note_held(Lease* lease, uint32_t holds) noexcept nogil:
    lease.content_hash = lease.content_hash & ~<uint32_t>HOLDS_BITS | holds


cdef inline uint32_t holds_now(const LeaseOp* op) noexcept nogil:
    """Return the options of its client that a grant has written, of HOLDS_BITS."""
    cdef uint32_t holds = 0
    if op.device.vendor_class.data != NULL:
        holds = <uint32_t>HOLDS_VENDOR_CLASS
    return holds | <uint32_t>HOLDS_OTHERS if op.device.client_options.data != NULL else holds


cdef inline bint is_free_at_once(const LeaseRow* row) noexcept nogil:
    return row.state == LEASE_RELEASED or row.state == LEASE_DECLINED and not row.brief and row.reuse == row.expires


cdef void count_decline(State* state, const Lease* lease, const LeaseRow* row) noexcept nogil:
    """Count a decline of another server or worker, or from before a restart; our own count when
    they are decided.
    """
    note_decline(state, row.client_parts_hash if lease.flags & WIDE else row.client,
                 row.relay_hash, row.subnet_no, round_down(row.expires), row.reuse < row.expires + MICROSECONDS)


cdef inline bint take_content(
        State* state, Lease* lease, uint32_t index, const LeaseRow* row, const Lease* before) noexcept nogil:
    """Take the content that a renewal would write again, and the circuit where the lease counts.

    `before`: the entry that continues; NULL: none.
    """
    lease.flags &= ~PARTIAL
    lease.renewed = round_down(row.renewed)
    lease.client_parts_hash = row.client_parts_hash
    lease.content_hash = content_after(before, row)
    lease.relay_hash = before.relay_hash if before != NULL and row.unrelayed else row.relay_hash
    if not state.circuits.limit:
        return True
    return lease_on_circuit(&state.circuits, lease, index, row.relay, row.circuit)


cdef inline bint mark_by_row(State* state, const Lease* lease, const LeaseRow* row) noexcept nogil:
    """Mark the address by a row written since the history was lost; it also settles the address for
    the worker of the former owner (`ends_hold`). An end since then may belong to another lease.
    """
    cdef bint foreign = row.holding == LEASE_FOREIGN and runs_on(state, row)
    cdef bint settled = state.doubts_end and row.renewed > state.lost_at and is_taken(state, row)
    return mark_address(state, lease, round_up(row.reuse) if foreign else 0, settled)


cdef inline bint runs_on(const State* state, const LeaseRow* row) noexcept nogil:
    return row.state == LEASE_ACTIVE and round_up(row.reuse) > round_down(database_now(state))


cdef bint needs_no_entry(const State* state, const LeaseRow* row) noexcept nogil:
    """Return whether the row needs no entry: it comes from a table, its address is taken or free
    until an event changes that, and nothing newer is known.
    """
    if not (row.brief or state.in_bulk) or lease_find(state.leases, row.tenant_no, row.hi, row.lo) != NO_LEASE:
        return False
    return row.state == LEASE_ACTIVE or round_up(row.reuse) <= round_down(database_now(state))


cdef bint learn_in_passing(State* state, const LeaseRow* row) noexcept nogil:
    """Learn only the address of the row."""
    cdef Lease lease
    memset(&lease, 0, sizeof(Lease))
    lease.tenant_no = row.tenant_no
    lease.address = <uint32_t>row.lo
    if not mark_by_row(state, &lease, row):
        return False
    mark_lease(state, &lease)
    return True


cdef void remember_for_a_while(State* state, uint32_t index) noexcept nogil:
    """Keep another worker's row for a while: its entry ends after the grace, and is looked at
    before if its address becomes free.
    """
    cdef Lease* lease = lease_at(state.leases, index)
    cdef uint32_t now = round_down(database_now(state))
    lease.renewed = now + GRACE_SECONDS
    if lease.state != LEASE_ACTIVE and lease.reuse > now:
        wheel_put(state.leases, index, min(lease.reuse, lease.renewed))
    else:
        wheel_put(state.leases, index, lease.renewed)
