from libc.stdint cimport uint64_t

from dhcp_fast.dhcp6.client cimport Client6
from dhcp_fast.plan.compiled6 cimport Subnet6
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State
from dhcp_fast.wire.reply6 cimport Reply6

cdef void note_host_name(State* state, Slot* slot, const Client6* client, const Subnet6* subnet, uint64_t hi,
                         uint64_t lo) noexcept nogil
cdef void name_after(State* state, Slot* slot, const Client6* client, const Subnet6* subnet, uint64_t hi,
                     uint64_t lo) noexcept nogil
cdef void put_fqdn(Reply6* reply, State* state, const Slot* slot, const Client6* client,
                   const Subnet6* subnet) noexcept nogil
