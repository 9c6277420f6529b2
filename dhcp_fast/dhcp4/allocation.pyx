"""Choice of the address to offer to a client (RFC 2131 section 4.3.1, engine rule 19).

The order is: its reservation; its open offer; the address that it has or had; the requested
address; the hashed place of its identity in a pool, else the next free one. When nothing is free,
it is the address that was offered longest ago and never requested. The database decides when it is
requested.

On a shared network each step looks in all subnets before the next step, first in the subnet of the
packet.
"""

from libc.stdint cimport int64_t, uint64_t

from dhcp_fast.clients.declines cimport is_shunned, was_refused
from dhcp_fast.dhcp4.reserved cimport is_client, takes_over
from dhcp_fast.leases.lease_table cimport (
    DISPUTED, LEASE_ACTIVE, LEASE_DECLINED, NO_LEASE, Lease, Span, lease_at, lease_find, lease_of_client,
    next_of_client)
from dhcp_fast.leases.offers cimport (
    NO_OFFER, OFFER_MILLISECONDS, offer_add, offer_find, relay_has_room)
from dhcp_fast.leases.pools cimport (
    ANY_CLASS, Pool, is_offered, is_taken, note_offered, pool_covers, pool_permits, pool_pick, space_covers,
    take_address)
from dhcp_fast.plan.subnets cimport next_on_wire, span_of
from dhcp_fast.sharing.lease_ownership cimport has_doubted_lease, has_foreign_lease
from dhcp_fast.state.occupancy cimport end_offer, forget_offers, mark_occupancy
from dhcp_fast.state.state cimport REFRESH_LIST, database_may_err, runs
from dhcp_fast.structures.bitmap cimport bitmap_next
from dhcp_fast.structures.siphash cimport mix
from dhcp_fast.wire.codes cimport OPT_DHCP_REQUESTED_ADDRESS
from dhcp_fast.wire.packet4 cimport option_u32

cdef enum:
    STEAL_TRIES = 64
    DOUBT_TRIES = 64
    REFRESH_MICROSECONDS = 5000000


cdef enum Search:
    OFFERED_BEFORE
    LAST_ADDRESS
    ASKED_FOR
    FROM_CLASS_POOLS
    FROM_COMMON_POOLS
    OLDEST_OFFER
    SEARCHES


cdef uint32_t choose_address(State* state, Client* client) noexcept nogil:
    """Return the address to offer, 0 when there is none; `client.subnet` is then the one in which it lies."""
    cdef uint32_t address
    cdef int search
    client.shuns = was_refused(state, client.identity)
    if client.reservation != NULL and client.reservation.address:
        if not held_by_other(state, client, client.reservation.address):
            client.subnet = client.reserved_in
            return client.reservation.address
    for search in range(<int>SEARCHES):
        address = look_on_wire(state, client, search)
        if address:
            return address
    return 0


cdef inline uint32_t look_on_wire(State* state, Client* client, int search) noexcept nogil:
    cdef Subnet4* entry = client.subnet
    cdef uint32_t address
    while client.subnet != NULL:
        if client.subnet.enabled:
            address = look(state, client, search)
            if address:
                return address
        client.subnet = next_on_wire(client.subnet, entry)
    client.subnet = entry
    return 0


cdef inline uint32_t look(State* state, Client* client, int search) noexcept nogil:
    if search == OFFERED_BEFORE:
        return offered_before(state, client)
    if search == LAST_ADDRESS:
        return last_address(state, client)
    if search == ASKED_FOR:
        return asked_for(state, client)
    if search == OLDEST_OFFER:
        return oldest_offer(state, client)
    return pick_from(state, client, search == FROM_CLASS_POOLS)


cdef bint may_have(const Client* client, uint32_t address) noexcept nogil:
    """Return whether the configuration lets this client have the address: its reservation, or a pool open to it."""
    cdef int i
    cdef const Pool* pool
    if client.reservation != NULL and client.reservation.address == address:
        return True
    for i in range(client.subnet.pool_count):
        pool = &client.subnet.pools[i]
        if pool_covers(pool, address):
            return pool_permits(pool, address) and serves(pool, client)
    return False


cdef bint held_by_other(State* state, const Client* client, uint32_t address) noexcept nogil:
    """Return whether memory shows another client's lease, reuse margin or quarantine there, or the
    database reported one for an address that memory has as this client's.
    """
    cdef uint32_t index = lease_find(state.leases, client.subnet.tenant.no, 0, address)
    cdef Lease* lease
    if index == NO_LEASE:
        return state.share.count > 1 and has_foreign_lease(client, address)
    if state.doubts_end and has_doubted_lease(client, address):
        return True
    lease = lease_at(state.leases, index)
    if not runs(state, lease):
        return client.shuns and is_shunned(state, lease, client.identity)
    if lease.state == LEASE_DECLINED or lease.flags & DISPUTED:
        return True
    return not is_client(state, client, index) and not takes_over(state, client, lease)


cdef bint must_move(State* state, const Client* client, uint32_t address) noexcept nogil:
    """Return whether the client must move: one with a reservation leaves another address as soon as the reserved one
    can be had."""
    if client.reservation == NULL or not client.reservation.address or client.reservation.address == address:
        return False
    return not held_by_other(state, client, client.reservation.address)


cdef uint32_t offered_before(State* state, const Client* client) noexcept nogil:
    cdef uint32_t index = offer_find(state.offers, client.identity, client.subnet.no)
    cdef uint32_t address
    if index == NO_OFFER:
        return 0
    address = state.offers.at[index].address
    if may_have(client, address) and not held_by_other(state, client, address):
        return address
    forget_offer(state, client)
    return 0


cdef uint32_t last_address(State* state, const Client* client) noexcept nogil:
    cdef uint32_t address = last_under(state, client, client.identity)
    if not address and client.other_identity:
        address = last_under(state, client, client.other_identity)
    return address


cdef uint32_t last_under(State* state, const Client* client, uint64_t identity) noexcept nogil:
    """Return the address that the identity holds, else one that it held and that is still to be had."""
    cdef Span span = span_of(client.subnet)
    cdef uint32_t found = 0, index = lease_of_client(state.leases, identity, &span)
    cdef Lease* lease
    while index != NO_LEASE:
        lease = lease_at(state.leases, index)
        if may_have(client, lease.address) and not held_by_other(state, client, lease.address):
            if lease.state == LEASE_ACTIVE:
                return lease.address
            if not offered_to_other(state, client, lease):
                found = lease.address
        index = next_of_client(state.leases, index, &span)
    return found


cdef bint offered_to_other(State* state, const Client* client, const Lease* lease) noexcept nogil:
    """Return whether an open offer has it; the client's own was looked at before. (The taken bit lags a tick
    behind.)"""
    cdef uint32_t address = lease.address
    return space_covers(client.subnet.space, address) and is_offered(client.subnet.space, address)


cdef uint32_t asked_for(State* state, const Client* client) noexcept nogil:
    cdef uint32_t address = option_u32(&state.packet, OPT_DHCP_REQUESTED_ADDRESS)
    if not address or not space_covers(client.subnet.space, address) or is_taken(client.subnet.space, address):
        return 0
    if must_look(state, client) and held_by_other(state, client, address):
        return 0
    return address if may_have(client, address) else 0


cdef uint32_t pick_from(State* state, const Client* client, bint by_class) noexcept nogil:
    """Return a free address of the pools of the client's classes, or of those for everybody."""
    cdef int i
    cdef const Pool* pool
    cdef int64_t at
    cdef uint64_t position = mix(client.identity ^ client.subnet.network)
    for i in range(client.subnet.pool_count):
        pool = &client.subnet.pools[i]
        if (pool.class_index != ANY_CLASS) != by_class or not serves(pool, client):
            continue
        at = pool_pick(pool, position, &state.ring)
        if at >= 0 and must_look(state, client):
            at = not_held(state, client, pool, at)
        if at >= 0:
            return <uint32_t>(pool.start + at)
    return 0


cdef inline bint must_look(const State* state, const Client* client) noexcept nogil:
    """Return whether what no lease holds may yet not be offered to this client."""
    return database_may_err(state) or client.shuns


cdef int64_t not_held(State* state, const Client* client, const Pool* pool, int64_t at) noexcept nogil:
    """Return `at`, or the next free distance of an address that the client has not declined and
    that a REQUEST would get. While the clock is in doubt, a lease counts although it was released
    in time (rule 16). -1: none nearby.
    """
    cdef int _try
    for _try in range(DOUBT_TRIES):
        if not held_by_other(state, client, <uint32_t>(pool.start + at)):
            return at
        at = bitmap_next(pool.free, <uint64_t>at + 1)
        if at < 0:
            at = bitmap_next(pool.free, 0)
    return -1


cdef uint32_t oldest_offer(State* state, const Client* client) noexcept nogil:
    """Return the address offered longest ago that this client may have; the offer is taken back."""
    cdef int _try
    cdef uint32_t address, index = client.subnet.space.offers.oldest
    for _try in range(STEAL_TRIES):
        if index == NO_OFFER:
            return 0
        address = state.offers.at[index].address
        if may_have(client, address) and not held_by_other(state, client, address):
            end_offer(state, client.subnet, index)
            state.offers_taken_back += 1
            return address
        index = state.offers.at[index].subnet_newer
    return 0


cdef void want_refresh(State* state, Subnet4* entry) noexcept nogil:
    """Request a refresh: before a pool counts as exhausted its leases are read from the database once more (engine rule
    19)."""
    cdef Subnet4* subnet = entry
    while subnet != NULL:
        if state.now - subnet.space.refreshed >= REFRESH_MICROSECONDS and state.refresh_count < REFRESH_LIST:
            subnet.space.refreshed = state.now
            state.refresh[state.refresh_count] = subnet.no
            state.refresh_count += 1
        subnet = next_on_wire(subnet, entry)


cdef bint remember_offer(State* state, const Client* client, uint32_t address) noexcept nogil:
    """Hold the address for the client; False when the relay has too many offers open already."""
    cdef Subnet4* subnet = client.subnet
    cdef uint32_t relay = state.packet.giaddr
    forget_offer(state, client)
    if relay and not relay_has_room(state.offers, relay) or not offer_add(
            state.offers, &subnet.space.offers, client.identity, subnet.no, address, relay,
            state.now // 1000 + OFFER_MILLISECONDS):
        mark_occupancy(state, subnet, address)      # it may have been taken back from another client for this one
        return False
    if space_covers(subnet.space, address):
        note_offered(subnet.space, address, True)
        take_address(subnet.space, subnet.pools, subnet.pool_count, address)
    return True


cdef void forget_offer(State* state, const Client* client) noexcept nogil:
    forget_offers(state, client.identity, client.subnet)
