from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.dhcp6.client cimport Client6
from dhcp_fast.dhcp6.eligibility cimport Candidate
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State
from dhcp_fast.wire.packet6 cimport Ia6

# Request of an association, as far as the choice needs it.
cdef struct Wish:
    uint16_t ia_type
    uint64_t identity           # keyed hash of the association's client key
    const Ia6* ia
    uint64_t shuns              # the client, if some leases are kept from it (clients/declines); else 0
    uint8_t hint                # the length of prefix that it asks for; 0: any
    bint exact                  # nothing but a prefix of that length will do

cdef bint choose_lease(
    State* state, Slot* slot, const Client6* client, Wish* wish, Candidate* found) noexcept nogil
cdef bint is_kept(State* state, const Wish* wish, const Candidate* lease) noexcept nogil
cdef bint must_move(
    State* state, const Slot* slot, const Client6* client, const Wish* wish, const Candidate* held) noexcept nogil
cdef bint held_lease(
    State* state, const Slot* slot, const Client6* client, const Wish* wish, Candidate* found) noexcept nogil
cdef void correct_length(
    State* state, const Slot* slot, const Client6* client, const Wish* wish, Candidate* lease) noexcept nogil
cdef void remember_offer(State* state, const Wish* wish, const Candidate* offered, uint32_t relay) noexcept nogil
