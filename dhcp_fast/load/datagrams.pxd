from libc.stdint cimport int64_t, uint8_t

from dhcp_fast.load.linux cimport iovec, mmsghdr

cdef enum:
    BATCH = 256
    ROOM = 1536  # a reply is at most an Ethernet frame's worth


cdef class Datagrams:
    cdef readonly object socket
    cdef readonly int64_t refused     # sends that met "port unreachable": nobody listens there
    cdef readonly int64_t unsent
    cdef int fd
    cdef int per_message              # packets the kernel cuts out of one message; 1: no offload
    cdef int queued
    cdef bint answering
    cdef uint8_t *outgoing
    cdef uint8_t *incoming
    cdef uint8_t peer[16]
    cdef iovec out_parts[BATCH]
    cdef iovec in_parts[BATCH]
    cdef mmsghdr out_messages[BATCH]
    cdef mmsghdr in_messages[BATCH]

    cdef uint8_t *next_packet(self) noexcept nogil
    cdef void flush(self) noexcept nogil
    cdef int receive(self) noexcept nogil
    cdef int lay_out(self) noexcept nogil
    cdef bint survived(self) noexcept nogil

    cdef inline const uint8_t *packet(self, int index) noexcept nogil:
        return self.incoming + index * ROOM

    cdef inline int length(self, int index) noexcept nogil:
        return <int>self.in_messages[index].msg_len
