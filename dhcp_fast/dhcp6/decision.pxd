"""Rules for how the leases of a message are decided: each is a part of the packet's slot, and one operation if it is
written."""

from libc.stdint cimport uint16_t, uint32_t

from dhcp_fast.dhcp6.allocation cimport Wish
from dhcp_fast.dhcp6.client cimport Client6
from dhcp_fast.dhcp6.eligibility cimport Candidate
from dhcp_fast.plan.compiled6 cimport Subnet6
from dhcp_fast.state.slot cimport Exchange, Part, Slot
from dhcp_fast.state.state cimport Action, State
from dhcp_fast.wire.faults6 cimport Fault6
from dhcp_fast.wire.packet6 cimport Ia6

cdef Fault6 read_packet(State* state, const Slot* slot) noexcept nogil
cdef void note_sender(State* state, Slot* slot, const Client6* client) noexcept nogil
cdef Wish wish_of(const State* state, const Client6* client, const Ia6* ia) noexcept nogil
cdef Part* add_part(State* state, Slot* slot, const Ia6* ia, const Candidate* lease) noexcept nogil
cdef Part* add_lease(State* state, Slot* slot, const Client6* client, const Ia6* ia,
                     const Candidate* lease) noexcept nogil
cdef void add_status(State* state, Slot* slot, const Ia6* ia, uint16_t status) noexcept nogil
cdef bint add_operation(State* state, Slot* slot, const Client6* client, Part* part, const Candidate* lease,
                        int kind) noexcept nogil
cdef bint ask_row(State* state, Slot* slot, const Client6* client, const Ia6* ia, const Candidate* lease) noexcept nogil
cdef Exchange exchange_of_solicit(const State* state, const Subnet6* subnet) noexcept nogil
cdef void note_unusual(State* state, const Slot* whole, int kind) noexcept nogil
cdef Action decided(State* state, Slot* slot, const Client6* client) noexcept nogil
