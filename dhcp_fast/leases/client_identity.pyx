"""Identity of a client, and content of a lease, as keyed hashes.

Client keys and reservations write an identity alike: its kind, for hardware addresses their type,
and its octets.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from dhcp_fast.leases.lease_operation cimport IPV4, NAME_BITS, UNNAMED_BITS, is_unnamed
from dhcp_fast.structures.siphash cimport siphash
from dhcp_fast.wire.cursor cimport store_u32


cdef uint64_t identity_hash(const uint64_t* key, uint8_t kind, uint8_t hw_type, const Octets* octets) noexcept nogil:
    """Return the keyed hash of an identity as client keys and reservations have it."""
    cdef uint8_t room[260]
    cdef uint16_t at = 1
    room[0] = kind
    if kind == BY_HARDWARE:
        room[1] = hw_type
        at = 2
    memcpy(room + at, octets.data, octets.length)
    return siphash(key, room, at + octets.length)


cdef void note_hashes(const uint64_t* key, LeaseOp* op) noexcept nogil:
    """Note what a renewal would write again, as numbers to compare: identity parts, these (16 bits) and the name, the
    relay's."""
    cdef uint64_t total = 0
    if op.hw_address.data != NULL:
        total = siphash(key, op.hw_address.data, op.hw_address.length)
    if op.client_id.data != NULL:
        total = total * 31 + siphash(key, op.client_id.data, op.client_id.length)
    op.client_parts_hash = <uint32_t>(total ^ (total >> 32))
    if op.ia_type != IPV4:
        op.client_parts_hash = duid_hash(key, &op.association.duid)
    total += op.hw_type
    op.content_hash = <uint32_t>((total ^ (total >> 32) ^ (total >> 16) ^ (total >> 48)) & UNNAMED_BITS)
    if not is_unnamed(op):
        op.content_hash |= (name_hash(key, op) & NAME_BITS) << 16
    op.circuit = siphash(key, op.circuit_id.data, op.circuit_id.length) | 1 if op.circuit_id.data != NULL else 0
    op.relay_hash = relay_hash(key, op)


cdef inline uint32_t name_hash(const uint64_t* key, const LeaseOp* op) noexcept nogil:
    """Return the hash of the name and the updater of DNS."""
    cdef uint64_t total = op.fqdn_flags
    if op.hostname.data != NULL:
        total += siphash(key, op.hostname.data, op.hostname.length)
    return <uint32_t>(total ^ (total >> 32))


cdef uint32_t duid_hash(const uint64_t* key, const Octets* duid) noexcept nogil:
    """Return what the leases of one client have in common, of whichever association they are; 0 without a DUID."""
    cdef uint64_t total
    if duid.data == NULL:
        return 0
    total = siphash(key, duid.data, duid.length)
    return <uint32_t>(total ^ (total >> 32)) | 1


cdef uint32_t relay_hash(const uint64_t* key, const LeaseOp* op) noexcept nogil:
    """Return the same of the relay's part; 0 when the packet came without a relay."""
    cdef uint64_t total
    cdef uint8_t relay[16]
    if op.ia_type == IPV4:
        if not op.relay:
            return 0
        store_u32(relay, op.relay)
        total = siphash(key, relay, 4)
    else:
        if not (op.association.relay_hi or op.association.relay_lo):
            return 0
        memcpy(relay, &op.association.relay_hi, 8)
        memcpy(relay + 8, &op.association.relay_lo, 8)
        total = siphash(key, relay, 16)
    if op.circuit:
        total = total * 31 + op.circuit
    if op.remote_id.data != NULL:
        total = total * 37 + siphash(key, op.remote_id.data, op.remote_id.length)
    return <uint32_t>(total ^ (total >> 32)) | 1
