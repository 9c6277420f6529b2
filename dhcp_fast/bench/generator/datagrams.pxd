from libc.stdint cimport int64_t, uint8_t

from dhcp_fast.bench.generator.linux cimport iovec, mmsghdr

cdef enum:
    BATCH = 256     # packets that go in one call
    MESSAGES = 64   # messages that come in one call
    ROOM = 66624    # for the longest message; not a power of two, so that not all begin in one set of the cache
    SMALLEST = 120  # octets a packet of a message that came whole: a DHCP reply is longer, also of DHCPv6 to a relay
    PACKETS = MESSAGES * (65536 // SMALLEST + 1)
    CONTROL = 32


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
    cdef uint8_t peer[28]             # room for an address of either family
    cdef iovec out_parts[BATCH]
    cdef iovec in_parts[MESSAGES]
    cdef mmsghdr out_messages[BATCH]
    cdef mmsghdr in_messages[MESSAGES]
    cdef uint8_t control[MESSAGES][CONTROL]
    cdef const uint8_t *packets[PACKETS]    # packets found by `receive`
    cdef int lengths[PACKETS]
    cdef int found

    cdef uint8_t *next_packet(self) noexcept nogil
    cdef void flush(self) noexcept nogil
    cdef int receive(self) noexcept nogil
    cdef void divide(self, int index) noexcept nogil
    cdef int size_of_packets(self, int index) noexcept nogil
    cdef int lay_out(self) noexcept nogil
    cdef bint survived(self) noexcept nogil

    cdef inline const uint8_t *packet(self, int index) noexcept nogil:
        return self.packets[index]

    cdef inline int length(self, int index) noexcept nogil:
        return self.lengths[index]
