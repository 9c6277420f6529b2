"""What a lease's row knows of its client, for a Renew or Rebind without a vendor class; see dhcp4/recall.pyx.

A client need not repeat option 16 (RFC 8415 sections 18.2.4, 18.2.5). The row keeps what the grant said, of several
vendor classes the first. Where classes or options of the tenant ask for it, the row of a lease that the message renews
is read once, by an operation that it refuses, and the message is decided again as if it said so itself. Relays need no
memory: each Renew comes through them.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.dhcp6.client cimport association_of
from dhcp_fast.dhcp6.decision cimport add_operation, add_part
from dhcp_fast.dhcp6.eligibility cimport WHOLE, Candidate, is_on_wire, named
from dhcp_fast.leases.lease_operation cimport OP_RENEW
from dhcp_fast.leases.lease_table cimport (
    LEASE_ACTIVE, NO_LEASE, Lease, first_of_client, has_vendor_class, lease_at, lease_hi, lease_lo)
from dhcp_fast.plan.compiled6 cimport Pool6
from dhcp_fast.plan.subnets6 cimport pool_of_lease
from dhcp_fast.state.recalled cimport recalled_class
from dhcp_fast.state.slot cimport EXCHANGE_RENEWING, RECALL_DONE, RECALL_WANTED, Part
from dhcp_fast.state.tenure cimport LATEST_LOOK, NO_FENCE
from dhcp_fast.wire.codes6 cimport MSG6_REBIND, MSG6_RENEW, OPT6_VENDOR_CLASS
from dhcp_fast.wire.cursor cimport Cursor, cursor, remaining, store_u16
from dhcp_fast.wire.packet4 cimport Field
from dhcp_fast.wire.packet6 cimport Ia6, Packet6, has6, keep6, next_piece6

cdef enum:
    ENTERPRISE = 4          # in front of a vendor class's pieces (RFC 8415 section 21.16)


cdef void recall_class(State* state, Slot* slot, const Client6* client) noexcept nogil:
    """Let the message say what its row recalls, or note that the row is to be asked."""
    cdef Packet6* packet = &state.message6.packet
    cdef Candidate lease
    if has6(packet, OPT6_VENDOR_CLASS):
        return
    if slot.recall == RECALL_DONE:
        if slot.recalled:
            repeat(packet, slot)
    elif slot.decided < LATEST_LOOK and (
            packet.message_type == MSG6_RENEW or packet.message_type == MSG6_REBIND) and (
            find_row(state, client, &lease) != NULL):
        slot.recall = RECALL_WANTED


cdef void repeat(Packet6* packet, const Slot* slot) noexcept nogil:
    packet.recalled_class = recalled_class(slot)
    packet.recalled_class.length = mend_cut(<uint8_t*>packet.recalled_class.data, packet.recalled_class.length)
    keep6(packet, OPT6_VENDOR_CLASS, packet.recalled_class)


cdef uint16_t mend_cut(uint8_t* option, uint16_t length) noexcept nogil:
    """The row has the first 255 octets: a piece that is cut there gets the length that it has, and one whose own length
    is cut is left out. The octets that count."""
    cdef Cursor pieces = cursor(option + min(<uint16_t>ENTERPRISE, length), length - min(<uint16_t>ENTERPRISE, length))
    cdef Field piece
    cdef const uint8_t* begin = pieces.p
    while remaining(&pieces) and next_piece6(&pieces, &piece):
        begin = pieces.p
    if begin + 2 <= option + length:
        store_u16(option + (begin - option), <uint16_t>(option + length - begin - 2))
        return length
    return <uint16_t>(begin - option)


cdef bint asks_row(State* state, Slot* slot, const Client6* client) noexcept nogil:
    """An operation that the row refuses, so that it is read. False: there is no room for it."""
    cdef Candidate lease
    cdef const Ia6* ia = find_row(state, client, &lease)
    cdef Part* part = add_part(state, slot, ia, &lease)
    if part == NULL or not add_operation(state, slot, client, part, &lease, OP_RENEW):
        return False
    slot.exchange = EXCHANGE_RENEWING
    slot.op.fence = NO_FENCE
    return True


cdef const Ia6* find_row(const State* state, const Client6* client, Candidate* found) noexcept nogil:
    """The first association with a lease whose row may have a vendor class; NULL: none has."""
    cdef int i
    cdef const Packet6* packet = &state.message6.packet
    for i in range(packet.ia_count):
        if finds_lease(state, client, &packet.ias[i], found):
            return &packet.ias[i]
    return NULL


cdef bint finds_lease(const State* state, const Client6* client, const Ia6* ia, Candidate* found) noexcept nogil:
    """Whether the association holds such a lease on this link: one that it names; where it names none that it holds,
    any, for that is what it gets."""
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
            if has_vendor_class(lease):
                return finds(state, lease, found)
        elif has_vendor_class(lease):
            other = lease
    return not names and other != NULL and finds(state, other, found)


cdef bint runs_here(const State* state, const Client6* client, const Lease* lease) noexcept nogil:
    """One that a client left on another link does not."""
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
