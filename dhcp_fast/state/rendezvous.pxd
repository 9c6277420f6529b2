"""Choice of which servers share the messages that we hear, so that one of them answers each at once
(dhcp6/messages.pyx).

All DHCPv6 servers of a database bear one DUID. Whom else a message reached, it does not say: of a wire the interfaces
that servers serve tell it, of a relay only what becomes of the messages that are left to others.
"""

from libc.stdint cimport int64_t, uint16_t, uint64_t

cdef enum:
    MOST_PEERS = 64
    MOST_LINKS = 64
    MOST_RELAYS = 256
    PATIENCE = 100              # hundredths of a second after which any server answers
    EVERY_PEER = 0xFFFFFFFFFFFFFFFF

# One of our interfaces, and who else hears its clients: bits of `peers`.
cdef struct SharedLink:
    int ifindex
    uint64_t peers

# A relay by its source address, and what became of the last messages of it that were left to others: a bit each, the
# latest lowest, 1 for one that came again.
cdef struct HeardRelay:
    uint64_t hi, lo
    uint64_t history
    int64_t alone_until     # boot clock, microseconds: until then its messages are ours, whomever they would fall to
    int64_t pause           # microseconds that the last such time lasted

cdef struct Rendezvous:
    uint64_t mine           # our number among the nodes
    uint64_t peers[MOST_PEERS]
    int peer_count
    SharedLink links[MOST_LINKS]
    int link_count
    HeardRelay relays[MOST_RELAYS]

cdef bint falls_to_peer(const Rendezvous* shared, uint64_t client, uint64_t among) noexcept nogil
cdef uint64_t peers_on_link(const Rendezvous* shared, int ifindex) noexcept nogil
cdef bint is_heard_elsewhere(
    Rendezvous* shared, uint64_t hi, uint64_t lo, uint16_t elapsed, int64_t now) noexcept nogil
