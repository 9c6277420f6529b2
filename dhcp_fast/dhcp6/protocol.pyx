"""DHCPv6 as the engine sees it."""

from libc.stdint cimport uint8_t

from dhcp_fast.dhcp6.messages cimport on_packet
from dhcp_fast.dhcp6.retry cimport decide_again, on_refused, on_won
from dhcp_fast.dhcp6.watched cimport is_watched
from dhcp_fast.net.datagram cimport Datagram
from dhcp_fast.sharing.lease_ownership cimport is_ours6
from dhcp_fast.state.reasons cimport REASON_FAULT6
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport State
from dhcp_fast.wire.faults6 cimport FAULT6_LEASEQUERY


cdef Protocol protocol6() noexcept nogil:
    cdef Protocol its
    its.family = 6
    its.query = REASON_FAULT6 + FAULT6_LEASEQUERY
    its.on_packet = on_packet
    its.on_won = on_won
    its.on_refused = on_refused
    its.decide_again = decide_again
    its.decide_checked = NULL           # no pings: neighbors detect duplicates themselves
    its.is_ours = is_this_workers
    its.reply_type = type_of_reply
    its.is_watched = is_watched
    its.look_ahead = NULL
    its.look_ahead_won = NULL
    return its


cdef bint is_this_workers(State* state, const Datagram* rx) noexcept nogil:
    return is_ours6(state, rx)


cdef uint8_t type_of_reply(const Slot* slot) noexcept nogil:
    return slot.said
