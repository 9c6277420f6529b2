from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.net.datagram cimport Datagram

cdef extern from "<sys/socket.h>" nogil:
    struct cmsghdr:
        size_t cmsg_len
        int cmsg_level
        int cmsg_type

cdef enum:
    BATCH = 64
    INTERFACES = 1024   # cards have low numbers; to those above, datagrams leave one by one

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
    cdef bint cuts
    cdef uint8_t leaving[INTERFACES]
    cdef int receive(self, Datagram** into, int count) noexcept nogil
    cdef int send(self, Datagram** these, int count) noexcept nogil
    cdef void point_at(self, int message, int first, int parts) noexcept nogil
    cdef void describe(self, int i, Datagram* datagram) noexcept nogil
    cdef void read_control(self, cmsghdr* control, Datagram* datagram) noexcept nogil
    cdef int end_of_run(self, Datagram** these, int start, int count) noexcept nogil
    cdef bint leave_together(self, int ifindex) noexcept nogil
    cdef void look_at(self, int ifindex) noexcept with gil
    cdef void lay_out(self, int message, Datagram** these, int start, int end) noexcept nogil
    cdef void choose_source(self, int message, const Datagram* datagram) noexcept nogil
    cdef void have_cut(self, int message, uint16_t length) noexcept nogil
