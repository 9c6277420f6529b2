"""The exchanges of a storm: the next client, its packets and its timeouts.

    dora      a new client: DISCOVER, OFFER, REQUEST, ACK
    discover  the same, ended by the OFFER
    renew     a client of the ledger renews by its `ciaddr` (RENEWING)
    reboot    it verifies its address after a restart (INIT-REBOOT)
    return    it asks again as if it had none: dora
    release   it gives its address back, which nothing answers
    churn     it gives its address back and begins dora at once
    replace   a client at random gives its address back; in the same breath a new one begins dora
    mixed     four in five renew, the fifth is a new client

A client of the ledger whose last exchange failed begins dora, whatever the mix.
"""

from libc.string cimport memcpy

from dhcp_fast.bench.generator import template as templates

from cpython.bytes cimport PyBytes_AS_STRING

from dhcp_fast.bench.generator.clients cimport CIADDR, PACKET, get32, put32, write_packet
from dhcp_fast.bench.generator.ledger cimport below, mixed

MIXES = {
    "dora": DORA, "discover": DISCOVER_ONLY, "renew": RENEW, "release": RELEASE, "reboot": REBOOT,
    "return": RETURN, "churn": CHURN, "replace": REPLACE, "mixed": MIXED,
}

cdef int FRESH_EVERY = 5            # of "mixed", this one is a new client
cdef int64_t ONE_SECOND = 1_000_000_000


cdef class Exchanges:

    def write_templates(self, features):
        fill(&self.templates[<int>DORA], templates.discover(features))
        fill(&self.templates[<int>DISCOVER_ONLY], templates.discover(features))
        fill(&self.templates[<int>RENEW], templates.renewing(features))
        fill(&self.templates[<int>RELEASE], templates.release(features))
        fill(&self.templates[<int>REBOOT], templates.rebooting(features))
        fill(&self.selecting, templates.selecting(features))
        if features.links is not None:
            self.links = Links(int(features.links.first), features.links.count, 32 - features.links.length)

    cdef void prepare(self, Slot *slot) noexcept nogil:
        """Prepare a slot for its next exchange: another transaction id, a client, and the phase that it begins in."""
        slot.xid += 1 << SLOT_BITS
        slot.began = self.now
        slot.tries = 0
        self.choose(slot)
        slot.phase = RENEWING if slot.kind == RENEW or slot.kind == REBOOT else SELECTING

    cdef void choose(self, Slot *slot) noexcept nogil:
        """Choose the client of the exchange, and its first packet."""
        cdef Ack given_up
        slot.lease = NULL
        slot.address = 0
        slot.kind = DISCOVER_ONLY if self.mix == DISCOVER_ONLY else DORA
        if self.mix == REPLACE:
            self.ledger.take_out(mixed(&self.random), &given_up)
            self.release(slot, &given_up)
        elif not self.fresh():
            self.choose_holder(slot)
            return
        slot.client = self.next_client
        self.next_client += 1

    cdef bint fresh(self) noexcept nogil:
        return self.mix <= DISCOVER_ONLY or (
            self.mix == MIXED and self.count.started % FRESH_EVERY == FRESH_EVERY - 1
        )

    cdef void choose_holder(self, Slot *slot) noexcept nogil:
        """Choose the next client of the ledger; one that lost its lease asks for a new one, whatever the mix."""
        cdef Ack *lease = self.ledger.next_lease()
        slot.lease = lease
        slot.client = lease.client
        slot.address = lease.address
        slot.server_id = lease.server_id
        if lease.address == 0:
            return
        if self.mix == CHURN:
            self.release(slot, lease)
            lease.address = 0
        elif self.mix == MIXED:
            slot.kind = RENEW
        elif self.mix != RETURN:
            slot.kind = self.mix

    cdef void release(self, Slot *slot, const Ack *lease) noexcept nogil:
        """Release the lease (RFC 2131 section 4.4.6). The log records it before the server can give the address to
        anybody else."""
        cdef const Template *form = &self.templates[<int>RELEASE]
        cdef uint8_t *packet = self.link.next_packet()
        cdef Ack record = Ack(lease.client, lease.address, lease.server_id, 0)
        write_packet(packet, form, slot.xid, 0, self.seed, lease.client)
        memcpy(packet + CIADDR, &lease.address, 4)
        memcpy(packet + form.server_id, &lease.server_id, 4)
        self.name_link(packet, form, lease.client, lease.address)
        self.count.releases += 1
        self.remember(&record)

    cdef void send(self, Slot *slot) noexcept nogil:
        cdef const Template *form = &self.templates[slot.kind]
        cdef uint8_t *packet = self.link.next_packet()
        cdef uint16_t secs = <uint16_t>((self.now - slot.began) // 1000000000)
        if slot.phase == REQUESTING:
            form = &self.selecting
        write_packet(packet, form, slot.xid, secs, self.seed, slot.client)
        if slot.kind == RENEW:
            memcpy(packet + CIADDR, &slot.address, 4)
        if form.requested:
            memcpy(packet + form.requested, &slot.address, 4)
        if form.server_id:
            memcpy(packet + form.server_id, &slot.server_id, 4)
        self.name_link(packet, form, slot.client, slot.address)
        slot.tries += 1
        slot.due = self.now + self.delay(slot.tries)

    cdef void name_link(self, uint8_t *packet, const Template *form, uint32_t client, uint32_t address) noexcept nogil:
        """Name the client's network: that of its address, which is in network order, if it has one."""
        cdef uint32_t number
        if form.link:
            if address:
                number = (get32(<const uint8_t *>&address) - self.links.first) >> self.links.host_bits
            else:
                number = client % self.links.count
            put32(packet + form.link, self.links.first + (number << self.links.host_bits))

    cdef int64_t delay(self, int tries) noexcept nogil:
        """Return how long to wait for an answer. RFC 2131 section 4.1: doubled up to 64 s, one second more or less."""
        if not self.backoff:
            return self.timeout
        return (ONE_SECOND << min(tries + 1, 6)) + <int64_t>below(&self.random, 2 * ONE_SECOND) - ONE_SECOND

    cdef void remember(self, const Ack *record) noexcept nogil:
        if not self.ledger.record(record):
            # An unrecorded acknowledgement would pass the audit unseen.
            self.stopping = True


cdef void fill(Template *target, source):
    """Fill a template from Python into C."""
    packet = source.packet
    assert len(packet) == PACKET
    memcpy(target.packet, PyBytes_AS_STRING(packet), PACKET)
    target.hostname = source.hostname
    target.client_id = source.client_id
    target.requested = source.requested
    target.server_id = source.server_id
    target.link = source.link
