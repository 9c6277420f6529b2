"""Names of two tenants that are called alike: neither refuses, delays or removes what is the other's."""

from ipaddress import ip_network
from typing import Any

import asyncpg
import httpx
import pytest
from workers.site import Site

ZONE = "corp.test"
OWN = {"default": "10.30.0.0/24", "acme": "10.40.0.0/24"}
HOSTS = {"default": "10.30.0.9", "acme": "10.40.0.9"}


@pytest.fixture
async def tenants(make: Any, admin: httpx.AsyncClient) -> dict[str, str]:
    """Two tenants with a zone of the same name, enabled for the default tenant, and a subnet each."""
    (default,) = (await admin.get("/tenants")).json()["items"]
    acme = await make("/tenants", name="acme")
    ids = {"default": default["id"], "acme": acme["id"]}
    for name, id_ in ids.items():
        await make("/dns-zones", name=ZONE, tenant_id=id_, dns_enabled=name == "default")
        prefix = await make("/prefixes", cidr=OWN[name], tenant_id=id_)
        fields = {"ddns_enabled": True, "ddns_domain": ZONE}
        await make("/subnets", prefix_id=prefix["id"], cidr=OWN[name], **fields)
    return ids


async def found(pool: asyncpg.Pool) -> set[tuple[str, str, str]]:
    rows = await pool.fetch(
        "select t.name as tenant, r.name, r.data from dns_record r join dns_zone z on z.no = r.zone_no"
        " join tenant t on t.no = z.tenant_no where r.type = 'A'"
    )
    return {tuple(row) for row in rows}


async def test_each_tenant_has_the_name(site: Site, pool: asyncpg.Pool, tenants: dict[str, str]) -> None:
    for number, name in enumerate(tenants):
        await site.lease(HOSTS[name], "pc", mac=f"02000000000{number}")
    await site.settle()
    assert await found(pool) == {(name, "pc", HOSTS[name]) for name in tenants}
    states = await pool.fetch("select tenant_no, state from ddns_update")
    assert {row["state"] for row in states} == {"applied"}
    # A second client of a tenant is refused the name until its first client leaves, whatever the other tenant does.
    second = "10.40.0.10"
    await site.lease(second, "pc", mac="020000000007")
    await site.lease(HOSTS["default"], "pc", mac="020000000000", state="r")
    await site.settle()
    assert await found(pool) == {("acme", "pc", HOSTS["acme"])}
    assert await pool.fetchval("select count(*) from ddns_update where state = 'conflict'") == 1
    await site.lease(HOSTS["acme"], "pc", mac="020000000001", state="r")
    await site.settle()
    assert await found(pool) == {("acme", "pc", second)}


async def test_an_alias_lies_in_a_zone_of_its_tenant(
    site: Site, pool: asyncpg.Pool, make: Any, tenants: dict[str, str]
) -> None:
    """Not in that of another one, which has no part in the name either."""
    await make("/dns-zones", name="own.test", tenant_id=tenants["default"], dns_enabled=True)
    (subnet_id,) = await pool.fetchrow("select id::text from subnet where cidr = $1", ip_network(OWN["acme"]))
    fields = {"hostname": "srv", "aliases": ["www.own.test", "www"]}
    await make("/assignments", ip=HOSTS["default"], **fields)
    await make("/assignments", ip=HOSTS["acme"], subnet_id=subnet_id, **fields)
    await site.settle()
    rows = await pool.fetch(
        "select t.name as tenant, r.name || '.' || z.name as alias from dns_record r"
        " join dns_zone z on z.no = r.zone_no join tenant t on t.no = z.tenant_no where r.type = 'CNAME'"
    )
    found = {tuple(row) for row in rows}
    assert found == {("default", "www.own.test"), ("default", f"www.{ZONE}"), ("acme", f"www.{ZONE}")}


async def test_an_update_waits_for_none_of_another_tenant(
    site: Site, pool: asyncpg.Pool, make: Any, admin: httpx.AsyncClient, tenants: dict[str, str]
) -> None:
    """The first tenant's server is away, so its update of the name is retried for two days."""
    server = await make(
        "/dns-servers",
        name="ns",
        adapter="powerdns_http",
        url="http://127.0.0.1:9/",
        secret="x",
        server_id="localhost",
    )
    (subnet,) = (await admin.get("/subnets", params={"tenant_id": tenants["default"]})).json()["items"]
    patch = {"ddns_dns_server_id": server["id"], "ddns_forward_zone": ZONE}
    assert (await admin.patch(f"/subnets/{subnet['id']}", json=patch)).status_code == 200
    await site.lease(HOSTS["default"], "pc", mac="020000000000")
    await site.settle()
    await site.lease(HOSTS["acme"], "pc", mac="020000000001")
    await site.settle()
    assert await found(pool) == {("acme", "pc", HOSTS["acme"])}
    assert await pool.fetchval("select state from ddns_update order by no limit 1") == "retrying"
