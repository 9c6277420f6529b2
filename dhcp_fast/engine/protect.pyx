"""What keeps one client, one relay or one line from using up what is meant for all.

Each of these is a setting that is off unless somebody sets it, and costs one branch while it is off.
"""

from libc.stdint cimport uint64_t

from dhcp_fast.alloc.hashing cimport mix, siphash
from dhcp_fast.engine.limits cimport admits
from dhcp_fast.engine.state cimport REASON_CLIENT_RATE, REASON_NONE, REASON_RELAY_RATE
from dhcp_fast.wire.codes cimport OPT_DHCP_CLIENT_IDENTIFIER
from dhcp_fast.wire.packet4 cimport Packet4, has

cdef enum:
    CHADDR = 28


cdef Reason over_rate(State* state) noexcept nogil:
    """Whether the parsed packet is one too many of its client or its relay.

    The client is looked at first, so that one that floods takes nothing of its relay's share. All messages count, and
    none is let through: a release or decline costs a database write where a DISCOVER costs none, and what is lost with
    it is little (the lease runs out by itself; a client that declined asks again and declines again, RFC 2131 section
    3.1 step 5).
    """
    cdef Packet4* packet = &state.packet
    cdef uint64_t sender
    if state.client_limit.interval:
        sender = hash_of_sender(state, packet)
        if sender and not admits(&state.client_limit, sender, state.now):
            return REASON_CLIENT_RATE
    if state.relay_limit.interval and packet.giaddr:
        sender = mix(packet.giaddr ^ state.hash_key[0])
        if not admits(&state.relay_limit, sender, state.now):
            return REASON_RELAY_RATE
    return REASON_NONE


cdef inline uint64_t hash_of_sender(const State* state, const Packet4* packet) noexcept nogil:
    """Of the hardware address, or of the client id where there is none; 0 for a client without identity."""
    cdef int i
    for i in range(packet.hlen):
        if packet.raw[CHADDR + i]:
            return siphash(state.hash_key, packet.raw + CHADDR, packet.hlen) | 1
    if not has(packet, OPT_DHCP_CLIENT_IDENTIFIER):
        return 0
    return siphash(state.hash_key, packet.options[OPT_DHCP_CLIENT_IDENTIFIER].data,
                   packet.options[OPT_DHCP_CLIENT_IDENTIFIER].length) | 1
