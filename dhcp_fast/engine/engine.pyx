"""The interface of the engine: packets in, batches for the database out, answers back.

Everything runs on the event loop's thread. `receive` is called when a socket is readable; it
decides every waiting datagram and sends the immediate answers. Operations of the database wait in
the queue for batch.pyx. No asyncio, no SQL: server.py and lease_writer.py connect this to both.
"""

from libc.errno cimport EHOSTUNREACH, ENETUNREACH
from libc.stdint cimport int64_t, uint8_t, uint16_t

from dhcp_fast.clients.circuit_limit cimport count_pending, forget_pending
from dhcp_fast.dhcp4.ping_check cimport begin_ping, cancel_ping
from dhcp_fast.engine.engine_view cimport EngineView
from dhcp_fast.engine.send_order cimport gather_runs
from dhcp_fast.net.datagram cimport BY_FRAME, Datagram
from dhcp_fast.sharing.expiry cimport lapse_offers, tick
from dhcp_fast.sharing.holds cimport lapse_holds
from dhcp_fast.state.clock cimport boot_microseconds
from dhcp_fast.state.own_addresses cimport OwnAddress
from dhcp_fast.state.queue cimport enqueue, finish, give_parts, line_up, slot_at, slot_give, slot_take
from dhcp_fast.state.reasons cimport NOTICE_NONE, REASON_QUEUE_FULL, REASON_REPEATED, REASON_SEND_FAILED
from dhcp_fast.state.samples cimport keep_sample, keep_sample6
from dhcp_fast.state.slot cimport NO_SLOT, Slot, is_part
from dhcp_fast.state.state cimport (
    ACTION_CHECK, ACTION_DONE, ACTION_DROP, ACTION_OPEN, ACTION_REPLY, ACTION_WRITE, drop)
from dhcp_fast.state.trace_ring cimport trace_decision, trace_reply
from dhcp_fast.state.undecided cimport shed_for

cdef enum:
    ROUNDS = 8              # batches of datagrams taken before the loop gets its turn
    TICK = 512
    MOST_QUERIES = 256
    MOST_REFUSALS = 32
    LINK_LOCAL = 0x3FA      # the first ten bits of such an address
    GLOBAL = 0              # scope of addresses (rtnetlink(7))


def boot_clock():
    """Return microseconds of the clock that also counts while the machine sleeps."""
    return boot_microseconds()


cdef inline bint is_link_local(const Datagram* datagram) noexcept nogil:
    return datagram.peer_hi >> 54 == LINK_LOCAL


cdef class Engine(EngineView):
    """Engine(key, family): `key` is the cluster's hash key, two 64-bit numbers; family 4 or 6."""

    def __cinit__(self, tuple key, int family=4):
        cdef int i
        for i in range(BATCH):
            self.receiving[i] = slot_take(self.state.queue)
        self.queries = []
        self.requesters = []

    def add_socket(self, UdpSocket sock):
        """Return the number by which `receive` knows the socket. ValueError: there are MAX_SOCKETS already."""
        if len(self.sockets) == MAX_SOCKETS:
            raise ValueError(f"at most {MAX_SOCKETS} sockets")
        self.interfaces[len(self.sockets)] = sock.ifindex
        self.sockets.append(sock)
        return len(self.sockets) - 1

    def note_socket(self, int which):
        """Note that the socket is bound to another interface than before, or to none."""
        cdef UdpSocket sock = self.sockets[which]
        self.interfaces[which] = sock.ifindex

    def set_frames(self, FrameSocket frames):
        """Set the socket for replies to clients without an address; before it is set these replies count as not
        sent."""
        self.frames = frames

    def receive(self, int which):
        """Decide what is there to read on the socket; how many datagrams it was."""
        cdef int _round, got, total = 0
        cdef UdpSocket sock = self.sockets[which]
        for _round in range(ROUNDS):
            got = self.receive_batch(sock, which)
            total += got
            self.send()
            if got < BATCH:
                break
        return total

    cdef int receive_batch(self, UdpSocket sock, int which) noexcept:
        cdef Datagram* into[BATCH]
        cdef int i, got
        cdef uint16_t port = sock.port
        for i in range(BATCH):
            into[i] = &slot_at(self.state.queue, self.receiving[i]).rx
        got = sock.receive(into, BATCH)
        self.read_clocks()
        if self.protocol.look_ahead != NULL:
            self.protocol.look_ahead(&self.state, into, got)
        for i in range(got):
            into[i].socket = <uint8_t>which
            into[i].local_port = port
            if self.is_copy(into[i]):
                continue
            if self.state.share.count == 1 or self.protocol.is_ours(&self.state, into[i]):
                self.take_packet(i)
        return got

    cdef bint is_copy(self, const Datagram* rx) noexcept nogil:
        """Return whether the datagram is a copy: a broadcast reaches the sockets for all interfaces too; its own
        interface's socket takes it, if any."""
        cdef int i
        if self.interfaces[rx.socket] or rx.local == rx.ours:
            return False
        for i in range(MAX_SOCKETS):
            if self.interfaces[i] == rx.ifindex:
                return True
        return False

    cdef void take_packet(self, int at) noexcept nogil:
        """Decide one datagram; its slot stays with it while it waits, and another receives the next one."""
        cdef uint32_t index = self.receiving[at]
        cdef uint32_t spare
        cdef int action = self.protocol.on_packet(&self.state, slot_at(self.state.queue, index))
        self.note_decision(index, action)
        if action == ACTION_DROP or action == ACTION_DONE:
            give_parts(self.state.queue, index)
            if action == ACTION_DROP and self.state.last_reason == self.protocol.query and self.takes_leasequeries:
                self.keep_query(slot_at(self.state.queue, index))
            return
        spare = slot_take(self.state.queue)
        if spare == NO_SLOT:
            give_parts(self.state.queue, index)
            self.note_decision(index, drop(&self.state, shed_for(&self.state, REASON_QUEUE_FULL)))
            return
        self.receiving[at] = spare
        self.act(index, action)

    cdef void keep_query(self, const Slot* slot) noexcept with gil:
        """Keep a leasequery for `take_queries`.

        Senders that may not ask are ignored in DHCPv4 (RFC 4388 section 6.2). In DHCPv6 they are
        refused, and have places of their own, so that they never take those of requesters.
        """
        cdef bint allowed
        cdef const Datagram* rx = &slot.rx
        sender, asked = rx.peer, rx.ours
        if self.family == 6:
            sender = <object>rx.peer_hi << 64 | rx.peer_lo
            asked = 0 if rx.local_hi >> 56 == 0xFF else <object>rx.local_hi << 64 | rx.local_lo
        allowed = any(first <= sender <= last for first, last in self.requesters)
        if not allowed and self.family == 4:
            return
        if self.refusals >= MOST_REFUSALS if not allowed else len(self.queries) - self.refusals >= MOST_QUERIES:
            self.queries_dropped += 1
            return
        self.refusals += not allowed
        self.queries.append((slot.request[:rx.length], sender, rx.port, rx.socket, asked, rx.ifindex, allowed))

    def take_queries(self):
        """Return leasequeries since the last call: (packet, sender's address as a number, its port, number of the
        socket, address of ours that was asked or 0 for a group's, interface, whether the sender may ask)."""
        found, self.queries, self.refusals = self.queries, [], 0
        return found

    def take_leasequeries_of(self, requesters):
        """Keep leasequeries from now on; none where `requesters` is empty: (first, last) address of each network, as
        numbers."""
        self.requesters = list(requesters)
        self.takes_leasequeries = bool(self.requesters)

    cdef void note_decision(self, uint32_t index, int action) noexcept nogil:
        """Note what was decided on the slot's packet, for those who watch: of a drop, the log learns whose packet it
        was."""
        cdef Slot* slot = slot_at(self.state.queue, index)
        if action == ACTION_DROP:
            self.note_drop(slot)
        if self.tracers.count:
            trace_decision(&self.tracers, &self.protocol, &self.state, slot, index, action)

    cdef void note_drop(self, const Slot* slot) noexcept nogil:
        if self.family == 6:
            keep_sample6(
                &self.state.samples[self.state.last_reason], slot.op.association.duid.data,
                slot.op.association.duid.length, slot.rx.peer_hi, slot.rx.peer_lo, slot.op.subnet_no)
        else:
            keep_sample(&self.state.samples[self.state.last_reason], slot.request, slot.rx.length, slot.rx.peer,
                        slot.op.subnet_no, 0)

    cdef void act(self, uint32_t index, int action) noexcept nogil:
        if action == ACTION_WRITE:
            self.enqueue_write(index)
        elif action == ACTION_REPLY:
            self.post(index)
        elif action == ACTION_CHECK:
            self.park(index)
        else:
            slot_give(self.state.queue, index)

    cdef void decided_again(self, uint32_t index, int action) noexcept nogil:
        """Decide again after the database's word, or a ping's, on the first decision."""
        if action != ACTION_WRITE and is_part(slot_at(self.state.queue, index), index):
            self.part_over(index, action)
            return
        self.note_decision(index, action)
        self.act(index, action)

    cdef void enqueue_write(self, uint32_t index) noexcept nogil:
        """Queue all operations of the packet in the slot; the first one is marked if the packet is a retry.
        """
        cdef uint32_t part = slot_at(self.state.queue, index).sibling
        if not enqueue(self.state.queue, index):
            give_parts(self.state.queue, index)
            self.note_decision(index, drop(&self.state, REASON_REPEATED))
            slot_give(self.state.queue, index)
            return
        self.note_pending(index)
        while part != NO_SLOT:
            line_up(self.state.queue, part)
            self.note_pending(part)
            part = slot_at(self.state.queue, part).sibling

    cdef void note_pending(self, uint32_t index) noexcept nogil:
        if self.state.circuits.limit:
            count_pending(&self.state, slot_at(self.state.queue, index))

    # --- one of several operations of a packet (engine rule 31)

    cdef void part_over(self, uint32_t index, int action) noexcept nogil:
        """Note that the operation in the slot is over. With the packet's last one its answer leaves, if it gets one."""
        cdef uint32_t whole = slot_at(self.state.queue, index).packet
        if action != ACTION_OPEN:
            give_parts(self.state.queue, whole)
            if action != ACTION_REPLY and not slot_at(self.state.queue, whole).abandoned:
                self.note_decision(whole, action)
            self.act(whole, action)

    cdef void drop_part(self, uint32_t index, int reason) noexcept nogil:
        """Drop the answer of a packet whose operations were not all written; the others go on."""
        cdef Slot* whole = slot_at(self.state.queue, slot_at(self.state.queue, index).packet)
        if not whole.abandoned:
            self.note_decision(whole.packet, drop(&self.state, reason))
            whole.abandoned = True
        whole.parts_open -= 1
        self.part_over(index, ACTION_OPEN if whole.parts_open else ACTION_DONE)

    cdef void park(self, uint32_t index) noexcept nogil:
        """Ping the address that the slot is about to offer; the slot waits for ping_check.pyx."""
        cdef int64_t sequence = begin_ping(&self.state, index)
        if sequence < 0 or self.icmp.send(<uint32_t>slot_at(self.state.queue, index).op.lo, <uint16_t>sequence):
            return
        cancel_ping(&self.state, <uint32_t>sequence)
        self.resume(index)

    cdef void resume(self, uint32_t index) noexcept nogil:
        self.decided_again(index, self.protocol.decide_checked(&self.state, slot_at(self.state.queue, index)))

    cdef void post(self, uint32_t index) noexcept nogil:
        self.outbox[self.outbox_count] = index
        self.outbox_count += 1

    def send(self):
        """Send the replies that are ready, in as few system calls as their sockets allow."""
        cdef int start = 0, end
        cdef Slot* slot
        while start < self.outbox_count:
            slot = slot_at(self.state.queue, self.outbox[start])
            end = start + 1
            if slot.tx.way == BY_FRAME:
                self.count_sent(self.outbox[start], self.frames is not None and self.frames.send(&slot.tx))
            else:
                while end < self.outbox_count and end - start < BATCH and self.goes_along(end, slot):
                    end += 1
                self.send_run(start, end - start)
            start = end
        for start in range(self.outbox_count):
            slot_give(self.state.queue, self.outbox[start])
        self.outbox_count = 0

    cdef bint goes_along(self, int at, const Slot* first) noexcept nogil:
        cdef Slot* slot = slot_at(self.state.queue, self.outbox[at])
        return slot.tx.way != BY_FRAME and slot.tx.socket == first.tx.socket

    cdef void send_run(self, int start, int count) noexcept:
        """Send datagrams of one socket. One that the kernel refuses is counted and skipped; its client asks again."""
        cdef Datagram* these[BATCH]
        cdef int i, taken, sent = 0
        cdef UdpSocket sock
        gather_runs(self.state.queue, &self.outbox[start], count)
        for i in range(count):
            these[i] = &slot_at(self.state.queue, self.outbox[start + i]).tx
        sock = self.sockets[these[0].socket]
        while sent < count:
            taken = sock.send(&these[sent], count - sent)
            for i in range(taken):
                self.count_sent(self.outbox[start + sent + i], True)
            if taken == 0:
                self.count_sent(self.outbox[start + sent], self.send_by_routes(sock, these[sent]))
            sent += max(taken, 1)

    cdef bint send_by_routes(self, UdpSocket sock, const Datagram* datagram) noexcept:
        """Send a datagram that cannot leave by the socket's interface by another one with a route
        (decisions: Reply address). Return True if the kernel took it. A datagram to a neighbor on
        the link has no other way.
        """
        cdef UdpSocket other
        cdef Datagram routed = datagram[0]
        cdef Datagram* these = &routed
        near = is_link_local(datagram) if self.family == 6 else datagram.ifindex != 0
        if not sock.ifindex or near or sock.refusal not in (ENETUNREACH, EHOSTUNREACH):
            return False
        if self.family == 6 and not routed.local_hi and not self.choose_source(&routed):
            return False
        routed.ifindex = 0
        other = sock.by_routes()
        return other is not None and other.send(&these, 1) == 1

    cdef bint choose_source(self, Datagram* routed) noexcept nogil:
        """Choose the source of an answer to what came to a group: a global address of the interface where it came in,
        else of another."""
        cdef const OwnAddress* own
        cdef int i
        for i in range(self.state.own.count):
            own = &self.state.own.entries[i]
            if own.scope == GLOBAL and (not routed.local_hi or own.ifindex == routed.ifindex):
                routed.local_hi, routed.local_lo = own.hi, own.lo
                if own.ifindex == routed.ifindex:
                    return True
        return routed.local_hi != 0

    def note_unsent(self):
        """Count an answer that was made beside the packet path and could not leave."""
        drop(&self.state, REASON_SEND_FAILED)

    cdef void count_sent(self, uint32_t index, bint taken) noexcept nogil:
        """Count a packet as answered when its reply has left, by the first message type among the
        options, if any.
        """
        cdef Slot* slot = slot_at(self.state.queue, index)
        if not taken:
            self.note_decision(index, drop(&self.state, REASON_SEND_FAILED))
            return
        self.state.replied[self.protocol.reply_type(slot)] += 1
        if self.tracers.count:
            trace_reply(&self.tracers, &self.protocol, slot, index)

    def tick(self):
        """Lapse offers and look at leases whose time has come, once a tenth of a second or so."""
        self.read_clocks()
        lapse_offers(&self.state)
        lapse_holds(&self.state)
        return tick(&self.state, TICK)

    cdef void drop_waiting(self, uint32_t index, int reason) noexcept nogil:
        """End the slot's operation without an answer."""
        self.state.last_notice = NOTICE_NONE
        self.conclude(index)
        if is_part(slot_at(self.state.queue, index), index):
            self.drop_part(index, reason)
            return
        self.note_decision(index, drop(&self.state, reason))
        slot_give(self.state.queue, index)

    cdef void conclude(self, uint32_t index) noexcept nogil:
        """End the slot's operation, so that the next one may begin."""
        finish(self.state.queue, index)
        forget_pending(&self.state, slot_at(self.state.queue, index))
