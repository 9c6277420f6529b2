from libc.stdint cimport uint32_t

from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Client, State
from dhcp_fast.wire.reply4 cimport Reply4

cdef void note_host_name(const State* state, Slot* slot, const Client* client, uint32_t address) noexcept nogil
cdef void name_anew(const State* state, Slot* slot, const Client* client, uint32_t address) noexcept nogil
cdef void name_by_subnet(const State* state, Slot* slot, const Client* client, uint32_t address) noexcept nogil
cdef void put_fqdn(Reply4* reply, const State* state, Slot* slot, const Client* client,
                   uint32_t address) noexcept nogil
