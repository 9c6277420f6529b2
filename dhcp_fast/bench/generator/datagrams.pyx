"""A UDP socket that moves packets in batches between the kernel and two flat, preallocated buffers.

Sending: `next_packet` gives room for one packet, `flush` sends all of them by sendmmsg. Where the
kernel can cut one message into many datagrams (UDP_SEGMENT), a message holds up to 64 packets: they
travel the stack once and arrive as 64 datagrams. Receiving: `receive` takes up to 64 waiting
messages without blocking; one that the server has the kernel cut comes whole (UDP_GRO), and is
divided here. A socket is either connected (the storm) or answers the sender of the last batch (the
stub). It is given datagrams only.
"""

import socket as sockets
import struct

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from dhcp_fast.bench.generator.clients cimport PACKET
from dhcp_fast.bench.generator.linux cimport (
    CMSG_DATA, CMSG_FIRSTHDR, EAGAIN, ECONNREFUSED, EINTR, ENOBUFS, MSG_DONTWAIT, POLLOUT, cmsghdr, errno, recvmmsg,
    sendmmsg, wait_for,
)

cdef enum:
    IPPROTO_UDP = 17
    UDP_GRO_CONTROL = 104       # linux/udp.h, as the option

SO_RCVBUFFORCE = 33
SO_MEMINFO = 55
MEMINFO_DROPS = 8
UDP_SEGMENT, UDP_GRO = 103, 104     # linux/udp.h
SEGMENTS = 64
RECEIVE_BUFFER = 16 << 20


cdef class Datagrams:

    def __cinit__(self):
        self.outgoing = <uint8_t *>calloc(BATCH, PACKET)
        self.incoming = <uint8_t *>calloc(MESSAGES, ROOM)
        if self.outgoing == NULL or self.incoming == NULL:
            raise MemoryError()

    def __init__(self, local, server=None, *, segments=True, merged=True):
        """Bound to `local`; connected to `server`, or answering when there is none. Without `merged` each reply comes
        as a message of its own, as most generators take them."""
        family = sockets.AF_INET6 if ":" in local[0] else sockets.AF_INET
        self.socket = sockets.socket(family, sockets.SOCK_DGRAM | sockets.SOCK_CLOEXEC)
        self.fd = self.socket.fileno()
        widen(self.socket)
        self.socket.bind(local)
        self.answering = server is None
        if server is not None:
            self.socket.connect(server)
            if merged:
                take_whole(self.socket)
        self.per_message = SEGMENTS if segments and cut_by_kernel(self.socket) else 1
        self.point_at_buffers()

    def __dealloc__(self):
        free(self.outgoing)
        free(self.incoming)

    def close(self):
        self.socket.close()

    @property
    def port(self):
        return self.socket.getsockname()[1]

    @property
    def kernel_drops(self):
        """Return datagrams that the kernel threw away because our receive buffer was full."""
        figures = self.socket.getsockopt(sockets.SOL_SOCKET, SO_MEMINFO, 64)
        return struct.unpack_from("9I", figures)[MEMINFO_DROPS]

    def point_at_buffers(self):
        cdef int index
        memset(self.in_messages, 0, sizeof(self.in_messages))
        memset(self.out_messages, 0, sizeof(self.out_messages))
        for index in range(MESSAGES):
            self.in_parts[index].iov_base = self.incoming + index * ROOM
            self.in_parts[index].iov_len = ROOM
            self.in_messages[index].msg_hdr.msg_iov = &self.in_parts[index]
            self.in_messages[index].msg_hdr.msg_iovlen = 1
            self.in_messages[index].msg_hdr.msg_control = self.control[index]
        for index in range(BATCH):
            self.out_parts[index].iov_base = self.outgoing + index * self.per_message * PACKET
            self.out_messages[index].msg_hdr.msg_iov = &self.out_parts[index]
            self.out_messages[index].msg_hdr.msg_iovlen = 1
            if self.answering:
                self.out_messages[index].msg_hdr.msg_name = self.peer
                self.out_messages[index].msg_hdr.msg_namelen = sizeof(self.peer)
        if self.answering:
            self.in_messages[0].msg_hdr.msg_name = self.peer

    cdef uint8_t *next_packet(self) noexcept nogil:
        if self.queued == BATCH:
            self.flush()
        self.queued += 1
        return self.outgoing + (self.queued - 1) * PACKET

    cdef void flush(self) noexcept nogil:
        cdef int count = self.lay_out()
        cdef int done = 0
        cdef int sent, failures = 0
        while done < count:
            sent = sendmmsg(self.fd, &self.out_messages[done], count - done, 0)
            if sent > 0:
                done += sent
            elif failures < 2 * BATCH and self.survived():
                failures += 1
            else:
                self.unsent += count - done
                break
        self.queued = 0

    cdef int lay_out(self) noexcept nogil:
        """Divide the queued packets into messages; returns how many messages."""
        cdef int count = (self.queued + self.per_message - 1) // self.per_message
        cdef int index, rest
        for index in range(count):
            rest = self.queued - index * self.per_message
            self.out_parts[index].iov_len = PACKET * (rest if rest < self.per_message else self.per_message)
        return count

    cdef bint survived(self) noexcept nogil:
        """Return whether sending may go on after the error of the last call."""
        if errno == ECONNREFUSED:
            # The answer to an earlier datagram; this one has not been tried yet.
            self.refused += 1
            return True
        if errno == EAGAIN or errno == ENOBUFS:
            wait_for(self.fd, POLLOUT, 1000000)
            return True
        return errno == EINTR

    cdef int receive(self) noexcept nogil:
        """Take what waits there; how many packets it is."""
        cdef int index, count
        for index in range(MESSAGES):
            self.in_messages[index].msg_hdr.msg_controllen = CONTROL
        if self.answering:
            self.in_messages[0].msg_hdr.msg_namelen = sizeof(self.peer)
        count = recvmmsg(self.fd, self.in_messages, MESSAGES, MSG_DONTWAIT, NULL)
        if count < 0 and errno == ECONNREFUSED:
            self.refused += 1
        self.found = 0
        for index in range(count):
            self.divide(index)
        return self.found

    cdef void divide(self, int index) noexcept nogil:
        """Divide a message that came whole into many packets of one length, of which the last may be less."""
        cdef int length = <int>self.in_messages[index].msg_len
        cdef int size = self.size_of_packets(index)
        cdef int start = 0
        if not SMALLEST <= size < length:
            size = length
        while True:
            self.packets[self.found] = self.incoming + index * ROOM + start
            self.lengths[self.found] = min(size, length - start)
            self.found += 1
            start += size
            if start >= length:
                return

    cdef int size_of_packets(self, int index) noexcept nogil:
        """Return the size of one packet within a message that the kernel delivered whole; else 0."""
        cdef cmsghdr *control = CMSG_FIRSTHDR(&self.in_messages[index].msg_hdr)
        cdef int size = 0
        if control != NULL and control.cmsg_level == IPPROTO_UDP and control.cmsg_type == UDP_GRO_CONTROL:
            memcpy(&size, CMSG_DATA(control), sizeof(size))
        return size


def widen(sock):
    """Set the largest receive buffer that we may have: a burst of replies must wait there while we work."""
    try:
        sock.setsockopt(sockets.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER)
    except PermissionError:
        sock.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, RECEIVE_BUFFER)


def take_whole(sock):
    """Ask the kernel for messages as they were sent.

    A kernel without this feature delivers single datagrams.
    """
    try:
        sock.setsockopt(sockets.IPPROTO_UDP, UDP_GRO, 1)
    except OSError:
        return


def cut_by_kernel(sock):
    """Ask for segmentation offload; False where the kernel has none."""
    try:
        sock.setsockopt(sockets.IPPROTO_UDP, UDP_SEGMENT, PACKET)
    except OSError:
        return False
    return True
