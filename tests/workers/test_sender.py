"""The outbox sent, many updates at once: one that cannot be made holds up no other, and a server that says nothing is
not sent more than it can answer in time."""

import asyncio
from typing import Any

import asyncpg
import httpx
import pytest
from workers.site import Site
from workers.test_ddns import FORWARD, subnet

from ipam_core.outbound.http_client import HttpClient
from ipam_core.workers import ddns_sender

__all__ = ["subnet"]

MANY, FEW = 20, 8


async def test_updates_are_written_together(pool: asyncpg.Pool, site: Site, subnet: Any) -> None:
    """Additions, removals and one that an operator forbids, in one go."""
    for number in range(1, 6):
        await site.lease(f"10.20.1.{number}", f"host{number}", mac=f"0200000000{number:02x}")
    await site.settle()
    await pool.execute(
        "insert into dns_record (id, zone_no, name, type, data)"
        " select gen_random_uuid(), no, 'www', 'A', '192.0.2.1' from dns_zone where name = $1",
        FORWARD,
    )
    before = await pool.fetchval("select count(*) from event")
    for number in range(1, 4):
        await site.lease(f"10.20.1.{number}", f"host{number}", mac=f"0200000000{number:02x}", state="r")
    for number in range(6, 9):
        await site.lease(f"10.20.1.{number}", f"host{number}", mac=f"0200000000{number:02x}")
    await site.lease("10.20.1.9", "www", mac="020000000009")
    await site.settle()
    names = {name for name, kind, _ in await site.records() if kind == "A"}
    assert names == {f"host{number}.{FORWARD}" for number in (4, 5, 6, 7, 8)}
    states = {(action, fqdn): state for action, fqdn, state in await site.states()}
    assert states["add", f"www.{FORWARD}"] == "conflict"
    assert {state for (_, fqdn), state in states.items() if not fqdn.startswith("www")} == {"applied"}
    assert await pool.fetchval("select count(*) from event") == before + 7
    assert await pool.fetchval("select count(*) from ddns_owner") == 6


async def test_one_that_cannot_be_made_is_tried_again_alone(
    pool: asyncpg.Pool, site: Site, subnet: Any
) -> None:
    """Such as the database refuses."""
    for number in range(1, 6):
        await site.lease(f"10.20.1.{number}", f"host{number}", mac=f"0200000000{number:02x}")
    await site.read_all()
    await pool.execute("alter table dns_record add constraint none_such check (name <> 'host3')")
    await site.settle()
    states = {fqdn: state for _, fqdn, state in await site.states()}
    assert states.pop(f"host3.{FORWARD}") == "retrying"
    assert set(states.values()) == {"applied"}
    assert len(states) == 4
    error = await pool.fetchval("select last_error from ddns_update where state = 'retrying'")
    assert error.startswith("the update cannot be created: CheckViolationError")
    await pool.execute("alter table dns_record drop constraint none_such")
    await pool.execute("update ddns_update set next_attempt_at = now() where state = 'retrying'")
    await site.settle()
    assert {state for _, _, state in await site.states()} == {"applied"}


async def test_a_server_that_says_nothing_gets_no_more_than_it_may_answer(
    pool: asyncpg.Pool, make: Any, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not sent within the time of the claim is given back, as if it had not been claimed."""
    monkeypatch.setattr(ddns_sender, "SEND_SECONDS", 2.0)
    monkeypatch.setattr(ddns_sender, "LEAST_SECONDS", 0.5)
    monkeypatch.setattr(ddns_sender, "ON_THE_WAY", FEW)
    connected: list[asyncio.StreamWriter] = []

    async def listen(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.append(writer)

    async with await asyncio.start_server(listen, "127.0.0.1", 0) as silent:
        port = silent.sockets[0].getsockname()[1]
        server = await make(
            "/dns-servers", name="silent", adapter="bind_tsig", address="127.0.0.1", port=port
        )
        await make("/dns-zones", name=FORWARD, dns_server_id=server["id"])
        prefix = await make("/prefixes", cidr="10.20.0.0/16")
        fields = {"ddns_enabled": True, "ddns_domain": FORWARD}
        await make("/subnets", prefix_id=prefix["id"], cidr="10.20.1.0/24", **fields)
        for number in range(MANY):
            await site.lease(f"10.20.1.{number + 1}", f"host{number}", mac=f"0200000000{number:02x}")
        await site.read_all()
        while await site.sender.step() and site.sender.sending:
            pass
        counted = dict(
            await pool.fetch("select state || ' ' || attempts, count(*) from ddns_update group by 1")
        )
        assert counted == {
            "retrying 1": FEW,
            "pending 0": MANY - FEW,
        }
        assert len(connected) == FEW
        for writer in connected:
            writer.close()


async def test_the_adapter_of_a_server_that_has_changed_is_closed(
    admin: httpx.AsyncClient,
    pool: asyncpg.Pool,
    make: Any,
    site: Site,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = await make(
        "/dns-servers", name="pdns", adapter="powerdns_http", url="http://127.0.0.1:1", secret="s"
    )
    no = await pool.fetchval("select no from dns_server")
    row = {"dns_server_no": no, "adapter": "powerdns_http", "tenant_no": 1}
    closed: list[HttpClient] = []

    def close(client: HttpClient) -> None:
        closed.append(client)

    monkeypatch.setattr(HttpClient, "close", close)
    before = await site.sender.adapter_of(row)
    assert await site.sender.adapter_of(row) is before
    changed = await admin.patch(f"/dns-servers/{server['id']}", json={"secret": "another"})
    assert changed.status_code == 200, changed.text
    after = await site.sender.adapter_of(row)
    assert list(site.sender.adapters.values()) == [after]
    assert closed == [before.client]
