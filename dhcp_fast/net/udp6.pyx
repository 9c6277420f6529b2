"""UDP over IPv6, with its own addresses, packet info and groups; see udp.pyx.

A socket for directly attached clients is bound to its interface and joins
All_DHCP_Relay_Agents_and_Servers there; it also receives messages that relays forward to
All_DHCP_Servers (RFC 8415 section 7.1). A message to a group is answered from the address that the
kernel chooses on that interface, which is the link-local one towards clients.
"""

import socket
import struct
from contextlib import suppress

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy, memset

from dhcp_fast.net.udp import SO_RXQ_OVFL_OPTION, SO_TIMESTAMPNS_OPTION, grow_receive_buffer

from dhcp_fast.net.datagram cimport Datagram
from dhcp_fast.net.udp cimport CMSG_DATA, CMSG_FIRSTHDR, CMSG_SPACE, cmsghdr, msghdr, put_control
from dhcp_fast.wire.cursor cimport load_u64, store_u64

cdef extern from "<netinet/in.h>" nogil:
    struct in6_addr:
        uint8_t s6_addr[16]
    struct sockaddr_in6:
        unsigned short sin6_family
        uint16_t sin6_port
        in6_addr sin6_addr
        uint32_t sin6_scope_id
    struct in6_pktinfo:
        in6_addr ipi6_addr
        unsigned int ipi6_ifindex
    int IPPROTO_IPV6, IPV6_PKTINFO, IPV6_RECVPKTINFO, AF_INET6
    uint16_t ntohs(uint16_t)
    uint16_t htons(uint16_t)

SERVERS_AND_RELAYS = "ff02::1:2"
SERVERS = "ff05::1:3"
IPV6_MULTICAST_ALL = 29         # linux/in6.h
IPV6_FREEBIND = 78
RECEIVE_INFO = IPV6_RECVPKTINFO


cdef class UdpSocket6(UdpSocket):

    def __init__(self, host, port, interface=None, sock=None, resting=False):
        self.name_length = sizeof(sockaddr_in6)
        self.begin(host, port, interface)
        if not resting:
            self.hold(sock or open_socket6(host, port, interface))

    cdef void read_peer(self, int i, Datagram* datagram) noexcept nogil:
        cdef const sockaddr_in6* peer = <const sockaddr_in6*>&self.batch.peers[i]
        datagram.peer_hi = load_u64(peer.sin6_addr.s6_addr)
        datagram.peer_lo = load_u64(peer.sin6_addr.s6_addr + 8)
        datagram.peer = <uint32_t>datagram.peer_lo
        datagram.port = ntohs(peer.sin6_port)
        datagram.local = datagram.ours = 0

    cdef void read_info(self, cmsghdr* control, Datagram* datagram) noexcept nogil:
        """Read where it came to (RFC 3542 section 6.1)."""
        cdef in6_pktinfo info
        if control.cmsg_level == IPPROTO_IPV6 and control.cmsg_type == IPV6_PKTINFO:
            memcpy(&info, CMSG_DATA(control), sizeof(info))
            datagram.local_hi = load_u64(info.ipi6_addr.s6_addr)
            datagram.local_lo = load_u64(info.ipi6_addr.s6_addr + 8)
            datagram.ifindex = <int>info.ipi6_ifindex

    cdef bint has_way(self, const Datagram* datagram) noexcept nogil:
        return True

    def reaches(self, source, peer):
        return True

    cdef bint goes_with(self, const Datagram* datagram, const Datagram* first) noexcept nogil:
        return (datagram.relay_ifindex == first.relay_ifindex and datagram.port == first.port
                and datagram.peer_hi == first.peer_hi and datagram.peer_lo == first.peer_lo
                and datagram.local_hi == first.local_hi and datagram.local_lo == first.local_lo
                and datagram.length <= first.length)

    cdef void set_peer(self, int message, const Datagram* datagram) noexcept nogil:
        """Set the peer; a link-local address is one of the interface's link."""
        cdef sockaddr_in6* peer = <sockaddr_in6*>&self.batch.peers[message]
        memset(peer, 0, sizeof(sockaddr_in6))
        peer.sin6_family = AF_INET6
        peer.sin6_port = htons(datagram.port)
        store_u64(peer.sin6_addr.s6_addr, datagram.peer_hi)
        store_u64(peer.sin6_addr.s6_addr + 8, datagram.peer_lo)
        if datagram.peer_hi >> 54 == 0x3FA:
            peer.sin6_scope_id = <uint32_t>datagram.ifindex

    cdef void choose_source(self, int message, const Datagram* datagram) noexcept nogil:
        cdef msghdr* header = &self.batch.messages[message].msg_hdr
        cdef in6_pktinfo info
        memset(&info, 0, sizeof(info))
        info.ipi6_ifindex = datagram.ifindex
        store_u64(info.ipi6_addr.s6_addr, datagram.local_hi)
        store_u64(info.ipi6_addr.s6_addr + 8, datagram.local_lo)
        header.msg_controllen = CMSG_SPACE(sizeof(in6_pktinfo))
        put_control(CMSG_FIRSTHDR(header), IPPROTO_IPV6, IPV6_PKTINFO, &info, sizeof(info))


def open_socket6(host, port, interface=None, shared=False, joining=False):
    """Open a socket as udp.open_socket does."""
    sock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    try:
        sock.setsockopt(socket.IPPROTO_IPV6, IPV6_FREEBIND, 1)
        prepare(sock, interface)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, joining)
        sock.bind((host, port))
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, shared or joining)
    except BaseException:
        sock.close()
        raise
    return sock


def leave_groups(sock):
    """Leave the groups of a socket that is about to be closed, before another joins: where IPv6 was off meanwhile, the
    kernel would count its end against the other's membership."""
    for group in (SERVERS_AND_RELAYS, SERVERS):
        with suppress(OSError):     # it is not a member any more
            member = socket.inet_pton(socket.AF_INET6, group) + struct.pack("@I", 0)
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_LEAVE_GROUP, member)


def prepare(sock, interface):
    sock.setblocking(False)
    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    sock.setsockopt(socket.IPPROTO_IPV6, IPV6_MULTICAST_ALL, 0)    # groups that other sockets joined are not ours
    sock.setsockopt(socket.IPPROTO_IPV6, RECEIVE_INFO, 1)
    sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS_OPTION, 1)
    sock.setsockopt(socket.SOL_SOCKET, SO_RXQ_OVFL_OPTION, 1)
    grow_receive_buffer(sock)
    if interface is not None:
        index = socket.if_nametoindex(interface)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode() + b"\0")
        for group in (SERVERS_AND_RELAYS, SERVERS):
            member = socket.inet_pton(socket.AF_INET6, group) + struct.pack("@I", index)
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, member)
