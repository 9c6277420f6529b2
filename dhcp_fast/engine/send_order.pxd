from libc.stdint cimport uint32_t

from dhcp_fast.state.queue cimport OpQueue

cdef void gather_runs(OpQueue* queue, uint32_t* outbox, int count) noexcept nogil
