from libc.stdint cimport uint32_t

from dhcp_fast.dhcp6.client cimport Client6
from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.plan.compiled cimport ClientClass
from dhcp_fast.plan.conditions cimport Leaf
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.packet6 cimport Packet6

cdef bint match_classes(State* state, Slot* slot, Client6* client) noexcept nogil
cdef Field template_value(const Packet6* packet, const Slot* slot, const Client6* client,
                          const ClientClass* wanted) noexcept nogil
cdef bint has_vendor_class(const Packet6* packet, const Octets* wanted) noexcept nogil
cdef bint is_given(const Client6* client, uint32_t class_no) noexcept nogil
cdef int first_failing(const Packet6* packet, const Slot* slot, const Client6* client,
                       const ClientClass* wanted) noexcept nogil
cdef int last_leaf(const Packet6* packet, const Slot* slot, const Client6* client,
                   const ClientClass* wanted, bint* met) noexcept nogil
cdef bint holds(const Packet6* packet, const Slot* slot, const Client6* client, const Leaf* leaf) noexcept nogil
cdef Field value_of(const Packet6* packet, const Client6* client, const Leaf* leaf) noexcept nogil
