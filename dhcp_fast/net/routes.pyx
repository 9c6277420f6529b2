"""Check that the kernel's IPv4 routes lead from an interface to a peer (rtnetlink(7), RTM_GETROUTE).

A socket that is bound to an interface can send to any IPv4 address there: without a route the
kernel treats the peer as on-link, and the datagram is lost without an error. IPv6 returns
ENETUNREACH. So routes are requested before such a datagram is sent. The kernel answers at once and
without a lock; answers are used for a second.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from libc.string cimport memset
from posix.unistd cimport close

cdef extern from "<sys/socket.h>" nogil:
    int socket(int, int, int)
    ssize_t send(int, const void*, size_t, int)
    ssize_t recv(int, void*, size_t, int)
    int AF_NETLINK, AF_INET, SOCK_RAW, SOCK_CLOEXEC, MSG_DONTWAIT

cdef extern from "<netinet/in.h>" nogil:
    uint32_t htonl(uint32_t)

cdef extern from "<linux/rtnetlink.h>" nogil:
    struct nlmsghdr:
        uint32_t nlmsg_len
        uint16_t nlmsg_type
        uint16_t nlmsg_flags
        uint32_t nlmsg_seq
    struct rtmsg:
        unsigned char rtm_family
        unsigned char rtm_dst_len
        unsigned char rtm_src_len
        unsigned int rtm_flags
    struct rtattr:
        unsigned short rta_len
        unsigned short rta_type
    int NETLINK_ROUTE, RTM_GETROUTE, NLM_F_REQUEST, NLMSG_ERROR, RTA_DST, RTA_SRC, RTA_OIF

cdef extern from "<time.h>" nogil:
    struct timespec:
        long tv_sec
        long tv_nsec
    int CLOCK_MONOTONIC_COARSE
    int clock_gettime(int, timespec*)

cdef enum:
    BY_TABLES = 0x2000          # RTM_F_FIB_MATCH (Linux 4.13): the route of the tables, or an error where none matches
    FRESH = 1000000000          # nanoseconds

cdef struct Number:
    rtattr head
    uint32_t value

cdef struct Question:
    nlmsghdr head
    rtmsg route
    Number peer
    Number source
    Number interface

cdef struct Reply:
    nlmsghdr head
    int32_t error
    uint8_t rest[1024]


cdef class Routes:
    """Routes from one interface."""

    def __cinit__(self):
        self.fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)

    def __dealloc__(self):
        if self.fd >= 0:
            close(self.fd)

    cdef bint lead_to(self, int ifindex, uint32_t source, uint32_t peer) noexcept nogil:
        """Return whether a datagram from `source` leaves by the interface for `peer`: addresses in
        host byte order. True also if the kernel does not answer.
        """
        cdef timespec now
        cdef int64_t when
        cdef Answer* kept = &self.answers[(peer ^ peer >> 6 ^ peer >> 12 ^ peer >> 18) % KEPT]
        clock_gettime(CLOCK_MONOTONIC_COARSE, &now)
        when = <int64_t>now.tv_sec * 1000000000 + now.tv_nsec
        if not kept.when or when - kept.when > FRESH or kept.peer != peer or kept.source != source:
            kept.when, kept.source, kept.peer = when, source, peer
            kept.leads = ask(self.fd, ifindex, source, peer)
        return kept.leads


cdef bint ask(int fd, int ifindex, uint32_t source, uint32_t peer) noexcept nogil:
    cdef Question question
    cdef Reply reply
    memset(&question, 0, sizeof(question))
    memset(&reply, 0, sizeof(reply))
    question.head.nlmsg_len = sizeof(question)
    question.head.nlmsg_type = <uint16_t>RTM_GETROUTE
    question.head.nlmsg_flags = <uint16_t>NLM_F_REQUEST
    question.route.rtm_family = <unsigned char>AF_INET
    question.route.rtm_dst_len = question.route.rtm_src_len = 32
    question.route.rtm_flags = BY_TABLES
    write(&question.peer, RTA_DST, htonl(peer))
    write(&question.source, RTA_SRC, htonl(source))
    write(&question.interface, RTA_OIF, <uint32_t>ifindex)
    if send(fd, &question, sizeof(question), MSG_DONTWAIT) < 0:
        return True
    if recv(fd, &reply, sizeof(reply), MSG_DONTWAIT) < <ssize_t>(sizeof(nlmsghdr) + sizeof(int32_t)):
        return True
    return reply.head.nlmsg_type != NLMSG_ERROR


cdef void write(Number* attribute, int kind, uint32_t value) noexcept nogil:
    attribute.head.rta_len = <unsigned short>sizeof(Number)
    attribute.head.rta_type = <unsigned short>kind
    attribute.value = value
