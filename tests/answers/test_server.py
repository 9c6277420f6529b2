"""A server as its askers meet it: what is committed is answered soon, over both transports and both families."""

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import dns.flags
import dns.rcode
import pytest
from answers.serving import Serving, add, add_zone, eventually, serving
from metric_reference import hold

from dhcp_fast.dns_server import metrics, zone_loader
from dhcp_fast.dns_server.zone_loader import Gap, chain, steps_between
from ipam_core import faults
from ipam_core.processes import health


async def fetched(served: Serving, path: str) -> tuple[int, str]:
    found = await health.ask(served.health, path)
    assert found is not None
    return found


async def test_changes_are_answered(database: str, pool: asyncpg.Pool, tmp_path: Path) -> None:
    zone_no = await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"))
    async with serving(database, tmp_path) as served:
        await served.eventually("www.example.org.", "A", {"192.0.2.1"})
        await eventually(lambda: is_among_nodes(pool, "ready"))
        first = await served.ask("example.org.", "SOA")
        assert first.flags & dns.flags.AA
        await add(pool, zone_no, "www", "A", "192.0.2.2")
        await add(pool, zone_no, "new.er", "TXT", '"below"')
        await served.eventually("new.er.example.org.", "TXT", {'"below"'})
        await served.eventually("www.example.org.", "A", {"192.0.2.1", "192.0.2.2"})
        assert served.server.loader.deltas > 0
        loads = served.server.loader.loads
        await pool.execute("delete from dns_record where name in ('www', 'new.er')")
        await served.eventually("www.example.org.", "A", set())
        denied = await served.ask("er.example.org.", "A")
        assert denied.rcode() == dns.rcode.NXDOMAIN
        assert denied.authority[0].ttl == 60
        assert denied.authority[0][0].serial > first.answer[0][0].serial
        assert served.server.loader.loads == loads
        await pool.execute("update dns_zone set dns_enabled = false")
        await eventually(lambda: refuses(served))
    assert await is_among_nodes(pool, "stopped")


async def is_among_nodes(pool: asyncpg.Pool, state: str) -> bool:
    return [tuple(row) for row in await pool.fetch("select role, state from node")] == [("dns", state)]


async def refuses(served: Serving) -> bool:
    return (await served.ask("example.org.", "SOA")).rcode() == dns.rcode.REFUSED


async def test_both_transports_and_both_families(database: str, pool: asyncpg.Pool, tmp_path: Path) -> None:
    await add_zone(pool, "example.org", *[("many", "A", f"192.0.2.{n}") for n in range(200)])
    async with serving(database, tmp_path) as served:
        await eventually(lambda: is_cut(served))
        for host in ("127.0.0.1", "::1"):
            assert (await served.ask("many.example.org.", "A", host=host)).flags & dns.flags.TC
            whole = await served.ask("many.example.org.", "A", tcp=True, host=host)
            assert len(whole.answer[0]) == 200


async def is_cut(served: Serving) -> bool:
    return bool((await served.ask("many.example.org.", "A")).flags & dns.flags.TC)


async def test_a_zone_is_read_whole_where_the_deltas_have_a_gap(
    database: str, pool: asyncpg.Pool, tmp_path: Path
) -> None:
    zone_no = await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"))
    async with serving(database, tmp_path) as served:
        await served.eventually("www.example.org.", "A", {"192.0.2.1"})
        loads = served.server.loader.loads
        await pool.execute(
            "with gone as (delete from dns_rrset where name = 'www') update dns_published set serial = serial + 5"
        )
        await served.eventually("www.example.org.", "A", set())
        assert served.server.loader.loads == loads + 1
        await add(pool, zone_no, "again", "A", "192.0.2.9")
        await served.eventually("again.example.org.", "A", {"192.0.2.9"})


async def test_a_zone_is_read_whole_where_it_is_far_behind(
    database: str, pool: asyncpg.Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And by its deltas where it is not."""
    monkeypatch.setattr(zone_loader, "MOST_DELTAS", 2)
    zone_no = await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"))
    async with serving(database, tmp_path) as served:
        await served.eventually("www.example.org.", "A", {"192.0.2.1"})
        loader = served.server.loader
        loads, deltas = loader.loads, loader.deltas
        await pool.execute("update dns_published set serial = serial + 2")
        await eventually(lambda: has_loaded(served, loads + 1))
        await pool.execute("update dns_published set serial = serial + 3")
        await eventually(lambda: has_loaded(served, loads + 2))
        assert loader.deltas == deltas
        await add(pool, zone_no, "more", "A", "192.0.2.3")
        await served.eventually("more.example.org.", "A", {"192.0.2.3"})
        assert (loader.loads, loader.deltas) == (loads + 2, deltas + 1)


async def has_loaded(served: Serving, loads: int) -> bool:
    return served.server.loader.loads >= loads


@pytest.mark.parametrize(
    ("known", "published", "most"), [(5, 9, 4), (9, 9, 0), (4294967294, 2, 4), (9, 8, 4294967295)]
)
def test_how_far_behind_a_zone_may_be(known: int, published: int, most: int) -> None:
    """Serials go round, and 0 is left out: rather one delta too many than one too few."""
    assert steps_between(known, published) == most


async def test_records_that_cannot_be_sent_harm_no_others(
    database: str, pool: asyncpg.Pool, tmp_path: Path
) -> None:
    """Such as no API lets in."""
    await add_zone(
        pool,
        "example.org",
        ("www", "A", "192.0.2.1"),
        ("bad", "A", "192.0.2"),
        ("worse", "CNAME", "relative"),
    )
    async with serving(database, tmp_path) as served:
        await served.eventually("www.example.org.", "A", {"192.0.2.1"})
        assert await served.data("bad.example.org.", "A") == set()
        await pool.execute("delete from dns_record where name <> 'www'")
        await served.eventually("www.example.org.", "A", {"192.0.2.1"})


async def test_a_zone_that_cannot_be_read_harms_no_other(
    database: str, pool: asyncpg.Pool, tmp_path: Path
) -> None:
    """Such as no API lets in: a name that is none, records of no type. It is reported, tried again ever more seldom,
    and served as soon as its next serial can be read."""
    await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"))
    bad = await add_zone(pool, "bad.example", ("www", "A", "192.0.2.2"))
    odd = await add_zone(pool, "odd.example", ("www", "A", "192.0.2.3"), ("odd", "\u00e9", "1"))
    last = await add_zone(pool, "zz.example", ("www", "A", "192.0.2.4"))
    assert bad < odd < last
    rename = "update dns_published set name = $2, serial = serial + 1 where zone_no = $1"
    async with serving(database, tmp_path) as served:
        await served.eventually("www.bad.example.", "A", {"192.0.2.2"})
        await served.eventually("www.odd.example.", "A", {"192.0.2.3"})
        await pool.execute(rename, bad, "bad..example")
        await add(pool, last, "more", "A", "192.0.2.5")
        await served.eventually("more.zz.example.", "A", {"192.0.2.5"})
        await served.eventually("www.bad.example.", "A", {"192.0.2.2"})  # as it was
        status, told = await fetched(served, "/readyz")
        assert status == 200
        assert "1 zones could not be read (bad..example: EmptyLabel)" in told
        tries = faults.faults.counts["dns zone", "EmptyLabel"]
        await asyncio.sleep(2.5)
        assert faults.faults.counts["dns zone", "EmptyLabel"] - tries <= 2
        await pool.execute(rename, bad, "good.example")
        await served.eventually("www.good.example.", "A", {"192.0.2.2"})
        await eventually(lambda: is_whole(served))


async def is_whole(served: Serving) -> bool:
    return not served.server.loader.warnings()


async def test_another_history_of_the_database_reads_all_anew(
    database: str, pool: asyncpg.Pool, tmp_path: Path
) -> None:
    await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"))
    async with serving(database, tmp_path) as served:
        await served.eventually("www.example.org.", "A", {"192.0.2.1"})
        await pool.execute("update dns_rrset set data = array['192.0.2.7'] where name = 'www'")
        served.server.loader.history = "another"
        await served.eventually("www.example.org.", "A", {"192.0.2.7"})


async def test_health_and_numbers(database: str, pool: asyncpg.Pool, tmp_path: Path) -> None:
    await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"))
    async with serving(database, tmp_path) as served:
        await served.eventually("www.example.org.", "A", {"192.0.2.1"})
        await served.ask("nothing.example.org.", "A", tcp=True)
        assert (await fetched(served, "/readyz")) == (200, '{"ready":true,"reason":"","warnings":[]}')
        served.server.loader.read_at -= 60
        served.server.loader.fault = "no connection"
        warned = served.server.loader.warnings()
        assert warned == ["degraded: zones are served as they were 60 s ago: no connection"]
        _, numbers = await fetched(served, "/metrics")
        for line in (
            'ipam_dns_queries_total{transport="tcp"} 1.0',
            'ipam_dns_responses_total{code="NXDOMAIN"} 1.0',
            "ipam_dns_zones 1.0",
            "ipam_dns_publisher 1.0",
        ):
            assert line in numbers
        hold(metrics.DnsCollector(served.server).collect(), "DNS server")


async def test_what_is_in_memory_is_served_without_the_database(
    database: str, pool: asyncpg.Pool, tmp_path: Path, clerk: object
) -> None:
    """Sessions are ended and new ones refused, until the database takes some again."""
    zone_no = await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"))
    name = urlsplit(database).path.removeprefix("/")
    async with serving(database, tmp_path) as served:
        await served.eventually("www.example.org.", "A", {"192.0.2.1"})
        clerk.execute(f"alter database {name} with allow_connections false")  # type: ignore[attr-defined]
        clerk.execute(  # type: ignore[attr-defined]
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", (name,)
        )
        await eventually(lambda: is_degraded(served))
        assert await served.data("www.example.org.", "A") == {"192.0.2.1"}
        assert (await fetched(served, "/readyz"))[0] == 200
        clerk.execute(f"alter database {name} with allow_connections true")  # type: ignore[attr-defined]
        await add(pool, zone_no, "back", "A", "192.0.2.5")
        await served.eventually("back.example.org.", "A", {"192.0.2.5"})


async def is_degraded(served: Serving) -> bool:
    return "degraded" in (await fetched(served, "/readyz"))[1]


DELTAS = [{"serial": 9, "previous": 8}, {"serial": 8, "previous": 5}, {"serial": 5, "previous": 4}]


@pytest.mark.parametrize(("known", "published", "serials"), [(5, 9, [8, 9]), (9, 9, []), (4, 9, [5, 8, 9])])
def test_a_chain_of_deltas(known: int, published: int, serials: list[int]) -> None:
    assert [row["serial"] for row in chain(DELTAS, known, published)] == serials


@pytest.mark.parametrize(("known", "published"), [(6, 9), (3, 9), (5, 10), (9, 8)])
def test_a_chain_with_a_gap(known: int, published: int) -> None:
    with pytest.raises(Gap):
        chain(DELTAS, known, published)
