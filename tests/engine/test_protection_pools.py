"""Pools that run full are told of: one event a crossing, however many servers there are, and their use in /metrics."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest
from engine.serving import Relay, Servers, drops, mac_of, octets, reloaded
from engine.site import Site, Subnet, until
from oracle import packets as say
from prometheus_client.parser import text_string_to_metric_families

from dhcp_fast.database import pool_alerts
from dhcp_fast.engine.pool_usage import addresses, is_elected, pools_from
from dhcp_fast.plan.compile import PoolUse
from dhcp_fast.server import http
from dhcp_fast.server.serving import Serving
from ipam_core.services import events
from ipam_core.services.pool_alerts import EXHAUSTED, HIGH, PoolLevel, raise_alerts

MARK, SIZE = 90, 20
AT_MARK = 18  # of twenty addresses


async def told(site: Site) -> list[str]:
    rows = await site.connection.fetch("select type from event where type like 'pool.%' order by no")
    return [row["type"] for row in rows]


async def fill(site: Site, subnet: Subnet, first: int, count: int) -> None:
    """Leases of others, as another server would have granted them."""
    for at in range(first, first + count):
        times = {"renewed_at": -60.0, "expires_at": 3600.0, "reuse_at": 3610.0}
        await site.put_lease(subnet.address(at), octets(mac_of(1000 + at)), subnet.no, **times)


RELEASE_ALL = """update lease set state = 'r', expires_at = now(), reuse_at = now(),
  version = nextval('lease_version')"""
LEASE = """update lease set state = 'a', expires_at = now() + interval '1 hour', reuse_at = now() + interval '1 hour',
  version = nextval('lease_version') where address = $1"""


async def set_use(site: Site, server: Serving, subnet: Subnet, count: int) -> None:
    """So many of the pool's leases run, and the server knows."""
    await site.connection.execute(RELEASE_ALL)
    for at in range(100, 100 + count):
        await site.connection.execute(LEASE, subnet.address(at))
    await server.feed.load(site.connection)
    await until("known", lambda: addresses(server.engine)[1] == count)


@pytest.fixture
async def twenty(site: Site) -> Subnet:
    """A pool of twenty addresses, .100 to .119."""
    subnet = await site.subnet()
    await subnet.pool(100, 99 + SIZE)
    return subnet


@pytest.fixture
async def elected(servers: Servers, twenty: Subnet) -> Serving:
    server = await servers.start(pool_high_percent=MARK)
    await look(server)
    return server


async def look(*servers: Serving) -> None:
    """What each server does every few seconds; each takes itself for the elected one, as after a failover."""
    for server in servers:
        server.engine.set_expirer(True)
        server.engine.tick()
        await server.watch_pools()


async def is_told(site: Site, expected: list[str]) -> bool:
    return await told(site) == expected


async def test_a_pool_at_its_mark_is_told_of_once(
    elected: Serving, twenty: Subnet, site: Site, servers: Servers
) -> None:
    relay = servers.relay(elected, twenty.relay)
    for number in range(AT_MARK - 1):
        await relay.lease(mac_of(number))
    await look(elected)
    assert await told(site) == []
    await relay.lease(mac_of(AT_MARK))
    await look(elected, elected)
    assert await told(site) == [HIGH]


async def test_the_event_tells_which_pool_and_how_full(elected: Serving, twenty: Subnet, site: Site) -> None:
    await fill(site, twenty, 100, AT_MARK + 1)
    await elected.feed.load(site.connection)
    await look(elected)
    event = await site.connection.fetchrow("select * from event where type like 'pool.%'")
    pool = await site.connection.fetchrow("select * from pool")
    subnet = await site.connection.fetchrow("select * from subnet")
    assert event["tenant_no"] == site.tenant_no
    assert event["data"] == {
        "pool_id": str(pool["id"]),
        "name": pool["name"],
        "start_ip": str(twenty.address(100)),
        "end_ip": str(twenty.address(119)),
        "subnet_id": str(subnet["id"]),
        "cidr": str(twenty.network),
        "used": AT_MARK + 1,
        "usable": SIZE,
        "utilisation": 0.95,
    }


async def test_a_pool_that_moves_about_its_mark_is_told_of_once(
    elected: Serving, twenty: Subnet, site: Site
) -> None:
    """Again only after it has fallen five points below."""
    await fill(site, twenty, 100, SIZE)
    for in_use, expected in ((AT_MARK, 1), (17, 1), (AT_MARK, 1), (16, 1), (AT_MARK, 2), (SIZE, 2)):
        await set_use(site, elected, twenty, in_use)
        await look(elected)
        assert await told(site) == [HIGH] * expected, in_use


async def test_servers_tell_each_crossing_once(servers: Servers, twenty: Subnet, site: Site) -> None:
    """Both at once, both sure that they are the elected one."""
    await fill(site, twenty, 100, SIZE)
    both = [await servers.start(pool_high_percent=MARK) for _ in range(2)]
    for server in both:
        server.engine.set_expirer(True)
    await asyncio.gather(*[server.watch_pools() for server in both for _ in range(3)])
    await until("told", lambda: is_told(site, [HIGH]))


async def test_exhausted_is_what_a_client_finds(
    elected: Serving, twenty: Subnet, site: Site, servers: Servers
) -> None:
    """Not a full pool as such; and not before the database was asked once more (rule 19)."""
    await fill(site, twenty, 100, SIZE)
    await elected.feed.load(site.connection)
    await look(elected)
    assert await told(site) == [HIGH]
    relay = servers.relay(elected, twenty.relay)
    await relay.unanswered(say.discover(mac_of(1)))
    assert drops(elected, "exhausted") == 1
    await until("exhausted", lambda: is_told(site, [HIGH, EXHAUSTED]))
    await relay.unanswered(say.discover(mac_of(2)))
    await asyncio.sleep(1.1)
    await look(elected)
    assert await told(site) == [HIGH, EXHAUSTED]


async def test_a_server_that_is_not_elected_tells_of_exhaustion(
    servers: Servers, twenty: Subnet, site: Site
) -> None:
    await fill(site, twenty, 100, SIZE)
    server = await servers.start(pool_high_percent=0)
    await until("elected", lambda: _is_expirer(server))
    server.engine.set_expirer(False)
    relay = servers.relay(server, twenty.relay)
    await relay.unanswered(say.discover(mac_of(1)))
    await until("exhausted", lambda: is_told(site, [EXHAUSTED]))


def _is_expirer(server: Serving) -> bool:
    return is_elected(server.engine)


async def test_a_pool_that_only_seemed_exhausted_is_not_told_of(
    elected: Serving, twenty: Subnet, site: Site, servers: Servers
) -> None:
    """The cache thought so; the database, read once more, knows of room."""
    await fill(site, twenty, 100, SIZE)
    await elected.feed.load(site.connection)
    await site.connection.execute(
        "update lease set state = 'r', reuse_at = now(), expires_at = now(), version = nextval('lease_version')"
    )
    await servers.relay(elected, twenty.relay).unanswered(say.discover(mac_of(1)))
    await until("read once more", lambda: addresses(elected.engine)[1] == 0)
    await asyncio.sleep(1.1)
    await look(elected)
    assert EXHAUSTED not in await told(site)


async def test_only_the_pools_that_the_client_could_have_are_exhausted(site: Site, servers: Servers) -> None:
    subnet = await site.subnet()
    phones = await site.client_class("phones", vendor_class="phone")
    await subnet.pool(100, 101, class_no=phones)
    full = await subnet.pool(120, 121)
    await fill(site, subnet, 120, 2)
    await fill(site, subnet, 100, 2)
    relay: Relay = servers.relay(await servers.start(pool_high_percent=0), subnet.relay)
    await relay.unanswered(say.discover(mac_of(1)))
    await until("exhausted", lambda: is_told(site, [EXHAUSTED]))
    assert await site.connection.fetchval("select array_agg(pool_no) from pool_alert") == [full]


async def test_an_alert_of_a_pool_that_is_gone_is_lifted(
    elected: Serving, twenty: Subnet, site: Site
) -> None:
    await fill(site, twenty, 100, SIZE)
    await elected.feed.load(site.connection)
    await look(elected)
    async with twenty.change("pool"):
        await site.connection.execute("delete from pool")
    await reloaded(elected, twenty)
    await look(elected)
    assert await site.connection.fetchval("select count(*) from pool_alert") == 0
    assert await told(site) == [HIGH]


async def test_a_mark_of_nothing_is_no_mark(servers: Servers, twenty: Subnet, site: Site) -> None:
    await fill(site, twenty, 100, SIZE)
    await look(await servers.start(pool_high_percent=0))
    assert await told(site) == []


async def test_a_crossing_told_in_a_transaction_that_fails_is_told_again(
    connection: asyncpg.Connection, twenty: Subnet, site: Site
) -> None:
    """Alert and event stand together or not at all."""
    pool_no = await connection.fetchval("select no from pool")
    levels = {pool_no: PoolLevel(SIZE, SIZE)}
    transaction = connection.transaction()
    await transaction.start()
    assert await raise_alerts(connection, HIGH, levels) == 1
    await transaction.rollback()
    assert await raise_alerts(connection, HIGH, levels) == 1
    assert await raise_alerts(connection, HIGH, levels) == 0
    assert await told(site) == [HIGH]


async def test_only_events_that_webhooks_know_are_recorded(connection: asyncpg.Connection) -> None:
    with pytest.raises(ValueError, match=r"pool\.half"):
        await events.record(connection, "pool.half", {}, None)


async def test_packets_have_their_turn_within_a_look(
    monkeypatch: pytest.MonkeyPatch, site: Site, servers: Servers
) -> None:
    """Of a plan of ten thousand subnets it would else be a pause of milliseconds."""
    monkeypatch.setattr(pool_alerts, "SUBNETS_AT_ONCE", 1)
    for number in (5, 6, 7):
        subnet = await site.subnet(number)
        await subnet.pool(100, 101)
        await fill(site, subnet, 100, 2)
    engine = (await servers.start(pool_high_percent=0)).engine
    turns: list[int] = []

    async def others() -> None:
        while True:
            turns[-1:] = [turns[-1] + 1] if turns else []
            await asyncio.sleep(0)

    def find(numbers: list[int]) -> list[PoolUse]:
        turns.append(0)
        return pools_from(engine, MARK, numbers)

    busy = asyncio.create_task(others())
    found = await pool_alerts.in_parts(engine, find)
    busy.cancel()
    assert [(use.used, use.usable) for use in found] == [(2, 2)] * 3
    assert len(turns) == 3
    assert all(turns)


# --- /metrics


async def samples(server: Serving) -> dict[tuple[str, ...], float]:
    page = http.counted(server).body
    return {
        (
            sample.name.removeprefix("ipam_dhcp4_pool_"),
            *(value for _, value in sorted(sample.labels.items())),
        ): sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
        if sample.name.startswith("ipam_dhcp4_pool_")
    }


async def test_use_of_pools_in_the_metrics(site: Site, servers: Servers) -> None:
    first, second = await site.subnet(5), await site.subnet(6)
    await first.pool(100, 109)
    await first.exclude(100, 101)
    await second.pool(10, 19)
    server = await servers.start()
    relay = servers.relay(server, first.relay)
    await relay.lease(mac_of(1))
    await relay.offer(say.discover(mac_of(2)))
    assert await samples(server) == {
        ("addresses",): 18.0,
        ("addresses_used",): 2.0,
        ("used_ratio", "10.5.0.100-10.5.0.109", "10.5.0.0/24", "default"): 0.25,
        ("used_ratio", "10.6.0.10-10.6.0.19", "10.6.0.0/24", "default"): 0.0,
    }


async def test_the_metrics_show_the_fullest_pools_only(
    monkeypatch: pytest.MonkeyPatch, site: Site, servers: Servers
) -> None:
    monkeypatch.setattr(pool_alerts, "SHOWN", 2)
    subnet = await site.subnet()
    for place, count in enumerate((1, 3, 2, 0)):
        await subnet.pool(20 * place + 20, 20 * place + 29)
        await fill(site, subnet, 20 * place + 20, count)
    found = await samples(await servers.start())
    assert sorted(value for key, value in found.items() if key[0] == "used_ratio") == [0.2, 0.3]
