from libc.stdint cimport uint32_t

from dhcp_fast.leases.pools cimport ANY_CLASS, Pool
from dhcp_fast.state.state cimport Client, State
from dhcp_fast.plan.compiled cimport Subnet4, in_class

cdef inline bint serves(const Pool* pool, const Client* client) noexcept nogil:
    return pool.class_index == ANY_CLASS or in_class(&client.classes, pool.class_index)

cdef uint32_t choose_address(State* state, Client* client) noexcept nogil
cdef bint may_have(const Client* client, uint32_t address) noexcept nogil
cdef bint held_by_other(State* state, const Client* client, uint32_t address) noexcept nogil
cdef bint must_move(State* state, const Client* client, uint32_t address) noexcept nogil
cdef void forget_offer(State* state, const Client* client) noexcept nogil
cdef void want_refresh(State* state, Subnet4* entry) noexcept nogil
cdef bint remember_offer(State* state, const Client* client, uint32_t address) noexcept nogil
