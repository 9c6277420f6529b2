from dhcp_fast.plan.compiled cimport ClientClass
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State
from dhcp_fast.wire.packet4 cimport Field

cdef void begin_classes(State* state) noexcept nogil
cdef void note_class(State* state, const Slot* slot, const ClientClass* found, Field value) noexcept nogil
