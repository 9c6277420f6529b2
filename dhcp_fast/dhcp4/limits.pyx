"""Limits of the use of shared resources by one client, relay or line.

Each is a setting that is off by default, and costs one branch while it is off.
"""

from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.clients.circuit_limit cimport has_room, leases_on
from dhcp_fast.dhcp4.allocation cimport serves
from dhcp_fast.leases.circuits cimport NO_CIRCUIT, circuit_find
from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.plan.subnets cimport next_on_wire
from dhcp_fast.state.queue cimport waits_on_circuit
from dhcp_fast.state.reasons cimport REASON_CLIENT_RATE, REASON_NONE, REASON_RELAY_RATE
from dhcp_fast.state.token_bucket cimport admits
from dhcp_fast.structures.siphash cimport mix, siphash
from dhcp_fast.wire.codes cimport OPT_DHCP_CLIENT_IDENTIFIER
from dhcp_fast.wire.packet4 cimport Packet4, has

cdef enum:
    CHADDR = 28


cdef Reason over_rate(State* state) noexcept nogil:
    """Return a reason if the parsed packet exceeds the rate of its client or relay.

    The client is checked first, so that a flood from one client does not use its relay's share. All
    messages count: a release or decline costs a database write where a DISCOVER costs none. Losing
    one does little harm: the lease expires anyway, and a client that declined asks and declines
    again (RFC 2131 section 3.1 step 5).
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
    """Return the hash of the hardware address, or of the client id where there is none; 0 for a client without
    identity."""
    cdef int i
    for i in range(packet.hlen):
        if packet.raw[CHADDR + i]:
            return siphash(state.hash_key, packet.raw + CHADDR, packet.hlen) | 1
    if not has(packet, OPT_DHCP_CLIENT_IDENTIFIER):
        return 0
    return siphash(state.hash_key, packet.options[OPT_DHCP_CLIENT_IDENTIFIER].data,
                   packet.options[OPT_DHCP_CLIENT_IDENTIFIER].length) | 1


# --- leases a circuit (RFC 3046 section 7: DHCP address exhaustion attacks are met by the circuit's identity)

cdef bint is_one_too_many(State* state, const Slot* slot, const Client* client) noexcept nogil:
    """Return a client that has a lease of the circuit, or whose grant is under way, keeps its place, also where the
    limit was lowered since."""
    cdef uint32_t circuit = circuit_find(&state.circuits, slot.op.relay, slot.op.circuit)
    if not slot.op.circuit or circuit == NO_CIRCUIT or has_room(state, circuit, 0):
        return False
    return not (
        leases_on(state, client.identity, 0, circuit) or waits_on_circuit(state.queue, client.identity, circuit)
        or client.other_identity and leases_on(state, client.other_identity, client.client_parts_hash, circuit))


# --- pools that run full

cdef bint is_crowded(State* state, const Client* client) noexcept nogil:
    """Return whether of all pools that could serve the client, on all subnets of its wire, more than the set share is
    in use."""
    cdef Subnet4* subnet = client.subnet
    cdef uint64_t usable = 0, left = 0
    cdef int i
    while subnet != NULL:
        for i in range(subnet.pool_count if subnet.enabled else 0):
            if serves(&subnet.pools[i], client):
                usable += subnet.pools[i].usable
                left += subnet.pools[i].free.count
        subnet = next_on_wire(subnet, client.subnet)
    return (usable - left) * 100 > usable * <uint64_t>state.adaptive_percent


cdef void note_exhausted(const Client* client) noexcept nogil:
    """Mark the pools in which a DISCOVER found nothing; pool_usage.pyx looks whether that is still so."""
    cdef Subnet4* subnet = client.subnet
    cdef int i
    while subnet != NULL:
        for i in range(subnet.pool_count if subnet.enabled else 0):
            if serves(&subnet.pools[i], client) and subnet.pools[i].free.count == 0:
                subnet.pools[i].exhausted = True
        subnet = next_on_wire(subnet, client.subnet)
