"""ICMP echo (RFC 792), which checks that an address is unused before it is offered (RFC 2131
sections 2.2 and 3.1).

One raw socket sends the requests and receives the replies; it needs CAP_NET_RAW. A request contains
a token: the keyed hash of its address and sequence number, with a key of this start. A reply counts
only with the token of its source address, so a host that does not see our requests cannot forge
one. The kernel's filter keeps all but echo replies from us. The socket may be made elsewhere and
handed in (a supervisor, another network namespace).
"""

import os
import socket
import struct

from libc.string cimport memcmp, memcpy, memset

from dhcp_fast.structures.siphash cimport siphash
from dhcp_fast.wire.cursor cimport load_u16, load_u32, store_u16, store_u32

cdef extern from "<sys/socket.h>" nogil:
    struct sockaddr
    ssize_t sendto(int, const void*, size_t, int, const sockaddr*, unsigned int)
    ssize_t recv(int, void*, size_t, int)
    int MSG_DONTWAIT, AF_INET

cdef extern from "<netinet/in.h>" nogil:
    struct in_addr:
        uint32_t s_addr
    struct sockaddr_in:
        unsigned short sin_family
        in_addr sin_addr
    uint32_t htonl(uint32_t)

cdef enum:
    ECHO_REPLY = 0
    ECHO_REQUEST = 8
    HEADER = 8              # type, code, checksum, identifier, sequence
    TOKEN = 8
    IPV4_HEADER = 20
    RECEIVED = 128          # more than the longest header and what we sent

SOL_RAW, ICMP_FILTER = 255, 1
ALL_BUT_REPLIES = struct.pack("=I", 0xFFFFFFFF ^ 1 << ECHO_REPLY)
SO_SNDBUFFORCE = 32
SEND_ROOM = 4 << 20         # requests to addresses that nobody has wait in the kernel for ARP


cdef class IcmpSocket:
    """IcmpSocket(): raises PermissionError without CAP_NET_RAW. IcmpSocket(sock): a raw ICMP socket that exists."""

    def __init__(self, sock=None):
        self.sock = sock or socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        self.sock.setblocking(False)
        self.sock.setsockopt(SOL_RAW, ICMP_FILTER, ALL_BUT_REPLIES)
        grow_send_buffer(self.sock)
        self.fd = self.sock.fileno()
        secret = os.urandom(18)
        self.key[0] = int.from_bytes(secret[:8], "little")
        self.key[1] = int.from_bytes(secret[8:16], "little")
        self.identifier = int.from_bytes(secret[16:], "little")

    def close(self):
        self.sock.close()

    cdef uint64_t token(self, uint32_t address, uint16_t sequence) noexcept nogil:
        cdef uint8_t asked[6]
        store_u32(asked, address)
        store_u16(asked + 4, sequence)
        return siphash(self.key, asked, 6)

    cdef bint send(self, uint32_t address, uint16_t sequence) noexcept nogil:
        """Ask the address; False when the kernel did not take the request (no route, no room)."""
        cdef uint8_t request[HEADER + TOKEN]
        cdef uint64_t token = self.token(address, sequence)
        cdef sockaddr_in to
        memset(request, 0, HEADER)
        request[0] = ECHO_REQUEST
        store_u16(request + 4, self.identifier)
        store_u16(request + 6, sequence)
        memcpy(request + HEADER, &token, TOKEN)
        store_u16(request + 2, checksum(request, HEADER + TOKEN))
        memset(&to, 0, sizeof(to))
        to.sin_family = AF_INET
        to.sin_addr.s_addr = htonl(address)
        return sendto(self.fd, request, sizeof(request), MSG_DONTWAIT, <sockaddr*>&to, sizeof(to)) >= 0

    cdef int receive(self, EchoReply* into, bint* more) noexcept nogil:
        """Return our replies among the next ECHO_BATCH messages; `more`: there may be others behind them."""
        cdef uint8_t data[RECEIVED]
        cdef ssize_t length
        cdef int _message, count = 0
        for _message in range(ECHO_BATCH):
            length = recv(self.fd, data, RECEIVED, MSG_DONTWAIT)
            if length < 0:
                more[0] = False
                return count
            count += self.read(data, <size_t>length, &into[count])
        more[0] = True
        return count

    cdef bint read(self, const uint8_t* data, size_t length, EchoReply* into) noexcept nogil:
        """Read an IPv4 datagram of a raw socket; return whether it is a reply to us.

        The token also replaces the check of the ICMP checksum.
        """
        cdef size_t header
        cdef uint64_t token
        if length < IPV4_HEADER:
            return False
        header = <size_t>(data[0] & 15) * 4
        if header < IPV4_HEADER or length < header + HEADER + TOKEN:
            return False
        if data[header] != ECHO_REPLY or load_u16(data + header + 4) != self.identifier:
            return False
        into.source = load_u32(data + 12)
        into.sequence = load_u16(data + header + 6)
        token = self.token(into.source, into.sequence)
        return memcmp(data + header + HEADER, &token, TOKEN) == 0


cdef uint16_t checksum(const uint8_t* data, int length) noexcept nogil:
    """Return the Internet checksum (RFC 1071) of an even number of octets."""
    cdef uint32_t total = 0
    cdef int at
    for at in range(0, length, 2):
        total += load_u16(data + at)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return <uint16_t>~total


def grow_send_buffer(sock):
    try:
        sock.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, SEND_ROOM)
    except PermissionError:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_ROOM)
