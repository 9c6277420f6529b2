"""The storm: many DHCP clients behind one relay, in C, with as little CPU as a client can cost.

Closed loop: `window` exchanges are in flight; one that ends is replaced at once. Open loop: `rate`
exchanges a second begin by the clock, whatever the server does.

A reply finds its exchange by the low bits of its transaction id and must carry that client's MAC
and the whole id; anything else is counted as late, duplicate or foreign. A request without an
answer is repeated after `timeout` and dropped after `tries`; with `backoff` it is repeated as RFC
2131 section 4.1 requires, and never dropped. Time is read once a batch. The loop sleeps while it
has nothing to do. It ends at the goal or the deadline plus the longest wait of an exchange, or when
the server answers nothing.
"""

import time

from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from dhcp_fast.bench.generator import template as templates
from dhcp_fast.bench.generator.exchanges import MIXES
from dhcp_fast.bench.generator.result import Result

from dhcp_fast.bench.generator.clients cimport ACK, CHADDR, NAK, OFFER, Ack, Reply, has_mac, read_reply
from dhcp_fast.bench.generator.datagrams cimport Datagrams
from dhcp_fast.bench.generator.exchanges cimport (
    DISCOVER_ONLY, DORA, IDLE, RELEASE, REPLACE, REQUESTING, SELECTING, SLOT_BITS, SLOT_MASK, Counters, Exchanges,
    Slot,
)
from dhcp_fast.bench.generator.histogram cimport Histogram
from dhcp_fast.bench.generator.ledger cimport Ledger
from dhcp_fast.bench.generator.linux cimport (
    CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID, POLLIN, nanoseconds, set_timer_slack, sleep_for, wait_for,
)

SLOTS = 1 << SLOT_BITS
SECOND = 1_000_000_000

cdef int LINGER_SLACK = 5000
cdef int BURST = 1024               # exchanges begun between two looks at the replies
cdef int64_t LONGEST_SCAN = 50_000_000
cdef int64_t FOREVER = 1 << 62


cdef class Storm(Exchanges):

    def __cinit__(self):
        cdef uint32_t index
        self.slots = <Slot *>calloc(SLOTS, sizeof(Slot))
        self.free_slots = <uint32_t *>malloc(SLOTS * sizeof(uint32_t))
        if self.slots == NULL or self.free_slots == NULL:
            raise MemoryError()
        # Ids of one storm differ from those of the one before it on the same socket pair.
        salt = time.monotonic_ns() & (0xFFFFFFFF >> SLOT_BITS)
        for index in range(SLOTS):
            self.slots[index].xid = <uint32_t>salt << SLOT_BITS | index

    def __init__(self, server, *, local=("127.0.0.1", 0), features=None, seed=1, first_client=0, timeout=1.0,
                 tries=3, backoff=False, patience=10.0, segments=True, merged=True, linger=None):
        """Create the storm. `seed` (0-255) and `first_client` choose the MACs; times are in seconds.

        `linger` is how long replies may gather before they are read; by default `linger_for` the window,
        a few hundredths of the latency. Without it a fast server wakes us for every few packets and the
        generator costs several times what the exchange needs. With `backoff` a client waits 4, 8, 16, 32 and 64
        seconds, each one more or less, and begins anew after a NAK or `tries` REQUESTs without an answer.
        """
        self.link = Datagrams(local, server, segments=segments, merged=merged)
        self.seed = seed
        self.random = seed + 1
        self.next_client = first_client
        self.ledger = Ledger()
        self.backoff = backoff
        self.timeout = int(timeout * SECOND)
        self.patience = int(patience * SECOND)
        self.fixed_linger = linger
        self.tries = tries
        self.write_templates(features or templates.Features())

    def __dealloc__(self):
        free(self.slots)
        free(self.free_slots)

    def close(self):
        self.link.close()

    def stop(self):
        """Begin no more exchanges; `run`, in its own thread, ends when those in flight have ended."""
        self.stopping = True

    @property
    def completed(self):
        """Return the exchanges that got their last answer so far; may be read while `run` runs in another thread."""
        return self.count.completed

    def run(self, *, mix="dora", exchanges=0, seconds=0.0, window=256, rate=0.0, held=b""):
        """Drive `exchanges` exchanges, or for `seconds`, or until the first of both; returns a Result.

        `held` is the `log` of an earlier result, which then is what the ledger holds; every mix without
        new clients needs one, once. "release" needs a rate, since nothing answers it.
        """
        if held:
            self.ledger.hold(held)
        self.check(mix, exchanges, seconds, window, rate)
        self.mix = MIXES[mix]
        self.window = window
        self.rate = rate
        self.goal = exchanges or FOREVER
        self.begin(int(seconds * SECOND) if seconds else FOREVER // 2)
        before = self.link.kernel_drops
        cpu = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        with nogil:
            self.drive()
        cpu = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - cpu
        return self.report(mix, cpu, self.link.kernel_drops - before)

    def check(self, mix, exchanges, seconds, window, rate):
        if not exchanges and not seconds:
            raise ValueError("a storm needs a number of exchanges or of seconds")
        if not 0 < window <= SLOTS:
            raise ValueError(f"window must be 1 to {SLOTS}")
        if mix not in ("dora", "discover") and not self.ledger.held:
            raise ValueError(f"the mix {mix} needs addresses of an earlier run")
        if mix == "release" and not rate:
            raise ValueError("nothing answers a release: give a rate")

    def begin(self, int64_t length):
        cdef int index
        memset(&self.count, 0, sizeof(Counters))
        self.ledger.begin()
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
        """Abandon the exchanges in flight, which must not wake up in the next run, whose window may be smaller."""
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
        if self.mix == REPLACE and self.ledger.held == 0:
            return False
        return not self.stopping and self.count.started < self.goal and self.now < self.closes

    cdef void start_due(self) noexcept nogil:
        cdef int64_t due = self.goal
        cdef int64_t most = self.count.started + BURST
        self.behind = False
        if self.rate > 0:
            due = min(due, 1 + <int64_t>(<double>(self.now - self.began) * self.rate / 1e9))
        while self.free_count > 0 and self.count.started < due and self.may_start():
            if self.count.started == most:
                self.behind = True
                return
            self.start_one()

    cdef void start_one(self) noexcept nogil:
        self.free_count -= 1
        cdef Slot *slot = &self.slots[self.free_slots[self.free_count]]
        self.prepare(slot)
        self.count.started += 1
        if slot.kind == RELEASE:
            self.release(slot, slot.lease)
            self.last_reply = self.now
            self.count.in_time += 1
            self.finish(slot)
        else:
            self.send(slot)

    cdef void receive(self) noexcept nogil:
        cdef int index
        cdef int count = self.link.receive()
        if count == 0:
            if not self.behind:
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
        slot = &self.slots[reply.xid & SLOT_MASK]
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
            self.on_nak(slot)
        else:
            self.count.duplicates += 1

    cdef void on_offer(self, Slot *slot, const Reply *reply) noexcept nogil:
        self.count.offers += 1
        self.offer_latency.record(self.now - slot.began)
        if slot.kind == DISCOVER_ONLY:
            self.count.in_time += self.now <= self.closes
            self.finish(slot)
            return
        slot.phase = REQUESTING
        slot.tries = 0
        slot.address = reply.yiaddr
        slot.server_id = reply.server_id
        self.send(slot)

    cdef void on_ack(self, Slot *slot, const Reply *reply) noexcept nogil:
        cdef Ack ack = Ack(slot.client, reply.yiaddr, reply.server_id, reply.lease_seconds)
        self.count.acks += 1
        self.count.unexpected += reply.yiaddr != slot.address
        self.count.in_time += self.now <= self.closes
        self.latency.record(self.now - slot.began)
        self.remember(&ack)
        if slot.lease != NULL:
            slot.lease[0] = ack
        elif self.mix == REPLACE:
            self.ledger.put_in(&ack)
        self.finish(slot)

    cdef void on_nak(self, Slot *slot) noexcept nogil:
        self.count.naks += 1
        if slot.lease != NULL:
            slot.lease.address = 0
        if self.backoff:
            self.begin_anew(slot)
        else:
            self.finish(slot)

    cdef void begin_anew(self, Slot *slot) noexcept nogil:
        """Return to INIT (RFC 2131 figure 5); the client's wait counts from its first packet."""
        self.count.restarts += 1
        slot.kind = DORA
        slot.phase = SELECTING
        slot.tries = 0
        self.send(slot)

    cdef void finish(self, Slot *slot) noexcept nogil:
        slot.phase = IDLE
        self.count.completed += 1
        self.last_done = self.now
        self.free_slots[self.free_count] = slot.xid & SLOT_MASK
        self.free_count += 1

    cdef void scan(self) noexcept nogil:
        cdef int index
        for index in range(self.window):
            if self.slots[index].phase != IDLE and self.now >= self.slots[index].due:
                self.retry_or_drop(&self.slots[index])
        self.next_scan = self.now + min(self.timeout // 20, LONGEST_SCAN)

    cdef void retry_or_drop(self, Slot *slot) noexcept nogil:
        if slot.tries < self.tries or self.backoff and slot.phase == SELECTING:
            self.count.retransmits += 1
            self.send(slot)
            return
        if self.backoff:
            self.begin_anew(slot)
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
            restarts=counters.restarts,
            releases=counters.releases,
            late=counters.late,
            duplicates=counters.duplicates,
            foreign=counters.foreign,
            malformed=counters.malformed,
            unexpected=counters.unexpected,
            refused=self.link.refused,
            kernel_drops=kernel_drops,
            latency=self.latency,
            offer_latency=self.offer_latency,
            log=self.ledger.records(),
        )


def linger_for(window):
    """Return seconds: 400 ns an exchange in flight, at most 200 µs."""
    return min(window * 400e-9, 200e-6)
