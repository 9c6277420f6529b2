"""Deletion with all that stands below: it ends however much that is, is recorded whole, and stops nobody else."""

import asyncio
from ipaddress import ip_address
from typing import Any

import asyncpg
import httpx
import pytest
from own_postgres import fresh_database

from api.http import gate
from ipam_core.settings import Settings

__all__ = ["fresh_database"]

RESERVED = """
insert into reservation (id, subnet_no, ip, mac, hostname)
select gen_random_uuid(), no, '10.0.0.1'::inet + n, ('0200' || lpad(to_hex(n), 8, '0'))::macaddr, 'host-' || n
from subnet, generate_series(1, $1) n where cidr = '10.0.0.0/16'
"""
OPTIONS = """
insert into dhcp_option (id, tenant_no, reservation_no, code, payload)
select gen_random_uuid(), subnet.tenant_no, reservation.no, 12, '{"string": "x"}'
from reservation join subnet on subnet.no = reservation.subnet_no where reservation.no % 6 = 0
"""


@pytest.fixture
async def wide(make: Any) -> dict[str, Any]:
    prefix = await make("/prefixes", cidr="10.0.0.0/15")
    found: dict[str, Any] = await make("/subnets", prefix_id=prefix["id"], cidr="10.0.0.0/16")
    return found


@pytest.mark.own_database
@pytest.mark.parametrize(
    ("path", "count"),
    [
        pytest.param("/subnets/{id}", 60_000, marks=pytest.mark.long),
        ("/prefixes/{prefix_id}", 6_000),
    ],
)
async def test_tens_of_thousands_of_reservations_go(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, wide: dict[str, Any], path: str, count: int
) -> None:
    """A prefix takes its subnets along, which is the same again."""
    await pool.execute(RESERVED, count)
    await pool.execute(OPTIONS)
    options = await pool.fetchval("select count(*) from dhcp_option")
    asked = path.format(**wide) + "?cascade=true"
    answer = await admin.delete(asked, timeout=500)
    assert answer.status_code == 204, answer.text
    for table in ("reservation", "subnet", "dhcp_option"):
        assert await pool.fetchval(f"select count(*) from {table}") == 0
    told = dict(
        await pool.fetch(
            "select object_type, count(*) from change where action = 'deleted' and subnet_no is not null group by 1"
        )
    )
    assert told == {"reservation": count, "option": options, "subnet": 1}
    shown = await pool.fetchval("select before from change where object_type = 'reservation' limit 1")
    assert set(shown) >= {"ip", "mac", "hostname", "subnet_id"}
    assert (await admin.get("/dashboard")).json()["managed_ips"] == 0


async def test_bulk_and_cascade_have_a_limit_of_their_own(
    admin: httpx.AsyncClient,
    pool: asyncpg.Pool,
    wide: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    refused: Any,
) -> None:
    """A row that is held for longer than other requests may take."""
    monkeypatch.setattr(gate, "DEADLINE_SECONDS", 0.5)
    async with pool.acquire() as holder:
        for method, path, body in (
            (
                "POST",
                "/bulk",
                {"operations": [{"op": "update", "path": f"/subnets/{wide['id']}", "body": {}}]},
            ),
            ("DELETE", f"/subnets/{wide['id']}?cascade=true", None),
        ):
            refusal = admin.patch(f"/subnets/{wide['id']}", json={"name": "x"})
            held = holder.transaction()
            await held.start()
            await holder.execute("update subnet set name = name")
            refused(await refusal, 503, "unavailable")
            waiting = asyncio.create_task(admin.request(method, path, json=body))
            await asyncio.sleep(1.0)
            assert not waiting.done()
            await held.rollback()
            assert (await waiting).status_code in (200, 204)


async def test_a_subnets_writers_stop_no_lease(
    pool: asyncpg.Pool, wide: dict[str, Any], database: str
) -> None:
    """A long write holds the subnet's row; servers read it, and wait for no writer of the plan."""
    from engine.statements import Operation, write

    place = await pool.fetchrow("select no, tenant_no, fence from subnet")
    async with pool.acquire() as holder, holder.transaction(), pool.acquire() as server:
        await holder.execute("update subnet set fence = fence + 1")
        await server.execute("set lock_timeout = '2s'")
        bind = Operation(
            place["tenant_no"], ip_address("10.0.0.9"), place["no"], place["fence"], "b", b"\2\0\0\0\0\1"
        )
        assert await write(server, [bind]) == [bind.address]


@pytest.mark.usefixtures("wide")
async def test_a_cascade_gives_the_cap_its_room_back(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, settings: Settings, wide: dict[str, Any]
) -> None:
    await pool.execute(RESERVED, settings.managed_address_limit)
    other = {"prefix_id": wide["prefix_id"], "cidr": "10.1.0.0/24"}
    path = f"/subnets/{(await admin.post('/subnets', json=other)).json()['id']}/reservations"
    body = {"mac": "02:00:00:00:00:01"}
    assert (await admin.post(path, json=body)).status_code == 402
    assert (await admin.delete(f"/subnets/{wide['id']}?cascade=true")).status_code == 204
    assert (await admin.post(path, json=body)).status_code == 201
