"""The storm: many DHCP clients behind one relay, in C, with as little CPU as a client can cost.

Closed loop: `window` exchanges are in flight; one that ends is replaced at once. Open loop: `rate` exchanges
a second are begun by the clock, whatever the server does. An exchange of the mix "dora" is DISCOVER, OFFER,
REQUEST, ACK; "discover" ends with the OFFER; "renew" and "release" work on addresses of an earlier run.

A reply finds its exchange by the low half of its transaction id and must carry that client's MAC and the
whole id; anything else is counted as late, duplicate or foreign. What is not answered is sent again after
`timeout` and dropped after `tries`. Time is read once a batch. The loop sleeps when nothing waits, and it
always ends: at the goal or the deadline, plus the time that the last exchanges may take, or when nobody
answers at all.
"""

import time

from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from dhcp_fast.load import template as templates
from dhcp_fast.load.result import Result

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

from dhcp_fast.load.clients cimport (
    ACK, CHADDR, CIADDR, NAK, OFFER, PACKET, has_mac, read_reply, write_packet,
)
from dhcp_fast.load.linux cimport (
    CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID, POLLIN, nanoseconds, set_timer_slack, sleep_for, wait_for,
)

SLOTS = 65536
SECOND = 1_000_000_000
MIXES = {"dora": DORA, "discover": DISCOVER_ONLY, "renew": RENEW, "release": RELEASE}

cdef int LINGER_SLACK = 5000
cdef int64_t FOREVER = 1 << 62


cdef class Storm:

    def __cinit__(self):
        cdef uint32_t index
        self.slots = <Slot *>calloc(SLOTS, sizeof(Slot))
        self.free_slots = <uint32_t *>malloc(SLOTS * sizeof(uint32_t))
        if self.slots == NULL or self.free_slots == NULL:
            raise MemoryError()
        # Ids of one storm differ from those of the one before it on the same socket pair.
        salt = time.monotonic_ns() & 0xFFFF
        for index in range(SLOTS):
            self.slots[index].xid = <uint32_t>salt << 16 | index

    def __init__(self, server, *, local=("127.0.0.1", 0), features=None, seed=1, first_client=0, timeout=1.0,
                 tries=3, patience=10.0, segments=True, linger=None):
        """`seed` (0-255) and `first_client` choose the MACs; times are in seconds.

        `linger` is how long replies may gather before they are read; by default `linger_for` the window,
        a few hundredths of the latency. Without it a fast server wakes us for every few packets and the
        generator costs several times what the exchange needs.
        """
        self.link = Datagrams(local, server, segments=segments)
        self.seed = seed
        self.next_client = first_client
        self.timeout = int(timeout * SECOND)
        self.patience = int(patience * SECOND)
        self.fixed_linger = linger
        self.tries = tries
        features = features or templates.Features()
        fill(&self.templates[<int>DORA], templates.discover(features))
        fill(&self.templates[<int>DISCOVER_ONLY], templates.discover(features))
        fill(&self.templates[<int>RENEW], templates.renewing(features))
        fill(&self.templates[<int>RELEASE], templates.release(features))
        fill(&self.selecting, templates.selecting(features))

    def __dealloc__(self):
        free(self.slots)
        free(self.free_slots)
        free(self.log)

    def close(self):
        self.link.close()

    def stop(self):
        """Begin no more exchanges; `run`, in its own thread, ends when those in flight have ended."""
        self.stopping = True

    @property
    def completed(self):
        """Exchanges that got their last answer so far; may be read while `run` runs in another thread."""
        return self.count.completed

    def run(self, *, mix="dora", exchanges=0, seconds=0.0, window=256, rate=0.0, held=b""):
        """Drive `exchanges` exchanges, or for `seconds`, or until the first of both; returns a Result.

        `held` is the `log` of an earlier result, needed by "renew" and "release"; "release" needs a rate,
        since nothing answers it.
        """
        self.check(mix, exchanges, seconds, window, rate, held)
        self.mix = MIXES[mix]
        self.window = window
        self.rate = rate
        self.held = <const Ack *>PyBytes_AS_STRING(held)
        self.held_count = len(held) // sizeof(Ack)
        self.goal = exchanges or FOREVER
        self.begin(int(seconds * SECOND) if seconds else FOREVER // 2)
        before = self.link.kernel_drops
        cpu = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        with nogil:
            self.drive()
        cpu = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - cpu
        return self.report(mix, cpu, self.link.kernel_drops - before)

    def check(self, mix, exchanges, seconds, window, rate, held):
        if not exchanges and not seconds:
            raise ValueError("a storm needs a number of exchanges or of seconds")
        if not 0 < window <= SLOTS:
            raise ValueError(f"window must be 1 to {SLOTS}")
        if mix in ("renew", "release") and not held:
            raise ValueError(f"the mix {mix} needs addresses of an earlier run")
        if mix == "release" and not rate:
            raise ValueError("nothing answers a release: give a rate")

    def begin(self, int64_t length):
        cdef int index
        memset(&self.count, 0, sizeof(Counters))
        self.latency = Histogram()
        self.offer_latency = Histogram()
        self.stopping = False
        self.flowing = False
        linger = linger_for(self.window) if self.fixed_linger is None else self.fixed_linger
        self.linger = int(linger * SECOND)
        set_timer_slack(LINGER_SLACK)
        for index in range(self.window):
            self.free_slots[index] = self.window - 1 - index
        self.free_count = self.window
        self.now = self.began = self.last_reply = self.last_done = nanoseconds(CLOCK_MONOTONIC)
        self.closes = self.began + length
        self.next_scan = self.began

    cdef void drive(self) noexcept nogil:
        while not self.over():
            self.start_due()
            self.link.flush()
            self.receive()
            if self.now >= self.next_scan:
                self.scan()
        self.abandon()

    cdef void abandon(self) noexcept nogil:
        """What patience left in flight must not wake up in the next run, whose window may be smaller."""
        cdef int index
        for index in range(self.window):
            self.slots[index].phase = IDLE

    cdef bint over(self) noexcept nogil:
        self.now = nanoseconds(CLOCK_MONOTONIC)
        if self.free_count < self.window:
            return self.now - self.last_reply > self.patience
        self.last_reply = self.now
        return not self.may_start()

    cdef bint may_start(self) noexcept nogil:
        return not self.stopping and self.count.started < self.goal and self.now < self.closes

    cdef void start_due(self) noexcept nogil:
        cdef int64_t due = self.goal
        if not self.may_start():
            return
        if self.rate > 0:
            due = min(due, 1 + <int64_t>(<double>(self.now - self.began) * self.rate / 1e9))
        while self.free_count > 0 and self.count.started < due:
            self.start_one()

    cdef void start_one(self) noexcept nogil:
        self.free_count -= 1
        cdef Slot *slot = &self.slots[self.free_slots[self.free_count]]
        self.choose_client(slot)
        self.count.started += 1
        slot.xid += 1 << 16
        slot.began = self.now
        slot.tries = 0
        slot.phase = RENEWING if self.mix == RENEW else SELECTING
        self.send(slot)
        if self.mix == RELEASE:
            self.last_reply = self.now
            self.count.in_time += 1
            self.finish(slot)

    cdef void choose_client(self, Slot *slot) noexcept nogil:
        cdef const Ack *lease
        if self.mix == RENEW or self.mix == RELEASE:
            lease = &self.held[self.count.started % self.held_count]
            slot.client = lease.client
            slot.address = lease.address
            slot.server_id = lease.server_id
        else:
            slot.client = self.next_client
            self.next_client += 1

    cdef void send(self, Slot *slot) noexcept nogil:
        cdef const Template *form = &self.templates[<int>self.mix]
        cdef uint8_t *packet = self.link.next_packet()
        cdef uint16_t secs = <uint16_t>((self.now - slot.began) // 1000000000)
        if slot.phase == REQUESTING:
            form = &self.selecting
        write_packet(packet, form, slot.xid, secs, self.seed, slot.client)
        if slot.phase == RENEWING or self.mix == RELEASE:
            memcpy(packet + CIADDR, &slot.address, 4)
        if form.requested:
            memcpy(packet + form.requested, &slot.address, 4)
        if form.server_id:
            memcpy(packet + form.server_id, &slot.server_id, 4)
        slot.sent = self.now
        slot.tries += 1

    cdef void receive(self) noexcept nogil:
        cdef int index
        cdef int count = self.link.receive()
        if count == 0:
            self.wait()
            return
        self.flowing = True
        self.now = nanoseconds(CLOCK_MONOTONIC)
        for index in range(count):
            self.on_packet(self.link.packet(index), self.link.length(index))

    cdef void on_packet(self, const uint8_t *data, int length) noexcept nogil:
        cdef Reply reply
        cdef Slot *slot
        if not read_reply(data, length, &reply):
            self.count.malformed += 1
            return
        slot = &self.slots[reply.xid & 0xFFFF]
        if slot.xid != reply.xid:
            self.count.late += 1
        elif not has_mac(data + CHADDR, self.seed, slot.client):
            self.count.foreign += 1
        else:
            self.last_reply = self.now
            self.on_reply(slot, &reply)

    cdef void on_reply(self, Slot *slot, const Reply *reply) noexcept nogil:
        if reply.type == OFFER and slot.phase == SELECTING:
            self.on_offer(slot, reply)
        elif reply.type == ACK and slot.phase >= REQUESTING:
            self.on_ack(slot, reply)
        elif reply.type == NAK and slot.phase >= REQUESTING:
            self.count.naks += 1
            self.finish(slot)
        else:
            self.count.duplicates += 1

    cdef void on_offer(self, Slot *slot, const Reply *reply) noexcept nogil:
        self.count.offers += 1
        self.offer_latency.record(self.now - slot.began)
        if self.mix == DISCOVER_ONLY:
            self.count.in_time += self.now <= self.closes
            self.finish(slot)
            return
        slot.phase = REQUESTING
        slot.tries = 0
        slot.address = reply.yiaddr
        slot.server_id = reply.server_id
        self.send(slot)

    cdef void on_ack(self, Slot *slot, const Reply *reply) noexcept nogil:
        self.count.acks += 1
        self.count.unexpected += reply.yiaddr != slot.address
        self.count.in_time += self.now <= self.closes
        self.latency.record(self.now - slot.began)
        self.remember(slot, reply)
        self.finish(slot)

    cdef void remember(self, Slot *slot, const Reply *reply) noexcept nogil:
        cdef Ack *log = self.log
        cdef int64_t at = self.count.acks - 1
        if at >= self.log_room:
            log = <Ack *>realloc(self.log, (self.log_room * 2 + 65536) * sizeof(Ack))
            if log == NULL:
                # An unrecorded acknowledgement would pass the audit unseen: stop with the log one short.
                self.stopping = True
                self.count.acks -= 1
                return
            self.log = log
            self.log_room = self.log_room * 2 + 65536
        log[at] = Ack(slot.client, reply.yiaddr, reply.server_id, reply.lease_seconds)

    cdef void finish(self, Slot *slot) noexcept nogil:
        slot.phase = IDLE
        self.count.completed += 1
        self.last_done = self.now
        self.free_slots[self.free_count] = slot.xid & 0xFFFF
        self.free_count += 1

    cdef void scan(self) noexcept nogil:
        cdef int index
        for index in range(self.window):
            if self.slots[index].phase != IDLE and self.now - self.slots[index].sent >= self.timeout:
                self.retry_or_drop(&self.slots[index])
        self.next_scan = self.now + self.timeout // 20

    cdef void retry_or_drop(self, Slot *slot) noexcept nogil:
        if slot.tries < self.tries:
            self.count.retransmits += 1
            self.send(slot)
            return
        if slot.phase == SELECTING:
            self.count.dropped_discovers += 1
        else:
            self.count.dropped_requests += 1
        self.count.completed -= 1
        self.finish(slot)

    cdef void wait(self) noexcept nogil:
        """Sleep: for `linger` while replies keep coming, so that they gather; else until there is work."""
        cdef int64_t until = self.next_scan
        cdef int64_t start = FOREVER
        if self.flowing and self.linger > 0:
            self.flowing = False
            sleep_for(self.linger)
            return
        if self.rate > 0 and self.free_count > 0 and self.may_start():
            # Starts of the same 50 µs share a batch.
            start = self.began + <int64_t>(<double>self.count.started * 1e9 / self.rate) + 50000
        wait_for(self.link.fd, POLLIN, min(until, start) - self.now)

    def report(self, mix, cpu, kernel_drops):
        counters = self.count
        in_flight = self.window - self.free_count
        until = self.last_done if counters.started >= self.goal else min(self.now, self.closes)
        return Result(
            mix=mix,
            window=self.window,
            elapsed=max(until - self.began, 1) / SECOND,
            cpu=cpu / SECOND,
            in_time=counters.in_time,
            started=counters.started,
            offers=counters.offers,
            acks=counters.acks,
            naks=counters.naks,
            drops=counters.dropped_discovers + counters.dropped_requests + in_flight,
            retransmits=counters.retransmits,
            late=counters.late,
            duplicates=counters.duplicates,
            foreign=counters.foreign,
            malformed=counters.malformed,
            unexpected=counters.unexpected,
            refused=self.link.refused,
            kernel_drops=kernel_drops,
            latency=self.latency,
            offer_latency=self.offer_latency,
            log=PyBytes_FromStringAndSize(<char *>self.log, counters.acks * sizeof(Ack)),
        )


def linger_for(window):
    """Seconds: 400 ns an exchange in flight, at most 200 µs."""
    return min(window * 400e-9, 200e-6)


cdef void fill(Template *target, source):
    """A template from Python into C."""
    packet = source.packet
    assert len(packet) == PACKET
    memcpy(target.packet, PyBytes_AS_STRING(packet), PACKET)
    target.hostname = source.hostname
    target.client_id = source.client_id
    target.requested = source.requested
    target.server_id = source.server_id
