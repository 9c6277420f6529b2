from libc.stdint cimport uint32_t

from dhcp_fast.plan.compiled cimport ClientClass
from dhcp_fast.plan.conditions cimport Leaf
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Client, State
from dhcp_fast.wire.packet4 cimport Field, Packet4

cdef bint match_classes(State* state, Slot* slot, Client* client) noexcept nogil
cdef Field template_value(const Packet4* packet, const Slot* slot, const Client* client,
                          const ClientClass* wanted) noexcept nogil
cdef bint is_given(const Client* client, uint32_t class_no) noexcept nogil
cdef int first_failing(const Packet4* packet, const Slot* slot, const Client* client,
                       const ClientClass* wanted) noexcept nogil
cdef int last_leaf(const Packet4* packet, const Slot* slot, const Client* client,
                   const ClientClass* wanted, bint* met) noexcept nogil
cdef bint holds(const Packet4* packet, const Slot* slot, const Client* client, const Leaf* leaf) noexcept nogil
cdef Field value_of(const Packet4* packet, const Slot* slot, const Leaf* leaf) noexcept nogil
