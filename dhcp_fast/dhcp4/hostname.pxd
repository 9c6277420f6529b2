from libc.stdint cimport uint32_t

from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Client
from dhcp_fast.wire.packet4 cimport Packet4
from dhcp_fast.wire.reply4 cimport Reply4

cdef void note_host_name(const Packet4* packet, Slot* slot, const Client* client, uint32_t address) noexcept nogil
cdef void put_fqdn(Reply4* reply, const Packet4* packet, Slot* slot, const Client* client,
                   uint32_t address) noexcept nogil
