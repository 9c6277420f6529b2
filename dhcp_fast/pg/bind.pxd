"""The lease statements on the wire: Bind messages from operations, rows back into C structs."""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t

from dhcp_fast.leases.lease_operation cimport LeaseOp

cdef struct Buffer:
    uint8_t* data
    size_t used, room
    bint failed             # memory was short; nothing more is written

cdef struct WonRow:
    uint64_t hi, lo
    uint64_t version
    int64_t renewed, expires    # microseconds since 2000-01-01 by the database's clock
    uint32_t tenant_no

cdef class BatchEncoder:
    cdef uint32_t operation_oid, association_oid, device_oid
    cdef Buffer message, subnets, fences
    cdef int subnet_count   # subnets, each with a fence, that the batch has had so far
    cdef bytes encode(
        self, bytes statement, LeaseOp** ops, int count, int32_t node_no, int64_t now, int64_t by_database)
    cdef void put_operations(self, LeaseOp** ops, int count, int64_t now) noexcept nogil
    cdef void add_subnet(self, const LeaseOp* op) noexcept nogil
    cdef void put_operation(self, const LeaseOp* op, int64_t now) noexcept nogil
    cdef void put_association(self, const LeaseOp* op) noexcept nogil
    cdef void put_device(self, const LeaseOp* op) noexcept nogil
    cdef void put_numbers(self, const Buffer* elements, uint32_t oid) noexcept nogil

cdef class AnswerReader:
    cdef Buffer pending
    cdef WonRow* rows
    cdef int row_count, row_room
    cdef readonly bint ready        # ReadyForQuery was seen
    cdef readonly bint warned       # the wait for a synchronous standby was given up: the outcome counts as unknown
    cdef readonly str remark        # of another WARNING, or None
    cdef readonly str sqlstate      # of the ErrorResponse, or None
    cdef readonly str error
    cdef readonly str table         # the table of the constraint, or None
    cdef readonly str constraint
    cpdef void reset(self)
    cdef bint take_octets(self, const uint8_t* data, size_t count) except -1
    cdef void take_notice(self, dict fields)
    cdef int take_message(self, uint8_t kind, size_t start, size_t length) except -1
    cdef bint read_row(self, const uint8_t* p, size_t length) noexcept nogil
