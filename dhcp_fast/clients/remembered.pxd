"""Options of a client's DISCOVER or Solicit, until its REQUEST comes: a table of fixed size.

Each client has one place, by its hash. Another client there replaces it; then the later message
counts as if this server had not received the earlier one. Only options that classes of the tenant
need are kept.
"""

from libc.stdint cimport uint64_t

from dhcp_fast.leases.offers cimport OFFER_MILLISECONDS
from dhcp_fast.state.state cimport REMEMBERED, Remembered, State

cdef inline Remembered* begin_remembered(State* state, uint64_t client) noexcept nogil:
    """Return the client's place, without options yet, for as long as its offer is open."""
    cdef Remembered* its = &state.remembered[client & (REMEMBERED - 1)]
    its.client = client
    its.until = state.now + OFFER_MILLISECONDS * 1000
    its.length = 0
    return its

cdef inline const Remembered* find_remembered(const State* state, uint64_t client) noexcept nogil:
    """Return NULL: no message of the client is remembered."""
    cdef const Remembered* its = &state.remembered[client & (REMEMBERED - 1)]
    return its if its.client == client and state.now < its.until else NULL
