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


async def test_a_zone_for_which_nothing_answers_takes_no_names(
    site: Site, pool: asyncpg.Pool, make: Any, admin: httpx.AsyncClient, subnet: Any
) -> None:
    """It is prepared, or was disabled: names stay where they are answered."""
    await site.lease(HOST, "pc")
    await site.settle()
    below = [await make("/dns-zones", name=name) for name in (BELOW, LOW)]
    await make("/assignments", hostname=f"srv.{BELOW}", ip="10.20.1.11")
    await site.settle()
    both = {(ABOVE, "srv.dmz", "A"), (REVERSE, "11.1.20", "PTR")}
    assert await where(pool) == IN_PARENTS | both
    for enabled in (True, False):
        for zone in below:
            path = f"/dns-zones/{zone['id']}?move_records=true"
            assert (await admin.patch(path, json={"dns_enabled": enabled})).status_code == 200
        await site.settle()
        moved = IN_CHILDREN | {(BELOW, "srv", "A"), (LOW, "11.1", "PTR")}
        assert await where(pool) == (moved if enabled else IN_PARENTS | both)
    assert set(await pool.fetch("select state from ddns_update")) == {("applied",)}


async def test_names_without_a_zone_that_answers_lie_in_the_nearest(
    site: Site, pool: asyncpg.Pool, make: Any, admin: httpx.AsyncClient, subnet: Any
) -> None:
    for zone in (await admin.get("/dns-zones")).json()["items"]:
        assert (await admin.patch(f"/dns-zones/{zone['id']}", json={"dns_enabled": False})).status_code == 200
    for name in (BELOW, LOW):
        await make("/dns-zones", name=name)
    await site.lease(HOST, "pc")
    await site.settle()
    assert await where(pool) == IN_CHILDREN


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
