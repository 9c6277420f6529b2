"""Traces of clients: bounded rings of copied packets, filled on the packet path; trace_reader.pyx
empties them.

A trace selects a hardware address, a client identifier or both, as they are in the packet, so it
also shows packets that are dropped before a client is known. Without traces a packet costs one
test; with traces each packet is compared and only the client's own are copied. A ring that is full
loses the newest entries, and counts them.
"""

from libc.stdint cimport int64_t
from libc.string cimport memcpy

from dhcp_fast.state.slot cimport EXCHANGE_NONE
from dhcp_fast.state.state cimport ACTION_CHECK, ACTION_DROP, ACTION_REPLY, ACTION_WRITE
from dhcp_fast.state.trace_entry cimport MAX_TRACERS, NO_ANSWER, TRACE_ROOM, Entry, Tracer, Tracers

cdef extern from "<time.h>" nogil:
    struct timespec:
        long tv_sec
        long tv_nsec
    int clock_gettime(int, timespec*)
    int CLOCK_REALTIME

cdef void trace_decision(Tracers* tracers, const Protocol* protocol, const State* state, const Slot* slot,
                         uint32_t index, int action) noexcept nogil:
    """Trace the decision for each who watches this client; after a drop the reason is the state's last one."""
    cdef int i
    cdef Entry* entry
    for i in range(MAX_TRACERS):
        entry = new_entry(tracers.at[i], protocol, slot, index)
        if entry == NULL:
            continue
        entry.is_reply = False
        entry.action = <uint8_t>action
        entry.reason = <uint8_t>state.last_reason if action == ACTION_DROP else 0
        entry.notice = <uint8_t>state.last_notice
        entry.operation = slot.op.kind if action == ACTION_WRITE else 0
        entry.answer = answer_of(protocol, slot, action)
        entry.hi = slot.op.hi if action == ACTION_WRITE else 0
        entry.lo = slot.op.lo if action == ACTION_WRITE or action == ACTION_CHECK else 0
        entry.peer_hi = slot.rx.peer_hi
        entry.peer_lo = slot.rx.peer_lo if protocol.family == 6 else slot.rx.peer
        entry.port = slot.rx.port
        entry.way = slot.rx.way
        entry.ifindex = slot.rx.ifindex
        entry.length = slot.rx.length
        memcpy(entry.octets, slot.request, slot.rx.length)
        entry.classes.used = tracers.classes.used
        memcpy(entry.classes.octets, tracers.classes.octets, tracers.classes.used)
    tracers.classes.used = 0    # the next packet's classes are perhaps not looked at


cdef inline uint8_t answer_of(const Protocol* protocol, const Slot* slot, int action) noexcept nogil:
    """Return the type of the reply that leaves, at once or after the COMMIT."""
    if action == ACTION_REPLY or action == ACTION_WRITE and slot.exchange != EXCHANGE_NONE:
        return protocol.reply_type(slot)
    return NO_ANSWER


cdef void trace_reply(Tracers* tracers, const Protocol* protocol, const Slot* slot, uint32_t index) noexcept nogil:
    """Trace the reply, which has left."""
    cdef int i
    cdef Entry* entry
    for i in range(MAX_TRACERS):
        entry = new_entry(tracers.at[i], protocol, slot, index)
        if entry == NULL:
            continue
        entry.is_reply = True
        entry.action = entry.reason = entry.notice = entry.operation = 0
        entry.hi = entry.lo = 0
        entry.answer = protocol.reply_type(slot)
        entry.peer_hi = slot.tx.peer_hi
        entry.peer_lo = slot.tx.peer_lo if protocol.family == 6 else slot.tx.peer
        entry.port = slot.tx.port
        entry.way = slot.tx.way
        entry.ifindex = slot.tx.ifindex
        entry.length = slot.tx.length
        memcpy(entry.octets, slot.reply, slot.tx.length)


cdef Entry* new_entry(Tracer* tracer, const Protocol* protocol, const Slot* slot, uint32_t index) noexcept nogil:
    """Return room for an entry about the slot's packet; NULL when it is not wanted, or there is no room."""
    cdef timespec when
    cdef Entry* entry
    if tracer == NULL or not protocol.is_watched(&tracer.wanted, slot):
        return NULL
    if tracer.count == TRACE_ROOM:
        tracer.lost += 1
        return NULL
    entry = &tracer.entries[(tracer.first + tracer.count) % TRACE_ROOM]
    tracer.count += 1
    clock_gettime(CLOCK_REALTIME, &when)
    entry.when = <int64_t>when.tv_sec * 1000000000 + when.tv_nsec
    entry.arrived = slot.rx.received
    entry.slot = index
    entry.subnet_no = slot.op.subnet_no
    return entry
