"""Interface of a protocol to the engine: DHCPv4 (dhcp4/protocol.pyx) is one, and a process serves
one (engine rule 31).
"""

from libc.stdint cimport int64_t, uint8_t

from dhcp_fast.net.datagram cimport Datagram
from dhcp_fast.pg.bind cimport WonRow
from dhcp_fast.state.slot cimport Slot
from dhcp_fast.state.state cimport Action, State
from dhcp_fast.state.trace_entry cimport Wanted

# Deciding functions get the packet's slot, or that of the operation whose outcome is known. For a
# packet with several operations that may be a further slot; ACTION_OPEN means that others are still
# in progress.
cdef struct Protocol:
    int family
    int query                   # the reason by which on_packet drops a leasequery, which others answer
    Action (*on_packet)(State*, Slot*) noexcept nogil           # a datagram just received
    Action (*on_won)(State*, Slot*, const WonRow*) noexcept nogil
    Action (*on_refused)(State*, Slot*) noexcept nogil
    Action (*decide_again)(State*, Slot*) noexcept nogil        # the configuration was newer than the decision
    Action (*decide_checked)(State*, Slot*) noexcept nogil      # an address answered a ping, or did not
    bint (*is_ours)(State*, const Datagram*) noexcept nogil     # not another worker's
    uint8_t (*reply_type)(const Slot*) noexcept nogil           # of the reply that is written there
    bint (*is_watched)(const Wanted*, const Slot*) noexcept nogil       # a packet, as it arrived
    void (*look_ahead)(const State*, Datagram**, int) noexcept nogil    # fetch what these will need
    void (*look_ahead_won)(const State*, const WonRow*, int64_t, bint) noexcept nogil   # the same; bound, not changed
