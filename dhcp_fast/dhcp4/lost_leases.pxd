"""Leases that the database has lost (engine rule 26): their client, and the answer to another client."""

from libc.stdint cimport uint32_t

from dhcp_fast.dhcp4.decision cimport refuse
from dhcp_fast.dhcp4.reserved cimport is_client
from dhcp_fast.leases.lease_table cimport LEASE_ACTIVE, LEASE_FOREIGN, NO_LEASE, Lease, is_held, lease_at
from dhcp_fast.sharing.lease_ownership cimport holding_of
from dhcp_fast.state.reasons cimport NOTICE_NAK_NO_BINDING, REASON_UNKNOWN_BINDING
from dhcp_fast.state.slot cimport EXCHANGE_RENEWING, Slot
from dhcp_fast.state.state cimport Action, Client, State, drop, runs


cdef inline bint was_lost(const State* state, const Client* client, uint32_t index) noexcept nogil:
    """Return whether the client was acknowledged a lease that the database has lost: it is written as if it were
    new."""
    cdef const Lease* lease
    if index == NO_LEASE:
        return False
    lease = lease_at(state.leases, index)
    return is_held(lease) and lease.state == LEASE_ACTIVE and is_client(state, client, index)


cdef inline bint is_kept(const State* state, const Client* client, uint32_t index) noexcept nogil:
    """Return whether it is kept for another client, which was acknowledged the lease that the database has lost. The
    row, if there is one, is an older one, perhaps of this client, who lost it since or gave it back (engine rule
    26)."""
    cdef const Lease* lease
    if index == NO_LEASE:
        return False
    lease = lease_at(state.leases, index)
    return (is_held(lease) and lease.state == LEASE_ACTIVE and runs(state, lease)
            and not is_client(state, client, index))


cdef inline Action deny(State* state, Slot* slot, Client* client, uint32_t address) noexcept nogil:
    """Refuse as where the row refuses (retry.pyx)."""
    if slot.exchange == EXCHANGE_RENEWING or client.subnet.authoritative:
        return refuse(state, slot, client, NOTICE_NAK_NO_BINDING, address)
    return drop(state, REASON_UNKNOWN_BINDING)


cdef inline Action deny_in_doubt(State* state, Slot* slot, Client* client, uint32_t address) noexcept nogil:
    """Refuse a lease that another worker's client may have, while the row is an older one of this client's. One whose
    packet went astray may be just who has it: it asks again, and its worker knows."""
    if holding_of(state, &slot.op.hw_address, &slot.op.client_key, False) == LEASE_FOREIGN:
        return drop(state, REASON_UNKNOWN_BINDING)
    return deny(state, slot, client, address)
