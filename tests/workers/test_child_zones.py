"""Names that follow leases, where a zone below takes them from the zone that they were written to."""

from typing import Any

import asyncpg
import httpx
import pytest
from workers.site import Site

ABOVE, BELOW = "par.test", "dmz.par.test"
REVERSE, LOW = "10.in-addr.arpa", "20.10.in-addr.arpa"
HOST = "10.20.1.9"
Where = set[tuple[str, str, str]]


@pytest.fixture(params=["named", "found"])
async def subnet(make: Any, request: pytest.FixtureRequest) -> dict[str, Any]:
    """Of which the zones are named, or found by its names."""
    for name in (ABOVE, REVERSE):
        await make("/dns-zones", name=name, dns_enabled=True)
    prefix = await make("/prefixes", cidr="10.20.0.0/16")
    named = {"ddns_forward_zone": ABOVE, "ddns_reverse_zone": REVERSE} if request.param == "named" else {}
    fields = {"cidr": "10.20.1.0/24", "ddns_enabled": True, "ddns_domain": BELOW}
    made: dict[str, Any] = await make("/subnets", prefix_id=prefix["id"], **fields, **named)
    return made


async def where(pool: asyncpg.Pool) -> Where:
    """Zone, owner and type of what follows leases."""
    rows = await pool.fetch(
        "select z.name as zone, r.name, r.type from dns_record r join dns_zone z on z.no = r.zone_no"
        " where r.source in ('lease', 'assignment', 'reservation')"
    )
    return {tuple(row) for row in rows}


IN_PARENTS = {(ABOVE, "pc.dmz", "A"), (REVERSE, "9.1.20", "PTR")}
IN_CHILDREN = {(BELOW, "pc", "A"), (LOW, "9.1", "PTR")}


async def test_names_belong_to_the_zone_below(
    site: Site, pool: asyncpg.Pool, make: Any, admin: httpx.AsyncClient, subnet: Any
) -> None:
    await site.lease(HOST, "pc")
    await site.settle()
    assert await where(pool) == IN_PARENTS
    below = [await make("/dns-zones", name=name, dns_enabled=True) for name in (BELOW, LOW)]
    assert await where(pool) == IN_CHILDREN  # in the same transaction
    await site.settle()
    assert await where(pool) == IN_CHILDREN
    states = await pool.fetch("select state from ddns_update where state not in ('applied', 'superseded')")
    assert states == []
    await site.lease("10.20.1.10", "other", mac="020000000002")
    await site.lease(HOST, "pc", state="r")
    await site.settle()
    assert await where(pool) == {(BELOW, "other", "A"), (LOW, "10.1", "PTR")}
    for zone in below:
        assert (await admin.delete(f"/dns-zones/{zone['id']}?cascade=true")).status_code == 204
    await site.settle()
    assert await where(pool) == {(ABOVE, "other.dmz", "A"), (REVERSE, "10.1.20", "PTR")}


@pytest.mark.parametrize("read", [False, True])
async def test_a_lease_that_ends_meanwhile_leaves_nothing(
    site: Site, pool: asyncpg.Pool, make: Any, subnet: Any, read: bool
) -> None:
    """Whether its removal stands in the outbox already, or is found later."""
    await site.lease(HOST, "pc")
    await site.settle()
    await site.lease(HOST, "pc", state="r")
    if read:
        await site.read_all()
    for name in (BELOW, LOW):
        await make("/dns-zones", name=name, dns_enabled=True)
    await site.settle()
    assert await where(pool) == set()


async def test_names_of_a_tenant_are_written_to_no_zone_of_another(
    site: Site, pool: asyncpg.Pool, make: Any, subnet: Any
) -> None:
    """Its subnet names them, and would delete what is there too."""
    await site.lease(HOST, "pc")
    await site.settle()
    tenant = await make("/tenants", name="acme")
    prefix = await make("/prefixes", cidr="10.30.0.0/16", tenant_id=tenant["id"])
    fields = {
        "ddns_enabled": True,
        "ddns_domain": BELOW,
        "ddns_forward_zone": ABOVE,
        "ddns_reverse_zone": REVERSE,
    }
    await make("/subnets", prefix_id=prefix["id"], cidr="10.30.1.0/24", **fields)
    for state in ("a", "r"):
        await site.lease("10.30.1.9", "evil", mac="020000000009", state=state)
        await site.lease("10.30.1.10", "pc", mac="02000000000a", state=state)
        await site.settle()
        assert await where(pool) == IN_PARENTS
    assert await pool.fetchval("select count(*) from dns_record where source <> 'delegation'") == 2
