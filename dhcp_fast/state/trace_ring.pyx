"""Watching one client: bounded rings of copied packets, filled on the packet path; watch.pyx empties them.

Who watches asks for a hardware address, a client identifier or both, as they stand in the packet, so what is dropped
before a client is known is seen too. While nobody watches, a packet costs one test; while somebody does, each packet is
compared and only the client's own are copied. A ring that is full loses the newest entries, and counts them.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcmp, memcpy

from dhcp_fast.state.slot cimport EXCHANGE_NONE, reply_type
from dhcp_fast.state.state cimport ACTION_CHECK, ACTION_DROP, ACTION_REPLY, ACTION_WRITE
from dhcp_fast.state.trace_entry cimport MAX_TRACERS, NO_ANSWER, TRACE_ROOM, Entry, Tracer, Tracers, Wanted
from dhcp_fast.wire.codes cimport OPT_DHCP_CLIENT_IDENTIFIER
from dhcp_fast.wire.packet4 cimport HEADER4

cdef extern from "<time.h>" nogil:
    struct timespec:
        long tv_sec
        long tv_nsec
    int clock_gettime(int, timespec*)
    int CLOCK_REALTIME

cdef enum:
    CHADDR = 28
    OPT_PAD = 0
    OPT_END = 255


cdef void trace_decision(Tracers* tracers, const State* state, const Slot* slot, uint32_t index,
                         int action) noexcept nogil:
    """For each who watches this client; after a drop the reason is the state's last one."""
    cdef int i
    cdef Entry* entry
    for i in range(MAX_TRACERS):
        entry = new_entry(tracers.at[i], slot, index)
        if entry == NULL:
            continue
        entry.is_reply = False
        entry.action = <uint8_t>action
        entry.reason = <uint8_t>state.last_reason if action == ACTION_DROP else 0
        entry.notice = <uint8_t>state.last_notice
        entry.operation = slot.op.kind if action == ACTION_WRITE else 0
        entry.answer = answer_of(slot, action)
        entry.address = <uint32_t>slot.op.lo if action == ACTION_WRITE or action == ACTION_CHECK else 0
        entry.peer = slot.rx.peer
        entry.port = slot.rx.port
        entry.local = slot.rx.local
        entry.way = slot.rx.way
        entry.ifindex = slot.rx.ifindex
        entry.length = slot.rx.length
        memcpy(entry.octets, slot.request, slot.rx.length)


cdef inline uint8_t answer_of(const Slot* slot, int action) noexcept nogil:
    """The type of the reply that leaves, at once or after the COMMIT."""
    if action == ACTION_REPLY or action == ACTION_WRITE and slot.exchange != EXCHANGE_NONE:
        return reply_type(slot)
    return NO_ANSWER


cdef void trace_reply(Tracers* tracers, const Slot* slot, uint32_t index) noexcept nogil:
    """The slot's reply has left."""
    cdef int i
    cdef Entry* entry
    for i in range(MAX_TRACERS):
        entry = new_entry(tracers.at[i], slot, index)
        if entry == NULL:
            continue
        entry.is_reply = True
        entry.action = entry.reason = entry.notice = entry.operation = 0
        entry.address = 0
        entry.answer = reply_type(slot)
        entry.peer = slot.tx.peer
        entry.port = slot.tx.port
        entry.local = slot.tx.local
        entry.way = slot.tx.way
        entry.ifindex = slot.tx.ifindex
        entry.length = slot.tx.length
        memcpy(entry.octets, slot.reply, slot.tx.length)


cdef Entry* new_entry(Tracer* tracer, const Slot* slot, uint32_t index) noexcept nogil:
    """Room for an entry about the slot's packet; NULL when it is not wanted, or there is no room."""
    cdef timespec when
    cdef Entry* entry
    if tracer == NULL or not is_wanted(&tracer.wanted, slot.request, slot.rx.length):
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


cdef bint is_wanted(const Wanted* wanted, const uint8_t* packet, uint16_t length) noexcept nogil:
    """By the octets alone: the packet may be malformed behind them."""
    if length < CHADDR + 16:
        return False
    if wanted.mac_length and memcmp(packet + CHADDR, wanted.mac, wanted.mac_length) != 0:
        return False
    return not wanted.client_id_length or has_client_id(wanted, packet, length)


cdef bint has_client_id(const Wanted* wanted, const uint8_t* packet, uint16_t length) noexcept nogil:
    """Option 61 among the options, as far as these can be walked (RFC 2132 section 9.14)."""
    cdef uint16_t at = HEADER4
    while at + 1 < length and packet[at] != OPT_END:
        if packet[at] == OPT_PAD:
            at += 1
            continue
        if packet[at] == OPT_DHCP_CLIENT_IDENTIFIER and at + 2 + packet[at + 1] <= length:
            return (packet[at + 1] == wanted.client_id_length
                    and memcmp(packet + at + 2, wanted.client_id, wanted.client_id_length) == 0)
        at += 2 + packet[at + 1]
    return False
