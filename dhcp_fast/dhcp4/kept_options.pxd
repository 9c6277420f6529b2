from libc.stdint cimport uint8_t, uint16_t

from dhcp_fast.plan.compiled cimport Tenant
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State
from dhcp_fast.wire.client_options cimport CodeSet
from dhcp_fast.wire.packet4 cimport Packet4

cdef uint16_t put_options(const Packet4* packet, const CodeSet* codes, uint8_t* room, uint16_t size) noexcept nogil
cdef void note_others(const State* state, Slot* slot, const Tenant* tenant) noexcept nogil
cdef CodeSet codes_to_keep(const State* state, const Tenant* tenant) noexcept nogil
