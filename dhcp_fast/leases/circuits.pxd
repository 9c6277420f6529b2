"""How many leases run behind each circuit of each relay (RFC 3046), held to the lease table entry by entry."""

from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.leases.lease_table cimport Lease

cdef enum:
    NO_CIRCUIT = 0      # index 0 stands for "none"

cdef struct Circuit:
    uint64_t name           # keyed hash of the circuit id; 0: the relay named none
    uint32_t relay
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
cdef uint32_t circuit_find(const CircuitTable* table, uint32_t relay, uint64_t name) noexcept nogil
cdef uint32_t circuit_take(CircuitTable* table, uint32_t relay, uint64_t name) noexcept nogil
cdef void circuit_drop(CircuitTable* table, uint32_t index) noexcept nogil
cdef bint lease_on_circuit(
    CircuitTable* table, Lease* lease, uint32_t index, uint32_t relay, uint64_t name) noexcept nogil
cdef void lease_off_circuit(CircuitTable* table, Lease* lease, uint32_t index) noexcept nogil

cdef inline uint32_t circuit_of(const CircuitTable* table, uint32_t lease_index) noexcept nogil:
    return table.of_lease[lease_index] if lease_index < table.lease_room else <uint32_t>NO_CIRCUIT
