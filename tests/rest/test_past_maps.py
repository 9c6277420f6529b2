"""Maps with `at`: each is what the map of that moment was when it was now."""

import asyncio
import random
from ipaddress import ip_address
from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.model.values import rfc3339

WRITE = """
with written as (
  insert into lease (tenant_no, subnet_no, address, prefix_length, state, version, granted_at, renewed_at, expires_at,
    reuse_at, client_key, hw_type, hw_address)
  select tenant_no, no, $1, masklen($1), $2::"char", nextval('lease_version'), now(), now(), now() + '1 hour',
    case $2 when 'r' then now() else now() + '1 hour' end, '\\x0101', 1, '\\x020000000001' from subnet where cidr >>= $1
  on conflict (tenant_no, address) do update set state = excluded.state, version = excluded.version,
    reuse_at = excluded.reuse_at
  returning *
)
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
  ia_type, kind, state, address, client_key, hw_type, hw_address)
select now(), pg_current_xact_id(), version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
  0, case state when 'a' then 'g'::"char" else state end, state, address, client_key, hw_type, hw_address
from written"""
STEPS = 40


class Changes:
    """What befalls a subnet of 10.0.0.0/24, one thing at a time."""

    def __init__(self, admin: httpx.AsyncClient, pool: asyncpg.Pool, subnet: dict[str, Any]) -> None:
        self.admin, self.pool, self.subnet = admin, pool, subnet
        self.chance = random.Random(7)
        self.made: list[str] = []

    async def next(self) -> None:
        await self.chance.choice([self.make, self.make, self.move, self.delete, self.lease, self.lease])()

    async def make(self) -> None:
        below, first = f"/subnets/{self.subnet['id']}", self.chance.randrange(2, 240)
        ends = {"start_ip": f"10.0.0.{first}", "end_ip": f"10.0.0.{first + self.chance.randrange(12)}"}
        ip = {"ip": f"10.0.0.{first}"}
        path, body = self.chance.choice(
            [
                (f"{below}/pools", ends),
                (f"{below}/excludes", ends),
                (f"{below}/reservations", ip | {"mac": f"02:00:00:00:01:{first:02x}"}),
                ("/assignments", ip | {"hostname": "x"}),
            ]
        )
        answer = await self.admin.post(path, json=body)  # refused where something stands there
        if answer.status_code == 201:
            self.made.append(f"/{path.rpartition('/')[2]}/{answer.json()['id']}")

    async def move(self) -> None:
        for path in self.made:
            ip = f"10.0.0.{self.chance.randrange(2, 250)}"
            ends = {"ip": ip} if path.startswith(("/res", "/ass")) else {"end_ip": ip}
            if (await self.admin.patch(path, json=ends)).status_code == 200:
                return
        gateway = f"10.0.0.{self.chance.randrange(1, 255)}"
        await self.admin.patch(f"/subnets/{self.subnet['id']}", json={"gateway": gateway})

    async def delete(self) -> None:
        if self.made:
            path = self.made.pop(self.chance.randrange(len(self.made)))
            assert (await self.admin.delete(path)).status_code == 204

    async def lease(self) -> None:
        state = self.chance.choice("aard")
        await self.pool.execute(WRITE, ip_address(f"10.0.0.{self.chance.randrange(2, 40)}"), state)


async def test_a_map_of_any_moment_is_what_it_was_then(
    admin: httpx.AsyncClient, subnet: dict[str, Any], pool: asyncpg.Pool
) -> None:
    changes, seen = Changes(admin, pool, subnet), []
    path = f"/subnets/{subnet['id']}/map"
    for _ in range(STEPS):
        await changes.next()
        await asyncio.sleep(0.003)  # moments have milliseconds
        seen.append((rfc3339(await pool.fetchval("select now()")), (await admin.get(path)).json()))
        await asyncio.sleep(0.003)
    types = {run["type"] for _, then in seen for run in then["runs"]}
    assert types >= {"pool", "exclude", "reservation", "assignment", "lease", "quarantine", "free"}
    for at, then in seen:
        assert (await admin.get(path, params={"at": at})).json() == then, at


async def test_a_prefix_had_other_subnets(admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool) -> None:
    prefix = await make("/prefixes", cidr="10.0.0.0/20")
    path, seen = f"/prefixes/{prefix['id']}/map", []

    async def look() -> None:
        await asyncio.sleep(0.003)
        seen.append((rfc3339(await pool.fetchval("select now()")), (await admin.get(path)).json()))
        await asyncio.sleep(0.003)

    await look()
    one = await make("/subnets", prefix_id=prefix["id"], cidr="10.0.1.0/24")
    await look()
    await make("/subnets", prefix_id=prefix["id"], cidr="10.0.8.0/24")
    assert (await admin.patch(f"/subnets/{one['id']}", json={"cidr": "10.0.0.0/23"})).status_code == 200
    await look()
    assert (await admin.delete(f"/subnets/{one['id']}")).status_code == 204
    await look()
    assert len({str(then) for _, then in seen}) == len(seen)
    for at, then in seen:
        assert (await admin.get(path, params={"at": at})).json() == then, at


@pytest.mark.parametrize(
    ("cidr", "at", "reason"),
    [
        ("10.0.0.0/19", "2100-01-01T00:00:00Z", "up to /20"),
        ("2001:db8::/115", "2100-01-01T00:00:00Z", "up to /116"),
        ("10.0.0.0/20", "2001-01-01T00:00:00Z", "before the"),
        ("10.0.0.0/20", "yesterday", "RFC 3339"),
        ("10.0.0.0/20", "", "RFC 3339"),
    ],
)
async def test_a_map_that_nobody_can_draw_is_refused(
    admin: httpx.AsyncClient, make: Any, refused: Any, cidr: str, at: str, reason: str
) -> None:
    prefix = await make("/prefixes", cidr=cidr)
    subnet = await make("/subnets", prefix_id=prefix["id"], cidr=cidr)
    for path in (f"/subnets/{subnet['id']}/map", f"/prefixes/{prefix['id']}/map"):
        details = refused(await admin.get(path, params={"at": at}), 422, "validation_error")
        assert details["field"] == "at"
        assert reason in details["reason"]
    answer = await admin.get(f"/subnets/{subnet['id']}/map", params={"when": at})
    assert refused(answer, 422, "validation_error")["field"] == "when"


async def test_nobody_sees_another_tenants_past(
    admin: httpx.AsyncClient, make: Any, subnet: dict[str, Any]
) -> None:
    tenant = await make("/tenants", name="other")
    token = await make("/tokens", name="t", role="viewer", tenant_id=tenant["id"])
    bearer = {"authorization": f"Bearer {token['token']}"}
    path = f"/subnets/{subnet['id']}/map"
    answer = await admin.get(path, params={"at": "2100-01-01T00:00:00Z"}, headers=bearer)
    assert answer.status_code == 404
