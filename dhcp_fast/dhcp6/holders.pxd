from libc.stdint cimport uint16_t, uint32_t, uint64_t

from dhcp_fast.dhcp6.client cimport Client6
from dhcp_fast.dhcp6.eligibility cimport Candidate
from dhcp_fast.leases.lease_operation cimport LeaseOp
from dhcp_fast.plan.compiled cimport Tenure
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State
from dhcp_fast.wire.packet6 cimport Ia6

cdef bint is_in_message(const Slot* slot, uint64_t hi, uint64_t lo) noexcept nogil
cdef bint is_lost(const Slot* slot, uint64_t hi, uint64_t lo) noexcept nogil
cdef bint held_by_other(
    State* state, uint32_t tenant_no, uint64_t hi, uint64_t lo, uint64_t identity) noexcept nogil
cdef bint is_held_in_part(State* state, const Slot* slot, const Client6* client, uint16_t ia_type) noexcept nogil
cdef bint is_for_another(const State* state, const Slot* slot, const Ia6* ia, const Candidate* lease) noexcept nogil
cdef bint takes_over(const State* state, const Slot* slot, const Client6* client, const Ia6* ia, uint64_t identity,
                     const Candidate* lease) noexcept nogil
cdef bint takes_over_machine(const State* state, const Slot* slot, const Client6* client, const Ia6* ia,
                             uint64_t identity, const Candidate* lease) noexcept nogil
cdef bint must_look_up(State* state, Slot* slot, const Client6* client, const Ia6* ia, Candidate* found) noexcept nogil
cdef bint note_lost(const State* state, const Client6* client, const LeaseOp* op) noexcept nogil
cdef Tenure* tenure_of(const Client6* client, uint16_t ia_type) noexcept nogil
