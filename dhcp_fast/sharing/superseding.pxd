from dhcp_fast.leases.lease_operation cimport LeaseOp
from dhcp_fast.leases.lease_table cimport Lease
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State

cdef bint leave(State* state, Lease* lease, const LeaseOp* op) noexcept nogil
cdef void end_lost(State* state, const LeaseOp* op) noexcept nogil
cdef void give_up(State* state, Slot* slot) noexcept nogil
