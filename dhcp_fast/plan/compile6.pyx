"""Python descriptions of IPv6 subnets (database/plan/plan_reader.py) -> the C structs of compiled6.pxd.

As compile.pyx does for IPv4; addresses in a description are numbers of 128 bits. Addresses that no
pool allocates (excluded, assigned or reserved) are one sorted list of ranges; a pool without a
bitmap is searched in it.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free

from dhcp_fast.leases.client_identity cimport duid_hash
from dhcp_fast.leases.lease_operation cimport Octets
from dhcp_fast.leases.pools cimport AddressSpace, Pool, pool_clear, pool_forbid, pool_init
from dhcp_fast.plan.compile import PoolUse
from dhcp_fast.plan.compile cimport fill_naming, lifetime_of, seconds_or_usual
from dhcp_fast.plan.described cimport Described, array
from dhcp_fast.plan.tenant_view cimport TenantView
from dhcp_fast.plan.compiled cimport Excluded6, Holder6, OptionSet, Reservation6
from dhcp_fast.plan.compiled6 cimport (
    INDEX_BITS, MOST_RELAYS, RESERVED_COUNT, ROUTERS_IDENTIFIER, Range6, reserved_identifiers)
from dhcp_fast.structures.keymap cimport KeyMap, keymap_init, keymap_put
from dhcp_fast.structures.siphash cimport siphash
from dhcp_fast.wire.codes6 cimport OPT6_IA_NA, OPT6_IA_PD

LOW = (1 << 64) - 1
ADDRESS_BITS = 128


cdef inline void put_span(Range6* span, object first, object last) except *:
    span.first_hi = first >> 64
    span.first_lo = first & LOW
    span.last_hi = last >> 64
    span.last_lo = last & LOW


cdef tuple bounds(const Range6* span):
    return (<object>span.first_hi << 64) | span.first_lo, (<object>span.last_hi << 64) | span.last_lo


cdef class TenantView6(TenantView):
    """TenantView6(no, classes, reserved, key, binds): `reserved` are descriptions as a subnet's, without addresses."""

    def __init__(self, no, classes, list reserved, tuple key, bint binds=False):
        TenantView.__init__(self, no, classes, binds=binds)
        self.view.reserved_count = len(reserved)
        self.view.reserved6 = fill_reservations(self, reserved, key)
        self.view.reserved_kinds = fill_identities(&self.view.by_identity, reserved, key)

    def __dealloc__(self):
        free_reservations(self.view.reserved6, self.view.reserved_count)
        free(self.view.by_identity.slots)


cdef class SubnetView6(ServedView):
    """SubnetView6(tenant, key, fields): `key` is the cluster's hash key.

    `fields` are the columns of the subnet's row, `first` and `last` address, `pools`, `forbidden`
    ranges as (first, last), `reservations` and `options`.
    """

    def __init__(self, TenantView tenant, tuple key, dict fields):
        self.keep = []
        self.bitmaps = {}
        self.tenant = tenant
        self.shared_network = fields.get("shared_network")
        self.subnet.tenant = &tenant.view
        fill_fields(self, fields)
        self.options(&self.subnet.options, fields["options"])
        self.subnet.reservation_count = len(fields["reservations"])
        self.subnet.reservations = fill_reservations(self, fields["reservations"], key)
        self.subnet.reserved_kinds = fill_identities(&self.subnet.by_identity, fields["reservations"], key)
        forbidden = merged(fields["forbidden"] + reserved_prefixes(fields["reservations"]) + [
            (row["address"], row["address"]) for row in fields["reservations"] if row["address"] is not None])
        self.subnet.forbidden = <Range6*>array(len(forbidden), sizeof(Range6))
        self.subnet.forbidden_count = len(forbidden)
        for i, (first, last) in enumerate(forbidden):
            put_span(&self.subnet.forbidden[i], first, last)
        self.add_pools(fields["pools"], forbidden)
        self.enabled = self.subnet.enabled

    def __dealloc__(self):
        cdef int i
        for i in range(self.subnet.pool_count):
            if not self.subnet.pools[i].hashed:
                pool_clear(&self.subnet.pools[i].indices)
            free(self.subnet.pools[i].options.items)
        free_reservations(self.subnet.reservations, self.subnet.reservation_count)
        free(self.subnet.pools)
        free(self.subnet.by_identity.slots)
        free(self.subnet.forbidden)
        free(self.subnet.options.items)

    cdef int pool_count(self) noexcept:
        return self.subnet.pool_count

    cdef int space_count(self) noexcept:
        return self.subnet.pool_count

    cdef Pool* pool(self, int at) noexcept:
        return NULL if self.subnet.pools[at].hashed else &self.subnet.pools[at].indices

    cdef AddressSpace* space(self, int at) noexcept:
        return self.subnet.pools[at].space

    cdef void set_served(self, bint served) noexcept:
        self.subnet.enabled = self.enabled and served

    cdef object use(self, int at):
        cdef const Pool* pool = &self.subnet.pools[at].indices
        tenant_no, first, last = self.span
        length = ADDRESS_BITS - (last - first).bit_length()
        ends = self.bitmaps[pool.no][:2]
        return PoolUse(pool.no, tenant_no, first, length, *ends, pool.usable, pool.usable - pool.free.count)

    @property
    def no(self):
        return self.subnet.no

    @property
    def fence(self):
        return self.subnet.fence

    @property
    def span(self):
        """Return (tenant_no, first address, last address) as numbers."""
        return self.subnet.tenant.no, *bounds(&self.subnet.span)

    @property
    def ping_check(self):
        """Return clients find duplicates themselves (RFC 8415 section 18.2.10.1), and decline."""
        return False

    @property
    def spans(self):
        """Return the ranges in which its leases may lie: its delegation pools are outside of it."""
        cdef int i
        found = [self.span]
        for i in range(self.subnet.pool_count):
            if self.subnet.pools[i].ia_type == OPT6_IA_PD:
                found.append((self.subnet.tenant.no, *bounds(&self.subnet.pools[i].span)))
        return found

    def size_of(self, pool):
        """Return the number of indices of a pool with a bitmap."""
        first, last, length = self.bitmaps[pool]
        return indices(first, last, length)

    def usable(self, pool):
        """Return how many of its indices the configuration lets it give; of a pool with a bitmap."""
        cdef int i
        for i in range(self.subnet.pool_count):
            if self.subnet.pools[i].no == pool:
                return self.subnet.pools[i].indices.usable
        raise KeyError(pool)

    cdef int add_pools(self, list pools, list forbidden) except -1:
        cdef Pool6* pool
        self.subnet.pools = <Pool6*>array(len(pools), sizeof(Pool6))
        for row in pools:
            pool = &self.subnet.pools[self.subnet.pool_count]
            self.subnet.pool_count += 1
            pool.subnet = &self.subnet
            pool.hashed = True
            self.add_pool(pool, row, forbidden)
        return 0

    cdef int add_pool(self, Pool6* pool, dict row, list forbidden) except -1:
        """Add the pool. `row`: no, first, last, prefix_length (128: addresses), class_index, sequential, excluded,
        options."""
        size = indices(row["first"], row["last"], row["prefix_length"])
        put_span(&pool.span, row["first"], row["last"])
        pool.no = row["no"]
        pool.prefix_length = row["prefix_length"]
        pool.shift = ADDRESS_BITS - pool.prefix_length
        pool.ia_type = OPT6_IA_NA if pool.prefix_length == ADDRESS_BITS else OPT6_IA_PD
        pool.size = min(size, 1 << 63)
        pool.indices.no = pool.no
        pool.indices.class_index = row["class_index"]
        pool.indices.sequential = row["sequential"]
        pool.excluded = excluded_of(row["excluded"])
        self.options(&pool.options, row["options"])
        if size > 1 << INDEX_BITS:
            return 0
        pool.hashed = False
        if not pool_init(&pool.indices, 0, size - 1):
            raise MemoryError
        if self.subnet.whole_links and pool.ia_type == OPT6_IA_NA:
            forbidden = forbidden + anycast(row["first"], row["last"])
        for first, last in forbidden:
            if first <= row["last"] and last >= row["first"]:
                pool_forbid(&pool.indices, (max(first, row["first"]) - row["first"]) >> pool.shift,
                            (min(last, row["last"]) - row["first"]) >> pool.shift)
        self.bitmaps[pool.no] = row["first"], row["last"], row["prefix_length"]
        return 0


cdef Reservation6* fill_reservations(Described owner, list rows, tuple key) except NULL:
    """Fill in the reservations. `rows`: no, address and prefix (None: none; prefix is (first address, length)), what is
    excluded of it, its holders, identities that begin with their kind, hostname, options."""
    cdef uint64_t sip[2]
    cdef Reservation6* found = <Reservation6*>array(len(rows), sizeof(Reservation6))
    sip[0], sip[1] = key
    for i, told in enumerate(rows):
        fill_reservation(owner, &found[i], told)
        fill_holders(&found[i], told.get("holders", ()), sip)
    return found


cdef uint32_t fill_identities(KeyMap* by_identity, list rows, tuple key) except? 0:
    """Return the bits of the kinds of identity that there are."""
    cdef uint64_t sip[2]
    cdef bytes identity
    cdef uint32_t kinds = 0
    sip[0], sip[1] = key
    if not keymap_init(by_identity, sum(len(told["identities"]) for told in rows)):
        raise MemoryError
    for i, told in enumerate(rows):
        for identity in told["identities"]:
            kinds |= 1 << identity[0]
            keymap_put(by_identity, siphash(sip, identity, len(identity)), i + 1)
    return kinds


cdef void free_reservations(Reservation6* reservations, int count) noexcept:
    cdef int i
    for i in range(count):
        free(reservations[i].holders)
        if reservations[i].options != NULL:
            free(reservations[i].options.items)
            free(reservations[i].options)
    free(reservations)


def indices(first, last, length):
    """Return how many addresses or prefixes of that length lie there."""
    return ((last - first) >> (ADDRESS_BITS - length)) + 1


def anycast(first, last):
    """Return the ranges of anycast addresses on the links, few, among which the addresses lie."""
    identifiers = ((ROUTERS_IDENTIFIER, 1), (reserved_identifiers(), RESERVED_COUNT))
    links = {first & ~LOW, last & ~LOW}
    return [(link + lowest, link + lowest + count - 1) for link in links for lowest, count in identifiers]


def merged(ranges):
    """Return the same addresses in ranges that neither overlap nor touch, in order."""
    found = []
    open_range = None
    for first, last in sorted(ranges):
        if open_range is None or first > open_range[1] + 1:
            open_range = [first, last]
            found.append(open_range)
        else:
            open_range[1] = max(open_range[1], last)
    return [tuple(both) for both in found]


def reserved_prefixes(rows):
    """Return the addresses of the prefixes that are reserved, which no pool delegates to others."""
    return [(first, first | (1 << (ADDRESS_BITS - length)) - 1)
            for first, length in (row["prefix"] for row in rows if row["prefix"] is not None)]


cdef int fill_reservation(Described owner, Reservation6* row, dict told) except -1:
    row.no = told["no"]
    row.has_address = told["address"] is not None
    if row.has_address:
        row.hi, row.lo = told["address"] >> 64, told["address"] & LOW
    if told["prefix"] is not None:
        first, row.prefix_length = told["prefix"]
        row.prefix_hi, row.prefix_lo = first >> 64, first & LOW
        row.excluded = excluded_of(told.get("excluded"))
    row.hostname = owner.hold(told["hostname"])
    row.class_no = told.get("class_no", 0)
    if told["options"]:
        row.options = <OptionSet*>array(1, sizeof(OptionSet))
        owner.options(row.options, told["options"])
    return 0


cdef Excluded6 excluded_of(object told) except *:
    """Return the excluded prefix. `told`: None, or the length of the excluded prefix and its bits behind the delegated
    ones."""
    if told is None:
        return Excluded6(0, 0, 0)
    length, bits = told
    return Excluded6(length, bits >> 64, bits & LOW)


cdef int fill_holders(Reservation6* row, object holders, const uint64_t* key) except -1:
    """Fill in the holders. `holders`: (first address, client key, DUID or None)."""
    cdef Holder6* holder
    cdef Octets octets
    cdef const uint8_t* data
    cdef bytes told
    if not holders:
        return 0
    row.holders = <Holder6*>array(len(holders), sizeof(Holder6))
    row.holder_count = len(holders)
    for i, (address, client_key, duid) in enumerate(holders):
        holder = &row.holders[i]
        holder.hi, holder.lo = address >> 64, address & LOW
        told = client_key
        data = told
        holder.client = siphash(key, data, len(told))
        if duid is not None:
            told = duid
            data = told
            octets = Octets(data, <uint16_t>len(told))
            holder.client_parts_hash = duid_hash(key, &octets)
    return 0


cdef int fill_fields(SubnetView6 owner, dict fields) except -1:
    cdef Subnet6* subnet = &owner.subnet
    put_span(&subnet.span, fields["first"], fields["last"])
    subnet.whole_links = subnet.span.first_lo == 0 and subnet.span.last_lo == <uint64_t>LOW
    subnet.no = fields["no"]
    subnet.fence = fields["fence"]
    subnet.enabled = fields["dhcp_enabled"]
    subnet.authoritative = fields["authoritative"]
    subnet.rapid_commit = fields["rapid_commit"]
    subnet.address_registration = fields["address_registration"]
    subnet.lease_time = lifetime_of(fields["lease_time_seconds"])
    subnet.min_lease_time = lifetime_of(fields["min_lease_time_seconds"] or subnet.lease_time)
    subnet.max_lease_time = lifetime_of(fields["max_lease_time_seconds"] or subnet.lease_time)
    subnet.preferred_time = seconds_or_usual(fields["preferred_lifetime_seconds"])
    subnet.renew_time = seconds_or_usual(fields["renew_time_seconds"])
    subnet.rebind_time = seconds_or_usual(fields["rebind_time_seconds"])
    subnet.quarantine = fields["decline_quarantine_seconds"]
    subnet.reuse_margin = fields["reuse_margin_seconds"]
    subnet.cache_threshold = fields["cache_threshold"]
    subnet.boot_url = owner.hold(fields["boot_file"])
    subnet.has_interface = fields.get("interface") is not None
    subnet.relay_room = min(max(fields.get("relay_room", 0), 0), MOST_RELAYS)
    subnet.interface_id = owner.hold(fields["interface_id"])
    fill_naming(owner, &subnet.naming, fields)
    return 0
