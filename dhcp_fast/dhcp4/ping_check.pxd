from libc.stdint cimport int64_t, uint32_t

from dhcp_fast.state.ping_table cimport PingTable
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Action, Client, State
from dhcp_fast.net.icmp cimport EchoReply

cdef Action check_first(State* state, Slot* slot, const Client* client, uint32_t address) noexcept nogil
cdef bint is_own(State* state, const Client* client, uint32_t address) noexcept nogil
cdef int64_t begin_ping(State* state, uint32_t index) noexcept nogil
cdef void cancel_ping(State* state, uint32_t sequence) noexcept nogil
cdef uint32_t answered_ping(State* state, const EchoReply* reply) noexcept nogil
cdef uint32_t lapsed_ping(State* state) noexcept nogil
cdef int64_t next_due(const PingTable* table) noexcept nogil
cdef bint still_offered(const State* state, const Slot* slot) noexcept nogil
cdef dict ping_counters(const PingTable* table)
