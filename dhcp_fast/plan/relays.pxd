"""Table of whose packets a relay brings: the trusted relays of one family, and the names of the tenants.

A relay belongs to exactly one tenant, that of the most specific entry which contains it (decisions: Ownership of
packets). An IPv4 address is `lo`; `hi` is then 0.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from dhcp_fast.leases.lease_operation cimport Octets

cdef enum:
    SEEN = 8                # addresses of senders that an entry remembers between two reports

cdef struct Network:
    uint64_t hi, lo, mask_hi, mask_lo

cdef struct Sender:
    uint64_t hi, lo

cdef struct Relay:
    Network network
    uint32_t no                 # of the entry in the database; 0: a network of the server's setting
    uint32_t tenant_no          # never 0
    bint is_bound               # by an entry with a tenant: no option of a packet can choose another one
    bint vss, client_vss        # whether the relay's, or also the client's, virtual network chooses the tenant
    int source_count
    Network* sources            # from which its packets may come; none: from anywhere
    Sender last                 # of the previous packet
    int seen_count
    Sender seen[SEEN]           # since the last report

cdef struct TenantName:
    uint32_t no
    Octets name

cdef struct RelayTable:
    uint32_t default_tenant
    uint32_t version            # raised by each change; never 0
    int count
    Relay* at                   # the longest prefix first
    int tenant_count
    TenantName* tenants

cdef inline bint network_holds(const Network* network, uint64_t hi, uint64_t lo) noexcept nogil:
    return lo & network.mask_lo == network.lo and hi & network.mask_hi == network.hi

cdef inline Relay* relay_at(const RelayTable* relays, uint64_t hi, uint64_t lo) noexcept nogil:
    """Return the most specific entry that contains the address; NULL: it is no trusted relay."""
    cdef int i
    for i in range(relays.count):
        if network_holds(&relays.at[i].network, hi, lo):
            return &relays.at[i]
    return NULL

cdef inline void note_sender(Relay* relay, uint64_t hi, uint64_t lo) noexcept nogil:
    """Remember where packets of the entry's relays come from; most often from where the previous one came."""
    if lo != relay.last.lo or hi != relay.last.hi:
        add_sender(relay, hi, lo)

cdef inline bint may_send(const Relay* relay, uint64_t hi, uint64_t lo) noexcept nogil:
    return relay.source_count == 0 or is_source(relay, hi, lo)

cdef void add_sender(Relay* relay, uint64_t hi, uint64_t lo) noexcept nogil
cdef bint is_source(const Relay* relay, uint64_t hi, uint64_t lo) noexcept nogil
cdef uint32_t tenant_of_network(const RelayTable* relays, const uint8_t* network, uint16_t length) noexcept nogil
cdef bint reaches(const RelayTable* relays, uint32_t tenant_no, const Network* subnet) noexcept nogil
cdef int set_relays(RelayTable* table, object relays, uint32_t default_tenant, dict names, list keep) except -1
cdef list take_senders(RelayTable* table)
cdef object entry_at(const RelayTable* table, object address)
cdef void free_relays(RelayTable* table) noexcept
