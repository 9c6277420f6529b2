"""Copies of one client's packets, replies and decisions, for those who watch it.

trace_ring.pyx makes them, engine/trace_reader.pyx hands them out.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.net.datagram cimport RECEIVE_BUFFER

cdef enum:
    MAX_TRACERS = 4
    TRACE_ROOM = 256            # entries that wait for their reader
    WANTED_ROOM = 256
    NO_ANSWER = 255             # in place of a message type
    CLASSES_ROOM = 1024
    NO_SUBJECT = 255            # of a class without a value, in place of what its value is of

# The classes of the packet that was decided last, each as clients/class_notes.pyx writes it.
cdef struct TracedClasses:
    uint16_t used
    uint8_t octets[CLASSES_ROOM]

# Client of a trace. Length 0: any. `client_id`: of DHCPv6 the DUID.
cdef struct Wanted:
    uint8_t mac[16]
    uint8_t mac_length
    uint8_t client_id[WANTED_ROOM]
    uint16_t client_id_length

# A decision with the packet that it is about, or a reply that left.
cdef struct Entry:
    bint is_reply
    uint8_t action, reason, notice, operation, answer, way
    uint32_t slot               # the packet's place in the server while it is there
    uint32_t subnet_no
    uint64_t hi, lo             # the address that the decision is about; 0: none
    uint64_t peer_hi, peer_lo   # where it came from or goes to
    uint16_t port
    int ifindex
    int64_t arrived, when       # nanoseconds of the real-time clock; 0: unknown
    uint16_t length
    uint8_t octets[RECEIVE_BUFFER]
    TracedClasses classes       # of a decision

cdef struct Tracer:
    Wanted wanted
    uint32_t first, count       # of the ring
    uint64_t lost
    Entry entries[TRACE_ROOM]

cdef struct Tracers:
    int count                   # 0: nobody watches, the only test that a packet then costs
    Tracer* at[MAX_TRACERS]
    TracedClasses classes       # while somebody watches, State.traced
