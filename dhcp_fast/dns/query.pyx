"""Datagrams in, datagrams out: up to 64 a system call, each answered where it lies.

Signed queries are handed to Python, a few per batch, and return by `send`. Queries over TCP are
answered by the same functions, one at a time.
"""

import os

from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from dhcp_fast.dns.answer cimport answer
from dhcp_fast.dns.cookies cimport Client, is_ours, make_cookie
from dhcp_fast.dns.reply cimport LONGEST_RESPONSE, SENT_PAYLOAD, begin_reply, cut_reply, finish_reply
from dhcp_fast.dns.response_limit cimport CUT, SILENCE, limit_init, limit_response
from dhcp_fast.dns.zone_image cimport ZoneSet
from dhcp_fast.net.datagram cimport RECEIVE_BUFFER, Datagram
from dhcp_fast.net.udp cimport BATCH, UdpSocket
from dhcp_fast.net.udp6 cimport UdpSocket6
from dhcp_fast.wire.cursor cimport store_u32, store_u64
from dhcp_fast.wire.dns_message cimport (
    DNS_DROP, FLAG_TC, FORMERR, LEAST_PAYLOAD, NOERROR, REFUSED, TYPE_AXFR, parse_query)

cdef extern from "<time.h>" nogil:
    struct timespec:
        long tv_sec
        long tv_nsec
    int clock_gettime(int, timespec*)
    int CLOCK_REALTIME

cdef enum:
    ROUNDS = 8                  # batches before the loop has its turn
    OUT_BUFFER = 1280
    SECOND = 1000000000
    LINK_LOCAL = 0x3FA          # of IPv6, the first ten bits


cdef class SignedQuery:
    """`data`: the message, `address`: the sender's in 4 or 16 octets."""


cdef class Responder:
    """`rate`: responses a second that a network gets over UDP, 0: no limit. `cookie_secret`: 16 octets, the same of all
    servers."""

    def __cinit__(self, ZoneSet zones not None, bytes cookie_secret not None, int rate):
        cdef bytes seed = os.urandom(16)
        cdef int i
        if len(cookie_secret) != sizeof(self.cookie_key):
            raise ValueError("a secret of 16 octets is needed")
        self.zones = zones
        memcpy(self.cookie_key, <const uint8_t*>cookie_secret, sizeof(self.cookie_key))
        memcpy(self.limit.seed, <const uint8_t*>seed, sizeof(self.limit.seed))
        self.memory = <uint8_t*>malloc(BATCH * (RECEIVE_BUFFER + OUT_BUFFER))
        self.stream = <uint8_t*>malloc(LONGEST_RESPONSE + OUT_BUFFER)
        if self.memory == NULL or self.stream == NULL or not limit_init(&self.limit, rate):
            raise MemoryError
        for i in range(BATCH):
            self.received[i].data = self.memory + i * RECEIVE_BUFFER
            self.into[i] = &self.received[i]
            self.ready[i].data = self.memory + BATCH * RECEIVE_BUFFER + i * OUT_BUFFER

    def __dealloc__(self):
        free(self.memory)
        free(self.stream)
        free(self.limit.buckets)

    def receive(self, UdpSocket sock not None):
        """Receive and answer the waiting queries, or the first part of them; return the signed ones."""
        cdef bint ipv6 = isinstance(sock, UdpSocket6)
        cdef int count
        signed = []
        for _ in range(ROUNDS):
            with nogil:
                count = sock.receive(self.into, BATCH)
                self.answer_batch(count, ipv6)
            self.send_all(sock)
            for i in range(self.signed_count):
                signed.append(signed_query(&self.received[self.signed[i]], ipv6))
            if count < BATCH:
                break
        return signed

    cdef void answer_batch(self, int count, bint ipv6) noexcept nogil:
        cdef int i
        self.now = wall_clock()
        self.sending = self.signed_count = 0
        for i in range(count):
            self.answer_datagram(i, ipv6)

    cdef void answer_datagram(self, int at, bint ipv6) noexcept nogil:
        cdef Datagram* came = &self.received[at]
        cdef Datagram* goes = &self.ready[self.sending]
        cdef uint8_t* out = goes.data
        cdef Client client
        cdef int fault = parse_query(&self.query, came.data, came.length)
        self.counts.udp += 1
        if fault == NOERROR and self.query.signed_at:
            self.signed[self.signed_count] = at
            self.signed_count += 1
            return
        read_client(&client, came, ipv6)
        goes[0] = came[0]
        goes.data = out
        leave_by_route(goes)
        goes.length = <uint16_t>self.respond(fault, &client, out, True)
        if goes.length:
            self.leaving[self.sending] = goes
            self.sending += 1

    cdef uint32_t respond(self, int fault, const Client* client, uint8_t* out, bint udp) noexcept nogil:
        """Return the response's length; 0: there is none. The query is parsed; over UDP `out` has OUT_BUFFER octets,
        else LONGEST_RESPONSE."""
        cdef uint32_t room = LONGEST_RESPONSE
        cdef bint known
        cdef int code
        if fault == DNS_DROP:
            self.counts.ignored += 1
            return 0
        if udp:
            room = min(<uint32_t>self.query.payload, <uint32_t>SENT_PAYLOAD) if self.query.has_opt else LEAST_PAYLOAD
        begin_reply(&self.reply, &self.query, out, room - self.kept_free)
        known = self.take_cookie(client)
        if udp and not known and not self.kept_free:
            code = limit_response(&self.limit, client, self.now)
            if code == SILENCE:
                self.counts.limited += 1
                return 0
            if code == CUT:
                self.counts.slipped += 1
                cut_reply(&self.reply, &self.query)
                return finish_reply(&self.reply, &self.query, NOERROR)
        code = self.decide(fault, known, udp)
        self.counts.codes[code] += 1
        self.counts.cut += (self.reply.flags & FLAG_TC) != 0
        return finish_reply(&self.reply, &self.query, code)

    cdef int decide(self, int fault, bint known, bint udp) noexcept nogil:
        """Return the response's code. AXFR is defined over TCP only (RFC 5936 section 4.2), where it does not come
        here."""
        self.counts.cookies += known
        if fault != NOERROR or not self.query.has_question:
            return fault
        if self.query.kind == TYPE_AXFR:
            return FORMERR if udp else REFUSED
        return answer(self.zones, &self.query, &self.reply)

    cdef bint take_cookie(self, const Client* client) noexcept nogil:
        """Return whether the query has a valid cookie; a client that sends any cookie gets a new one."""
        cdef uint32_t seconds = <uint32_t>(self.now // SECOND)
        if self.query.cookie == NULL:
            return False
        make_cookie(self.cookie_key, &self.query, client, seconds, self.reply.server_cookie)
        self.reply.has_cookie = True
        return is_ours(self.cookie_key, &self.query, client, seconds)

    cdef void send_all(self, object sock):
        """Send all; a response that the kernel refuses is left out: its client asks again."""
        cdef UdpSocket to = sock
        cdef int sent = 0
        while sent < self.sending:
            sent += to.send(self.leaving + sent, self.sending - sent)
            if sent < self.sending:
                sent += 1
                self.counts.unsent += 1

    def send(self, UdpSocket sock not None, SignedQuery query not None, bytes response not None):
        """Send the response to a signed query."""
        cdef Datagram goes = query.way
        cdef Datagram* one = &goes
        goes.data = <uint8_t*>PyBytes_AS_STRING(response)
        goes.length = <uint16_t>len(response)
        leave_by_route(&goes)
        if not sock.send(&one, 1):
            self.counts.unsent += 1

    def answer_stream(self, bytes data not None, bytes address not None):
        """Return the response to a query that came over TCP, from an address of 4 or 16 octets; empty: there is
        none."""
        return self.answer_message(data, address, False, 0)

    def answer_unsigned(self, bytes data not None, bytes address not None):
        """Return the response to a query that came over UDP; empty: there is none."""
        return self.answer_message(data, address, True, 0)

    def answer_known(self, bytes data not None, bytes address not None, int kept_free):
        """Return the response to a query that came over UDP and was signed by a key of ours, as it is without its
        signature, for which so many octets are kept free, 1 to 400. Its sender is known, so the limit of its network
        does not apply."""
        if not 0 < kept_free <= 400:
            raise ValueError("1 to 400 octets are kept free")
        return self.answer_message(data, address, True, kept_free)

    def has_room(self, bytes address not None):
        """Return whether the limit of a network permits one more response over UDP; it is counted."""
        cdef Client client
        client_of(&client, address)
        self.now = wall_clock()
        if limit_response(&self.limit, &client, self.now) in (SILENCE, CUT):
            self.counts.limited += 1
            return False
        return True

    def answer_message(self, bytes data, bytes address, bint udp, int kept_free):
        cdef Client client
        cdef int fault
        cdef uint32_t length
        if len(data) > LONGEST_RESPONSE:
            raise ValueError("the message is too long")
        client_of(&client, address)
        fault = parse_query(&self.query, data, len(data))
        self.now = wall_clock()
        self.counts.tcp += not udp
        self.kept_free = kept_free
        length = self.respond(fault, &client, self.stream, udp)
        self.kept_free = 0
        return (<const char*>self.stream)[:length]

    def counters(self):
        """Return what was counted since the start."""
        found = self.counts
        return found


cdef int64_t wall_clock() noexcept nogil:
    """Return nanoseconds since 1970."""
    cdef timespec when
    clock_gettime(CLOCK_REALTIME, &when)
    return <int64_t>when.tv_sec * SECOND + when.tv_nsec


cdef void read_client(Client* client, const Datagram* datagram, bint ipv6) noexcept nogil:
    if ipv6:
        client.length = 16
        store_u64(client.address, datagram.peer_hi)
        store_u64(client.address + 8, datagram.peer_lo)
    else:
        client.length = 4
        store_u32(client.address, datagram.peer)


cdef int client_of(Client* client, bytes address) except -1:
    """Return the client of an address as 4 or 16 octets. Raises ValueError."""
    if len(address) not in (4, 16):
        raise ValueError("an address has 4 or 16 octets")
    client.length = <uint8_t>len(address)
    memcpy(client.address, <const uint8_t*>address, client.length)
    return 0


cdef void leave_by_route(Datagram* datagram) noexcept nogil:
    """Let the response leave as the routes say, from the address that was asked; a link-local one on its own link."""
    if datagram.peer_hi >> 54 != LINK_LOCAL:
        datagram.ifindex = 0
    datagram.relay_ifindex = 0


cdef SignedQuery signed_query(const Datagram* datagram, bint ipv6):
    cdef SignedQuery query = SignedQuery.__new__(SignedQuery)
    cdef Client client
    read_client(&client, datagram, ipv6)
    query.way = datagram[0]
    query.data = (<const char*>datagram.data)[:datagram.length]
    query.address = (<const char*>client.address)[:client.length]
    return query
