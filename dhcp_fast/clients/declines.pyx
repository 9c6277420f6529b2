"""Count of the addresses that DECLINE puts out of service (RFC 2131 section 4.3.3, RFC 8415 section
18.3.8; decisions: DECLINE).

A client that declines every address would empty its pool. Three addresses of a client, ten of a
line and a hundred of a subnet within an hour are put into quarantine. A further DECLINE ends the
lease like one after quarantine. Its row shows that to all servers, also after a restart, and the
address is denied to this client alone (`is_shunned`).

Declines count when they are decided. The declines of other servers and workers, and those before a
restart, count when their rows are learned. A line is the relay with the circuit and remote id in
its options, because clients choose their own identity; without a relay it is the subnet. A client
that could also choose its line, by a Relay-forward of its own, cannot choose the subnet. If all
places for a key are taken, the one unused for longest is replaced.
"""

from dhcp_fast.leases.lease_table cimport LEASE_ACTIVE, NO_LEASE, PARTIAL, lease_at, lease_find
from dhcp_fast.state.decline_table cimport (
    DECLINE_SETS, DECLINE_WAYS, MOST_OF_CLIENT, MOST_OF_LINE, MOST_OF_SUBNET, MOST_STORMS, Decliner, Storm)
from dhcp_fast.structures.siphash cimport mix

cdef enum:
    HOUR = 3600
    MICROSECONDS = 1000000
    CLIENTS = 2             # kinds of keys; even, as the lowest bit is always set
    LINES = 4
    SUBNETS = 6
    TOGETHER = MOST_OF_SUBNET // MOST_OF_LINE


cdef inline uint32_t seconds_now(const State* state) noexcept nogil:
    return <uint32_t>(database_now(state) // MICROSECONDS)


cdef inline uint64_t key_of(const State* state, uint64_t of_whom, uint64_t kind) noexcept nogil:
    """Return a keyed hash, so that no client can choose whose place it takes; never 0."""
    return mix(of_whom ^ state.hash_key[0]) + kind | 1


cdef uint32_t quarantine_of(State* state, const LeaseOp* op, uint32_t seconds) noexcept nogil:
    """Return how long the declined address is withheld from all clients; 0 for one decline too many.

    It is counted.
    """
    cdef uint32_t now = seconds_now(state)
    cdef uint64_t client = decliner_of(op)
    cdef uint32_t relay_hash = relay_of(state, op)
    cdef bint refused = (counted(state, client, CLIENTS, now) >= MOST_OF_CLIENT
                         or counted(state, line_of(relay_hash, op.subnet_no), LINES, now) >= MOST_OF_LINE
                         or counted_of_subnet(state, op.subnet_no, now) >= MOST_OF_SUBNET)
    note_decline(state, client, relay_hash, op.subnet_no, now, refused)
    return 0 if refused else seconds


cdef inline uint64_t line_of(uint32_t relay_hash, uint32_t subnet_no) noexcept nogil:
    """Return the relay with its circuit and remote id; without a relay all clients of the subnet are one line."""
    return relay_hash if relay_hash else <uint64_t>subnet_no << 32


cdef uint32_t relay_of(const State* state, const LeaseOp* op) noexcept nogil:
    """Return the relay of the lease, so that a client that declines by unicast gains nothing."""
    cdef uint32_t index = lease_find(state.leases, op.tenant_no, op.hi, op.lo)
    cdef const Lease* lease
    if index != NO_LEASE:
        lease = lease_at(state.leases, index)
        if lease.state == LEASE_ACTIVE and lease.client == op.client and not lease.flags & PARTIAL:
            return lease.relay_hash
    return op.relay_hash


cdef void withdraw_decline(State* state, const LeaseOp* op) noexcept nogil:
    """Withdraw a decline that the database has refused: the lease is not the client's."""
    if op.margin:
        forget_latest(find(state, decliner_of(op), CLIENTS))
        forget_latest(find(state, line_of(relay_of(state, op), op.subnet_no), LINES))
        forget_one(find(state, op.subnet_no, SUBNETS))


cdef void note_decline(
        State* state, uint64_t client, uint32_t relay_hash, uint32_t subnet_no, uint32_t at, bint refused
) noexcept nogil:
    """Note a decline at a moment of the database's clock. `refused`: it put no address out of service."""
    cdef Decliner* one
    if <uint64_t>at + HOUR <= seconds_now(state):
        return
    one = place_of(state, client, CLIENTS)
    if refused:
        one.refused = max(one.refused, at)
        state.declines.refused = max(state.declines.refused, at)
        return
    add_time(one, at)
    add_time(place_of(state, line_of(relay_hash, subnet_no), LINES), at)
    add_one(place_of(state, subnet_no, SUBNETS), at)


cdef bint was_refused_lately(const State* state, uint64_t client) noexcept nogil:
    cdef const Decliner* one
    cdef uint32_t now = seconds_now(state)
    if <uint64_t>state.declines.refused + HOUR <= now:
        return False
    one = find(state, client, CLIENTS)
    return one != NULL and <uint64_t>one.refused + HOUR > now


cdef void note_storm(State* state, const LeaseOp* op) noexcept nogil:
    """Note a storm of declines for a report, once per subnet until then."""
    cdef int i
    for i in range(state.declines.storm_count):
        if state.declines.storms[i].subnet_no == op.subnet_no:
            return
    if state.declines.storm_count < MOST_STORMS:
        state.declines.storms[state.declines.storm_count] = Storm(op.subnet_no, op.hi, op.lo)
        state.declines.storm_count += 1


# --- places

cdef Decliner* find(const State* state, uint64_t of_whom, uint64_t kind) noexcept nogil:
    """Return the place of a key; NULL: it has none."""
    cdef uint64_t key = key_of(state, of_whom, kind)
    cdef Decliner* places = state.declines.at[key >> 32 & (DECLINE_SETS - 1)]
    cdef int way
    for way in range(DECLINE_WAYS):
        if places[way].key == key:
            return &places[way]
    return NULL


cdef Decliner* place_of(State* state, uint64_t of_whom, uint64_t kind) noexcept nogil:
    """Return its own, else the one that was unused for longest."""
    cdef uint64_t key = key_of(state, of_whom, kind)
    cdef Decliner* places = state.declines.at[key >> 32 & (DECLINE_SETS - 1)]
    cdef Decliner* found = find(state, of_whom, kind)
    cdef int i, way
    if found != NULL:
        return found
    found = places
    for way in range(1, DECLINE_WAYS):
        if latest(&places[way]) < latest(found):
            found = &places[way]
    found.key = key
    found.refused = found.begun = found.begun_at = 0
    for i in range(MOST_OF_LINE):
        found.times[i] = 0
    return found


cdef int counted(const State* state, uint64_t of_whom, uint64_t kind, uint32_t now) noexcept nogil:
    """Return addresses within the last hour."""
    cdef const Decliner* one = find(state, of_whom, kind)
    cdef int i, count = 0
    for i in range(0 if one == NULL else <int>MOST_OF_LINE):
        count += is_lately(one.times[i], now)
    return count


cdef int counted_of_subnet(const State* state, uint32_t subnet_no, uint32_t now) noexcept nogil:
    """Return addresses within the last hour; of ten that came one after another, all until the last one's hour is
    over."""
    cdef const Decliner* one = find(state, subnet_no, SUBNETS)
    if one == NULL:
        return 0
    return counted(state, subnet_no, SUBNETS, now) * TOGETHER + (one.begun if is_lately(one.begun_at, now) else 0)


cdef inline bint is_lately(uint32_t at, uint32_t now) noexcept nogil:
    return <uint64_t>at + HOUR > now


cdef void add_one(Decliner* subnet, uint32_t at) noexcept nogil:
    subnet.begun = 1 + (subnet.begun if is_lately(subnet.begun_at, at) else 0)
    subnet.begun_at = max(subnet.begun_at, at)
    if subnet.begun == TOGETHER:
        add_time(subnet, subnet.begun_at)
        subnet.begun = 0


cdef void forget_one(Decliner* subnet) noexcept nogil:
    if subnet == NULL:
        return
    if subnet.begun == 0:
        forget_latest(subnet)
        subnet.begun = TOGETHER
    subnet.begun -= 1


cdef void add_time(Decliner* one, uint32_t at) noexcept nogil:
    """Add the time in place of the earliest."""
    cdef int i, first = 0
    for i in range(1, MOST_OF_LINE):
        if one.times[i] < one.times[first]:
            first = i
    one.times[first] = max(one.times[first], at)


cdef void forget_latest(Decliner* one) noexcept nogil:
    cdef int i, last = 0
    if one == NULL:
        return
    for i in range(1, MOST_OF_LINE):
        if one.times[i] > one.times[last]:
            last = i
    one.times[last] = 0


cdef uint32_t latest(const Decliner* one) noexcept nogil:
    cdef int i
    cdef uint32_t found = max(one.refused, one.begun_at)
    for i in range(MOST_OF_LINE):
        found = max(found, one.times[i])
    return found
