from libc.stdint cimport uint8_t, uint32_t

from dhcp_fast.state.protocol cimport Protocol
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State
from dhcp_fast.state.trace_entry cimport Entry, Tracer, Tracers

cdef void trace_decision(Tracers* tracers, const Protocol* protocol, const State* state, const Slot* slot,
                         uint32_t index, int action) noexcept nogil
cdef void trace_reply(Tracers* tracers, const Protocol* protocol, const Slot* slot, uint32_t index) noexcept nogil
