"""What one tenant's servers do to its own updates and deliveries they do not do to another's."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import httpx
import pytest
from outbound.hostile import Latency
from workers.receiver import SECRET, Receiver
from workers.site import LOOPBACK, Site

from ipam_core.outbound import dns_stream
from ipam_core.outbound.guard import AT_ONCE_OF_TENANT, Guard
from ipam_core.secrets import Keyring
from ipam_core.workers import ddns_sender
from ipam_core.workers.ddns_sender import LANES, DdnsSender
from ipam_core.workers.rates import Bucket, Rates, allowance
from ipam_core.workers.webhook_sender import OF_TENANT, WebhookSender

MANY = """
insert into ddns_update (id, tenant_no, dns_server_no, action, ip, fqdn, forward_zone, ttl, identities, adapter,
  conflict_mode, source)
select gen_random_uuid(), $1, $2, 'add', $3::inet + n, 'host' || n || '-' || coalesce($2, 0) || '.' || $4::text, $4,
  600, '{}', $5, 'no_check_without_dhcid', 'lease'
from generate_series(1, $6::integer) as n
"""
DELIVERIES = """
insert into webhook_delivery (id, webhook_no, event, payload, next_attempt_at)
select gen_random_uuid(), no, 'webhook.ping', '{"type": "webhook.ping", "timestamp": "", "data": {}}', now()
from webhook, generate_series(1, $1)
"""


@asynccontextmanager
async def silent_server() -> AsyncIterator[tuple[int, list[Any]]]:
    """One that takes connections and never answers; its port, and the connections."""
    taken: list[Any] = []

    async def take(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        taken.append(writer)

    async with await asyncio.start_server(take, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1], taken
        for writer in taken:
            writer.close()


@pytest.fixture
async def tenants(make: Any, pool: asyncpg.Pool) -> tuple[int, int]:
    """Their numbers; a zone of our own is served for the second."""
    made = []
    for name in ("hostile", "honest"):
        tenant = await make("/tenants", name=name, dns_suffixes=[f"{name}.example"])
        await make("/dns-zones", name=f"{name}.example", tenant_id=tenant["id"], dns_enabled=True)
        made.append(await pool.fetchval("select no from tenant where name = $1", name))
    return made[0], made[1]


async def server_of(pool: asyncpg.Pool, make: Any, tenant: str, port: int, name: str = "ns") -> int:
    id_ = await pool.fetchval("select id::text from tenant where name = $1", tenant)
    made = await make(
        "/dns-servers", name=name, tenant_id=id_, adapter="bind_tsig", address="127.0.0.1", port=port
    )
    return int(await pool.fetchval("select no from dns_server where id = $1", made["id"]))


async def done(pool: asyncpg.Pool, tenant_no: int) -> int:
    query = "select count(*) from ddns_update where tenant_no = $1 and state = 'applied'"
    return int(await pool.fetchval(query, tenant_no))


async def until_done(sender: DdnsSender, pool: asyncpg.Pool, tenant_no: int, count: int) -> float:
    began = time.monotonic()
    while await done(pool, tenant_no) < count:
        await sender.step()
        assert time.monotonic() - began < 30
    return time.monotonic() - began


async def test_a_backlog_and_silent_servers_hold_up_nobody_else(
    pool: asyncpg.Pool, make: Any, site: Site, tenants: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forty servers that never answer and 20,000 older updates of one tenant; another's are made while none of these
    servers is given up. What of the first is sent at once, and over how many connections, is bounded."""
    monkeypatch.setattr(ddns_sender, "SEND_SECONDS", 3600.0)
    monkeypatch.setattr(dns_stream, "SECONDS", 3600.0)
    hostile, honest = tenants
    async with silent_server() as (port, taken):
        for number in range(LANES + 8):
            no = await server_of(pool, make, "hostile", port, f"ns{number}")
            count = 20_000 if number == 0 else 10
            await pool.execute(MANY, hostile, no, f"10.{number}.0.0", "hostile.example", "bind_tsig", count)
        await pool.execute("analyze ddns_update")
        for _ in range(3):
            await site.sender.step()
        assert len(site.sender.sending) == LANES
        await pool.execute(MANY, honest, None, "10.200.0.0", "honest.example", "embedded", 100)
        async with Latency() as latency:
            await until_done(site.sender, pool, honest, 100)
        assert latency.busiest < 0.5
        assert len([lane for lane in site.sender.sending if lane[0] == hostile]) == LANES
        assert 0 < len(taken) <= AT_ONCE_OF_TENANT


async def test_servers_beyond_the_first_have_their_turn(
    pool: asyncpg.Pool, make: Any, site: Site, tenants: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of more servers than are looked at, some always are those beyond."""
    hostile, _ = tenants
    monkeypatch.setattr(ddns_sender, "LANES", 2)
    closed = 1
    for number in range(8):
        no = await server_of(pool, make, "hostile", closed, f"ns{number}")
        await pool.execute(MANY, hostile, no, f"10.{number}.0.0", "hostile.example", "bind_tsig", 1)
    await pool.execute("update dns_server set address = 'no-such.invalid'")
    tried = "select count(*) from ddns_update where attempts > 0"
    began = time.monotonic()
    while await pool.fetchval(tried) < 8:
        await site.sender.step()
        await asyncio.sleep(0.01)
        assert time.monotonic() - began < 30


async def test_updates_of_a_tenant_have_a_rate(
    pool: asyncpg.Pool, admin: httpx.AsyncClient, make: Any, site: Site, tenants: tuple[int, int]
) -> None:
    """What is above it waits and is made later; nobody else waits."""
    limited, other = tenants
    id_ = await pool.fetchval("select id::text from tenant where no = $1", limited)

    async def limit(rate: int) -> None:
        changed = await admin.patch(f"/tenants/{id_}", json={"limits": {"ddns_updates_per_second": rate}})
        assert changed.status_code == 200, changed.text
        await site.sender.rates.refresh()

    await limit(1)
    for no, name in ((limited, "hostile"), (other, "honest")):
        await pool.execute(MANY, no, None, "10.3.0.0", f"{name}.example", "embedded", 100)
    await until_done(site.sender, pool, other, 100)
    assert await done(pool, limited) < 100
    await limit(40)
    await until_done(site.sender, pool, limited, 100)
    # At most those of a second at once, and 40 in each further one.
    assert await pool.fetchval(
        "select extract(epoch from max(applied_at) - min(applied_at)) from ddns_update where tenant_no = $1", limited
    ) > 1.0  # fmt: skip


async def test_deliveries_of_a_tenant_have_a_rate(
    pool: asyncpg.Pool, admin: httpx.AsyncClient, make: Any, keyring: Keyring, tenants: tuple[int, int]
) -> None:
    id_ = await pool.fetchval("select id::text from tenant where no = $1", tenants[0])
    await admin.patch(f"/tenants/{id_}", json={"limits": {"deliveries_per_second": 20}})
    sender = WebhookSender(pool, keyring.open, Guard([LOOPBACK]))
    await sender.rates.refresh()
    async with Receiver().serving() as receiver:
        await make("/webhooks", url=receiver.url, secret=SECRET, tenant_id=id_)
        await pool.execute(DELIVERIES, 50)
        began = time.monotonic()
        while await sender.step():
            pass
        assert len(receiver.got) == 50
        assert 1.2 < time.monotonic() - began < 15
    await sender.close()


async def test_silent_endpoints_of_one_tenant_leave_places_for_others(
    pool: asyncpg.Pool, make: Any, keyring: Keyring, tenants: tuple[int, int]
) -> None:
    """More of them than a worker serves at once, each of which takes fifteen seconds."""
    ids = [await pool.fetchval("select id::text from tenant where no = $1", no) for no in tenants]
    await pool.execute("""update tenant set limits = '{"webhooks": 0, "deliveries_per_second": 0}'""")
    sender = WebhookSender(pool, keyring.open, Guard([LOOPBACK]))
    async with silent_server() as (port, taken), Receiver().serving() as receiver:
        for number in range(OF_TENANT + 5):
            url = f"http://127.0.0.1:{port}/{number}"
            await make("/webhooks", url=url, secret=SECRET, tenant_id=ids[0])
        await make("/webhooks", url=receiver.url, secret=SECRET, tenant_id=ids[1])
        await pool.execute(DELIVERIES, 3)
        began = time.monotonic()
        while len(receiver.got) < 3:
            await sender.step()
            assert time.monotonic() - began < 10
        await sender.step()
        assert len(taken) == OF_TENANT
        for turn in sender.turns.values():
            turn.task.cancel()
        await sender.close()


async def test_the_limit_is_divided_among_live_workers(
    pool: asyncpg.Pool, admin: httpx.AsyncClient, tenants: tuple[int, int]
) -> None:
    rates = Rates(pool, "ddns_updates_per_second")
    await rates.refresh()
    assert {no: bucket.rate for no, bucket in rates.buckets.items()} == dict.fromkeys(tenants, 200.0)
    await pool.execute(
        "insert into node (id, name, role, version, state, heartbeat_at)"
        " select gen_random_uuid(), 'w' || n, case n when 5 then 'dns' else 'worker' end, '1',"
        " case n when 4 then 'stopped' else 'ready' end, now() - case n when 3 then '1 h' else '0' end::interval"
        " from generate_series(1, 5) as n"
    )
    await rates.refresh()
    assert {no: bucket.rate for no, bucket in rates.buckets.items()} == dict.fromkeys(tenants, 100.0)
    await pool.execute(
        """update tenant set limits = '{"ddns_updates_per_second": 0}' where no = $1""", tenants[0]
    )
    await rates.refresh()
    assert list(rates.buckets) == [tenants[1]]


@pytest.mark.parametrize(
    ("rate", "tokens", "may"),
    [(100.0, 9.0, 0), (100.0, 10.0, 10), (0.5, 0.9, 0), (0.5, 1.0, 1), (5.0, 1.0, 1)],
)
def test_tokens_are_collected_before_they_are_given(rate: float, tokens: float, may: int) -> None:
    assert allowance(Bucket(rate, tokens, time.monotonic())) == may


async def test_a_rate_below_the_time_that_is_left(pool: asyncpg.Pool) -> None:
    """It is left to a later turn; without a limit nothing waits."""
    rates = Rates(pool, "deliveries_per_second")
    rates.take({7: 0.1})
    assert await rates.wait(7, time.monotonic())
    assert not await rates.wait(7, time.monotonic() + 5)
    assert await rates.wait(8, time.monotonic())
    assert await rates.wait(None, time.monotonic())
