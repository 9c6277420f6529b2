"""What keeps one client, one relay or one line from using up what is meant for all.

Each of these is a setting that is off unless somebody sets it, and costs one branch while it is off.
"""

from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.leases.circuits cimport NO_CIRCUIT, circuit_drop, circuit_find, circuit_of, circuit_take
from dhcp_fast.structures.siphash cimport mix, siphash
from dhcp_fast.leases.lease_operation cimport OP_BIND
from dhcp_fast.leases.lease_table cimport COUNTED, NO_LEASE, Lease, first_of_client, lease_at
from dhcp_fast.dhcp4.allocation cimport serves
from dhcp_fast.state.token_bucket cimport admits
from dhcp_fast.plan.subnets cimport next_on_wire
from dhcp_fast.state.queue cimport waits_on_circuit
from dhcp_fast.state.reasons cimport REASON_CLIENT_RATE, REASON_NONE, REASON_RELAY_RATE
from dhcp_fast.plan.compiled cimport Subnet4
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


# --- leases a circuit (RFC 3046 section 7: DHCP address exhaustion attacks are met by the circuit's identity)

cdef bint is_one_too_many(State* state, const Slot* slot, const Client* client) noexcept nogil:
    """Of the circuit under its relay, leases that run and grants that are on their way counted together.

    A client that has a lease of the circuit, or whose grant is under way, keeps its place, also where the limit was
    lowered since.
    """
    cdef uint32_t index
    if not slot.op.circuit:
        return False
    index = circuit_find(&state.circuits, slot.op.relay, slot.op.circuit)
    if index == NO_CIRCUIT:
        return False
    if state.circuits.at[index].active + state.circuits.at[index].pending < state.circuits.limit:
        return False
    return not (
        has_lease_on(state, client.identity, 0, index) or waits_on_circuit(state.queue, client.identity, index)
        or client.other_identity and has_lease_on(state, client.other_identity, client.client_parts_hash, index))


cdef bint has_lease_on(const State* state, uint64_t identity, uint32_t parts_hash, uint32_t circuit) noexcept nogil:
    """Under this identity and, where one is given, with this pair of hardware address and client id."""
    cdef uint32_t index = first_of_client(state.leases, identity)
    cdef Lease* lease
    while index != NO_LEASE:
        lease = lease_at(state.leases, index)
        if (lease.client == identity and lease.flags & COUNTED and circuit_of(&state.circuits, index) == circuit
                and (not parts_hash or lease.client_parts_hash == parts_hash)):
            return True
        index = lease.client_next
    return False


cdef void count_pending(State* state, Slot* slot) noexcept nogil:
    """A grant that was queued takes its place on the circuit before the next packet is decided."""
    if slot.op.kind != OP_BIND or not slot.op.circuit:
        return
    slot.circuit = circuit_take(&state.circuits, slot.op.relay, slot.op.circuit)
    if slot.circuit != NO_CIRCUIT:
        state.circuits.at[slot.circuit].pending += 1


cdef void forget_pending(State* state, Slot* slot) noexcept nogil:
    """Its outcome is known, and counted if it won."""
    if slot.circuit != NO_CIRCUIT:
        state.circuits.at[slot.circuit].pending -= 1
        circuit_drop(&state.circuits, slot.circuit)
        slot.circuit = NO_CIRCUIT


# --- pools that run full

cdef bint is_crowded(State* state, const Client* client) noexcept nogil:
    """Of all pools that could serve the client, on all subnets of its wire, more than the set share is in use."""
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
