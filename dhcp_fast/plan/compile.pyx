"""Python descriptions of IPv4 subnets (database/plan/plan_reader.py) -> the C structs of compiled.pxd, with what the
subnets of both families share.

A compiled subnet is never changed after it was made, but for the free bitmaps of its pools. Errors in a description are
programming errors: rows were checked before they came here.
"""

from typing import NamedTuple

from libc.stdlib cimport free

from dhcp_fast.leases.lease_operation cimport INFINITE_LIFETIME
from dhcp_fast.leases.pools cimport pool_clear, pool_forbid, pool_init, pool_open
from dhcp_fast.plan.compiled cimport Naming, OptionSet
from dhcp_fast.plan.described cimport Described, array, fill_boot
from dhcp_fast.plan.reservation_set cimport reservations_of
from libc.stdint cimport int64_t, uint32_t, uint64_t


REPLACEMENTS = ("never", "always", "when_present", "when_not_present")     # by NAME_NEVER and so on


class PoolUse(NamedTuple):
    """A pool: its number, where it is, and how many of its addresses, or of its delegated prefixes, are in use."""

    no: int
    tenant_no: int
    network: int
    prefix_length: int
    first: int
    last: int
    usable: int
    used: int


cdef class ServedView(Described):

    cdef int pool_count(self) noexcept:
        return 0

    cdef int space_count(self) noexcept:
        return 0

    cdef Pool* pool(self, int at) noexcept:
        return NULL

    cdef AddressSpace* space(self, int at) noexcept:
        return NULL

    cdef void set_served(self, bint served) noexcept:
        pass

    cdef object use(self, int at):
        return None

    def leases_counted(self, bint counted):
        """Set whether the subnet's leases are known; until then it serves no client, because an
        address that seems free might be leased.
        """
        cdef int i
        for i in range(self.space_count()):
            if self.space(i) != NULL:
                self.space(i).uncounted = not counted
        self.set_served(counted)

    def open_pools(self):
        """Open the pools when all leased addresses were marked: the rest is free."""
        cdef int i
        for i in range(self.pool_count()):
            if self.pool(i) != NULL:
                pool_open(self.pool(i), self.space(i))

    def is_counted(self):
        cdef int i
        for i in range(self.space_count()):
            if self.space(i) != NULL and self.space(i).uncounted:
                return False
        return True

    def addresses(self):
        """Return how many bits there are to look at, for what is leased."""
        cdef int i
        cdef uint64_t total = 0
        for i in range(self.space_count()):
            if self.space(i) != NULL:
                total += self.space(i).size
        return total


cdef class SubnetView(ServedView):
    """SubnetView(tenant, key, fields): `fields` as database/plan/plan_reader.py makes them, `key` the hash key."""

    def __init__(self, TenantView tenant, tuple key, dict fields):
        cdef uint64_t sip[2]
        self.keep = []
        self.tenant = tenant
        self.shared_network = fields.get("shared_network")
        self.subnet.tenant = &tenant.view
        sip[0], sip[1] = key
        fill_fields(self, fields)
        self.options(&self.subnet.options, fields["options"])
        self.reservations = reservations_of(fields["reservations"], sip)
        self.subnet.reservation_count = self.reservations.count
        self.subnet.reservations = self.reservations.at
        self.subnet.by_identity = self.reservations.by_identity
        self.subnet.reserved_kinds = self.reservations.kinds
        self.add_pools(fields["pools"], fields["forbidden"])
        self.enabled = self.subnet.enabled

    def __dealloc__(self):
        cdef int i
        for i in range(self.subnet.pool_count):
            pool_clear(&self.subnet.pools[i])
        self.drop_pool_options()
        free(self.subnet.pools)
        free(self.subnet.options.items)

    cdef int pool_count(self) noexcept:
        return self.subnet.pool_count

    cdef int space_count(self) noexcept:
        return 1

    cdef Pool* pool(self, int at) noexcept:
        return &self.subnet.pools[at]

    cdef AddressSpace* space(self, int at) noexcept:
        """Return the space, of which its pools are parts."""
        return self.subnet.space

    cdef void set_served(self, bint served) noexcept:
        self.subnet.enabled = self.enabled and served

    cdef object use(self, int at):
        cdef const Pool* pool = &self.subnet.pools[at]
        return PoolUse(
            pool.no, self.subnet.tenant.no, self.subnet.network, (<object>self.subnet.mask).bit_count(), pool.start,
            pool.end, pool.usable, pool.usable - pool.free.count)

    @property
    def no(self):
        return self.subnet.no

    @property
    def span(self):
        """Return (tenant_no, first address, last address) as numbers."""
        return self.subnet.tenant.no, self.subnet.network, self.subnet.last

    @property
    def spans(self):
        """Return the ranges in which its leases may lie."""
        return [self.span]

    @property
    def ping_check(self):
        return self.subnet.ping_check

    @property
    def fence(self):
        return self.subnet.fence

    cdef int add_pools(self, list pools, list forbidden) except -1:
        """Add the pools (PoolRow). `forbidden`: (first, last), beside what is reserved."""
        cdef Pool* pool
        cdef int i
        self.subnet.pools = <Pool*>array(len(pools), sizeof(Pool))
        self.subnet.pool_options = <OptionSet*>array(len(pools), sizeof(OptionSet))
        for row in pools:
            pool = &self.subnet.pools[self.subnet.pool_count]
            self.subnet.pool_count += 1
            pool.no = row.no
            pool.class_index = row.class_index
            pool.sequential = row.sequential
            if not pool_init(pool, row.start, row.end):
                raise MemoryError
            self.options(&self.subnet.pool_options[self.subnet.pool_count - 1], row.options)
            for first, last in forbidden:
                pool_forbid(pool, first, last)
            for i in range(self.reservations.count):
                pool_forbid(pool, self.reservations.at[i].address, self.reservations.at[i].address)
        if not any(row.options for row in pools):
            self.drop_pool_options()
        return 0

    cdef void drop_pool_options(self) noexcept:
        cdef int i
        for i in range(self.subnet.pool_count if self.subnet.pool_options != NULL else 0):
            free(self.subnet.pool_options[i].items)
        free(self.subnet.pool_options)
        self.subnet.pool_options = NULL


cdef int fill_fields(SubnetView owner, dict fields) except -1:
    cdef Subnet4* subnet = &owner.subnet
    subnet.no = fields["no"]
    subnet.fence = fields["fence"]
    subnet.network = fields["network"]
    subnet.mask = fields["mask"]
    subnet.last = subnet.network | ~subnet.mask
    subnet.gateway = fields["gateway"] or 0
    subnet.enabled = fields["dhcp_enabled"]
    subnet.authoritative = fields["authoritative"]
    subnet.match_client_id = fields["match_client_id"]
    subnet.rapid_commit = fields["rapid_commit"]
    subnet.ping_check = fields["ping_check"]
    subnet.lease_time = lifetime_of(fields["lease_time_seconds"])
    subnet.min_lease_time = lifetime_of(fields["min_lease_time_seconds"] or subnet.lease_time)
    subnet.max_lease_time = lifetime_of(fields["max_lease_time_seconds"] or subnet.lease_time)
    subnet.renew_time = seconds_or_usual(fields["renew_time_seconds"])
    subnet.rebind_time = seconds_or_usual(fields["rebind_time_seconds"])
    subnet.quarantine = fields["decline_quarantine_seconds"]
    subnet.reuse_margin = fields["reuse_margin_seconds"]
    subnet.cache_threshold = fields["cache_threshold"]
    subnet.has_interface = fields.get("interface") is not None
    subnet.relay_room = max(fields.get("relay_room", 0), 0)
    fill_boot(owner, &subnet.boot, fields)
    fill_naming(owner, &subnet.naming, fields)
    return 0


cdef uint32_t lifetime_of(object column) except? 0:
    """Return seconds as a column has them: -1 is infinite (RFC 2131 section 3.3). OverflowError: another negative
    time."""
    return INFINITE_LIFETIME if column == -1 else <uint32_t>column


cdef int64_t seconds_or_usual(object column) except? -2:
    """Return the seconds; -1: the usual share of the lease."""
    return -1 if column is None else lifetime_of(column)


cdef int fill_naming(Described owner, Naming* naming, dict fields) except -1:
    naming.ddns = fields["ddns_enabled"]
    naming.override_no_update = fields["ddns_override_no_update"]
    naming.override_client_update = fields["ddns_override_client_update"]
    naming.replace = REPLACEMENTS.index(fields["ddns_replace_client_name"])
    naming.domain = owner.hold(fields["ddns_domain"])
    naming.client_domains = owner.hold(fields["ddns_client_domains"])
    naming.prefix = owner.hold(fields["ddns_generated_prefix"])
    return 0
