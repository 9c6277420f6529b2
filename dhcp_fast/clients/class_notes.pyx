"""Notes on the classes of a client: its value for a template and, for traces, the class's name.

They decide nothing. A plan without templates never comes here unless there is a trace.
"""

from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memcpy

from dhcp_fast.state.trace_entry cimport CLASSES_ROOM, NO_SUBJECT, TracedClasses
from dhcp_fast.structures.recent_values cimport count_value

cdef enum:
    MOST_OCTETS = 255       # of a name, or of a value


cdef void begin_classes(State* state) noexcept nogil:
    """Forget the notes, because a packet may be decided more than once; the last time counts."""
    state.traced.used = 0


cdef void note_class(State* state, const Slot* slot, const ClientClass* found, Field value) noexcept nogil:
    """Note `value`, the client's value for a template, at most 255 octets; `data` NULL: none."""
    if found.values != NULL and value.data != NULL and not slot.counted:
        state.values_forgotten += count_value(found.values, state.hash_key, value.data, <uint8_t>value.length)
    if state.traced != NULL:
        tell(state.traced, Field(found.name.data, min(found.name.length, <uint16_t>MOST_OCTETS)), value,
             found.leaves[0].subject if value.data != NULL else <uint8_t>NO_SUBJECT)


cdef void tell(TracedClasses* traced, Field name, Field value, uint8_t subject) noexcept nogil:
    """Write length and name, the subject of the value, length and value (engine/trace_reader.pyx reads them).

    A class without room is left out.
    """
    cdef uint8_t* into = traced.octets + traced.used
    if traced.used + 3 + name.length + value.length > CLASSES_ROOM:
        return
    into[0] = <uint8_t>name.length
    if name.length:
        memcpy(into + 1, name.data, name.length)
    into += 1 + name.length
    into[0] = subject
    into[1] = <uint8_t>value.length
    if value.length:
        memcpy(into + 2, value.data, value.length)
    traced.used += 3 + name.length + value.length
