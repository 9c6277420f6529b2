"""Addresses that hosts made themselves and registered (RFC 9686): leases in state `registered`.

No pool allocates the address: it is written if it has no DHCP lease, and offered to no client until
it ends.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from dhcp_fast.dhcp6.decision cimport add_operation
from dhcp_fast.dhcp6.eligibility cimport Candidate, named
from dhcp_fast.dhcp6.reply cimport address_reply, answer_registration
from dhcp_fast.leases.lease_operation cimport OP_REGISTER
from dhcp_fast.leases.lease_table cimport LEASE_ACTIVE, NO_LEASE, is_held, lease_at, lease_find
from dhcp_fast.plan.compiled6 cimport Subnet6, range_holds
from dhcp_fast.plan.subnets6 cimport next_on_wire
from dhcp_fast.state.reasons cimport (
    REASON_ANOTHERS_ADDRESS, REASON_NO_REGISTRATION, REASON_NO_REPLY_ADDRESS, REASON_QUEUE_FULL)
from dhcp_fast.state.slot cimport EXCHANGE_REGISTERING, PART_IDLE, Part
from dhcp_fast.state.state cimport ACTION_REPLY, ACTION_WRITE, drop, runs
from dhcp_fast.state.undecided cimport shed_for
from dhcp_fast.wire.codes6 cimport OPT6_IAADDR
from dhcp_fast.wire.cursor cimport load_u64

cdef enum:
    LONGEST_SECONDS = 315360000     # ten years: an endless registration is repeated in time


cdef Action on_registration(State* state, Slot* slot, const Client6* client) noexcept nogil:
    """Handle a registration (section 4.2.1).

    The answer only confirms that the message arrived (section 4.3), so it is sent whether or not
    the row could be written, but not before.
    """
    cdef Candidate lease = named(&state.message6.packet.registered)
    cdef Part* part
    if not is_from(state, slot, lease.hi, lease.lo):
        return drop(state, REASON_ANOTHERS_ADDRESS)
    lease.subnet = registering_subnet(client, lease.hi, lease.lo)
    if lease.subnet == NULL:
        return drop(state, REASON_NO_REGISTRATION)
    slot.exchange = EXCHANGE_REGISTERING
    if is_lost_lease(state, &lease):
        answer_registration(state, slot)
        return ACTION_REPLY if address_reply(state, slot) else drop(state, REASON_NO_REPLY_ADDRESS)
    part = only_part(slot, &lease, state.message6.packet.registered.preferred, state.message6.packet.registered.valid)
    if not add_operation(state, slot, client, part, &lease, OP_REGISTER):
        return drop(state, shed_for(state, REASON_QUEUE_FULL))
    answer_registration(state, slot)
    return ACTION_WRITE if address_reply(state, slot) else drop(state, REASON_NO_REPLY_ADDRESS)


cdef bint is_lost_lease(const State* state, const Candidate* lease) noexcept nogil:
    """Return whether the address was leased and the database has lost that, so that it would be written (engine rule
    26)."""
    cdef uint32_t index = lease_find(state.leases, lease.subnet.tenant.no, lease.hi, lease.lo)
    return (index != NO_LEASE and is_held(lease_at(state.leases, index))
            and lease_at(state.leases, index).state == LEASE_ACTIVE and runs(state, lease_at(state.leases, index)))


cdef bint is_from(const State* state, const Slot* slot, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return whether the message was sent from the address itself, as the relay next to the client saw it."""
    cdef int count = state.message6.relays.count
    if not count:
        return slot.rx.peer_hi == hi and slot.rx.peer_lo == lo
    return (load_u64(state.message6.relays.hops[count - 1].peer_address) == hi
            and load_u64(state.message6.relays.hops[count - 1].peer_address + 8) == lo)


cdef Subnet6* registering_subnet(const Client6* client, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return the subnet of the link that has the address, if hosts register there; else NULL."""
    cdef Subnet6* subnet = client.subnet
    while subnet != NULL:
        if range_holds(&subnet.span, hi, lo):
            return subnet if subnet.enabled and subnet.address_registration else NULL
        subnet = next_on_wire(subnet, client.subnet)
    return NULL


cdef Part* only_part(Slot* slot, const Candidate* lease, uint32_t preferred, uint32_t valid) noexcept nogil:
    cdef Part* part = &slot.parts[0]
    slot.part_count = 1
    memset(part, 0, sizeof(Part))
    part.outcome = PART_IDLE
    part.ia_type = OPT6_IAADDR
    part.prefix_length = 128
    part.hi = lease.hi
    part.lo = lease.lo
    part.valid = min(valid, <uint32_t>LONGEST_SECONDS)
    part.preferred = min(preferred, part.valid)
    return part
