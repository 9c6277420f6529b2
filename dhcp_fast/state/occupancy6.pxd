from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.leases.lease_table cimport Lease
from dhcp_fast.plan.compiled6 cimport Pool6, Subnet6
from dhcp_fast.state.state cimport State

cdef void mark_occupancy(State* state, Pool6* pool, uint32_t index) noexcept nogil
cdef void mark_range(State* state, Pool6* pool, uint64_t first, uint64_t most) noexcept nogil
cdef void mark_lease(State* state, const Lease* lease) noexcept nogil
cdef void end_offer(State* state, Pool6* pool, uint32_t offer) noexcept nogil
cdef void drop_offers(State* state, Subnet6* subnet) noexcept nogil
cdef void forget_offers(State* state, uint64_t identity, const Subnet6* entry) noexcept nogil
cdef bint lapse_offer(State* state, uint32_t offer) noexcept nogil
