"""Choice of the servers that share the messages of a link or relay, so that one of them answers
each at once (dhcp6/messages.pyx).

All DHCPv6 servers of a database have one DUID. A message does not show which other servers received
it. The interfaces of all servers show it for a link; for a relay only the fate of messages left to
other servers does.
"""

from libc.stdint cimport int64_t, uint16_t, uint64_t

cdef enum:
    MOST_PEERS = 64
    MOST_LINKS = 64
    MOST_RELAYS = 256
    PATIENCE = 100              # hundredths of a second after which any server answers
    EVERY_PEER = 0xFFFFFFFFFFFFFFFF

# An interface of ours, with the servers that also serve its clients: bits of `peers`.
cdef struct SharedLink:
    int ifindex
    uint64_t peers

# A relay by its source address, and what became of the last messages of it that were left to others: a bit each, the
# latest lowest, 1 for one that came again.
cdef struct HeardRelay:
    uint64_t hi, lo
    uint64_t history
    # boot clock, microseconds: until then its messages are ours, without regard to peers
    int64_t alone_until
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
