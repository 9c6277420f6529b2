"""Addresses of relays that lie in pools: fixed memory for any number of relays (decisions: Never leased)."""

from libc.stdint cimport uint32_t, uint64_t

cdef enum:
    SEEN_RELAYS = 1024      # a power of two

# giaddr is `lo`.
cdef struct SeenRelay:
    uint64_t hi, lo
    uint32_t subnet_no
    uint32_t packets        # 0: an empty place

cdef struct SeenRelays:
    bint is_urgent          # one is withheld that the other servers do not know yet
    uint64_t turn           # raised by each report: relays that shared a place then do not share the next one
    SeenRelay at[SEEN_RELAYS]

cdef inline void count_relay(SeenRelays* seen, uint64_t position, const SeenRelay* relay) noexcept nogil:
    """Count one more packet. Of relays that share a place the busiest keeps it: a packet of another one takes a packet
    from its count."""
    cdef SeenRelay* place = &seen.at[position & (SEEN_RELAYS - 1)]
    if place.lo == relay.lo and place.hi == relay.hi and place.subnet_no == relay.subnet_no:
        place.packets += 1
    elif place.packets:
        place.packets -= 1
    else:
        place[0] = relay[0]
        place.packets = 1
