"""What keeps one client or one relay from using up what is meant for all; see dhcp4/limits.pyx."""

from dhcp_fast.leases.client_identity cimport BY_DUID, identity_hash
from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.state.reasons cimport REASON_CLIENT_RATE, REASON_NONE, REASON_RELAY_RATE
from dhcp_fast.state.token_bucket cimport admits
from dhcp_fast.structures.siphash cimport mix
from dhcp_fast.wire.codes6 cimport OPT6_CLIENTID
from dhcp_fast.wire.packet6 cimport Packet6, has6


cdef Reason over_rate(State* state, const Slot* slot) noexcept nogil:
    """Whether the parsed message is one too many of its client, by its DUID, or of its relay. All messages count."""
    cdef const Packet6* packet = &state.message6.packet
    cdef Octets duid
    if state.client_limit.interval and has6(packet, OPT6_CLIENTID):
        duid = Octets(packet.options[<int>OPT6_CLIENTID].data, packet.options[<int>OPT6_CLIENTID].length)
        if not admits(&state.client_limit, identity_hash(state.hash_key, BY_DUID, 0, &duid) | 1, state.now):
            return REASON_CLIENT_RATE
    if state.relay_limit.interval and state.message6.relays.count:
        if not admits(&state.relay_limit, mix(slot.rx.peer_lo ^ mix(slot.rx.peer_hi ^ state.hash_key[0])), state.now):
            return REASON_RELAY_RATE
    return REASON_NONE
