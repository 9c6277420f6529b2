"""The order in which replies leave: those that the kernel may take as one message stand together.

Its datagrams have to be of one size, of which the last may be less (net/udp.pyx). Names, options 82 and the like make
replies longer by an octet or two, and many relays ask at once: as they come, each third reply would be a message of its
own. To one place the longest leave first; otherwise they leave as they came.
"""

from libc.stdint cimport uint16_t, uint64_t

from dhcp_fast.state.queue cimport slot_at
from dhcp_fast.net.datagram cimport Datagram
from dhcp_fast.net.udp cimport BATCH

cdef struct Place:
    uint64_t relay          # 0: not to a relay that asked; these leave one by one
    uint64_t rest           # our address, the relay's port, and how far its length is from the longest there may be
    uint32_t index


cdef void gather_runs(OpQueue* queue, uint32_t* outbox, int count) noexcept nogil:
    """Of up to BATCH slots whose replies one socket sends. They are few, and mostly stand in order already."""
    cdef Place places[BATCH]
    cdef Place moving
    cdef int i, to
    for i in range(count):
        moving = place_of(&slot_at(queue, outbox[i]).tx, outbox[i])
        to = i
        while to and is_before(&moving, &places[to - 1]):
            places[to] = places[to - 1]
            to -= 1
        places[to] = moving
    for i in range(count):
        outbox[i] = places[i].index


cdef inline Place place_of(const Datagram* tx, uint32_t index) noexcept nogil:
    cdef Place place = Place(0, 0, index)
    if tx.relay_ifindex:
        place.relay = (<uint64_t>tx.relay_ifindex << 32) | tx.peer
        place.rest = (<uint64_t>tx.local << 32) | (<uint64_t>tx.port << 16) | <uint16_t>~tx.length
    return place


cdef inline bint is_before(const Place* one, const Place* other) noexcept nogil:
    return one.relay < other.relay or (one.relay == other.relay and one.rest < other.rest)
