from libc.stdint cimport uint32_t, uint64_t

from dhcp_fast.io.datagram cimport Datagram

cdef extern from "<sys/socket.h>" nogil:
    struct cmsghdr:
        size_t cmsg_len
        int cmsg_level
        int cmsg_type

cdef enum:
    BATCH = 64

cdef struct Batch

cdef class UdpSocket:
    """A bound IPv4 socket with packet info, receive times and the kernel's drop counter; see udp.pyx."""
    cdef readonly int fd
    cdef readonly int ifindex
    cdef readonly int port
    cdef readonly str interface
    cdef readonly uint64_t kernel_drops
    cdef object sock
    cdef uint32_t drops_seen
    cdef Batch* batch
    cdef int receive(self, Datagram** into, int count) noexcept nogil
    cdef int send(self, Datagram** these, int count) noexcept nogil
    cdef void point_at(self, int i, void* data, size_t length) noexcept nogil
    cdef void describe(self, int i, Datagram* datagram) noexcept nogil
    cdef void read_control(self, cmsghdr* control, Datagram* datagram) noexcept nogil
    cdef void choose_source(self, int i, const Datagram* datagram) noexcept nogil
