"""Contents and destination of an answer (RFC 8415 sections 18.3.10, 18.3.11, 19.3).

Identifiers come first, then the status, then the associations in the order of the message with
their leases from the slot's parts. The plan's options follow in the order of the request, so a
message that grows too long loses the least. If not all fit, the options that a client cannot work
without are put first (decisions: Options without room).
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.dhcp6.eligibility cimport none_available
from dhcp_fast.dhcp6.hostname cimport put_fqdn
from dhcp_fast.dhcp6.options cimport Scopes, forget_sent, gather, put_important, put_options, put_supplied
from dhcp_fast.dhcp6.reconfigure cimport put_reconfigure
from dhcp_fast.dhcp6.speaker cimport speaker, subnet_of_part
from dhcp_fast.net.datagram cimport BY_UDP
from dhcp_fast.plan.compiled cimport Reservation6
from dhcp_fast.plan.compiled6 cimport Pool6, Subnet6
from dhcp_fast.plan.subnets6 cimport pool_of_lease
from dhcp_fast.state.reasons cimport NOTICE_OPTIONS_LEFT_OUT
from dhcp_fast.state.samples cimport keep_sample6
from dhcp_fast.state.slot cimport (
    EXCHANGE_AT_ONCE, EXCHANGE_ENDING, EXCHANGE_REBINDING, EXCHANGE_RENEWING, NO_STATUS, Part)
from dhcp_fast.wire.codes6 cimport (
    MSG6_ADDR_REG_REPLY, MSG6_ADVERTISE, MSG6_REBIND, MSG6_RENEW, MSG6_REPLY, MSG6_REQUEST, MSG6_SOLICIT,
    OPT6_CLIENTID, OPT6_IAADDR, OPT6_IA_PD, OPT6_PD_EXCLUDE, OPT6_RAPID_COMMIT, OPT6_SERVERID,
    OPT6_VIRTUAL_SUBNET_SELECTION, STATUS6_NOBINDING,
    STATUS6_SUCCESS)
from dhcp_fast.wire.cursor cimport load_u16, store_u64
from dhcp_fast.wire.packet6 cimport Ia6, Packet6, asks6, has6
from dhcp_fast.wire.relay6 cimport put_relays6
from dhcp_fast.wire.reply6 cimport (
    REPLY6_BUFFER, Reply6, begin_message6, begin_reply6, close_option6, finish_reply6, open_ia6, put_address6,
    put_field6, put_option6, put_prefix6, put_status6, rewind6)

cdef enum:
    SERVER_PORT = 547
    CLIENT_PORT = 546
    INFINITE = 0xFFFFFFFF
    GROUP = 0xFF                # first octet of a multicast address
    LINK_LOCAL = 0x3FA

# T1 and T2 of all associations of an answer, which are the same for each (section 18.3.2): the smallest of its leases.
cdef struct Times:
    uint32_t t1, t2


cdef void answer(State* state, Slot* slot, const Client6* client) noexcept nogil:
    """Write an Advertise or Reply with what the slot's parts say, into the slot's reply. Length 0: it has no room even
    for what must be there."""
    cdef Reply6 reply
    cdef const Packet6* packet = &state.message6.packet
    cdef const Subnet6* subnet = speaker(state, slot, client)
    cdef uint8_t kind = MSG6_ADVERTISE if packet.message_type == MSG6_SOLICIT else MSG6_REPLY
    cdef int i
    cdef Times times = times_of(state, slot, client)
    if slot.exchange == EXCHANGE_AT_ONCE:
        kind = MSG6_REPLY
    slot.said = kind
    begin_reply6(&reply, slot.tx.data, REPLY6_BUFFER)
    slot.tx.length = 0
    if not (put_relays6(&reply, &state.message6.relays) and begin_message6(&reply, kind, packet.transaction_id)
            and put_identities(&reply, state, packet)):
        return
    if slot.exchange == EXCHANGE_AT_ONCE:
        put_option6(&reply, OPT6_RAPID_COMMIT, NULL, 0)
    if slot.exchange == EXCHANGE_ENDING:
        slot.status = STATUS6_SUCCESS       # sections 18.3.7, 18.3.8: of the message, whatever it gave back
    if slot.status != NO_STATUS:
        put_status6(&reply, <uint16_t>slot.status, NULL, 0)
    for i in range(packet.ia_count):
        if not put_association(&reply, state, slot, client, i, &times):
            return
    if client.network_used:                 # RFC 6607 section 7.1
        put_field6(&reply, OPT6_VIRTUAL_SUBNET_SELECTION, packet.options[<int>OPT6_VIRTUAL_SUBNET_SELECTION])
    put_reconfigure(&reply, state, client, kind)
    put_fqdn(&reply, state, slot, client, subnet)
    if reply.incomplete:
        note_left_out(state, slot, &reply)
    put_planned(&reply, state, slot, client, subnet, kind)
    slot.tx.length = finish_reply6(&reply)


cdef void put_planned(Reply6* reply, State* state, const Slot* slot, const Client6* client,
                      const Subnet6* subnet, uint8_t kind) noexcept nogil:
    """Put the options of the plan and those that relays supply."""
    cdef Scopes scopes
    cdef const Packet6* packet = &state.message6.packet
    cdef uint16_t begun = reply.used
    gather(&scopes, state, slot, client, subnet)
    put_options(reply, packet, &scopes, subnet, kind)
    put_supplied(reply, state, &scopes)
    if not reply.incomplete:
        return
    rewind6(reply, begun)
    forget_sent(&scopes)
    put_important(reply, packet, &scopes)
    put_options(reply, packet, &scopes, subnet, kind)
    put_supplied(reply, state, &scopes)
    if reply.incomplete:
        note_left_out(state, slot, reply)


cdef void note_left_out(State* state, const Slot* slot, Reply6* reply) noexcept nogil:
    """Count each option that had no room, and note it where nothing else was unusual about the message."""
    cdef int code
    for code in range(256):
        state.left_out[code] += (reply.left_out[code >> 6] >> (code & 63)) & 1
    rewind6(reply, reply.used)
    state.noticed[<int>NOTICE_OPTIONS_LEFT_OUT] += 1
    if not state.last_notice:
        state.last_notice = NOTICE_OPTIONS_LEFT_OUT
    keep_sample6(&state.notices[<int>NOTICE_OPTIONS_LEFT_OUT], slot.op.association.duid.data,
                 slot.op.association.duid.length, slot.rx.peer_hi, slot.rx.peer_lo, slot.op.subnet_no)


cdef void answer_registration(State* state, Slot* slot) noexcept nogil:
    """Answer with the address option as it came (RFC 9686 section 4.3); its length precedes it."""
    cdef Reply6 reply
    cdef const Packet6* packet = &state.message6.packet
    cdef const uint8_t* told = packet.registered.address
    slot.said = MSG6_ADDR_REG_REPLY
    begin_reply6(&reply, slot.tx.data, REPLY6_BUFFER)
    slot.tx.length = 0
    if (put_relays6(&reply, &state.message6.relays)
            and begin_message6(&reply, MSG6_ADDR_REG_REPLY, packet.transaction_id)
            and put_identities(&reply, state, packet)
            and put_option6(&reply, OPT6_IAADDR, told, load_u16(told - 2))):
        slot.tx.length = finish_reply6(&reply)


cdef inline bint put_identities(Reply6* reply, const State* state, const Packet6* packet) noexcept nogil:
    if has6(packet, OPT6_CLIENTID) and not put_field6(reply, OPT6_CLIENTID, packet.options[<int>OPT6_CLIENTID]):
        return False
    return put_field6(reply, OPT6_SERVERID, state.server_id)


# --- associations

cdef bint has_status(const Slot* slot, int ia) noexcept nogil:
    """Return whether the answer gives an association a status, because it contains none of its leases."""
    cdef int i
    cdef bint told = False
    for i in range(slot.part_count):
        if slot.parts[i].ia == ia:
            if is_shown(&slot.parts[i]):
                return False
            told = told or slot.parts[i].status != 0
    return told


cdef inline bint is_shown(const Part* part) noexcept nogil:
    return part.shown and not part.status


cdef inline bint is_lost(const Slot* slot, const Part* part) noexcept nogil:
    """Return whether the lease is lost: a Renew or Rebind names it, and its association does not have it.

    The answer gives it lifetimes of 0 beside other leases (section 18.3.4), else a status.
    """
    return part.status and part.prefix_length and (
        slot.exchange == EXCHANGE_RENEWING or slot.exchange == EXCHANGE_REBINDING)


cdef inline uint16_t without_room(int message_type, uint16_t ia_type) noexcept nogil:
    """Return the status of an association for which the slot had no part left; 0: the message's answer has none for
    it."""
    if message_type == MSG6_SOLICIT or message_type == MSG6_REQUEST:
        return none_available(ia_type)
    return STATUS6_NOBINDING if message_type == MSG6_RENEW or message_type == MSG6_REBIND else 0


cdef bint put_association(Reply6* reply, const State* state, const Slot* slot, const Client6* client, int ia,
                          const Times* times) noexcept nogil:
    """Put the association with its leases, or with a status and no times where it has none."""
    cdef const Ia6* asked = &state.message6.packet.ias[ia]
    cdef const Part* part
    cdef int i
    cdef bint told = has_status(slot, ia), runs = has_running(slot, ia)
    if not told and not has_part(slot, ia):
        return put_refused(reply, asked, without_room(state.message6.packet.message_type, asked.kind))
    if not open_ia6(reply, asked.kind, asked.iaid, times.t1 if runs else 0, times.t2 if runs else 0):
        return False
    for i in range(slot.part_count):
        part = &slot.parts[i]
        if part.ia != ia:
            continue
        if told and part.status:
            if not put_status6(reply, part.status, NULL, 0):
                return False
            break
        if not told and (is_shown(part) or is_lost(slot, part)) and not put_lease(reply, state, client, part):
            return False
    close_option6(reply)
    return True


cdef bint put_refused(Reply6* reply, const Ia6* asked, uint16_t status) noexcept nogil:
    """Return the association with that status alone; nothing for 0."""
    if not status:
        return True
    if not open_ia6(reply, asked.kind, asked.iaid, 0, 0) or not put_status6(reply, status, NULL, 0):
        return False
    close_option6(reply)
    return True


cdef bint has_part(const Slot* slot, int ia) noexcept nogil:
    cdef int i
    for i in range(slot.part_count):
        if slot.parts[i].ia == ia and is_shown(&slot.parts[i]):
            return True
    return False


cdef bint has_running(const Slot* slot, int ia) noexcept nogil:
    cdef int i
    for i in range(slot.part_count):
        if slot.parts[i].ia == ia and is_shown(&slot.parts[i]) and slot.parts[i].valid:
            return True
    return False


cdef bint put_lease(Reply6* reply, const State* state, const Client6* client, const Part* part) noexcept nogil:
    cdef uint8_t address[16]
    cdef uint8_t kept[16]
    cdef uint64_t hi, lo
    cdef uint8_t length = 0
    store_u64(address, part.hi)
    store_u64(address + 8, part.lo)
    if part.ia_type != OPT6_IA_PD:
        return put_address6(reply, address, part.preferred, part.valid)
    if part.valid and asks6(&state.message6.packet, OPT6_PD_EXCLUDE):
        length = find_excluded(state, client, part, &hi, &lo)
    if not length:
        return put_prefix6(reply, address, part.prefix_length, part.preferred, part.valid, NULL, 0)
    store_u64(kept, hi)
    store_u64(kept + 8, lo)
    return put_prefix6(reply, address, part.prefix_length, part.preferred, part.valid, kept, length)


cdef uint8_t find_excluded(
        const State* state, const Client6* client, const Part* part, uint64_t* hi, uint64_t* lo) noexcept nogil:
    """Return the prefix that the client leaves to its link (RFC 6603 section 4.2), and its length; 0: none. It is that
    of the reservation, else that of the pool."""
    cdef const Reservation6* reserved = client.reservation
    cdef const Pool6* pool
    if reserved != NULL and reserved.excluded.length and is_whole(reserved, part):
        hi[0], lo[0] = part.hi | reserved.excluded.hi, part.lo | reserved.excluded.lo
        return reserved.excluded.length
    pool = pool_of_lease(state.plan6, client.subnet.tenant.no, part.hi, part.lo)
    return pool.excluded.length if pool != NULL and is_of_pool(pool, part, hi, lo) else 0


cdef inline bint is_whole(const Reservation6* reserved, const Part* part) noexcept nogil:
    return (reserved.prefix_length == part.prefix_length
            and reserved.prefix_hi == part.hi and reserved.prefix_lo == part.lo)


cdef bint is_of_pool(const Pool6* pool, const Part* part, uint64_t* hi, uint64_t* lo) noexcept nogil:
    """Return whether what is excluded of the pool's prefix in which the client's own one begins is a smaller part of
    that, which may be reserved and of any length."""
    if pool.excluded.length <= part.prefix_length:
        return False
    hi[0] = part.hi & high_mask(pool.prefix_length) | pool.excluded.hi
    lo[0] = part.lo & low_mask(pool.prefix_length) | pool.excluded.lo
    return hi[0] & high_mask(part.prefix_length) == part.hi and lo[0] & low_mask(part.prefix_length) == part.lo


cdef inline uint64_t high_mask(uint8_t length) noexcept nogil:
    """Return the first half of the netmask of that length."""
    return ~<uint64_t>0 << (64 - min(length, 64)) if length else 0


cdef inline uint64_t low_mask(uint8_t length) noexcept nogil:
    return ~<uint64_t>0 << (128 - length) if length > 64 else 0


cdef Times times_of(const State* state, const Slot* slot, const Client6* client) noexcept nogil:
    """Return the smallest of all leases (section 18.3.2)."""
    cdef Times its, least = Times(INFINITE, INFINITE)
    cdef int i
    for i in range(slot.part_count):
        if slot.parts[i].valid and is_shown(&slot.parts[i]):
            its = times_by(subnet_of_part(state, client, &slot.parts[i]), slot.parts[i].preferred)
            least = Times(min(least.t1, its.t1), min(least.t2, its.t2))
    return least


cdef inline Times times_by(const Subnet6* subnet, uint32_t preferred) noexcept nogil:
    """Return half and four fifths of the preferred lifetime (section 21.4), unless the lease's
    subnet sets others; T1 is never later than T2, and T2 never later than that lifetime. For an
    infinite lifetime both are infinite.
    """
    cdef Times times
    times.t2 = limited(subnet.rebind_time, preferred, share(preferred, 4, 5))
    times.t1 = min(limited(subnet.renew_time, preferred, share(preferred, 1, 2)), times.t2)
    return times


cdef inline uint32_t share(uint32_t lifetime, uint32_t part, uint32_t of) noexcept nogil:
    """Return the share of a time; an infinite one has infinite parts (section 7.7)."""
    return INFINITE if lifetime == INFINITE else <uint32_t>(<uint64_t>lifetime * part // of)


cdef inline uint32_t limited(int64_t configured, uint32_t most, uint32_t usual) noexcept nogil:
    return usual if configured < 0 else <uint32_t>min(configured, <int64_t>most)


# --- the way

cdef bint address_reply(const State* state, Slot* slot) noexcept nogil:
    """Set the destination, the relay that sent the message or the client itself, and the source,
    the address that was asked. The answer to a message for a group is sent from an address of the
    interface.
    """
    cdef bint relayed = state.message6.relays.count != 0
    slot.tx.way = BY_UDP
    slot.tx.socket = slot.rx.socket
    slot.tx.peer = slot.rx.peer
    slot.tx.peer_hi = slot.rx.peer_hi
    slot.tx.peer_lo = slot.rx.peer_lo
    slot.tx.local = 0
    slot.tx.local_hi = slot.tx.local_lo = 0
    if slot.rx.local_hi >> 56 != GROUP:
        slot.tx.local_hi = slot.rx.local_hi
        slot.tx.local_lo = slot.rx.local_lo
    slot.tx.ifindex = slot.rx.ifindex if slot.rx.peer_hi >> 54 == LINK_LOCAL or slot.rx.local_hi >> 56 == GROUP else 0
    slot.tx.relay_ifindex = slot.rx.ifindex if relayed else 0
    slot.tx.port = port_of(state, slot, relayed)
    return slot.tx.length != 0


cdef uint16_t port_of(const State* state, const Slot* slot, bint relayed) noexcept nogil:
    """Return the source port (RFC 8357 section 5.2) A server on another port than its own speaks with tests and tools,
    which have ports of their own."""
    if slot.rx.local_port != SERVER_PORT:
        return slot.rx.port
    if not relayed:
        return CLIENT_PORT
    return slot.rx.port if state.message6.relays.hops[0].relay_port.data != NULL else SERVER_PORT
