"""Record of what a worker knows of the leases that belong to the other workers of its host.

A client's packets come to the worker that the hash of its chaddr names (net/reuseport.pxd), so that worker keeps the
whole entry of a row with that hardware address, and the others keep of it that its address is taken: one bit. A host
with many workers so needs hardly more memory for leases than one with a single process. The database stays the arbiter;
what follows is what each reader of the lease table makes of a row that it does not have.

* LEASE_OWN: the row's hardware address is one of ours (none: the worker of chaddr zero, where such clients ask).
* LEASE_SHARED: another worker's, but kept here like our own: a row keyed by a client id, because its client may come
  with another hardware address tomorrow and must be found then (engine rule 20); and every row where
  `dhcp4_leases_per_circuit` is set, because the clients behind one circuit are spread over all workers.
* LEASE_FOREIGN: all others. Its entry lives for GRACE_SECONDS after each event, so that an older event that comes
  later is known as such; then only the bit stays. A row that has ended but is not free yet (reuse margin, quarantine)
  keeps its entry until it is. Rows that come in bulk (the first load, the look before "exhausted") make no entry: they
  are as new as any, and an event that was older would be followed by the one that made the row.

The readers:

* Choosing an address: the bit keeps the address out of the pool; that it is over is told by the event that ended the
  lease. Expiry is such an event: every worker of the elected host writes it for the rows of its own (LEASE_OWN), so one
  that hears of no expiry for long sees it in the look before "exhausted", where a row that ran out is free.
* A reserved address that another client holds (`held_by_other`): the bit says so where there is no entry.
* RENEWING, REBINDING, INIT-REBOOT and SELECTING of an address that is another worker's client's: the operation goes to
  the database, which refuses it; the row is read, its entry made for a while, and the NAK leaves.
* Renewals answered from memory: only from an entry. Its client's packets come here, so nobody on this host but us
  writes it; what other hosts wrote, the feed tells.
* A client's other leases, its last address, its circuit: under its identity, which is ours or LEASE_SHARED.
* A grant of an address of which memory knows no row is a plain insert; a second bit says of which addresses rows were
  seen.
* Fill of the pools: bits, so each worker sees all leases of the pool, and its own offers.
* At the start the plan is read before the leases, because their bits stand in its address spaces.
* A subnet whose address space is new to us has no bits yet: its rows are read from the database.
* Where the database has lost its history (engine rule 26) a bit is all that is known of a lease that may be lost; its
  end and its client only the other worker knows. Such an address is in doubt (sharing/foreign_doubts.pyx).
* Subnets without `match_client_id` have one owner a row; where `match_client_id` was changed, a row changes hands (or
  becomes shared) with the renewal that writes its new key.

In DHCPv6 the kernel steers by where a message came from, which no row tells, and addresses have no bits: each worker
keeps all rows. LEASE_OWN and LEASE_SHARED, by the hardware address that the row tells or by none, say there only who
writes a row's expiry and who counts it among the leases that are known.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

from dhcp_fast.leases.client_identity cimport BY_CLIENT_ID, BY_HARDWARE
from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.leases.lease_table cimport HOLDING, LEASE_FOREIGN, LEASE_OWN, LEASE_SHARED, Lease
from dhcp_fast.net.datagram cimport Datagram
from dhcp_fast.net.reuseport cimport datagram_is_mine, datagram_is_mine6, is_mine
from dhcp_fast.state.state cimport Client, State

cdef enum:
    GRACE_SECONDS = 5

cdef inline bint is_ours(State* state, const Datagram* rx) noexcept nogil:
    """Return whether the packet is ours: a broadcast reaches every worker of the host: all but the one whose client
    sent it leave it alone. What comes to one address is taken as it comes; the kernel sends it astray where it looks at
    several datagrams as one."""
    if datagram_is_mine(&state.share, rx.data, rx.length):
        return True
    if rx.local != rx.ours:
        return False
    state.astray += 1
    return True

cdef inline bint is_ours6(State* state, const Datagram* rx) noexcept nogil:
    """Return the same of DHCPv6, where what reaches every worker is what came to a group."""
    if datagram_is_mine6(&state.share, rx):
        return True
    if rx.local_hi >> 56 == 0xFF:
        return False
    state.astray += 1
    return True

cdef inline uint8_t holding_of(
        const State* state, const Octets* hw_address, const Octets* client_key, bint wide) noexcept nogil:
    """Return LEASE_OWN, LEASE_SHARED or LEASE_FOREIGN; an IPv6 row is shared, because its address has no bit."""
    if is_mine(&state.share, hw_address.data, hw_address.length if hw_address.data != NULL else 0):
        return LEASE_OWN
    if state.keeps_all or wide or client_key.length and client_key.data[0] == BY_CLIENT_ID:
        return LEASE_SHARED
    return LEASE_FOREIGN

cdef inline uint8_t holding_by_key(
        const State* state, const uint8_t* key, uint16_t length, bint wide) noexcept nogil:
    """Return the same where nothing but the client key is told: one by hardware address holds it. One by client id is
    shared until the row is told in full, which says whether it is our own."""
    cdef Octets hw_address, client_key
    if state.share.count == 1:
        return LEASE_OWN
    client_key.data = key
    client_key.length = length
    hw_address.data = NULL
    hw_address.length = 0
    if length > 2 and key[0] == BY_HARDWARE:
        hw_address.data = key + 2
        hw_address.length = length - 2
    elif length and key[0] == BY_CLIENT_ID:
        return LEASE_SHARED
    return holding_of(state, &hw_address, &client_key, wide)

cdef inline void set_holding(State* state, Lease* lease, uint8_t holding) noexcept nogil:
    state.others_leases += (holding != LEASE_OWN) - (lease.flags & HOLDING != LEASE_OWN)
    lease.flags = lease.flags & ~HOLDING | holding

cdef bint mark_address(State* state, const Lease* lease, uint32_t until, bint settled) noexcept nogil
cdef bint has_foreign_lease(const Client* client, uint32_t address) noexcept nogil
cdef bint has_doubted_lease(const Client* client, uint32_t address) noexcept nogil
cdef bint has_foreign_row(const Client* client, uint32_t address) noexcept nogil
