from libc.stdint cimport int64_t, uint32_t

from dhcp_fast.engine.engine cimport Engine
from dhcp_fast.leases.lease_operation cimport LeaseOp
from dhcp_fast.state.queue cimport ReadyList
from dhcp_fast.pg.bind cimport AnswerReader

cdef tuple owner_of(const LeaseOp* op)

cdef class Batch:
    """Operations that one statement writes together; see batch.pyx."""
    cdef Engine engine
    cdef uint32_t* slots
    cdef readonly int count
    cdef readonly int statement         # which of queue.pxd
    cdef readonly int64_t sent          # boot clock, microseconds
    cdef int64_t answered               # the same; 0 before
    cdef void fill(self, ReadyList* ready, int most) noexcept
    cdef void put(self, uint32_t index) noexcept nogil
    cdef bint waited_too_long(self, uint32_t index) noexcept
    cdef void note_clock(self, AnswerReader answer) noexcept
