"""Choice of the address or prefix of an association (RFC 8415 sections 13, 18.3.9; engine rule 19).

The order is: the client's reservation; the present or past lease of the association; its open
offer; the requested one; the hashed place of its identity in a pool, else the next free one. When
nothing is free, it is the one that was offered longest ago and never requested. A prefix of the
requested length, which a client may depend on, precedes an earlier one of another length (RFC 8168
section 3.2). On a shared network each step looks in all of its subnets. In a pool without a bitmap
the address is a keyed hash of the identity: no offer is stored, because no other client would be
given it.

No lease is given to two associations of one message: the slot's parts contain the leases so far.
"""

from libc.stdint cimport int64_t, uint8_t

from dhcp_fast.clients.declines cimport is_shunned, was_refused
from dhcp_fast.dhcp6.client cimport serves
from dhcp_fast.dhcp6.eligibility cimport (
    WHOLE, is_same, may_have, named, permits, pool_of, reserved_lease)
from dhcp_fast.dhcp6.holders cimport (
    held_by_other, is_for_another, is_held_in_part, is_in_message, is_lost, takes_over, takes_over_machine)
from dhcp_fast.dhcp6.refresh cimport want_refresh
from dhcp_fast.leases.lease_table cimport (
    DISPUTED, LEASE_ACTIVE, NO_LEASE, Lease, first_of_client, lease_at, lease_find, lease_hi, lease_lo)
from dhcp_fast.leases.offers cimport NO_OFFER, OFFER_MILLISECONDS, offer_add, offer_find, relay_has_room
from dhcp_fast.leases.pools cimport (
    ANY_CLASS, is_offered, is_taken, note_offered, pool_pick, take_address)
from dhcp_fast.plan.compiled6 cimport Pool6, Subnet6, address_at, index_of
from dhcp_fast.plan.subnets6 cimport is_forbidden, is_prefix_forbidden, next_on_wire
from dhcp_fast.state.occupancy6 cimport end_offer, forget_offers
from dhcp_fast.state.state cimport database_may_err
from dhcp_fast.structures.bitmap cimport bitmap_next
from dhcp_fast.structures.siphash cimport mix
from dhcp_fast.wire.codes6 cimport OPT6_IA_NA, OPT6_IA_PD

cdef enum:
    HASH_TRIES = 16
    STEAL_TRIES = 64
    DOUBT_TRIES = 64
    NO_RANK = 256               # above that of any length

cdef enum Search:
    OFFERED_BEFORE
    ASKED_FOR
    FROM_CLASS_POOLS
    FROM_COMMON_POOLS
    OLDEST_OFFER
    SEARCHES


cdef bint choose_lease(
        State* state, Slot* slot, const Client6* client, Wish* wish, Candidate* found) noexcept nogil:
    """Return False when there is none."""
    if was_refused(state, slot.op.client_parts_hash):
        wish.shuns = slot.op.client_parts_hash
    if (reserved_lease(client, wish.ia_type, found)
            and (is_free(state, slot, wish, found) or takes_over(state, slot, client, wish.ia, wish.identity, found))
            and not is_held_in_part(state, slot, client, wish.ia_type)):
        return True
    wish.exact = wish.hint != 0
    if wish.exact and find_lease(state, slot, client, wish, OLDEST_OFFER, found):
        return True
    wish.exact = False
    if find_lease(state, slot, client, wish, SEARCHES, found):
        return True
    want_refresh(state, client)
    return False


cdef bint find_lease(State* state, Slot* slot, const Client6* client, const Wish* wish, int searches,
                     Candidate* found) noexcept nogil:
    """Find the lease by the first so many searches."""
    cdef int search
    if last_lease(state, slot, client, wish, found):
        return True
    for search in range(searches):
        if wish.exact and search == FROM_COMMON_POOLS and has_class_pool(state, slot, client, wish):
            return False
        if look_on_wire(state, slot, client, wish, search, found):
            return True
    return False


cdef bint has_class_pool(State* state, const Slot* slot, const Client6* client, const Wish* wish) noexcept nogil:
    """Return whether a pool of the client's classes has something free of any length: a pool that
    the operator set apart for the client precedes the requested length.
    """
    cdef Wish any_length = wish[0]
    cdef Candidate found
    any_length.exact = False
    return look_on_wire(state, slot, client, &any_length, FROM_CLASS_POOLS, &found)


cdef inline bint will_do(const Wish* wish, const Candidate* lease) noexcept nogil:
    return not wish.exact or lease.prefix_length == wish.hint


cdef bint is_free(State* state, const Slot* slot, const Wish* wish, const Candidate* found) noexcept nogil:
    """Return whether the lease is nobody else's, by what we know, and not given to another association of the
    message."""
    return (not is_in_message(slot, found.hi, found.lo)
            and not held_by_other(state, found.subnet.tenant.no, found.hi, found.lo, wish.identity)
            and not (wish.shuns and is_shunned_lease(state, wish, found)))


cdef bint is_shunned_lease(const State* state, const Wish* wish, const Candidate* found) noexcept nogil:
    cdef uint32_t index = lease_find(state.leases, found.subnet.tenant.no, found.hi, found.lo)
    return index != NO_LEASE and is_shunned(state, lease_at(state.leases, index), wish.shuns)


cdef bint is_kept(State* state, const Wish* wish, const Candidate* lease) noexcept nogil:
    """Return whether it is kept for its client, by memory, which knows better now (engine rules 16, 26)."""
    return database_may_err(state) and held_by_other(
        state, lease.subnet.tenant.no, lease.hi, lease.lo, wish.identity)


cdef bint must_move(
        State* state, const Slot* slot, const Client6* client, const Wish* wish, const Candidate* held) noexcept nogil:
    """Return whether the client must move: a client with a reservation leaves another lease as soon as the reserved one
    can be had; of its associations one has it, and the others keep theirs."""
    cdef Candidate reserved
    if not reserved_lease(client, wish.ia_type, &reserved) or is_same(&reserved, held):
        return False
    if is_for_another(state, slot, wish.ia, &reserved):
        return False
    if held_by_other(state, reserved.subnet.tenant.no, reserved.hi, reserved.lo, wish.identity) and (
            not takes_over_machine(state, slot, client, wish.ia, wish.identity, &reserved)):
        return False
    return not is_held_in_part(state, slot, client, wish.ia_type)


# --- leases that the association has or had

cdef bint held_lease(State* state, const Slot* slot, const Client6* client, const Wish* wish,
                     Candidate* found) noexcept nogil:
    """Return the lease on this wire that runs for the association, and that it may keep; False: none."""
    cdef uint32_t index = first_of_client(state.leases, wish.identity)
    cdef const Lease* lease
    while index != NO_LEASE:
        lease = lease_at(state.leases, index)
        if (is_of(state, slot, client, wish, lease, found) and lease.state == LEASE_ACTIVE
                and not lease.flags & DISPUTED):
            return True
        index = lease.client_next
    return False


cdef bint last_lease(State* state, const Slot* slot, const Client6* client, const Wish* wish,
                     Candidate* found) noexcept nogil:
    """Return the lease that the association holds, else the one that it held and can still have."""
    cdef uint32_t index = first_of_client(state.leases, wish.identity)
    cdef Candidate one
    cdef Lease* lease
    cdef bint any = False
    while index != NO_LEASE:
        lease = lease_at(state.leases, index)
        if (is_of(state, slot, client, wish, lease, &one) and will_do(wish, &one)
                and is_free(state, slot, wish, &one)):
            if lease.state == LEASE_ACTIVE:
                found[0] = one
                return True
            if not is_open_offer(&one):
                found[0] = one
                any = True
        index = lease.client_next
    return any


cdef bint is_of(State* state, const Slot* slot, const Client6* client, const Wish* wish, const Lease* lease,
                Candidate* found) noexcept nogil:
    """Return whether the entry is the association's, on this link.

    The length of a prefix is that of its pool (rule 33), or of the reserved prefix that begins
    there, unless other clients hold a part of it.
    """
    cdef Candidate reserved
    if lease.client != wish.identity or lease.tenant_no != client.subnet.tenant.no:
        return False
    found.hi = lease_hi(state.leases, lease)
    found.lo = lease_lo(state.leases, lease)
    found.prefix_length = length_of(client, wish.ia_type, found.hi, found.lo)
    return may_have(client, wish.ia_type, found) and not (
        wish.ia_type == OPT6_IA_PD and reserved_lease(client, wish.ia_type, &reserved) and is_same(&reserved, found)
        and is_held_in_part(state, slot, client, wish.ia_type))


cdef uint8_t length_of(const Client6* client, uint16_t ia_type, uint64_t hi, uint64_t lo) noexcept nogil:
    cdef Candidate reserved
    cdef const Subnet6* subnet = client.subnet
    cdef const Pool6* pool
    if ia_type == OPT6_IA_NA:
        return WHOLE
    if reserved_lease(client, ia_type, &reserved) and reserved.hi == hi and reserved.lo == lo:
        return reserved.prefix_length
    while subnet != NULL:
        pool = pool_of(subnet, ia_type, hi, lo)
        if pool != NULL:
            return pool.prefix_length
        subnet = next_on_wire(subnet, client.subnet)
    return 0


cdef void correct_length(State* state, const Slot* slot, const Client6* client, const Wish* wish,
                         Candidate* lease) noexcept nogil:
    """Correct the length: an active delegated prefix has the length of its row, whatever length the
    client requests.
    """
    cdef uint32_t index
    cdef Candidate own
    if wish.ia_type != OPT6_IA_PD:
        return
    index = lease_find(state.leases, client.subnet.tenant.no, lease.hi, lease.lo)
    if index != NO_LEASE and lease_at(state.leases, index).state == LEASE_ACTIVE and is_of(
            state, slot, client, wish, lease_at(state.leases, index), &own):
        lease[0] = own


cdef inline bint is_open_offer(const Candidate* found) noexcept nogil:
    """Return whether it is an open offer of anybody: the association's own was looked at before."""
    if found.pool == NULL or found.pool.hashed:
        return False
    return is_offered(found.pool.space, <uint32_t>index_of(found.pool, found.hi, found.lo))


# --- free leases of the pools

cdef bint look_on_wire(State* state, const Slot* slot, const Client6* client, const Wish* wish, int search,
                       Candidate* found) noexcept nogil:
    cdef Subnet6* subnet = client.subnet
    cdef int rank = NO_RANK
    if search == ASKED_FOR:
        return asked_for(state, slot, client, wish, found)
    while subnet != NULL and rank:
        if subnet.enabled:
            look(state, slot, client, subnet, wish, search, &rank, found)
        subnet = next_on_wire(subnet, client.subnet)
    return rank < NO_RANK


cdef void look(State* state, const Slot* slot, const Client6* client, Subnet6* subnet, const Wish* wish, int search,
               int* rank, Candidate* found) noexcept nogil:
    """Look whether `found`, with its `rank`, is better than the subnet's best; 0 is best."""
    if search == OFFERED_BEFORE:
        rank[0] = 0 if offered_before(state, slot, client, subnet, wish, found) else NO_RANK
    elif search == OLDEST_OFFER:
        rank[0] = 0 if oldest_offer(state, slot, client, subnet, wish, found) else NO_RANK
    else:
        pick_from(state, slot, client, subnet, wish, search == FROM_CLASS_POOLS, rank, found)


cdef bint offered_before(State* state, const Slot* slot, const Client6* client, Subnet6* subnet, const Wish* wish,
                         Candidate* found) noexcept nogil:
    cdef int i
    cdef uint32_t offer
    for i in range(subnet.pool_count):
        offer = offer_find(state.offers, wish.identity, subnet.pools[i].no)
        if offer == NO_OFFER or subnet.pools[i].ia_type != wish.ia_type:
            continue
        take_index(found, subnet, &subnet.pools[i], state.offers.at[offer].address)
        if not will_do(wish, found):
            continue
        if may_have(client, wish.ia_type, found) and is_free(state, slot, wish, found):
            return True
        forget_offers(state, wish.identity, subnet)
        return False
    return False


cdef inline void take_index(Candidate* found, Subnet6* subnet, Pool6* pool, uint64_t index) noexcept nogil:
    found.subnet = subnet
    found.pool = pool
    found.prefix_length = pool.prefix_length
    address_at(pool, index, &found.hi, &found.lo)


cdef bint asked_for(State* state, const Slot* slot, const Client6* client, const Wish* wish,
                    Candidate* found) noexcept nogil:
    """Return a hint that can be followed (section 18.3.9)."""
    cdef int i
    for i in range(wish.ia.first, wish.ia.first + wish.ia.count):
        found[0] = named(&state.message6.packet.addresses[i])
        if not (will_do(wish, found) and may_have(client, wish.ia_type, found) and is_free(state, slot, wish, found)
                and not is_lost(slot, found.hi, found.lo)):
            continue
        if found.pool == NULL or found.pool.hashed or not is_taken(
                found.pool.space, <uint32_t>index_of(found.pool, found.hi, found.lo)):
            return True
    return False


cdef void pick_from(State* state, const Slot* slot, const Client6* client, Subnet6* subnet, const Wish* wish,
                    bint by_class, int* best, Candidate* found) noexcept nogil:
    """Pick a free lease from the pools of the client's classes, or from those for all clients.

    A prefix has the requested length, else the next shorter one on the whole link, so that the
    client gets no less than it needs.
    """
    cdef int i, rank
    cdef Pool6* pool
    cdef Candidate one
    for i in range(subnet.pool_count):
        pool = &subnet.pools[i]
        if pool.ia_type != wish.ia_type or not serves(pool, client):
            continue
        rank = distance(pool.prefix_length, wish.hint)
        if (pool.indices.class_index != ANY_CLASS) != by_class or rank >= best[0] or wish.exact and rank:
            continue
        if pick(state, slot, subnet, pool, wish, &one):
            found[0] = one
            best[0] = rank


cdef inline int distance(uint8_t length, uint8_t hint) noexcept nogil:
    """Return the distance (RFC 8168 section 3.2): the closest of the shorter lengths, then the closest of the longer
    ones."""
    if hint == 0 or length == hint:
        return 0
    return hint - length if length < hint else WHOLE + length - hint


cdef bint pick(State* state, const Slot* slot, Subnet6* subnet, Pool6* pool, const Wish* wish,
               Candidate* found) noexcept nogil:
    """Return the pool's choice, or the next free one.

    Leases of earlier associations and leases that the client declined are left out, and while the
    clock is in doubt also those that were released in time (rule 16).
    """
    cdef int64_t index
    cdef int _try
    if pool.hashed:
        return pick_hashed(state, slot, subnet, pool, wish, found)
    index = pool_pick(&pool.indices, mix(wish.identity ^ pool.no), &state.ring)
    for _try in range(slot.part_count + (DOUBT_TRIES if wish.shuns or database_may_err(state) else 1)):
        if index < 0:
            return False
        take_index(found, subnet, pool, <uint64_t>index)
        if (not is_in_message(slot, found.hi, found.lo) and not is_lost(slot, found.hi, found.lo)
                and not is_kept(state, wish, found)
                and not (wish.shuns and is_shunned_lease(state, wish, found))):
            return True
        index = bitmap_next(pool.indices.free, <uint64_t>index + 1)
        if index < 0:
            index = bitmap_next(pool.indices.free, 0)
    return False


cdef bint pick_hashed(State* state, const Slot* slot, Subnet6* subnet, Pool6* pool, const Wish* wish,
                      Candidate* found) noexcept nogil:
    """Return the keyed hash of the identity, and a few more after it should that one be taken."""
    cdef uint64_t index, position = mix(wish.identity ^ pool.no)
    cdef int _try
    for _try in range(HASH_TRIES):
        index = position % pool.size
        take_index(found, subnet, pool, index)
        if (is_givable(found, index) and is_free(state, slot, wish, found)
                and not is_lost(slot, found.hi, found.lo)):
            return True
        position = mix(position + 1)
    return False


cdef inline bint is_givable(const Candidate* found, uint64_t index) noexcept nogil:
    if found.prefix_length != WHOLE:
        return not is_prefix_forbidden(found.subnet, found.pool, index)
    return not is_forbidden(found.subnet, found.hi, found.lo)


cdef bint oldest_offer(State* state, const Slot* slot, const Client6* client, Subnet6* subnet, const Wish* wish,
                       Candidate* found) noexcept nogil:
    """Return what was offered longest ago out of a pool that is open to the client; the offer is taken back."""
    cdef int i, _try
    cdef uint32_t offer
    cdef Pool6* pool
    for i in range(subnet.pool_count):
        pool = &subnet.pools[i]
        if pool.ia_type != wish.ia_type or pool.hashed or not serves(pool, client):
            continue
        offer = pool.space.offers.oldest
        for _try in range(STEAL_TRIES):
            if offer == NO_OFFER:
                break
            take_index(found, subnet, pool, state.offers.at[offer].address)
            if permits(found) and is_free(state, slot, wish, found):
                end_offer(state, pool, offer)
                state.offers_taken_back += 1
                return True
            offer = state.offers.at[offer].subnet_newer
    return False


cdef void remember_offer(State* state, const Wish* wish, const Candidate* offered, uint32_t relay) noexcept nogil:
    """Hold it for the association for a short time; not where the relay has too many offers open, or the pool has no
    bitmap."""
    cdef Pool6* pool = offered.pool
    cdef uint32_t index
    forget_offers(state, wish.identity, offered.subnet)
    if pool == NULL or pool.hashed or relay and not relay_has_room(state.offers, relay):
        return
    index = <uint32_t>index_of(pool, offered.hi, offered.lo)
    if offer_add(state.offers, &pool.space.offers, wish.identity, pool.no, index, relay,
                 state.now // 1000 + OFFER_MILLISECONDS):
        note_offered(pool.space, index, True)
        take_address(pool.space, &pool.indices, 1, index)
