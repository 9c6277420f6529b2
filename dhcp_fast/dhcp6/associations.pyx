"""Decision on what each identity association of a message gets (RFC 8415 section 18.3). IA_TA is obsolete and gets
nothing."""

from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.dhcp6.allocation cimport (
    Wish, choose_lease, correct_length, held_lease, is_kept, must_move, remember_offer)
from dhcp_fast.dhcp6.client cimport association_of
from dhcp_fast.dhcp6.decision cimport (
    add_lease, add_operation, add_part, add_status, ask_row, exchange_of_solicit, wish_of)
from dhcp_fast.dhcp6.eligibility cimport (
    Candidate, is_hint, is_on_wire, may_have, named, none_available, reserved_lease, subnet_on_link)
from dhcp_fast.dhcp6.holders cimport is_in_message, must_look_up, takes_over
from dhcp_fast.dhcp6.limits cimport circuit_is_full
from dhcp_fast.dhcp6.speaker cimport first_lease
from dhcp_fast.leases.lease_operation cimport OP_BIND, OP_DECLINE, OP_RELEASE, OP_RENEW, OP_REVOKE
from dhcp_fast.leases.lease_table cimport (
    LEASE_ACTIVE, LEASE_EXPIRED, NO_LEASE, Lease, first_of_client, is_held, is_unseen, lease_at, lease_find)
from dhcp_fast.plan.compiled6 cimport Pool6
from dhcp_fast.plan.subnets6 cimport pool_of_lease
from dhcp_fast.sharing.early_renewal cimport early_renewal
from dhcp_fast.state.occupancy6 cimport forget_offers
from dhcp_fast.state.plan_doubt cimport takes_look
from dhcp_fast.state.slot cimport (
    EXCHANGE_AT_ONCE, EXCHANGE_REBINDING, RECALL_WANTED, Part)
from dhcp_fast.state.state cimport runs
from dhcp_fast.wire.codes6 cimport (
    OPT6_IA_PD, OPT6_IA_TA, OPT6_RECONF_ACCEPT, STATUS6_NOBINDING, STATUS6_NOTONLINK)
from dhcp_fast.wire.packet6 cimport has6


cdef bint on_solicited(State* state, Slot* slot, const Client6* client, const Ia6* ia) noexcept nogil:
    """Apply section 18.3.9: the answer is that to a Request.

    Nothing is written, except with rapid commit (section 18.3.1), a setting of the first lease's
    subnet.
    """
    cdef Wish wish = wish_of(state, client, ia)
    cdef Candidate lease
    if (ia.kind == OPT6_IA_TA or circuit_is_full(state, slot, client, ia)
            or not choose_lease(state, slot, client, &wish, &lease)):
        add_status(state, slot, ia, none_available(ia.kind))
        return True
    if first_lease(slot) == NULL:
        slot.exchange = exchange_of_solicit(state, lease.subnet)
    if slot.exchange == EXCHANGE_AT_ONCE:
        return grant(state, slot, client, ia, &lease, OP_BIND)
    remember_offer(state, &wish, &lease, slot.rx.peer if client.relay != NULL else 0)
    add_lease(state, slot, client, ia, &lease)
    return True


cdef bint looks_up(State* state, Slot* slot, const Client6* client) noexcept nogil:
    """Return an operation that the row of a reserved lease refuses, where it is unknown whose that is: the row is read,
    and the message decided again."""
    cdef int i
    cdef Candidate lease
    for i in range(state.message6.packet.ia_count):
        if not must_look_up(state, slot, client, &state.message6.packet.ias[i], &lease):
            continue
        if not ask_row(state, slot, client, &state.message6.packet.ias[i], &lease):
            return False
        slot.tenure = RECALL_WANTED
        return True
    return False


cdef bint doubts_plan(State* state, Slot* slot, const Client6* client) noexcept nogil:
    """Return whether an operation has to compare the configuration, because ours refuses all leases
    that a Request names; then no part of the answer is valid yet.
    """
    cdef const Ia6* ia = NULL
    cdef Candidate lease
    cdef int i
    for i in range(state.message6.packet.ia_count):
        if state.message6.packet.ias[i].kind != OPT6_IA_TA and names_lease(state, &state.message6.packet.ias[i]):
            ia = &state.message6.packet.ias[i]
            break
    if ia == NULL or not takes_look(state, slot):
        return False
    lease = first_named(state, ia)
    slot.part_count = 0
    return ask_row(state, slot, client, ia, &lease)


cdef Candidate first_named(const State* state, const Ia6* ia) noexcept nogil:
    """Return the first lease that the association names; one is there."""
    cdef Candidate lease
    cdef int i
    for i in range(ia.first, ia.first + ia.count):
        lease = named(&state.message6.packet.addresses[i])
        if not is_hint(&lease):
            break
    return lease


cdef bint is_answered(const State* state, const Slot* slot, const Ia6* ia, const Candidate* lease) noexcept nogil:
    """Return whether the association's answer already contains the lease: a message may name one twice."""
    cdef int i
    cdef const Part* part
    for i in range(slot.part_count):
        part = &slot.parts[i]
        if (&state.message6.packet.ias[part.ia] == ia and part.hi == lease.hi and part.lo == lease.lo
                and part.prefix_length == lease.prefix_length):
            return True
    return False


cdef bint names_lease(const State* state, const Ia6* ia) noexcept nogil:
    """Return whether the association names an address or prefix, and not only hints."""
    cdef int i
    cdef Candidate lease
    for i in range(ia.first, ia.first + ia.count):
        lease = named(&state.message6.packet.addresses[i])
        if not is_hint(&lease):
            return True
    return False


cdef bint grant_any(State* state, Slot* slot, const Client6* client, Wish* wish) noexcept nogil:
    """Grant whatever lease there is for the association, else the status that there is none."""
    cdef Candidate lease
    if choose_lease(state, slot, client, wish, &lease):
        return grant(state, slot, client, wish.ia, &lease, OP_BIND)
    add_status(state, slot, wish.ia, none_available(wish.ia_type))
    return True


cdef bint grant(State* state, Slot* slot, const Client6* client, const Ia6* ia, const Candidate* lease,
                int kind) noexcept nogil:
    """Return the lease with lifetimes, once it is written; none where the client's line has all that it may have."""
    cdef Part* part
    if circuit_is_full(state, slot, client, ia):
        add_status(state, slot, ia, none_available(ia.kind))
        return True
    part = add_lease(state, slot, client, ia, lease)
    if part == NULL:
        return True
    return add_operation(state, slot, client, part, lease, kind)


# --- REQUEST (section 18.3.2): decided afresh, whether or not an offer is remembered

cdef bint on_requested(State* state, Slot* slot, const Client6* client, const Ia6* ia) noexcept nogil:
    cdef Wish wish = wish_of(state, client, ia)
    cdef Candidate lease
    cdef int i
    if ia.kind == OPT6_IA_TA:
        add_status(state, slot, ia, none_available(ia.kind))
        return True
    if not names_lease(state, ia):
        return grant_any(state, slot, client, &wish)
    if names_other_link(state, client, ia):
        add_status(state, slot, ia, STATUS6_NOTONLINK)
        return True
    for i in range(ia.first, ia.first + ia.count):
        lease = named(&state.message6.packet.addresses[i])
        if not is_hint(&lease) and not on_requested_lease(state, slot, client, &wish, &lease):
            return False
    return True


cdef bint names_other_link(const State* state, const Client6* client, const Ia6* ia) noexcept nogil:
    """Return whether one such address is there, which is enough for NotOnLink: it is about addresses only."""
    cdef int i
    cdef Candidate lease
    if ia.kind == OPT6_IA_PD:
        return False
    for i in range(ia.first, ia.first + ia.count):
        lease = named(&state.message6.packet.addresses[i])
        if not is_hint(&lease) and subnet_on_link(client, lease.hi, lease.lo) == NULL:
            return True
    return False


cdef bint on_requested_lease(State* state, Slot* slot, const Client6* client, const Wish* wish,
                             Candidate* lease) noexcept nogil:
    """Decide for a named lease: only a client whose reserved lease is free gets another one than it names."""
    cdef Candidate reserved
    correct_length(state, slot, client, wish, lease)
    if is_answered(state, slot, wish.ia, lease):
        return True
    if must_move(state, slot, client, wish, lease):
        leave_named(state, slot, wish, lease)
        reserved_lease(client, wish.ia_type, &reserved)
        return is_in_message(slot, reserved.hi, reserved.lo) or grant(
            state, slot, client, wish.ia, &reserved, OP_BIND)
    if may_have(client, wish.ia_type, lease) and not is_kept(state, wish, lease):
        return grant(state, slot, client, wish.ia, lease, OP_BIND)
    add_status(state, slot, wish.ia, none_available(wish.ia_type))
    return True


cdef void leave_named(State* state, Slot* slot, const Wish* wish, const Candidate* lease) noexcept nogil:
    """Leave the lease that the message names, which is not given up for another (rule 9); the answer is silent about
    it."""
    cdef Part* part = add_part(state, slot, wish.ia, lease)
    if part != NULL:
        part.shown = False


# --- RENEW, REBIND (sections 18.3.4, 18.3.5): the client names its leases; the row must agree

cdef bint on_renewed(State* state, Slot* slot, const Client6* client, const Ia6* ia) noexcept nogil:
    """Decide a renewal: an unknown association is created if it names no lease: it contradicts nothing that the server
    knows, and its client may have begun to ask for it since its last Request. One that loses all of its leases gets
    another one."""
    cdef Wish wish = wish_of(state, client, ia)
    cdef Candidate lease
    cdef int i
    if ia.kind == OPT6_IA_TA:
        add_status(state, slot, ia, STATUS6_NOBINDING)
        return True
    if not names_lease(state, ia):
        if not held_lease(state, slot, client, &wish, &lease):
            return grant_any(state, slot, client, &wish)
        if not on_known_lease(state, slot, client, &wish, &lease):
            return False
    for i in range(ia.first, ia.first + ia.count):
        lease = named(&state.message6.packet.addresses[i])
        if not is_hint(&lease) and not on_known_lease(state, slot, client, &wish, &lease):
            return False
    return not has_lost_all(state, slot, ia) or replace(state, slot, client, &wish)


cdef bint has_lost_all(const State* state, const Slot* slot, const Ia6* ia) noexcept nogil:
    cdef int i
    cdef bint lost = False
    for i in range(slot.part_count):
        if &state.message6.packet.ias[slot.parts[i].ia] != ia:
            continue
        if slot.parts[i].valid:
            return False
        lost |= slot.parts[i].lost
    return lost


cdef bint replace(State* state, Slot* slot, const Client6* client, Wish* wish) noexcept nogil:
    """Replace the lease (section 18.3.4, second choice): beside the lifetimes of 0 a new lease, if there is one, so
    that the client need not start again. If the client named that one too, the answer has it once."""
    cdef Candidate lease
    cdef int i
    if not choose_lease(state, slot, client, wish, &lease):
        return True
    for i in range(slot.part_count):
        if (&state.message6.packet.ias[slot.parts[i].ia] == wish.ia and slot.parts[i].hi == lease.hi
                and slot.parts[i].lo == lease.lo):
            slot.parts[i].shown = False
    return grant(state, slot, client, wish.ia, &lease, OP_BIND)


cdef bint on_known_lease(State* state, Slot* slot, const Client6* client, const Wish* wish,
                         Candidate* lease) noexcept nogil:
    cdef uint32_t index = lease_find(state.leases, client.subnet.tenant.no, lease.hi, lease.lo)
    cdef const Lease* own = NULL
    cdef Candidate held
    correct_length(state, slot, client, wish, lease)
    if is_answered(state, slot, wish.ia, lease):
        return True
    if index != NO_LEASE and lease_at(state.leases, index).client == wish.identity:
        own = lease_at(state.leases, index)
    if (own == NULL or own.state != LEASE_ACTIVE) and held_lease(state, slot, client, wish, &held):
        add_part(state, slot, wish.ia, lease)       # with lifetimes of 0: not the association's
        return on_known_lease(state, slot, client, wish, &held)
    if is_anothers(state, wish, index):
        slot.unread = is_unseen(lease_at(state.leases, index))
        if slot.unread:
            return False
        return lose_lease(state, slot, wish, lease) if is_known(state, client, wish) else refuse_lease(
            state, slot, wish, lease)
    if own == NULL and is_known(state, client, wish):
        return lose_lease(state, slot, wish, lease)
    if not may_have(client, wish.ia_type, lease) or must_move(state, slot, client, wish, lease):
        return on_lost_lease(state, slot, client, wish, lease, own)
    return renew(state, slot, client, wish, lease)


cdef bint is_anothers(const State* state, const Wish* wish, uint32_t index) noexcept nogil:
    """Return which was acknowledged the lease that the database has lost. The row, if there is one, is an older one,
    perhaps of this association, which lost it since or gave it back (engine rule 26)."""
    cdef const Lease* lease
    if index == NO_LEASE:
        return False
    lease = lease_at(state.leases, index)
    return (is_held(lease) and lease.state == LEASE_ACTIVE and runs(state, lease)
            and lease.client != wish.identity)


cdef bint is_known(const State* state, const Client6* client, const Wish* wish) noexcept nogil:
    """Return whether the association has an entry of any lease, which it holds or let run out, on whichever link."""
    cdef uint32_t index = first_of_client(state.leases, wish.identity)
    cdef const Lease* lease
    while index != NO_LEASE:
        lease = lease_at(state.leases, index)
        if lease.client == wish.identity and lease.tenant_no == client.subnet.tenant.no and has_record(lease):
            return True
        index = lease.client_next
    return False


cdef bint lose_lease(State* state, Slot* slot, const Wish* wish, const Candidate* lease) noexcept nogil:
    """Return lifetimes of 0 (section 18.3.4), because a known association names a lease that is not its own."""
    cdef Part* part = add_part(state, slot, wish.ia, lease)
    if part != NULL:
        part.lost = True
    return True


cdef bint refuse_lease(State* state, Slot* slot, const Wish* wish, const Candidate* lease) noexcept nogil:
    """Refuse as where the row refuses (retry.pyx)."""
    cdef Part* part = add_part(state, slot, wish.ia, lease)
    if part != NULL:
        part.status = STATUS6_NOBINDING
    return True


cdef bint renew(State* state, Slot* slot, const Client6* client, const Wish* wish,
                const Candidate* lease) noexcept nogil:
    """Renew from memory where nothing would change (engine rule 18); anew where the database has lost what the client
    has, or where the client, just booted, takes its reserved lease over. To a line that has all that it may have no
    lease is moved; on the one where it is it is left alone."""
    cdef Part* part
    cdef uint32_t index = lease_find(state.leases, lease.subnet.tenant.no, lease.hi, lease.lo)
    cdef uint32_t remaining
    cdef bint lost
    if circuit_is_full(state, slot, client, wish.ia):
        add_status(state, slot, wish.ia, STATUS6_NOBINDING)
        return True
    part = add_lease(state, slot, client, wish.ia, lease)
    if part == NULL:
        return True
    remaining = 0
    # the write shows that it received a Reconfigure
    if not has6(&state.message6.packet, OPT6_RECONF_ACCEPT):
        remaining = early_renewal(
            state, &slot.op, wish.identity, lease.subnet.no, part.valid, lease.subnet.cache_threshold, index)
    if remaining:
        state.early_renewals += 1
        part.preferred -= min(part.preferred, part.valid - remaining)
        part.valid = remaining
        return True
    lost = index != NO_LEASE and is_held(lease_at(state.leases, index)) and (
        lease_at(state.leases, index).state == LEASE_ACTIVE and lease_at(state.leases, index).client == wish.identity)
    lost |= slot.exchange == EXCHANGE_REBINDING and takes_over(state, slot, client, wish.ia, wish.identity, lease)
    return add_operation(state, slot, client, part, lease, OP_BIND if lost else OP_RENEW)


cdef bint on_lost_lease(State* state, Slot* slot, const Client6* client, const Wish* wish, Candidate* lease,
                        const Lease* own) noexcept nogil:
    """Decide for a lost lease: the configuration does not give the client this lease (any more): lifetimes of 0. One
    that runs on this link is revoked, and committed so, before that is said. `own`: its entry, if it is the
    association's."""
    cdef Part* part = add_part(state, slot, wish.ia, lease)
    if part == NULL:
        return True
    if not is_of_link(state, client, wish, lease):
        if slot.exchange != EXCHANGE_REBINDING and (own == NULL or not has_record(own)):
            part.status = STATUS6_NOBINDING
        part.lost = not part.status
        return True
    part.lost = own != NULL and own.state == LEASE_ACTIVE
    return add_operation(state, slot, client, part, lease, OP_REVOKE)


cdef inline bint has_record(const Lease* lease) noexcept nogil:
    return lease.state == LEASE_ACTIVE or lease.state == LEASE_EXPIRED


cdef bint is_of_link(const State* state, const Client6* client, const Wish* wish,
                     const Candidate* lease) noexcept nogil:
    """Return whether it is of the link.

    Only the pool of a prefix shows its link; a prefix without one may be of any link.
    """
    cdef const Pool6* pool
    if wish.ia_type != OPT6_IA_PD:
        return subnet_on_link(client, lease.hi, lease.lo) != NULL
    pool = pool_of_lease(state.plan6, client.subnet.tenant.no, lease.hi, lease.lo)
    return pool == NULL or is_on_wire(client, pool.subnet)


# --- RELEASE, DECLINE (sections 18.3.7, 18.3.8): the row's own predicate decides, whatever the link

cdef bint on_released(State* state, Slot* slot, const Client6* client, const Ia6* ia) noexcept nogil:
    return end(state, slot, client, ia, OP_RELEASE)


cdef bint on_declined(State* state, Slot* slot, const Client6* client, const Ia6* ia) noexcept nogil:
    """Decline addresses only, since nobody finds a prefix in use."""
    cdef Wish wish
    if ia.kind == OPT6_IA_PD:
        return True
    wish = wish_of(state, client, ia)
    forget_offers(state, wish.identity, client.subnet)
    return end(state, slot, client, ia, OP_DECLINE)


cdef bint end(State* state, Slot* slot, const Client6* client, const Ia6* ia, int kind) noexcept nogil:
    """End the lease.

    A released lease is not in the answer; an association without a known lease gets a status,
    whether or not it names one.
    """
    cdef Candidate lease
    cdef Part* part
    cdef int i
    if ia.kind == OPT6_IA_TA or not names_lease(state, ia) and not holds_any(state, client, ia):
        add_status(state, slot, ia, STATUS6_NOBINDING)
        return True
    for i in range(ia.first, ia.first + ia.count):
        lease = named(&state.message6.packet.addresses[i])
        if is_hint(&lease) or is_answered(state, slot, ia, &lease):
            continue
        part = add_part(state, slot, ia, &lease)
        if part == NULL:
            return True
        part.shown = False
        if not add_operation(state, slot, client, part, &lease, kind):
            return False
    return True


cdef bint holds_any(State* state, const Client6* client, const Ia6* ia) noexcept nogil:
    """Return whether anything runs for the association, on whichever link of its tenant."""
    cdef uint64_t identity = association_of(state, client, ia.kind, ia.iaid)
    cdef uint32_t index = first_of_client(state.leases, identity)
    cdef const Lease* lease
    while index != NO_LEASE:
        lease = lease_at(state.leases, index)
        if (lease.client == identity and lease.tenant_no == client.subnet.tenant.no
                and lease.state == LEASE_ACTIVE):
            return True
        index = lease.client_next
    return False
