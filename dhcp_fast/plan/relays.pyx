"""The trusted relays of one family; see the .pxd."""

from typing import NamedTuple

from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memset

cdef enum:
    NETWORK_BY_NAME = 0         # RFC 6607 section 3.5: the type octet
    NETWORK_GLOBAL = 255

LOW = (1 << 64) - 1


class TrustedRelay(NamedTuple):
    """An entry as numbers. `tenant_no` 0: no tenant is named, so the default tenant. `no` 0: of the server's setting.
    `sources`: (network, mask) from which packets may come; none: from anywhere."""

    network: int
    mask: int
    tenant_no: int = 0
    no: int = 0
    sources: tuple[tuple[int, int], ...] = ()
    vss: bool = False
    client_vss: bool = False


class RelayEntry(NamedTuple):
    """The entry that an address belongs to, and its tenant, which is never 0."""

    no: int
    tenant_no: int
    is_bound: bool
    vss: bool


# --- for packets

cdef void add_sender(Relay* relay, uint64_t hi, uint64_t lo) noexcept nogil:
    """Add a sender; those beyond SEEN are left for the next report."""
    cdef int i
    relay.last = Sender(hi, lo)
    for i in range(relay.seen_count):
        if relay.seen[i].lo == lo and relay.seen[i].hi == hi:
            return
    if relay.seen_count < SEEN:
        relay.seen[relay.seen_count] = relay.last
        relay.seen_count += 1


cdef bint is_source(const Relay* relay, uint64_t hi, uint64_t lo) noexcept nogil:
    cdef int i
    for i in range(relay.source_count):
        if network_holds(&relay.sources[i], hi, lo):
            return True
    return False


cdef uint32_t tenant_of_network(const RelayTable* relays, const uint8_t* network, uint16_t length) noexcept nogil:
    """Return the tenant of the virtual network (RFC 6607 section 3.5): the tenant of that name,
    with or without subnets, or the default tenant for the global network. 0: no tenant, as for an
    empty one.
    """
    cdef int i
    cdef const Octets* name
    if length == 0:
        return 0
    if network[0] == NETWORK_GLOBAL:
        return relays.default_tenant
    if network[0] != NETWORK_BY_NAME:
        return 0
    for i in range(relays.tenant_count):
        name = &relays.tenants[i].name
        if name.length == length - 1 and memcmp(name.data, network + 1, name.length) == 0:
            return relays.tenants[i].no
    return 0


cdef bint reaches(const RelayTable* relays, uint32_t tenant_no, const Network* subnet) noexcept nogil:
    """Return whether some address of the subnet is a relay of the tenant: by an entry inside the subnet, or by the most
    specific one around it."""
    cdef int i
    cdef const Relay* relay
    for i in range(relays.count):
        relay = &relays.at[i]
        if is_inside(&relay.network, subnet):
            if relay.tenant_no == tenant_no:
                return True
        elif is_inside(subnet, &relay.network):
            return relay.tenant_no == tenant_no
    return False


cdef inline bint is_inside(const Network* inner, const Network* outer) noexcept nogil:
    return (inner.mask_lo & outer.mask_lo == outer.mask_lo and inner.mask_hi & outer.mask_hi == outer.mask_hi
            and network_holds(outer, inner.hi, inner.lo))


# --- configuration

cdef int set_relays(RelayTable* table, object relays, uint32_t default_tenant, dict names, list keep) except -1:
    """Replace all entries. `names`: the tenants' by number, as octets that `keep` keeps alive."""
    cdef RelayTable made
    memset(&made, 0, sizeof(made))
    made.default_tenant = default_tenant
    made.version = table.version + 1
    rows = sorted((TrustedRelay(*row) for row in relays), key=relay_order)
    made.at = <Relay*>array(len(rows), sizeof(Relay))
    made.tenants = <TenantName*>array(len(names), sizeof(TenantName))
    for row in rows:
        fill_relay(&made.at[made.count], row, default_tenant)
        made.count += 1
    keep[:] = names.values()
    for no, name in names.items():
        made.tenants[made.tenant_count] = TenantName(
            no, Octets(<const uint8_t*><const char*>(<bytes>name), min(len(name), 0xFFFF)))
        made.tenant_count += 1
    free_relays(table)
    table[0] = made
    return 0


cdef int fill_relay(Relay* relay, object row, uint32_t default_tenant) except -1:
    put_network(&relay.network, row.network, row.mask)
    relay.no = row.no
    relay.is_bound = row.tenant_no != 0
    relay.tenant_no = row.tenant_no or default_tenant
    relay.vss = row.vss and not relay.is_bound
    relay.client_vss = row.client_vss and relay.vss
    relay.sources = <Network*>array(len(row.sources), sizeof(Network))
    for network, mask in row.sources:
        put_network(&relay.sources[relay.source_count], network, mask)
        relay.source_count += 1
    return 0


cdef void* array(size_t count, size_t size) except NULL:
    cdef void* memory = calloc(count if count else 1, size)
    if memory == NULL:
        raise MemoryError
    return memory


cdef int put_network(Network* into, object network, object mask) except -1:
    into[0] = Network(network >> 64, network & LOW, mask >> 64, mask & LOW)
    return 0


def relay_order(relay):
    """Return the longest prefix first. Of equal ones an entry of the database before a network of the setting; of two
    entries, which a release before this one took for two tenants, the older one, with a tenant before none."""
    return -relay.mask, not relay.no, not relay.tenant_no, relay.no


cdef list take_senders(RelayTable* table):
    """Return (number of the entry, address) of where packets came from since the last call, of entries in the
    database."""
    cdef int i, at
    cdef Relay* relay
    found = []
    for i in range(table.count):
        relay = &table.at[i]
        if relay.no:
            found += [(relay.no, <object>relay.seen[at].hi << 64 | relay.seen[at].lo) for at in range(relay.seen_count)]
        relay.seen_count = 0
    return found


cdef object entry_at(const RelayTable* table, object address):
    """Return the RelayEntry of an address, or None."""
    cdef const Relay* relay = relay_at(table, address >> 64, address & LOW)
    return None if relay == NULL else RelayEntry(relay.no, relay.tenant_no, relay.is_bound, relay.vss)


cdef void free_relays(RelayTable* table) noexcept:
    cdef int i
    for i in range(table.count):
        free(table.at[i].sources)
    free(table.at)
    free(table.tenants)
