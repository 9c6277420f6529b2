"""Replies to clients that have no address yet: an IPv4 datagram in a frame of our own (RFC 2131 section 4.1).

Such a client cannot answer ARP, so the kernel's UDP cannot reach it by unicast. The socket is of kind SOCK_DGRAM: we
write the IP and UDP headers, the kernel the link-layer header for the client's hardware address. It needs CAP_NET_RAW.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy, memset

from dhcp_fast.wire.cursor cimport load_u16, store_u16, store_u32

cdef extern from "<sys/socket.h>" nogil:
    struct sockaddr
    struct iovec:
        void* iov_base
        size_t iov_len
    struct msghdr:
        void* msg_name
        unsigned int msg_namelen
        iovec* msg_iov
        size_t msg_iovlen
    ssize_t sendmsg(int, msghdr*, int)
    int MSG_DONTWAIT, AF_PACKET

cdef extern from "<linux/if_packet.h>" nogil:
    struct sockaddr_ll:
        unsigned short sll_family
        uint16_t sll_protocol
        int sll_ifindex
        unsigned char sll_halen
        unsigned char sll_addr[8]

cdef extern from "<arpa/inet.h>" nogil:
    uint16_t htons(uint16_t)

cdef enum:
    ETHERTYPE_IPV4 = 0x0800
    UDP = 17
    HEADERS = 28


cdef class FrameSocket:
    """FrameSocket(sock): sends datagrams of way BY_FRAME through a packet socket of kind SOCK_DGRAM, protocol 0."""

    def __init__(self, sock):
        self.sock = sock
        self.fd = self.sock.fileno()

    def close(self):
        self.sock.close()

    cdef bint send(self, const Datagram* datagram) noexcept nogil:
        """Return whether the kernel took the frame."""
        cdef uint8_t headers[HEADERS]
        cdef sockaddr_ll to
        cdef iovec parts[2]
        cdef msghdr message
        write_headers(headers, datagram)
        memset(&to, 0, sizeof(to))
        to.sll_family = AF_PACKET
        to.sll_protocol = htons(ETHERTYPE_IPV4)
        to.sll_ifindex = datagram.ifindex
        to.sll_halen = 6
        memcpy(to.sll_addr, datagram.mac, 6)
        parts[0].iov_base = headers
        parts[0].iov_len = HEADERS
        parts[1].iov_base = datagram.data
        parts[1].iov_len = datagram.length
        memset(&message, 0, sizeof(message))
        message.msg_name = &to
        message.msg_namelen = sizeof(to)
        message.msg_iov = parts
        message.msg_iovlen = 2
        return sendmsg(self.fd, &message, MSG_DONTWAIT) >= 0


cdef void write_headers(uint8_t* p, const Datagram* datagram) noexcept nogil:
    """Write the IPv4 (RFC 791 section 3.1) and UDP (RFC 768) headers, both checksums filled in."""
    memset(p, 0, HEADERS)
    p[0] = 0x45
    p[1] = 0x10
    store_u16(p + 2, <uint16_t>(datagram.length + HEADERS))
    p[8] = 64
    p[9] = UDP
    store_u32(p + 12, datagram.local)
    store_u32(p + 16, datagram.peer)
    store_u16(p + 10, fold(add_words(0, p, 20)))
    store_u16(p + 20, datagram.local_port)
    store_u16(p + 22, datagram.port)
    store_u16(p + 24, <uint16_t>(datagram.length + 8))
    store_u16(p + 26, udp_checksum(p, datagram))


cdef uint16_t udp_checksum(const uint8_t* p, const Datagram* datagram) noexcept nogil:
    cdef uint32_t total = UDP + datagram.length + 8     # the pseudo header's protocol and length
    cdef uint16_t checksum
    total = add_words(total, p + 12, 8)
    total = add_words(total, p + 20, 8)
    total = add_words(total, datagram.data, datagram.length)
    checksum = fold(total)
    return checksum if checksum else 0xFFFF


cdef uint32_t add_words(uint32_t total, const uint8_t* p, int length) noexcept nogil:
    while length > 1:
        total += load_u16(p)
        p += 2
        length -= 2
    return total + (<uint32_t>p[0] << 8) if length else total


cdef uint16_t fold(uint32_t total) noexcept nogil:
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return <uint16_t>~total
