from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.trace_entry cimport Wanted

cdef bint is_watched(const Wanted* wanted, const Slot* slot) noexcept nogil
