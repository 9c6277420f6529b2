"""The order in which replies leave: replies that the kernel may take as one message are adjacent.

Its datagrams must be of one size, except that the last may be shorter (net/udp.pyx). Names, options
82 and the like make replies longer by an octet or two, and many relays send at once: in order of
arrival, every third reply would be a message of its own. To one destination the longest leave
first; otherwise they leave in order of arrival.
"""

from libc.stdint cimport uint16_t, uint64_t

from dhcp_fast.state.queue cimport slot_at
from dhcp_fast.net.datagram cimport Datagram
from dhcp_fast.net.udp cimport BATCH

cdef struct Destination:
    uint64_t relay          # 0: not to a relay that asked; these leave one by one
    uint64_t rest           # our address, the relay's port, and how far its length is from the longest there may be
    uint32_t index          # of the reply's slot


cdef void gather_runs(OpQueue* queue, uint32_t* outbox, int count) noexcept nogil:
    """Gather up to BATCH slots whose replies one socket sends. They are few, and mostly in order already."""
    cdef Destination ordered[BATCH]
    cdef Destination moving
    cdef int i, to
    for i in range(count):
        moving = destination_of(&slot_at(queue, outbox[i]).tx, outbox[i])
        to = i
        while to and is_before(&moving, &ordered[to - 1]):
            ordered[to] = ordered[to - 1]
            to -= 1
        ordered[to] = moving
    for i in range(count):
        outbox[i] = ordered[i].index


cdef inline Destination destination_of(const Datagram* tx, uint32_t index) noexcept nogil:
    cdef Destination destination = Destination(0, 0, index)
    if tx.relay_ifindex:
        destination.relay = (<uint64_t>tx.relay_ifindex << 32) | tx.peer
        destination.rest = (<uint64_t>tx.local << 32) | (<uint64_t>tx.port << 16) | <uint16_t>~tx.length
    return destination


cdef inline bint is_before(const Destination* one, const Destination* other) noexcept nogil:
    return one.relay < other.relay or (one.relay == other.relay and one.rest < other.rest)
