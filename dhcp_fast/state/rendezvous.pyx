"""Choice of the server that answers a message which several may have received, and of relays that
send to us alone.

If a relay sends to one server, or to the servers of one site, its clients wait a second for each
message assigned to a server that it does not reach. Such messages return with an elapsed time above
that second; messages left to a server that received them do not. A quarter of the messages left to
others is enough to be alone with a relay. The first time lasts a minute and each further one twice
as long, up to an hour, so that few clients pay for the trials in between. If servers are alone with
a relay by mistake, both answer, and the database accepts one row.
"""

from dhcp_fast.structures.siphash cimport mix

cdef enum:
    # a client that asks for longer gets no answer from any server: no evidence about the relay
    SECOND_TRY = 500
    HISTORY = 0xFFFF            # the last 16 messages that were left
    ALONE_FROM = 4              # of them came again
    SUSPECTED = 0b111           # after being alone one more is enough

cdef int64_t MINUTE = 60000000
cdef int64_t HOUR = 3600000000


cdef bint falls_to_peer(const Rendezvous* shared, uint64_t client, uint64_t among) noexcept nogil:
    """Return by rendezvous hashing whether one of these peers (bits) ranks higher for the client, a keyed hash, than we
    do."""
    cdef int i
    cdef uint64_t mine = mix(client ^ mix(shared.mine))
    for i in range(shared.peer_count):
        if (among >> i) & 1 and mix(client ^ mix(shared.peers[i])) > mine:
            return True
    return False


cdef uint64_t peers_on_link(const Rendezvous* shared, int ifindex) noexcept nogil:
    """Return the servers that also serve clients on the link of our interface."""
    cdef int i
    for i in range(shared.link_count):
        if shared.links[i].ifindex == ifindex:
            return shared.links[i].peers
    return 0


cdef bint is_heard_elsewhere(
        Rendezvous* shared, uint64_t hi, uint64_t lo, uint16_t elapsed, int64_t now) noexcept nogil:
    """Return whether to leave a message of this relay to the peer to which it is assigned; remember
    the evidence about the relay. `elapsed`: hundredths of a second.
    """
    cdef HeardRelay* relay = relay_at(shared, hi, lo)
    if now < relay.alone_until:
        return False
    if elapsed <= PATIENCE:
        relay.history = (relay.history << 1) & HISTORY
        if not relay.history:
            relay.pause = 0
        return True
    if elapsed <= SECOND_TRY:
        note_unanswered(relay, now)
    return False


cdef HeardRelay* relay_at(Rendezvous* shared, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return its place, which the last of those has that share it."""
    cdef HeardRelay* relay = &shared.relays[mix(lo ^ mix(hi)) % MOST_RELAYS]
    if relay.hi != hi or relay.lo != lo:
        relay[0] = HeardRelay(hi, lo, 0, 0, 0)
    return relay


cdef void note_unanswered(HeardRelay* relay, int64_t now) noexcept nogil:
    relay.history = (relay.history << 1 | 1) & HISTORY
    if count_of(relay.history) < ALONE_FROM:
        return
    relay.pause = min(max(2 * relay.pause, MINUTE), HOUR)
    relay.alone_until = now + relay.pause
    relay.history = SUSPECTED


cdef inline int count_of(uint64_t bits) noexcept nogil:
    cdef int count = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count
