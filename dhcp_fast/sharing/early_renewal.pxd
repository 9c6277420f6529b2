from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.leases.lease_operation cimport LeaseOp
from dhcp_fast.state.state cimport State

cdef uint32_t early_renewal(
    State* state, const LeaseOp* op, uint64_t client, uint32_t subnet_no, uint32_t lease_time, double threshold,
    uint32_t index) noexcept nogil
