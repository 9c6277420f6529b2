"""Record of a worker's knowledge about the leases of its host's other workers.

A client's packets are sent to the worker that the hash of its chaddr names (net/reuseport.pxd).
That worker keeps the whole entry of a row with that hardware address; the others keep one bit, that
its address is taken. So a host with many workers needs hardly more memory for leases than one with
a single process. The database decides. The rules for rows that a reader of the lease table does not
have are:

* LEASE_OWN: the row's hardware address is one of ours (none: the worker of chaddr zero, which gets such clients).
* LEASE_SHARED: another worker's, but kept here like our own. It is a row keyed by a client id, because its client
  may use another hardware address tomorrow and must be found then (engine rule 20).
  With `dhcp4_leases_per_circuit` it is every row, because the clients of a circuit are spread over all workers.
* LEASE_FOREIGN: all others. Its entry lives for GRACE_SECONDS after each event, so that an older event that
  arrives later is recognized; then only the bit stays.
  A row that has ended but is not free yet (reuse margin, quarantine) keeps its entry until it is.
  Rows that come in bulk (the first load, the look before "exhausted") make no entry: they are current, and an
  older event would be followed by the one that made the row.

The readers:

* Choosing an address: the bit keeps the address out of the pool until the event that ends the lease.
  Expiry is such an event: every worker of the elected host writes it for its own rows (LEASE_OWN).
  A worker that receives no expiry for long sees it in the look before "exhausted", where an expired row is free.
* A reserved address that another client holds (`held_by_other`): without an entry the bit shows it.
* RENEWING, REBINDING, INIT-REBOOT and SELECTING of an address of another worker's client: the operation goes to
  the database, which refuses it. The row is read, its entry made for a while, and the NAK is sent.
* Renewals answered from memory: only from an entry. Its client's packets arrive here, so no other worker of this
  host writes it; the feed contains the writes of other hosts.
* A client's other leases, its last address, its circuit: under its identity, which is ours or LEASE_SHARED.
* A grant of an address without a known row is a plain insert; a second bit marks addresses with known rows.
* Fill of the pools: bits, so each worker sees all leases of the pool, and its own offers.
* At the start the plan is read before the leases, because their bits are in its address spaces.
* A subnet whose address space is new to us has no bits yet: its rows are read from the database.
* If the database has lost its history (engine rule 26), a bit is all that is known of a lease that may be lost;
  its end and its client are known to the other worker only.
  Such an address is in doubt (sharing/foreign_doubts.pyx).
* Subnets without `match_client_id` have one owner per row. If `match_client_id` was changed, a row changes hands
  (or becomes shared) with the renewal that writes its new key.

In DHCPv6 the kernel steers by the source of a message, which no row contains, and addresses have no
bits: each worker keeps all rows. LEASE_OWN and LEASE_SHARED, by the hardware address of the row if
it has one, only decide there which worker writes a row's expiry and counts it among the known
leases.
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
    """Return whether the packet is ours.

    A broadcast reaches every worker of the host; all but the worker of its client ignore it. A
    packet to one address is handled in any case; the kernel misroutes it if it treats several
    datagrams as one.
    """
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
    """Return the same if only the client key is known: the worker of a hardware address holds it.

    A row by client id counts as shared until the whole row is read, which shows whether it is our
    own.
    """
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
