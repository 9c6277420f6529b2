"""Functions for rehearsals: an offered address counts as leased, so that the next client is offered
another one.

Open offers alone would not do: a full pool takes back the oldest one.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from dhcp_fast.engine.engine cimport Engine
from dhcp_fast.engine.tenures cimport NEWEST
from dhcp_fast.leases.lease_table cimport LEASE_ACTIVE
from dhcp_fast.leases.offers cimport NO_OFFER, Offer
from dhcp_fast.plan.compiled cimport Subnet4
from dhcp_fast.plan.compiled6 cimport Pool6
from dhcp_fast.plan.subnets cimport subnet_by_no
from dhcp_fast.plan.subnets6 cimport pool_of_lease
from dhcp_fast.sharing.lease_cache cimport LeaseRow, learn
from dhcp_fast.state.occupancy cimport end_offer
from dhcp_fast.state.occupancy6 cimport forget_offers
from dhcp_fast.state.state cimport database_now

cdef enum:
    DAY_MICROSECONDS = 86400000000


def hold_offer(Engine engine):
    """Lease the last offered address to its client, in this engine's memory only."""
    cdef uint32_t index = engine.state.offers.newest
    cdef Offer* offer
    cdef Subnet4* subnet
    cdef LeaseRow row
    if index == NO_OFFER:
        return
    offer = &engine.state.offers.at[index]
    subnet = subnet_by_no(engine.state.plan, offer.subnet_no)
    row = row_of(engine, subnet.tenant.no, 0, offer.address, offer.client)
    row.subnet_no = offer.subnet_no
    end_offer(&engine.state, subnet, index)
    if not learn(&engine.state, &row):
        raise MemoryError


def hold_leases6(Engine engine, given):
    """Hold all that an answer gives: (tenant's number, address, association's hash) each, by explain6."""
    cdef Pool6* pool
    cdef LeaseRow row
    for tenant_no, address, client in given:
        row = row_of(engine, tenant_no, address >> 64, address & 0xFFFFFFFFFFFFFFFF, client)
        pool = pool_of_lease(engine.state.plan6, row.tenant_no, row.hi, row.lo)
        if pool != NULL:
            row.subnet_no = pool.subnet.no
            forget_offers(&engine.state, row.client, pool.subnet)
        if not learn(&engine.state, &row):
            raise MemoryError


cdef LeaseRow row_of(Engine engine, uint32_t tenant_no, uint64_t hi, uint64_t lo, uint64_t client) noexcept:
    """Return a lease of a day that nothing in the database replaces."""
    cdef LeaseRow row
    memset(&row, 0, sizeof(row))
    row.tenant_no = tenant_no
    row.hi = hi
    row.lo = lo
    row.version = NEWEST
    row.client = client
    row.renewed = database_now(&engine.state)
    row.expires = row.reuse = row.renewed + DAY_MICROSECONDS
    row.state = LEASE_ACTIVE
    return row
