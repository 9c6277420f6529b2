"""Reader for traces of a client: opens a ring for it, empties it, and returns its entries as Python values.
"""

cimport cython
from libc.stdint cimport uint8_t, uint16_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from dhcp_fast.engine.engine cimport Engine
from dhcp_fast.engine.engine_view import MESSAGES
from dhcp_fast.state.state cimport ACTION_CHECK, ACTION_DONE, ACTION_DROP, ACTION_REPLY, ACTION_WRITE
from dhcp_fast.state.trace_entry cimport MAX_TRACERS, NO_SUBJECT, TRACE_ROOM, WANTED_ROOM, Entry, Tracer, Tracers
from ipam_core.dhcp.reasons import NOTICE_NAMES, REASON_NAMES
from dhcp_fast.net.datagram cimport BY_FRAME

ACTIONS = {ACTION_DROP: "dropped", ACTION_REPLY: "answered", ACTION_WRITE: "written", ACTION_DONE: "done",
           ACTION_CHECK: "checked"}


class TracesBusyError(Exception):
    """As many clients are watched as there is room for."""


@cython.no_gc_clear     # its deallocation needs the engine, also from the garbage collector
cdef class Trace:
    """Trace(engine, mac, client_id): watches from now on; either may be empty. `close` ends it."""

    cdef Engine engine
    cdef Tracer* tracer
    cdef int index

    def __cinit__(self, Engine engine, bytes mac, bytes client_id):
        self.engine = engine
        self.index = free_index(&engine.tracers)
        if self.index < 0:
            raise TracesBusyError
        if len(mac) > 16 or len(client_id) >= WANTED_ROOM or not mac and not client_id:
            raise ValueError("what is to be watched?")
        self.tracer = <Tracer*>calloc(1, sizeof(Tracer))
        if self.tracer == NULL:
            raise MemoryError
        memcpy(self.tracer.wanted.mac, <const uint8_t*>mac, len(mac))
        self.tracer.wanted.mac_length = <uint8_t>len(mac)
        memcpy(self.tracer.wanted.client_id, <const uint8_t*>client_id, len(client_id))
        self.tracer.wanted.client_id_length = <uint16_t>len(client_id)
        engine.tracers.at[self.index] = self.tracer
        engine.tracers.count += 1
        engine.tracers.classes.used = 0
        engine.state.traced = &engine.tracers.classes

    def close(self):
        self.end()

    def __dealloc__(self):
        self.end()

    cdef void end(self) noexcept:
        if self.tracer == NULL:
            return
        self.engine.tracers.at[self.index] = NULL
        self.engine.tracers.count -= 1
        if not self.engine.tracers.count:
            self.engine.state.traced = NULL
        free(self.tracer)
        self.tracer = NULL

    def take(self):
        """Return the entries since the last call, oldest first, and how many more there was no room for."""
        found = []
        lost = self.tracer.lost
        self.tracer.lost = 0
        while self.tracer.count:
            found.append(told(&self.tracer.entries[self.tracer.first], MESSAGES[self.engine.family]))
            self.tracer.first = (self.tracer.first + 1) % TRACE_ROOM
            self.tracer.count -= 1
        return found, lost


cdef int free_index(const Tracers* tracers) noexcept nogil:
    cdef int i
    for i in range(MAX_TRACERS):
        if tracers.at[i] == NULL:
            return i
    return -1


cdef dict told(const Entry* entry, tuple messages):
    return {
        "is_reply": bool(entry.is_reply),
        "decision": None if entry.is_reply else ACTIONS[entry.action],
        "reason": REASON_NAMES[entry.reason] if entry.reason else None,
        "notice": NOTICE_NAMES[entry.notice] if entry.notice else None,
        "operation": chr(entry.operation) if entry.operation else None,
        "answer": messages[entry.answer] if entry.answer < len(messages) else None,
        "classes": classes_of(entry),
        "slot": entry.slot, "subnet_no": entry.subnet_no, "address": <object>entry.hi << 64 | entry.lo,
        "peer": <object>entry.peer_hi << 64 | entry.peer_lo, "port": entry.port,
        "ifindex": entry.ifindex, "by_frame": entry.way == BY_FRAME,
        "arrived": entry.arrived, "when": entry.when, "octets": entry.octets[:entry.length]}


cdef list classes_of(const Entry* entry):
    """Return (name, what its value is of, the value) of the client's classes, as clients/class_notes.pyx wrote them; of
    one without a value None and None."""
    cdef const uint8_t* octets = &entry.classes.octets[0]
    cdef int at = 0, behind
    found = []
    while at < entry.classes.used:
        behind = at + 1 + octets[at]
        name = octets[at + 1:behind].decode(errors="replace")
        at = behind + 2 + octets[behind + 1]
        valued = octets[behind] != NO_SUBJECT
        found.append((name, octets[behind] if valued else None, octets[behind + 2:at] if valued else None))
    return found
