"""Count of how many leases run behind each circuit of each relay, held to the lease table entry by entry.

A circuit is what a relay's option 82.1 names (RFC 3046), of DHCPv6 its interface-id (RFC 8415 section 21.18), under the
address of that relay. A machine may have an address and a delegated prefix, so that a circuit of DHCPv6 is two here:
that of the addresses and that of the prefixes.
"""

from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.leases.lease_operation cimport IA_PD, IPV4, LeaseOp
from dhcp_fast.leases.lease_table cimport Lease
from dhcp_fast.structures.siphash cimport mix

cdef enum:
    NO_CIRCUIT = 0      # index 0 stands for "none"

cdef struct Circuit:
    uint64_t name           # keyed hash of the circuit id; 0: the relay named none
    uint64_t relay
    uint32_t held           # lease entries and operations that refer to it
    uint32_t active         # leases that run
    uint32_t pending        # grants on their way to the database
    uint32_t next           # in its bucket, or in the free list

cdef struct CircuitTable:
    uint32_t limit          # leases a circuit; 0: none, and nothing is counted
    Circuit* at
    uint32_t room, used, free_list
    uint32_t* buckets       # room of them
    uint32_t* of_lease      # by index of the lease entry
    uint32_t lease_room

cdef bint circuits_init(CircuitTable* table, uint32_t limit) noexcept nogil
cdef void circuits_clear(CircuitTable* table) noexcept nogil
cdef uint32_t circuit_find(const CircuitTable* table, uint64_t relay, uint64_t name) noexcept nogil
cdef uint32_t circuit_take(CircuitTable* table, uint64_t relay, uint64_t name) noexcept nogil
cdef void circuit_drop(CircuitTable* table, uint32_t index) noexcept nogil
cdef bint lease_on_circuit(
    CircuitTable* table, Lease* lease, uint32_t index, uint64_t relay, uint64_t name) noexcept nogil
cdef void lease_off_circuit(CircuitTable* table, Lease* lease, uint32_t index) noexcept nogil
cdef void forget_circuit(CircuitTable* table, Lease* lease, uint32_t index) noexcept nogil

cdef inline uint32_t circuit_of(const CircuitTable* table, uint32_t lease_index) noexcept nogil:
    return table.of_lease[lease_index] if lease_index < table.lease_room else <uint32_t>NO_CIRCUIT

cdef inline uint64_t circuit_relay(const LeaseOp* op) noexcept nogil:
    """Return the relay of the operation's circuit; 0: none."""
    if op.ia_type == IPV4:
        return op.relay
    return mix(op.association.relay_lo ^ mix(op.association.relay_hi))

cdef inline uint64_t circuit_name(const LeaseOp* op, int ia_type) noexcept nogil:
    """Return the name of its leases of this kind; names of addresses are odd, those of prefixes even. 0: none."""
    return ~op.circuit if op.circuit and ia_type == IA_PD else op.circuit
