"""The pools of an IPv6 plan with their leases and offers, shown to Python for the model test.

Rows are learned, offers lapse and leases end here by the code that serves; the clock is what the test says.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from dhcp_fast.leases.lease_table cimport LEASE_OWN, NO_LEASE, lease_at, lease_find, leases_free, leases_new
from dhcp_fast.leases.offers cimport NO_OFFER, OFFER_MILLISECONDS, offer_add, offers_free, offers_new
from dhcp_fast.leases.pools cimport note_offered
from dhcp_fast.plan.compile6 cimport SubnetView6
from dhcp_fast.plan.compiled6 cimport Pool6
from dhcp_fast.plan.subnets cimport Plan
from dhcp_fast.plan.subnets6 cimport Plan6, pool_by_no
from dhcp_fast.sharing.expiry cimport lapse_offers, tick
from dhcp_fast.sharing.lease_cache cimport MICROSECONDS, LeaseRow, learn
from dhcp_fast.state.decline_table cimport DeclineTable
from dhcp_fast.state.occupancy6 cimport drop_offers, forget_offers, mark_occupancy, mark_range
from dhcp_fast.state.state cimport State, runs
from dhcp_fast.structures.bitmap cimport bitmap_has

cdef enum:
    TICK = 512


cdef class PoolTrial:
    """PoolTrial(now): no pools yet; `now` and all times are seconds of the database's clock."""

    cdef State state
    cdef Plan nothing
    cdef Plan6 plan
    cdef uint64_t version

    def __cinit__(self, int64_t now):
        memset(&self.state, 0, sizeof(State))
        self.nothing = Plan()
        self.plan = Plan6()
        self.state.plan = &self.nothing.view
        self.state.plan6 = &self.plan.view
        self.state.share.count = 1
        self.state.clock.known = True
        self.state.now = now * MICROSECONDS
        self.state.leases = leases_new(True)
        self.state.offers = offers_new()
        self.state.declines = <DeclineTable*>calloc(1, sizeof(DeclineTable))
        if self.state.leases == NULL or self.state.offers == NULL or self.state.declines == NULL:
            raise MemoryError
        self.plan.set_relays([], 0)

    def __dealloc__(self):
        leases_free(self.state.leases)
        offers_free(self.state.offers)
        free(self.state.declines)

    def put(self, SubnetView6 view):
        """Return the subnet as it is now. The numbers of its pools whose leases were counted anew."""
        cdef SubnetView6 before = self.plan.subnets.get(view.no)
        cdef Pool6* pool
        if before is not None:
            drop_offers(&self.state, &before.subnet)
        fresh = self.plan.put(view, (), ())
        for no in fresh:
            pool = pool_by_no(&self.plan.view, no)
            mark_range(&self.state, pool, 0, pool.size)
        return fresh

    def write(self, uint32_t tenant_no, address, uint64_t client, state, int64_t expires, int64_t reuse):
        """Write a row of the lease table that is newer than all before."""
        cdef LeaseRow row
        memset(&row, 0, sizeof(LeaseRow))
        self.version += 1
        row.tenant_no = tenant_no
        row.hi, row.lo = address >> 64, address & ((1 << 64) - 1)
        row.version = self.version
        row.client = client
        row.renewed = self.state.now
        row.expires = expires * MICROSECONDS
        row.reuse = reuse * MICROSECONDS
        row.state = ord(state)
        row.holding = LEASE_OWN
        if not learn(&self.state, &row):
            raise MemoryError

    def offer(self, uint32_t no, uint32_t index, uint64_t client):
        cdef Pool6* pool = pool_by_no(&self.plan.view, no)
        if offer_add(self.state.offers, &pool.space.offers, client, no, index, 0,
                     self.state.now // 1000 + OFFER_MILLISECONDS) == NO_OFFER:
            raise MemoryError
        note_offered(pool.space, index, True)
        mark_occupancy(&self.state, pool, index)

    def forget(self, uint64_t client, uint32_t subnet_no):
        """Forget the client's offers on that wire."""
        cdef SubnetView6 view = self.plan.subnets[subnet_no]
        forget_offers(&self.state, client, &view.subnet)

    def wait(self, int64_t seconds):
        """Wait, and end what ends by time meanwhile."""
        self.state.now += seconds * MICROSECONDS
        lapse_offers(&self.state)
        while tick(&self.state, TICK) == TICK:
            pass

    def free(self, uint32_t no):
        """Return the indices of the pool that anybody may have."""
        cdef Pool6* pool = pool_by_no(&self.plan.view, no)
        return {index for index in range(pool.size) if bitmap_has(pool.indices.free, index)}

    def is_hashed(self, uint32_t no):
        return pool_by_no(&self.plan.view, no).hashed

    def is_held(self, uint32_t tenant_no, address):
        """Return whether a lease of the address keeps it from others: the one look where there is no bitmap."""
        cdef uint32_t index = lease_find(self.state.leases, tenant_no, address >> 64, address & ((1 << 64) - 1))
        return index != NO_LEASE and runs(&self.state, lease_at(self.state.leases, index))

    @property
    def offers(self):
        """Return how many are open."""
        return self.state.offers.count
