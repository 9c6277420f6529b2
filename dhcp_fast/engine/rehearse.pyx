"""For rehearsals: what was offered counts as leased, so that the next client is offered something else.

Open offers alone would not do: a full pool takes the oldest one back.
"""

from libc.stdint cimport uint32_t
from libc.string cimport memset

from dhcp_fast.leases.lease_table cimport LEASE_ACTIVE
from dhcp_fast.leases.offers cimport NO_OFFER, Offer
from dhcp_fast.engine.engine cimport Engine
from dhcp_fast.state.lease_cache cimport LeaseRow, learn
from dhcp_fast.state.occupancy cimport end_offer
from dhcp_fast.plan.subnets cimport subnet_by_no
from dhcp_fast.state.state cimport database_now
from dhcp_fast.plan.compiled cimport Subnet4

cdef enum:
    DAY_MICROSECONDS = 86400000000
    NEWEST = 0x7FFFFFFFFFFFFFFF     # a version above every row's


def hold_offer(Engine engine):
    """Lease the address that was offered last to the client that it was offered to, in this engine's memory only."""
    cdef uint32_t index = engine.state.offers.newest
    cdef Offer* offer
    cdef Subnet4* subnet
    cdef LeaseRow row
    if index == NO_OFFER:
        return
    offer = &engine.state.offers.at[index]
    subnet = subnet_by_no(engine.state.plan, offer.subnet_no)
    memset(&row, 0, sizeof(row))
    row.tenant_no = subnet.tenant.no
    row.subnet_no = offer.subnet_no
    row.lo = offer.address
    row.version = NEWEST
    row.client = offer.client
    row.renewed = database_now(&engine.state)
    row.expires = row.reuse = row.renewed + DAY_MICROSECONDS
    row.state = LEASE_ACTIVE
    end_offer(&engine.state, subnet, index)
    if not learn(&engine.state, &row):
        raise MemoryError
