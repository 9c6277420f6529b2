"""DHCPv4 as the engine sees it."""

from libc.stdint cimport uint8_t

from dhcp_fast.dhcp4.messages cimport on_packet
from dhcp_fast.dhcp4.prefetch cimport look_ahead, look_ahead_won
from dhcp_fast.dhcp4.retry cimport decide_again, decide_checked, on_refused, on_won
from dhcp_fast.dhcp4.watched cimport is_watched
from dhcp_fast.net.datagram cimport Datagram
from dhcp_fast.sharing.lease_ownership cimport is_ours
from dhcp_fast.state.slot cimport Slot, reply_type
from dhcp_fast.state.state cimport State
from dhcp_fast.wire.faults cimport FAULT_LEASEQUERY


cdef Protocol protocol4() noexcept nogil:
    cdef Protocol its
    its.family = 4
    its.query = FAULT_LEASEQUERY
    its.on_packet = on_packet
    its.on_won = on_won
    its.on_refused = on_refused
    its.decide_again = decide_again
    its.decide_checked = decide_checked
    its.is_ours = is_this_workers
    its.reply_type = type_of_reply
    its.is_watched = is_watched
    its.look_ahead = look_ahead
    its.look_ahead_won = look_ahead_won
    return its


cdef bint is_this_workers(State* state, const Datagram* rx) noexcept nogil:
    return is_ours(state, rx)


cdef uint8_t type_of_reply(const Slot* slot) noexcept nogil:
    return reply_type(slot)
