"""UDP in batches: recvmmsg and sendmmsg into preallocated message headers.

The socket is an ordinary non-blocking one, watched by the event loop. This file moves datagrams
between the kernel and the engine's buffers, up to 64 per system call. It reads the control
messages: destination address and interface (IP_PKTINFO), receive time (SO_TIMESTAMPNS) and the
number of datagrams that the kernel dropped (SO_RXQ_OVFL). A socket for directly attached clients is
bound to its interface; while the interface is gone there is none, and a new one replaces it when
the interface is back (`rest`, `hold`). Replies that are routed through another interface leave by a
second socket (`by_routes`).

Replies of one size to one relay leave as one message that the kernel cuts into datagrams
(UDP_SEGMENT), so that only one message passes through the stack. This happens only if the relay is
behind a physical link (segmentation.py).
"""

import socket
import struct

from libc.errno cimport EINVAL, EIO, EMSGSIZE, ENETUNREACH, errno
from libc.stdint cimport int64_t, uint16_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from dhcp_fast.net.segmentation import leads_to_real_wire

from dhcp_fast.net.datagram cimport BY_UDP, RECEIVE_BUFFER

cdef extern from "<sys/socket.h>" nogil:
    cmsghdr* CMSG_NXTHDR(msghdr*, cmsghdr*)
    int recvmmsg(int, mmsghdr*, unsigned int, int, void*)
    int sendmmsg(int, mmsghdr*, unsigned int, int)
    int MSG_DONTWAIT, MSG_TRUNC, SOL_SOCKET, AF_INET, SO_TIMESTAMPNS, SO_RXQ_OVFL

cdef extern from "<netinet/in.h>" nogil:
    struct in_addr:
        uint32_t s_addr
    struct sockaddr_in:
        unsigned short sin_family
        uint16_t sin_port
        in_addr sin_addr
    struct in_pktinfo:
        int ipi_ifindex
        in_addr ipi_spec_dst
        in_addr ipi_addr
    int IPPROTO_IP, IPPROTO_UDP, IP_PKTINFO
    uint32_t ntohl(uint32_t)
    uint32_t htonl(uint32_t)
    uint16_t ntohs(uint16_t)
    uint16_t htons(uint16_t)

cdef extern from "<time.h>" nogil:
    struct timespec:
        long tv_sec
        long tv_nsec

cdef enum:
    UDP_SEGMENT = 103           # linux/udp.h
    LONGEST_MESSAGE = 65000     # octets, below what an IPv4 datagram may hold

    UNKNOWN = 0                 # how replies to relays behind an interface leave
    TOGETHER = 1
    ALONE = 2

SO_TIMESTAMPNS_OPTION = SO_TIMESTAMPNS
SO_RXQ_OVFL_OPTION = SO_RXQ_OVFL
SO_RCVBUFFORCE = 33
SO_MEMINFO, SK_MEMINFO_DROPS = 55, 8        # linux/sock_diag.h
LONGEST_NAME = 16        # net/if.h: IFNAMSIZ
IP_FREEBIND = 15
NOBODYS_PORT = 9         # of the discard service (RFC 863), which sends nothing
MEMORY_INFO = struct.Struct("=9I")
RECEIVE_ROOM = 8 << 20


cdef class UdpSocket:
    """Bound to `host`:`port`; with `interface`, to that interface only. `sock` is one that
    `open_socket` made, `resting`: there is none yet."""

    def __cinit__(self, host, port, interface=None, sock=None, resting=False):
        self.batch = <Batch*>calloc(1, sizeof(Batch))
        if self.batch == NULL:
            raise MemoryError

    def __init__(self, host, port, interface=None, sock=None, resting=False):
        self.name_length = sizeof(sockaddr_in)
        self.begin(host, port, interface)
        if not resting:
            self.hold(sock or open_socket(host, port, interface))

    def begin(self, host, port, interface):
        self.interface = interface
        self.bound = (host, port)
        self.port = port
        self.fd = -1

    def hold(self, sock):
        """Use this one from now on, in place of the one before. Raises OSError where its interface has gone."""
        index = 0 if self.interface is None else bound_index(sock)
        self.rest()
        self.sock = sock
        self.fd, self.ifindex = sock.fileno(), index
        self.routes = Routes()
        self.cuts = can_cut(sock)
        self.bound = sock.getsockname()
        self.port = self.bound[1]
        self.drops_seen = 0

    def rest(self):
        """Close it: nothing comes or leaves until `hold`."""
        if self.sock is not None:
            self.sock.close()
        self.sock = None
        self.fd = -1
        self.ifindex = 0
        if self.other is not None:
            self.other.rest()
            self.other = None

    def pass_over_drops(self):
        """Return how many datagrams the kernel dropped until now and nobody has counted; `kernel_drops` leaves these
        out."""
        seen, self.drops_seen = self.drops_seen, 0 if self.sock is None else kernel_drops(self.sock)
        return <uint32_t>(self.drops_seen - seen)

    def by_routes(self):
        """Return a socket of our port that sends by whichever interface the kernel's routes lead to, and receives
        nothing: it is connected to a port of this host that nobody sends from. Other programs may have the port on
        their addresses. None where there can be none."""
        if self.other is None:
            try:
                self.other = type(self)(*self.bound[:2], sock=open_for_sending(self.name_length, self.port))
            except OSError:
                return None
        return self.other

    def reaches(self, int64_t source, int64_t peer):
        """Return whether a datagram from `source`, an IPv4 address of ours, can leave for `peer` by the interface."""
        return not self.ifindex or self.routes.lead_to(self.ifindex, <uint32_t>source, <uint32_t>peer)

    def forget_wires(self):
        """Forget the interfaces, which have changed: find out anew which lead to a real wire."""
        memset(self.leaving, UNKNOWN, INTERFACES)

    def __dealloc__(self):
        free(self.batch)

    @property
    def address(self):
        """Return (host, port) as bound; the port is the kernel's choice when 0 was asked."""
        return self.bound

    def close(self):
        self.rest()

    cdef int receive(self, Datagram** into, int count) noexcept nogil:
        """Receive up to `count` (at most BATCH) datagrams that are there; 0 when none is. Their buffers are
        RECEIVE_BUFFER."""
        cdef int i, got
        for i in range(count):
            self.batch.vectors[i].iov_base = into[i].data
            self.batch.vectors[i].iov_len = RECEIVE_BUFFER
            self.point_at(i, i, 1)
            self.batch.messages[i].msg_hdr.msg_controllen = CONTROL
        got = recvmmsg(self.fd, self.batch.messages, count, MSG_DONTWAIT, NULL)
        for i in range(got):
            self.describe(i, into[i])
        return max(got, 0)

    cdef void point_at(self, int message, int first, int parts) noexcept nogil:
        """Point the message at so many vectors, from the `first` on."""
        cdef msghdr* header = &self.batch.messages[message].msg_hdr
        header.msg_name = &self.batch.peers[message]
        header.msg_namelen = self.name_length
        header.msg_iov = &self.batch.vectors[first]
        header.msg_iovlen = parts
        header.msg_control = self.batch.control[message]
        header.msg_flags = 0

    cdef void describe(self, int i, Datagram* datagram) noexcept nogil:
        """Note peer, destination, interface and receive time of message `i`; a truncated one gets length 0."""
        cdef msghdr* header = &self.batch.messages[i].msg_hdr
        cdef cmsghdr* control = CMSG_FIRSTHDR(header)
        datagram.length = 0 if header.msg_flags & MSG_TRUNC else <uint16_t>self.batch.messages[i].msg_len
        self.read_peer(i, datagram)
        datagram.way = BY_UDP
        datagram.received = 0
        while control != NULL:
            self.read_control(control, datagram)
            control = CMSG_NXTHDR(header, control)

    cdef void read_control(self, cmsghdr* control, Datagram* datagram) noexcept nogil:
        cdef timespec when
        cdef uint32_t drops
        if control.cmsg_level != SOL_SOCKET:
            self.read_info(control, datagram)
        elif control.cmsg_type == SO_TIMESTAMPNS:
            memcpy(&when, CMSG_DATA(control), sizeof(when))
            datagram.received = <int64_t>when.tv_sec * 1000000000 + when.tv_nsec
        elif control.cmsg_type == SO_RXQ_OVFL:
            memcpy(&drops, CMSG_DATA(control), sizeof(drops))
            self.kernel_drops += <uint32_t>(drops - self.drops_seen)
            self.drops_seen = drops

    cdef void read_peer(self, int i, Datagram* datagram) noexcept nogil:
        cdef const sockaddr_in* peer = <const sockaddr_in*>&self.batch.peers[i]
        datagram.peer = ntohl(peer.sin_addr.s_addr)
        datagram.port = ntohs(peer.sin_port)

    cdef void read_info(self, cmsghdr* control, Datagram* datagram) noexcept nogil:
        """Read where it came to (IP_PKTINFO)."""
        cdef in_pktinfo info
        if control.cmsg_level == IPPROTO_IP and control.cmsg_type == IP_PKTINFO:
            memcpy(&info, CMSG_DATA(control), sizeof(info))
            datagram.local = ntohl(info.ipi_addr.s_addr)
            datagram.ours = ntohl(info.ipi_spec_dst.s_addr)
            datagram.ifindex = info.ipi_ifindex

    cdef int send(self, Datagram** these, int count) noexcept nogil:
        """Send up to BATCH datagrams; how many the kernel took (the first it refuses ends the call). One that no route
        of the socket's interface leads to counts as refused."""
        cdef int first[BATCH + 1]
        cdef int messages = 0, taken
        first[0] = 0
        self.refusal = ENETUNREACH
        while first[messages] < count and self.has_way(these[first[messages]]):
            first[messages + 1] = self.end_of_run(these, first[messages], count)
            self.lay_out(messages, these, first[messages], first[messages + 1])
            messages += 1
        if messages == 0:
            return 0
        taken = sendmmsg(self.fd, self.batch.messages, messages, MSG_DONTWAIT)
        if taken > 0:
            return first[taken]
        self.refusal = errno
        if first[1] > 1 and errno in (EIO, EINVAL, EMSGSIZE):
            # This kernel, card or path cuts no message; each datagram by itself may still go.
            self.leaving[these[0].relay_ifindex] = ALONE
            return self.send(these, count)
        return 0

    cdef bint has_way(self, const Datagram* datagram) noexcept nogil:
        """Return true, because the kernel itself refuses IPv6 packets without a way."""
        return (not self.ifindex or datagram.ifindex != 0
                or self.routes.lead_to(self.ifindex, datagram.local, datagram.peer))

    cdef int end_of_run(self, Datagram** these, int start, int count) noexcept nogil:
        """Return where those end that leave as one message: to one relay and of one size, of which the last may be
        less."""
        cdef int end = start + 1
        cdef int length = these[start].length
        if not self.leave_together(these[start].relay_ifindex):
            return end
        while end < count and self.goes_with(these[end], these[start]) and these[end - 1].length == these[start].length:
            length += these[end].length
            if length > LONGEST_MESSAGE:
                break
            end += 1
        return end

    cdef bint leave_together(self, int ifindex) noexcept nogil:
        if not self.cuts or not 0 < ifindex < INTERFACES:
            return False
        if self.leaving[ifindex] == UNKNOWN:
            self.look_at(ifindex)
        return self.leaving[ifindex] == TOGETHER

    cdef void look_at(self, int ifindex) noexcept with gil:
        self.leaving[ifindex] = TOGETHER if leads_to_real_wire(ifindex) else ALONE

    cdef void lay_out(self, int message, Datagram** these, int start, int end) noexcept nogil:
        """Lay out the datagrams from `start` up to `end` as one message."""
        cdef int i
        for i in range(start, end):
            self.batch.vectors[i].iov_base = these[i].data
            self.batch.vectors[i].iov_len = these[i].length
        self.point_at(message, start, end - start)
        self.set_peer(message, these[start])
        self.choose_source(message, these[start])
        if end - start > 1:
            self.have_cut(message, these[start].length)

    cdef bint goes_with(self, const Datagram* datagram, const Datagram* first) noexcept nogil:
        return (datagram.relay_ifindex == first.relay_ifindex and datagram.peer == first.peer
                and datagram.port == first.port and datagram.local == first.local and datagram.length <= first.length)

    cdef void set_peer(self, int message, const Datagram* datagram) noexcept nogil:
        cdef sockaddr_in* peer = <sockaddr_in*>&self.batch.peers[message]
        memset(peer, 0, sizeof(sockaddr_in))
        peer.sin_family = AF_INET
        peer.sin_port = htons(datagram.port)
        peer.sin_addr.s_addr = htonl(datagram.peer)

    cdef void choose_source(self, int message, const Datagram* datagram) noexcept nogil:
        """Answer from the address and, where the client is on the wire, out of the interface it was asked on."""
        cdef msghdr* header = &self.batch.messages[message].msg_hdr
        cdef in_pktinfo info
        memset(&info, 0, sizeof(info))
        info.ipi_ifindex = datagram.ifindex
        info.ipi_spec_dst.s_addr = htonl(datagram.local)
        header.msg_controllen = CMSG_SPACE(sizeof(in_pktinfo))
        put_control(CMSG_FIRSTHDR(header), IPPROTO_IP, IP_PKTINFO, &info, sizeof(info))

    cdef void have_cut(self, int message, uint16_t length) noexcept nogil:
        """Let the kernel cut the message into datagrams of this length, after `choose_source`."""
        cdef msghdr* header = &self.batch.messages[message].msg_hdr
        cdef uint8_t* behind = self.batch.control[message] + header.msg_controllen
        header.msg_controllen += CMSG_SPACE(sizeof(length))
        put_control(<cmsghdr*>behind, IPPROTO_UDP, UDP_SEGMENT, &length, sizeof(length))


def bound_index(sock):
    """Return the index of the interface that the socket is bound to. Raises OSError where it has gone."""
    name = sock.getsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, LONGEST_NAME)
    return socket.if_nametoindex(name.rstrip(b"\0").decode())


def open_socket(host, port, interface=None, shared=False, joining=False):
    """Return a bound socket; `shared`: others may form a group with it (SO_REUSEPORT), `joining`: as this one does. An
    address that no interface has yet is served as soon as one has it."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        sock.setsockopt(IPPROTO_IP, IP_FREEBIND, 1)
        prepare(sock, interface)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, joining)
        sock.bind((host, port))
        # Set only now: another process's socket on this address was refused above, our own ones may join.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, shared or joining)
    except BaseException:
        sock.close()
        raise
    return sock


def open_for_sending(int name_length, port):
    """Return a socket that receives nothing (UdpSocket.by_routes); the length of its addresses
    gives its family. Raises OSError.
    """
    family, home = (
        (socket.AF_INET, "127.0.0.1") if name_length == sizeof(sockaddr_in) else (socket.AF_INET6, "::1"))
    sock = socket.socket(family, socket.SOCK_DGRAM)
    try:
        sock.setblocking(False)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((home, port))
        sock.connect((home, NOBODYS_PORT))
    except BaseException:
        sock.close()
        raise
    return sock


def prepare(sock, interface):
    sock.setblocking(False)
    sock.setsockopt(IPPROTO_IP, IP_PKTINFO, 1)
    sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS_OPTION, 1)
    sock.setsockopt(socket.SOL_SOCKET, SO_RXQ_OVFL_OPTION, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)  # a NAK to everybody may answer what came by unicast
    grow_receive_buffer(sock)
    if interface is not None:
        socket.if_nametoindex(interface)    # its error is clearer than that of the bind
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode() + b"\0")


def can_cut(sock):
    """Return whether the kernel knows UDP_SEGMENT (Linux 4.18); an older one would send the whole as one datagram."""
    try:
        sock.setsockopt(IPPROTO_UDP, UDP_SEGMENT, 0)
    except OSError:
        return False
    return True


def kernel_drops(sock):
    """Return how many datagrams the kernel had no room for in this socket since it was opened."""
    return MEMORY_INFO.unpack(sock.getsockopt(socket.SOL_SOCKET, SO_MEMINFO, MEMORY_INFO.size))[SK_MEMINFO_DROPS]


def grow_receive_buffer(sock):
    """Make room for a burst: over the system's limit where we may, up to it where not."""
    try:
        sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_ROOM)
    except PermissionError:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_ROOM)
