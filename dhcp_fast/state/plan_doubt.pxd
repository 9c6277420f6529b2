"""Refusals that an outdated configuration may have caused.

A Request answers an offer. Another server or worker may have made the offer under a change that is
not read here yet. So before the configuration refuses a Request, an operation that every row
refuses (NO_FENCE) brings the packet to the database once. The subnet's fence is read with it, and
the subnet too if the fence has moved; then the packet is decided again
(database/leases/rejected_rows.py).

A client that requests an address without an offer costs such a look too, so a worker has a limited
number of them per second. Requests above the limit are refused at once.
"""

from libc.stdint cimport int64_t

from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State

cdef enum:
    LOOK_MICROSECONDS = 4000    # between two looks in the long run
    SAVED_LOOKS = 64            # that come at once after a pause

cdef inline bint takes_look(State* state, const Slot* slot) noexcept nogil:
    """Return whether a packet that is to be refused has the configuration looked at first; its look is used up then."""
    cdef int64_t earliest = state.now - SAVED_LOOKS * LOOK_MICROSECONDS
    if slot.decided or state.away or state.looks_until > state.now:
        return False
    state.looks_until = max(state.looks_until, earliest) + LOOK_MICROSECONDS
    return True
