"""The ping check's outside: answers in, lapses in time, and the waiting DISCOVERs on their way again.

Called when the ICMP socket is readable and when the oldest request's time is over; server/ping_timer.py does both.
"""

from libc.stdint cimport int64_t, uint32_t

from dhcp_fast.engine.engine cimport Engine
from dhcp_fast.dhcp4.ping_check cimport answered_ping, lapsed_ping, next_due, still_offered
from dhcp_fast.state.queue cimport slot_at
from dhcp_fast.state.slot cimport NO_SLOT
from dhcp_fast.state.state cimport drop
from dhcp_fast.state.reasons cimport REASON_OVERTAKEN
from dhcp_fast.net.icmp cimport ECHO_BATCH, EchoReply, IcmpSocket

cdef enum:
    ROUNDS = 8              # of messages taken before the loop gets its turn


def begin(Engine engine, IcmpSocket icmp, int milliseconds):
    """Ask by this socket from now on, and wait so long for an answer."""
    engine.icmp = icmp
    engine.state.pings.wait = <int64_t>milliseconds * 1000
    engine.state.pings.able = True


def receive(Engine engine):
    """Take the waiting answers: an address that answers is in use, and its client gets another one."""
    cdef EchoReply replies[ECHO_BATCH]
    cdef bint more = True
    cdef int i, count, _round
    cdef uint32_t index
    engine.read_clocks()
    for _round in range(ROUNDS):
        count = engine.icmp.receive(replies, &more)
        for i in range(count):
            index = answered_ping(&engine.state, &replies[i])
            if index != NO_SLOT:
                engine.resume(index)
        if not more:
            break
    engine.send()


def lapse(Engine engine):
    """Offer the addresses that had their time and did not answer, where their clients still want them."""
    cdef uint32_t index
    engine.read_clocks()
    while True:
        index = lapsed_ping(&engine.state)
        if index == NO_SLOT:
            break
        if still_offered(&engine.state, slot_at(engine.state.queue, index)):
            engine.resume(index)
        else:
            engine.decided_again(index, drop(&engine.state, REASON_OVERTAKEN))
    engine.send()


def due_in(Engine engine):
    """Return seconds until the oldest request's time is over; None when none is out."""
    cdef int64_t due = next_due(engine.state.pings)
    if not due:
        return None
    engine.read_clocks()
    return max(due - engine.state.now, 0) / 1e6
