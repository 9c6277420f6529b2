from dhcp_fast.plan.compiled cimport ClientClass
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Client
from dhcp_fast.wire.packet4 cimport Packet4

cdef bint match_classes(const Packet4* packet, const Slot* slot, Client* client) noexcept nogil
cdef bint matches(const Packet4* packet, const Slot* slot, const Client* client,
                  const ClientClass* wanted) noexcept nogil
