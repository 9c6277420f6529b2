"""Refusals that a configuration of a moment ago may be to blame for.

A Request answers an offer. Another server, or another worker, may have made that under a change that is not read here
yet. So before the configuration refuses a Request, an operation that every row refuses (NO_FENCE) brings the packet to
the database once: with it the subnet's fence is read, and where that has moved the subnet too, and the packet is
decided again (database/leases/rejected_rows.py).

A client that asks for what it never was offered costs a look like any other, so a worker has a number of them a second.
What comes beyond is refused at once.
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
