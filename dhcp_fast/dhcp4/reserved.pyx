"""Leases of a client at its reserved address that are under another key (decisions: Reservations)."""

from dhcp_fast.clients.tenure cimport LATEST_LOOK, NO_FENCE, is_unknown, note_rival, settle
from dhcp_fast.leases.client_identity cimport BY_HARDWARE
from dhcp_fast.leases.lease_operation cimport OP_RENEW
from dhcp_fast.leases.lease_table cimport LEASE_ACTIVE, NO_LEASE, PARTIAL, Lease, lease_at, lease_find, row_version
from dhcp_fast.sharing.lease_ownership cimport has_foreign_lease
from dhcp_fast.state.reasons cimport NOTICE_IDENTITY_SHARED
from dhcp_fast.state.slot cimport EXCHANGE_INIT_REBOOT, EXCHANGE_REBINDING, EXCHANGE_RENEWING, RECALL_WANTED
from dhcp_fast.state.state cimport ACTION_WRITE, note_shared_identity, notice, runs
from dhcp_fast.wire.codes cimport DHCPDISCOVER, DHCPREQUEST
from dhcp_fast.wire.packet4 cimport BOOTP


cdef bint must_look_up(State* state, Slot* slot, Client* client) noexcept nogil:
    """Return whether the row of the client's reserved address is to say whose it is, before the packet is decided."""
    cdef int kind = state.packet.message_type
    cdef uint32_t index
    cdef Lease* lease
    if not client.reservation.address or slot.recall == RECALL_WANTED or state.away:
        return False
    if kind != DHCPDISCOVER and kind != DHCPREQUEST and kind != BOOTP:
        return False
    settle(slot, &client.reservation.tenure)
    index = lease_find(state.leases, client.subnet.tenant.no, 0, client.reservation.address)
    if index == NO_LEASE:
        return (state.share.count > 1 and slot.decided < LATEST_LOOK
                and has_foreign_lease(client, client.reservation.address))
    lease = lease_at(state.leases, index)
    return (is_unknown(state, slot, &client.reservation.tenure, lease) and runs(state, lease)
            and not is_client(state, client, index))


cdef Action look_up(State* state, Slot* slot, Client* client) noexcept nogil:
    """Return an operation that the row refuses; it is read, and the packet decided again."""
    slot.tenure = RECALL_WANTED
    slot.exchange = EXCHANGE_RENEWING
    slot.op.subnet_no = client.reserved_in.no
    slot.op.fence = NO_FENCE
    slot.op.kind = OP_RENEW
    slot.op.lo = client.reservation.address
    slot.op.unheld = False
    return ACTION_WRITE


cdef uint64_t version_to_end(const State* state, const Client* client, uint32_t address) noexcept nogil:
    """Return the version of the lease at the client's reserved address that a grant takes over; 0: none is."""
    cdef uint32_t index
    if client.reservation == NULL or client.reservation.address != address:
        return 0
    index = lease_find(state.leases, client.subnet.tenant.no, 0, address)
    if index == NO_LEASE or is_client(state, client, index) or not takes_over(
            state, client, lease_at(state.leases, index)):
        return 0
    return row_version(lease_at(state.leases, index))


cdef bint starts_anew(State* state, const Slot* slot, const Client* client, uint32_t address) noexcept nogil:
    """Return whether the client, just booted, takes its reserved address over. One that renews it lost it since."""
    return slot.exchange == EXCHANGE_INIT_REBOOT and version_to_end(state, client, address) != 0


cdef void note_lost(State* state, Slot* slot, const Client* client) noexcept nogil:
    """Note that the row refused the renewal of the client's reserved address. Where another client has it, which only
    one with the reservation's identity gets, both are alive."""
    cdef uint32_t index
    if (client.reservation == NULL or client.reservation.address != slot.op.lo
            or slot.exchange != EXCHANGE_RENEWING and slot.exchange != EXCHANGE_REBINDING):
        return
    index = lease_find(state.leases, client.subnet.tenant.no, 0, client.reservation.address)
    if (index != NO_LEASE and lease_at(state.leases, index).state == LEASE_ACTIVE
            and not is_client(state, client, index)):
        note_rival(state, &client.reservation.tenure)
        note_sharing(state, slot)


cdef void note_sharing(State* state, Slot* slot) noexcept nogil:
    notice(state, slot, NOTICE_IDENTITY_SHARED, <uint32_t>slot.op.lo)
    note_shared_identity(state, &slot.op, slot.op.subnet_no)


cdef bint is_shared(const State* state, const LeaseOp* op, uint32_t index) noexcept nogil:
    """Return whether a renewal comes from a client with the row's MAC address and another client id.

    Its machine has asked by both since, and this client keeps its earlier address.
    """
    cdef const Lease* lease
    if index == NO_LEASE or op.key_room[0] != BY_HARDWARE or op.client_id.data == NULL:
        return False
    lease = lease_at(state.leases, index)
    return (lease.client == op.client and lease.state == LEASE_ACTIVE and not lease.flags & PARTIAL
            and lease.client_parts_hash != op.client_parts_hash)
