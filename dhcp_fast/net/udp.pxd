from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from libc.string cimport memcpy

from dhcp_fast.net.datagram cimport Datagram
from dhcp_fast.net.routes cimport Routes

cdef extern from "<sys/socket.h>" nogil:
    struct cmsghdr:
        size_t cmsg_len
        int cmsg_level
        int cmsg_type
    struct iovec:
        void* iov_base
        size_t iov_len
    struct msghdr:
        void* msg_name
        unsigned int msg_namelen
        iovec* msg_iov
        size_t msg_iovlen
        void* msg_control
        size_t msg_controllen
        int msg_flags
    struct mmsghdr:
        msghdr msg_hdr
        unsigned int msg_len
    size_t CMSG_SPACE(size_t)
    cmsghdr* CMSG_FIRSTHDR(msghdr*)
    unsigned char* CMSG_DATA(cmsghdr*)
    size_t CMSG_LEN(size_t)
    struct sockaddr_storage:
        unsigned short ss_family

cdef enum:
    BATCH = 64
    INTERFACES = 1024   # cards have low numbers; to those above, datagrams leave one by one

    CONTROL = 128

cdef struct Batch:
    mmsghdr messages[BATCH]
    iovec vectors[BATCH]
    sockaddr_storage peers[BATCH]
    unsigned char control[BATCH][CONTROL]

cdef class UdpSocket:
    """A bound socket with packet info, receive times and the kernel's drop counter; see udp.pyx.

    The families differ in their addresses: IPv4 here, IPv6 in net/udp6.pyx.
    """
    cdef readonly int fd
    cdef readonly int ifindex
    cdef readonly int port
    cdef readonly str interface
    cdef readonly uint64_t kernel_drops
    cdef readonly object sock           # the socket itself; None while its interface is away
    cdef tuple bound
    cdef uint32_t drops_seen
    cdef unsigned int name_length       # of an address
    cdef Batch* batch
    cdef bint cuts
    cdef uint8_t leaving[INTERFACES]
    cdef readonly int refusal           # why the last `send` ended before its last datagram: an errno
    cdef Routes routes                  # from its interface
    cdef UdpSocket other                # see `by_routes`
    cdef int receive(self, Datagram** into, int count) noexcept nogil
    cdef int send(self, Datagram** these, int count) noexcept nogil
    cdef bint has_way(self, const Datagram* datagram) noexcept nogil
    cdef void point_at(self, int message, int first, int parts) noexcept nogil
    cdef void describe(self, int i, Datagram* datagram) noexcept nogil
    cdef void read_control(self, cmsghdr* control, Datagram* datagram) noexcept nogil
    cdef void read_peer(self, int i, Datagram* datagram) noexcept nogil
    cdef void read_info(self, cmsghdr* control, Datagram* datagram) noexcept nogil
    cdef void set_peer(self, int message, const Datagram* datagram) noexcept nogil
    cdef bint goes_with(self, const Datagram* datagram, const Datagram* first) noexcept nogil
    cdef int end_of_run(self, Datagram** these, int start, int count) noexcept nogil
    cdef bint leave_together(self, int ifindex) noexcept nogil
    cdef void look_at(self, int ifindex) noexcept with gil
    cdef void lay_out(self, int message, Datagram** these, int start, int end) noexcept nogil
    cdef void choose_source(self, int message, const Datagram* datagram) noexcept nogil
    cdef void have_cut(self, int message, uint16_t length) noexcept nogil

cdef inline void put_control(cmsghdr* control, int level, int kind, const void* data, size_t length) noexcept nogil:
    control.cmsg_level = level
    control.cmsg_type = kind
    control.cmsg_len = CMSG_LEN(length)
    memcpy(CMSG_DATA(control), data, length)
