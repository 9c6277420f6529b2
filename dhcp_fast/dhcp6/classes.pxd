from dhcp_fast.dhcp6.client cimport Client6
from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.plan.compiled cimport ClientClass
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.wire.packet6 cimport Packet6

cdef bint match_classes(const Packet6* packet, const Slot* slot, Client6* client) noexcept nogil
cdef bint has_vendor_class(const Packet6* packet, const Octets* wanted) noexcept nogil
cdef bint matches(const Packet6* packet, const Slot* slot, const Client6* client,
                  const ClientClass* wanted) noexcept nogil
