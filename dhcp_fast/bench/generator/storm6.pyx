"""The storm of DHCPv6 clients: SOLICIT, ADVERTISE, REQUEST, REPLY, renewals and releases, all through a relay.

Exchanges, time and ledger are those of storm.pyx; packets are written and read here. The record of
a lease contains the four octets in which the leases of a run differ: `address` those of the
address, `server_id` those of the delegated prefix.
"""

from libc.stdint cimport uint16_t, uint32_t
from libc.string cimport memcpy

from cpython.bytes cimport PyBytes_AS_STRING

from dhcp_fast.bench.generator import template6 as templates

from dhcp_fast.bench.generator.clients cimport ACK, NAK, OFFER, Ack, get32, has_mac, put16, put_mac
from dhcp_fast.bench.generator.exchanges cimport REQUESTING, SELECTING, SLOT_MASK, Slot
from dhcp_fast.bench.generator.messages6 cimport (
    ADVERTISE, OPT_CLIENT_ID, OPT_IA_NA, OPT_IA_PD, OPT_IAADDR, OPT_IAPREFIX, OPT_RELAY_MSG, RELAY_HEADER, RELAY_REPL,
    REPLY, find,
)

cdef enum:
    SOLICIT_FORM
    REQUEST_FORM
    RENEW_FORM
    RELEASE_FORM

cdef enum:
    PEER_HOST = 28          # the last octets of the peer-address, by which workers share clients
    DUID_LL_ETHERNET = 0x00030001
    XID_MASK = 0xFFFFFF


cdef class Storm6(Storm):

    def __init__(self, server, *, features, **told):
        """Create the storm. `features`: Features6; the others are those of Storm."""
        super().__init__(server, local=("::1", 0), features=features, **told)

    def write_templates(self, features):
        fill(&self.forms[<int>SOLICIT_FORM], templates.solicit(features))
        fill(&self.forms[<int>REQUEST_FORM], templates.request(features))
        fill(&self.forms[<int>RENEW_FORM], templates.renew(features))
        fill(&self.forms[<int>RELEASE_FORM], templates.release(features))
        self.delegating = features.delegated is not None

    cdef void release(self, Slot *slot, const Ack *lease) noexcept nogil:
        """Release the lease. The log records it before the server can give it to anybody else. The answer counts as
        late."""
        cdef Ack record = Ack(lease.client, lease.address, lease.server_id, 0)
        self.write(&self.forms[<int>RELEASE_FORM], slot.xid, 0, lease.client, lease.address, lease.server_id)
        self.count.releases += 1
        self.remember(&record)

    cdef void send(self, Slot *slot) noexcept nogil:
        cdef const Template6 *form = &self.forms[<int>RENEW_FORM]
        cdef uint16_t elapsed = <uint16_t>min((self.now - slot.began) // 10000000, 0xFFFF)
        if slot.phase == SELECTING:
            form = &self.forms[<int>SOLICIT_FORM]
        elif slot.phase == REQUESTING:
            form = &self.forms[<int>REQUEST_FORM]
        self.write(form, slot.xid, elapsed, slot.client, slot.address, slot.server_id)
        slot.tries += 1
        slot.due = self.now + self.delay(slot.tries)

    cdef void write(self, const Template6 *form, uint32_t xid, uint16_t elapsed, uint32_t client, uint32_t address,
                    uint32_t prefix) noexcept nogil:
        cdef uint8_t *packet = self.link.next_packet()
        memcpy(packet, form.packet, PACKET)
        packet[form.xid] = <uint8_t>(xid >> 16)
        put16(packet + form.xid + 1, <uint16_t>xid)
        put_mac(packet + form.mac, self.seed, client)
        put_mac(packet + PEER_HOST, self.seed, client)
        put16(packet + form.elapsed, elapsed)
        if form.address:
            memcpy(packet + form.address, &address, 4)
        if form.prefix:
            memcpy(packet + form.prefix, &prefix, 4)

    cdef void on_packet(self, const uint8_t *data, int length) noexcept nogil:
        cdef Reply reply
        cdef const uint8_t *mac = NULL
        cdef Slot *slot
        if not self.read6(data, length, &reply, &mac):
            self.count.malformed += 1
            return
        slot = &self.slots[reply.xid & SLOT_MASK]
        if slot.xid & XID_MASK != reply.xid:
            self.count.late += 1
        elif not has_mac(mac, self.seed, slot.client):
            self.count.foreign += 1
        else:
            self.last_reply = self.now
            self.on_reply(slot, &reply)

    cdef bint read6(self, const uint8_t *data, int length, Reply *reply, const uint8_t **mac) noexcept nogil:
        """Read the answer as far as needed. One without a lease in each association is a refusal."""
        cdef int at = RELAY_HEADER, end = length, code, size
        cdef bint prefix = not self.delegating
        reply.lease_seconds = reply.yiaddr = reply.server_id = 0
        if length < RELAY_HEADER or data[0] != RELAY_REPL:
            return False
        at = find(data, at, end, OPT_RELAY_MSG, &size)
        if at < 0 or size < 4:
            return False
        reply.xid = get32(data + at) & XID_MASK
        reply.type = OFFER if data[at] == ADVERTISE else ACK
        end = at + size
        if data[at] != ADVERTISE and data[at] != REPLY:
            return False
        at += 4
        while at + 4 <= end:
            code = data[at] << 8 | data[at + 1]
            size = data[at + 2] << 8 | data[at + 3]
            at += 4
            if at + size > end:
                return False
            if code == OPT_CLIENT_ID and size == 10 and get32(data + at) == DUID_LL_ETHERNET:
                mac[0] = data + at + 4
            elif code == OPT_IA_NA and size > 12:
                read_address(data, at + 12, at + size, reply)
            elif code == OPT_IA_PD and size > 12:
                prefix = read_prefix(data, at + 12, at + size, reply)
            at += size
        if not reply.lease_seconds or not prefix:
            reply.type = NAK
        return mac[0] != NULL


cdef void read_address(const uint8_t *data, int at, int end, Reply *reply) noexcept nogil:
    cdef int size = 0
    at = find(data, at, end, OPT_IAADDR, &size)
    if at >= 0 and size >= 24:
        memcpy(&reply.yiaddr, data + at + 12, 4)
        reply.lease_seconds = get32(data + at + 20)


cdef bint read_prefix(const uint8_t *data, int at, int end, Reply *reply) noexcept nogil:
    cdef int size = 0
    at = find(data, at, end, OPT_IAPREFIX, &size)
    if at < 0 or size < 25 or get32(data + at + 4) == 0:
        return False
    memcpy(&reply.server_id, data + at + 13, 4)
    return True


cdef void fill(Template6 *target, source):
    """Fill a template from Python into C."""
    packet = source.packet
    assert len(packet) == PACKET
    memcpy(target.packet, PyBytes_AS_STRING(packet), PACKET)
    target.xid = source.xid
    target.mac = source.mac
    target.elapsed = source.elapsed
    target.address = source.address
    target.prefix = source.prefix
