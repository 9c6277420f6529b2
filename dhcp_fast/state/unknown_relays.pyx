"""Relays that nobody trusts, for the operator's list: giaddr in DHCPv4, whose packets' source it is in DHCPv6."""

from dhcp_fast.state.state cimport UNKNOWN_RELAYS, UnknownRelay


cdef void note_unknown_relay(State* state, uint64_t hi, uint64_t lo) noexcept nogil:
    """Count it; a flood of invented relays fills the places and is forgotten."""
    cdef int i
    cdef UnknownRelay* relay
    for i in range(state.unknown_relay_count):
        relay = &state.unknown_relays[i]
        if relay.hi == hi and relay.lo == lo:
            relay.count += 1
            return
    if state.unknown_relay_count < UNKNOWN_RELAYS:
        state.unknown_relays[state.unknown_relay_count] = UnknownRelay(hi, lo, 1)
        state.unknown_relay_count += 1
