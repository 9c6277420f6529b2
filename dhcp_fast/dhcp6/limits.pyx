"""Limits of the use of shared resources by one client, relay or line; see dhcp4/limits.pyx."""

from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.clients.circuit_limit cimport has_room, leases_on
from dhcp_fast.dhcp6.client cimport association_of
from dhcp_fast.leases.circuits cimport NO_CIRCUIT, circuit_find, circuit_name, circuit_of, circuit_relay
from dhcp_fast.leases.client_identity cimport BY_DUID, identity_hash
from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.leases.lease_table cimport COUNTED, NO_LEASE, lease_at, lease_find
from dhcp_fast.state.queue cimport waits_on_circuit
from dhcp_fast.state.reasons cimport NOTICE_CIRCUIT_EXHAUSTED, REASON_CLIENT_RATE, REASON_NONE, REASON_RELAY_RATE
from dhcp_fast.state.samples cimport keep_sample6
from dhcp_fast.state.token_bucket cimport admits
from dhcp_fast.structures.siphash cimport mix
from dhcp_fast.wire.codes6 cimport OPT6_CLIENTID
from dhcp_fast.wire.packet6 cimport Packet6, has6


cdef Reason over_rate(State* state, const Slot* slot) noexcept nogil:
    """Return whether the parsed message is one too many of its client, by its DUID, or of its relay. All messages
    count."""
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


# --- leases a circuit, addresses and prefixes each for themselves

cdef bint is_one_too_many(State* state, const Slot* slot, const Client6* client, const Ia6* ia) noexcept nogil:
    """Return whether the association exceeds the limit.

    One with leases of the circuit, or a grant under way, keeps so many of them, also if the limit
    was lowered since. Its other leases are released afterwards (engine rule 9).
    """
    cdef uint64_t identity, name = circuit_name(&slot.op, ia.kind)
    cdef uint32_t circuit
    if not name:
        return False
    circuit = circuit_find(&state.circuits, circuit_relay(&slot.op), name)
    if has_room(state, circuit, given_anew(state, slot, ia.kind, circuit)):
        return False
    identity = association_of(state, client, ia.kind, ia.iaid)
    if circuit != NO_CIRCUIT and given_to(state, slot, ia) < (
            leases_on(state, identity, 0, circuit) + waits_on_circuit(state.queue, identity, circuit)):
        return False
    note_full(state, slot)
    return True


cdef uint32_t given_anew(const State* state, const Slot* slot, int kind, uint32_t circuit) noexcept nogil:
    """Return leases that associations of this message have got so far and that are not counted on the circuit."""
    cdef uint32_t index, count = 0
    cdef int i
    for i in range(slot.part_count):
        if slot.parts[i].ia_type != kind or not slot.parts[i].valid:
            continue
        index = lease_find(state.leases, slot.op.tenant_no, slot.parts[i].hi, slot.parts[i].lo)
        count += index == NO_LEASE or not lease_at(state.leases, index).flags & COUNTED or (
            circuit_of(&state.circuits, index) != circuit)
    return count


cdef uint32_t given_to(const State* state, const Slot* slot, const Ia6* ia) noexcept nogil:
    cdef uint32_t count = 0
    cdef int i
    for i in range(slot.part_count):
        count += slot.parts[i].valid != 0 and &state.message6.packet.ias[slot.parts[i].ia] == ia
    return count


cdef void note_full(State* state, const Slot* slot) noexcept nogil:
    state.noticed[<int>NOTICE_CIRCUIT_EXHAUSTED] += 1
    state.last_notice = NOTICE_CIRCUIT_EXHAUSTED
    keep_sample6(&state.notices[<int>NOTICE_CIRCUIT_EXHAUSTED], slot.op.association.duid.data,
                 slot.op.association.duid.length, slot.rx.peer_hi, slot.rx.peer_lo, slot.op.subnet_no)
