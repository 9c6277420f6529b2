"""Packets that are dropped before anything is decided about them, each under the reason that an operator can act on.

The reasons `stale`, `overload` and `queue_full` mean that the server has too little capacity, and an alert counts them.
A start, an outage of the database and a drained server also leave packets waiting; these have reasons of their own.
"""

from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.state.reasons cimport NOTICE_NONE, REASON_DATABASE_AWAY, REASON_DRAINED, REASON_STALE, REASON_STARTING
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Action, State, drop

cdef inline Action drop_stale(State* state, const Slot* slot) noexcept nogil:
    """Drop a packet that waited too long in the kernel: because the server started, or else because it is slow."""
    return drop(state, REASON_STARTING if slot.rx.received < state.began else REASON_STALE)

cdef inline int shed_for(const State* state, int reason) noexcept nogil:
    """Return why there is no room for a packet: `reason`, unless all the others wait for a database that is away."""
    return REASON_DATABASE_AWAY if state.away == REASON_DATABASE_AWAY else reason

cdef inline Action discard(State* state, Slot* slot) noexcept nogil:
    """Drop the packet unread. A drained server has this in place of its protocol's `on_packet`."""
    slot.op.subnet_no = 0
    slot.op.association.duid = Octets(NULL, 0)
    slot.part_count = slot.parts_open = 0
    state.last_notice = NOTICE_NONE
    return drop(state, REASON_DRAINED)
