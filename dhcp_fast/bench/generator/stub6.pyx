"""The stub of DHCPv6 (see stub.pyx).

It answers every relayed message: a SOLICIT by an ADVERTISE, all others by a REPLY. Each IA_NA gets
an address and each IA_PD a prefix, made of the client's last octets.
"""

import threading
from ipaddress import IPv6Address

from dhcp_fast.packets import message6

from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcpy

from dhcp_fast.bench.generator.clients cimport PACKET, get32, put16, put32
from dhcp_fast.bench.generator.datagrams cimport Datagrams
from dhcp_fast.bench.generator.linux cimport POLLIN, wait_for
from dhcp_fast.bench.generator.messages6 cimport (
    ADVERTISE, OPT_CLIENT_ID, OPT_IA_NA, OPT_IA_PD, OPT_IAADDR, OPT_IAPREFIX, OPT_RELAY_MSG, RELAY_FORW, RELAY_HEADER,
    RELAY_REPL, REPLY, SOLICIT, find,
)

cdef enum:
    MESSAGE = RELAY_HEADER + 4      # where the server's message begins in a reply
    SERVER = 14                     # octets of the option that names the server
    CLIENT_MOST = 64                # octets of a client's option that are answered
    FILLER = 65000                  # all packets are of one length
    NUMBERS = 0x3FFFFF
    LIFETIME = 3600


cdef class Stub6:
    cdef readonly Datagrams link
    cdef readonly int64_t answered
    cdef uint8_t server[SERVER]
    cdef uint8_t network[16]
    cdef bint stopping
    cdef object thread

    def __init__(self, local=("::1", 0), network=IPv6Address("2001:db8:1::")):
        """Create the ledger. Addresses and prefixes are of `network`, its second half given to the client's number."""
        self.link = Datagrams(local, None, segments=False)
        memcpy(self.server, PyBytes_AS_STRING(server_option()), SERVER)
        memcpy(self.network, PyBytes_AS_STRING(network.packed), 16)
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
        return self.link.socket.getsockname()[:2]

    def serve(self):
        with nogil:
            while not self.stopping:
                self.turn()

    cdef void turn(self) noexcept nogil:
        cdef int index
        cdef int count = self.link.receive()
        if count == 0:
            wait_for(self.link.fd, POLLIN, 20000000)
        for index in range(count):
            self.answer(self.link.packet(index), self.link.length(index))
        self.link.flush()

    cdef void answer(self, const uint8_t *request, int length) noexcept nogil:
        cdef int size = 0
        cdef int at
        if length < RELAY_HEADER or request[0] != RELAY_FORW:
            return
        at = find(request, RELAY_HEADER, length, OPT_RELAY_MSG, &size)
        if at >= 0 and size >= 4:
            self.write(request, request + at, size)

    cdef void write(self, const uint8_t *envelope, const uint8_t *message, int length) noexcept nogil:
        cdef int client_size = 0
        cdef int client = find(message, 4, length, OPT_CLIENT_ID, &client_size)
        cdef uint8_t *packet
        cdef int at
        if client < 0 or not 4 <= client_size <= CLIENT_MOST:
            return
        self.answered += 1
        packet = self.link.next_packet()
        memcpy(packet, envelope, RELAY_HEADER)
        packet[0] = RELAY_REPL
        put_head(packet + RELAY_HEADER, OPT_RELAY_MSG, PACKET - MESSAGE)
        memcpy(packet + MESSAGE, message, 4)
        packet[MESSAGE] = ADVERTISE if message[0] == SOLICIT else REPLY
        at = MESSAGE + 4
        memcpy(packet + at, self.server, SERVER)
        memcpy(packet + at + SERVER, message + client - 4, client_size + 4)
        at += SERVER + client_size + 4
        at = self.write_leases(packet, at, message, length, get32(message + client + client_size - 4) & NUMBERS)
        put_head(packet + at, FILLER, PACKET - at - 4)

    cdef int write_leases(self, uint8_t *packet, int at, const uint8_t *message, int length, int number) noexcept nogil:
        """Return where they end; the first association of each kind is answered."""
        cdef int size = 0
        cdef int ia = find(message, 4, length, OPT_IA_NA, &size)
        if ia >= 0 and size >= 12:
            put_association(packet + at, OPT_IA_NA, message + ia, OPT_IAADDR, 24)
            memcpy(packet + at + 20, self.network, 16)
            put32(packet + at + 32, number)
            put_lifetimes(packet + at + 36)
            at += 44
        ia = find(message, 4, length, OPT_IA_PD, &size)
        if ia >= 0 and size >= 12:
            put_association(packet + at, OPT_IA_PD, message + ia, OPT_IAPREFIX, 25)
            put_lifetimes(packet + at + 20)
            packet[at + 28] = 64
            memcpy(packet + at + 29, self.network, 16)
            put32(packet + at + 33, number)
            at += 45
        return at


cdef inline void put_head(uint8_t *at, int code, int size) noexcept nogil:
    put16(at, code)
    put16(at + 2, size)


cdef inline void put_association(uint8_t *at, int code, const uint8_t *asked, int lease, int size) noexcept nogil:
    """Put its head with the client's IAID and no times, and the head of the lease in it."""
    put_head(at, code, 12 + 4 + size)
    memcpy(at + 4, asked, 4)
    put32(at + 8, 0)
    put32(at + 12, 0)
    put_head(at + 16, lease, size)


cdef inline void put_lifetimes(uint8_t *at) noexcept nogil:
    put32(at, LIFETIME)
    put32(at + 4, LIFETIME)


def server_option():
    option = message6.pack([(message6.SERVER_ID, message6.duid_ll(bytes((2, 0, 0, 0, 0, 0xFE))))])
    assert len(option) == SERVER
    return option
