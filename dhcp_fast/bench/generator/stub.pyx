"""A responder that decides nothing: it shows what the generator itself can do, and how it counts faults.

A DISCOVER gets an OFFER and a REQUEST an ACK of 10.64.0.0 plus the client's number, without memory, options
registry or database; a RELEASE gets nothing, as everywhere. Faults are made on request: every nth request
unanswered, refused, answered twice, or answered with another client's MAC or another transaction id.
"""

import threading
from ipaddress import IPv4Address

from dhcp_fast.packets import message4

from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcpy

from dhcp_fast.bench.generator.clients cimport ACK, CHADDR, HEADER, NAK, OFFER, PACKET, XID, YIADDR, get32, put32
from dhcp_fast.bench.generator.datagrams cimport Datagrams
from dhcp_fast.bench.generator.linux cimport CLOCK_THREAD_CPUTIME_ID, POLLIN, nanoseconds, wait_for

cdef enum:
    TYPE = HEADER + 2           # the value of option 53, the first option on both sides
    FIRST_ADDRESS = 0x0A400000  # 10.64.0.0
    RELEASE = 7


cdef class Stub:
    cdef readonly Datagrams link
    cdef readonly double cpu
    cdef readonly int64_t answered
    cdef readonly int64_t seen
    cdef uint8_t reply[PACKET]
    cdef int silent_every, nak_every, twice_every, foreign_every, late_every
    cdef bint stopping
    cdef object thread

    def __init__(self, local=("127.0.0.1", 0), *, silent_every=0, nak_every=0, twice_every=0, foreign_every=0,
                 late_every=0):
        self.link = Datagrams(local, None, segments=False)
        self.silent_every = silent_every
        self.nak_every = nak_every
        self.twice_every = twice_every
        self.foreign_every = foreign_every
        self.late_every = late_every
        memcpy(self.reply, PyBytes_AS_STRING(blank_reply()), PACKET)
        self.thread = threading.Thread(target=self.serve, name="stub", daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *exception):
        self.stopping = True
        self.thread.join()
        self.link.close()

    @property
    def address(self):
        return ("127.0.0.1", self.link.port)

    def serve(self):
        with nogil:
            while not self.stopping:
                self.turn()
        self.cpu = nanoseconds(CLOCK_THREAD_CPUTIME_ID) / 1e9

    cdef void turn(self) noexcept nogil:
        cdef int index
        cdef int count = self.link.receive()
        if count == 0:
            wait_for(self.link.fd, POLLIN, 20000000)
        for index in range(count):
            if self.link.length(index) > TYPE:
                self.answer(self.link.packet(index))
        self.link.flush()

    cdef void answer(self, const uint8_t *request) noexcept nogil:
        self.seen += 1
        if request[TYPE] == RELEASE or every(self.silent_every, self.seen):
            return
        self.write(request)
        if every(self.twice_every, self.seen):
            self.write(request)

    cdef void write(self, const uint8_t *request) noexcept nogil:
        cdef uint8_t *packet = self.link.next_packet()
        self.answered += 1
        memcpy(packet, self.reply, PACKET)
        memcpy(packet + XID, request + XID, 4)
        memcpy(packet + 24, request + 24, 20)  # giaddr and chaddr
        put32(packet + YIADDR, FIRST_ADDRESS + (get32(request + CHADDR + 2) & 0x3FFFFF))
        packet[TYPE] = OFFER if request[TYPE] == 1 else ACK
        if every(self.nak_every, self.seen) and request[TYPE] == 3:
            packet[TYPE] = NAK
        if every(self.foreign_every, self.seen):
            packet[CHADDR] ^= 0xFF
        if every(self.late_every, self.seen):
            packet[XID] ^= 0xFF


cdef inline bint every(int period, int64_t number) noexcept nogil:
    return period > 0 and number % period == 0


def blank_reply():
    """Return a reply with the options of a small network, its type, client and address still to be filled in."""
    server = IPv4Address("127.0.0.1").packed
    options = [
        (message4.MESSAGE_TYPE, b"\0"),
        (message4.SERVER_ID, server),
        (message4.LEASE_TIME, (3600).to_bytes(4, "big")),
        (1, IPv4Address("255.192.0.0").packed),
        (3, IPv4Address("10.64.0.1").packed),
        (6, IPv4Address("10.64.0.2").packed + IPv4Address("10.64.0.3").packed),
        (15, b"bench.example"),
    ]
    request = message4.request(bytes(6), 0, options, size=PACKET)
    return b"\x02" + request[1:]
