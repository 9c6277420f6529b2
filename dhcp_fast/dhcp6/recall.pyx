"""Recall of options that a client sent earlier, for a message without them; see dhcp4/recall.pyx.

A client need not repeat its classes (RFC 8415 sections 18.2.2 to 18.2.5). A Request has those of
its Solicit, which memory holds for as long as an offer. Any other Request, a Renew, Rebind or
Confirm has those in the row of a lease of the message. If classes or options of the tenant need
them, the row is read once, by an operation that it refuses. The message is then decided again as if
it had the options itself. An Information-request has no association, so no lease is found, and
nothing is recalled. Relays need no memory: each Renew passes through them.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from dhcp_fast.clients.recalled cimport place_recalled, recalled_options
from dhcp_fast.clients.remembered cimport begin_remembered, find_remembered
from dhcp_fast.clients.tenure cimport LATEST_LOOK
from dhcp_fast.dhcp6.client cimport association_of
from dhcp_fast.dhcp6.decision cimport ask_row
from dhcp_fast.dhcp6.eligibility cimport WHOLE, Candidate, is_on_wire, named
from dhcp_fast.dhcp6.kept_options cimport put_options
from dhcp_fast.leases.client_identity cimport BY_DUID, identity_hash
from dhcp_fast.leases.lease_operation cimport HOLDS_BITS, HOLDS_OTHERS, HOLDS_VENDOR_CLASS
from dhcp_fast.leases.lease_table cimport (
    LEASE_ACTIVE, NO_LEASE, Lease, first_of_client, held_options, lease_at, lease_find, lease_hi, lease_lo)
from dhcp_fast.plan.compiled6 cimport Pool6
from dhcp_fast.plan.subnets6 cimport pool_of_lease
from dhcp_fast.state.slot cimport RECALL_DONE, RECALL_WANTED
from dhcp_fast.state.state cimport REMEMBERED_ROOM, Remembered
from dhcp_fast.wire.client_options cimport CodeSet, add_code, next_option
from dhcp_fast.wire.codes6 cimport (
    MSG6_CONFIRM, MSG6_REBIND, MSG6_RENEW, MSG6_REQUEST, MSG6_SOLICIT, OPT6_VENDOR_CLASS)
from dhcp_fast.wire.cursor cimport Cursor, cursor
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.packet6 cimport Ia6, Packet6, has6, keep6


cdef void recall_options(State* state, Slot* slot, const Client6* client) noexcept nogil:
    """Give the message what it lacks, or note that a row is to be read."""
    cdef Packet6* packet = &state.message6.packet
    cdef const CodeSet* kept = &client.subnet.tenant.kept6
    cdef Candidate lease
    cdef int kind = packet.message_type
    cdef uint32_t lacks
    if slot.recall == RECALL_DONE:
        if slot.recalled:
            repeat(packet, slot)
        return
    if kind == MSG6_SOLICIT:
        if client.duid.data != NULL:
            remember(state, client)
        return
    if not recalls(state, kind):
        return
    lacks = lacking(packet, kept)
    if not lacks or kind == MSG6_REQUEST and recall_offered(state, slot, client):
        return
    if slot.decided < LATEST_LOOK and find_row(state, client, lacks, &lease) != NULL:
        slot.recall = RECALL_WANTED


cdef inline bint recalls(const State* state, int kind) noexcept nogil:
    return (kind == MSG6_REQUEST or kind == MSG6_RENEW or kind == MSG6_REBIND
            or kind == MSG6_CONFIRM and not state.away)


cdef inline uint32_t lacking(const Packet6* packet, const CodeSet* kept) noexcept nogil:
    """Return what the message lacks of all that is asked for, of HOLDS_BITS."""
    cdef uint64_t vendor = <uint64_t>1 << OPT6_VENDOR_CLASS
    cdef uint64_t first = kept.words[0] & ~packet.present[0]
    cdef uint64_t others = first & ~vendor | kept.words[1] & ~packet.present[1]
    others |= kept.words[2] & ~packet.present[2] | kept.words[3] & ~packet.present[3]
    return ((<uint32_t>HOLDS_OTHERS if others else 0)
            | (<uint32_t>(HOLDS_VENDOR_CLASS | HOLDS_OTHERS) if first & vendor else 0))


cdef void remember(State* state, const Client6* client) noexcept nogil:
    cdef Remembered* its = begin_remembered(state, identity_hash(state.hash_key, BY_DUID, 0, &client.duid))
    its.length = put_options(&state.message6.packet, &client.subnet.tenant.kept6, True, its.options, REMEMBERED_ROOM)


cdef bint recall_offered(State* state, Slot* slot, const Client6* client) noexcept nogil:
    """Return whether the client's Solicit is remembered; the message has its options then."""
    cdef const Remembered* its = find_remembered(state, identity_hash(state.hash_key, BY_DUID, 0, &client.duid))
    if its == NULL:
        return False
    place_recalled(slot, 0, Field(NULL, 0), Field(&its.options[0], its.length))
    if slot.recalled:
        repeat(&state.message6.packet, slot)
    return True


cdef void repeat(Packet6* packet, const Slot* slot) noexcept nogil:
    """Add the remembered options; options of the message itself have precedence."""
    cdef Field options = recalled_options(slot)
    cdef Cursor c = cursor(options.data, options.length)
    cdef CodeSet codes
    cdef uint16_t code
    cdef Field value
    memset(&codes, 0, sizeof(codes))
    while next_option(&c, &code, &value):
        if code < 256 and not has6(packet, <uint8_t>code):
            add_code(&codes, <uint8_t>code)
            keep6(packet, <uint8_t>code, value)
    packet.recalled = options
    packet.recalled_codes = codes


cdef bint asks_row(State* state, Slot* slot, const Client6* client) noexcept nogil:
    """Return an operation that the row refuses, so that it is read. False: there is no room for it."""
    cdef Candidate lease
    cdef const Ia6* ia = find_row(state, client, HOLDS_BITS, &lease)
    return ask_row(state, slot, client, ia, &lease)


cdef const Ia6* find_row(const State* state, const Client6* client, uint32_t lacks, Candidate* found) noexcept nogil:
    """Return the first association with a lease whose row may hold what is lacking; NULL: none has."""
    cdef int i
    cdef const Packet6* packet = &state.message6.packet
    for i in range(packet.ia_count):
        if finds_lease(state, client, &packet.ias[i], lacks, found):
            return &packet.ias[i]
    return NULL


cdef bint finds_lease(const State* state, const Client6* client, const Ia6* ia, uint32_t lacks,
                      Candidate* found) noexcept nogil:
    """Return whether the association holds such a lease on this link: one that it names; where it names none that it
    holds, any, for that is what it gets."""
    cdef uint64_t identity = association_of(state, client, ia.kind, ia.iaid)
    cdef uint32_t index = first_of_client(state.leases, identity)
    cdef const Lease* lease
    cdef const Lease* other = NULL
    cdef bint names = False
    while index != NO_LEASE:
        lease = lease_at(state.leases, index)
        index = lease.client_next
        if lease.client != identity or not runs_here(state, client, lease):
            continue
        if is_named(state, ia, lease):
            names = True
            if held_options(lease) & lacks:
                return finds(state, lease, found)
        elif held_options(lease) & lacks:
            other = lease
    if names or other != NULL:
        return not names and finds(state, other, found)
    return finds_unknown(state, client, ia, found)


cdef bint finds_unknown(const State* state, const Client6* client, const Ia6* ia, Candidate* found) noexcept nogil:
    """Return whether there is a lease that a Renew or Rebind names and memory does not have: another server may have
    granted it just now."""
    cdef int kind = state.message6.packet.message_type
    if not ia.count or kind != MSG6_RENEW and kind != MSG6_REBIND:
        return False
    found[0] = named(&state.message6.packet.addresses[ia.first])
    return lease_find(state.leases, client.subnet.tenant.no, found.hi, found.lo) == NO_LEASE


cdef bint runs_here(const State* state, const Client6* client, const Lease* lease) noexcept nogil:
    """Return one that a client left on another link does not."""
    cdef const Pool6* pool
    if lease.tenant_no != client.subnet.tenant.no or lease.state != LEASE_ACTIVE:
        return False
    pool = pool_of_lease(state.plan6, lease.tenant_no, lease_hi(state.leases, lease), lease_lo(state.leases, lease))
    return pool == NULL or is_on_wire(client, pool.subnet)


cdef bint is_named(const State* state, const Ia6* ia, const Lease* lease) noexcept nogil:
    cdef int i
    cdef Candidate one
    for i in range(ia.first, ia.first + ia.count):
        one = named(&state.message6.packet.addresses[i])
        if one.hi == lease_hi(state.leases, lease) and one.lo == lease_lo(state.leases, lease):
            return True
    return False


cdef inline bint finds(const State* state, const Lease* lease, Candidate* found) noexcept nogil:
    found[0] = Candidate(lease_hi(state.leases, lease), lease_lo(state.leases, lease), WHOLE, NULL, NULL)
    return True
