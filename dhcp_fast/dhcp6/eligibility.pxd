"""A lease that a client may get: address or prefix, with its place in the plan."""

from libc.stdint cimport uint8_t, uint16_t, uint64_t

from dhcp_fast.dhcp6.client cimport Client6
from dhcp_fast.plan.compiled6 cimport Pool6, Subnet6
from dhcp_fast.state.state cimport State
from dhcp_fast.wire.codes6 cimport OPT6_IA_PD, STATUS6_NOADDRSAVAIL, STATUS6_NOPREFIXAVAIL
from dhcp_fast.wire.packet6 cimport IaAddress6

cdef enum:
    WHOLE = 128                 # the length of an address as a prefix

cdef struct Candidate:
    uint64_t hi, lo             # the address, or the first one of the prefix
    uint8_t prefix_length       # WHOLE, or of the prefix
    Subnet6* subnet             # its subnet
    Pool6* pool                 # NULL: reserved outside of the pools

cdef Candidate named(const IaAddress6* address) noexcept nogil
cdef bint reserved_lease(const Client6* client, uint16_t ia_type, Candidate* found) noexcept nogil
cdef bint may_have(const Client6* client, uint16_t ia_type, Candidate* found) noexcept nogil
cdef Pool6* pool_of(const Subnet6* subnet, uint16_t ia_type, uint64_t hi, uint64_t lo) noexcept nogil
cdef bint permits(const Candidate* found) noexcept nogil
cdef Subnet6* subnet_on_link(const Client6* client, uint64_t hi, uint64_t lo) noexcept nogil
cdef Subnet6* subnet_of(
    const State* state, const Client6* client, uint16_t ia_type, const Candidate* lease) noexcept nogil
cdef bint is_on_wire(const Client6* client, const Subnet6* subnet) noexcept nogil

cdef inline bint is_hint(const Candidate* lease) noexcept nogil:
    """Return whether it names no lease but, as the unspecified address, only a length or lifetimes (RFC 8168 section
    3.1)."""
    return lease.hi == 0 and lease.lo == 0

cdef inline bint is_same(const Candidate* one, const Candidate* other) noexcept nogil:
    return one.hi == other.hi and one.lo == other.lo and one.prefix_length == other.prefix_length

cdef inline uint16_t none_available(uint16_t ia_type) noexcept nogil:
    """Return the status of an association that gets no lease (RFC 8415 section 18.3.2)."""
    return STATUS6_NOPREFIXAVAIL if ia_type == OPT6_IA_PD else STATUS6_NOADDRSAVAIL
