"""What is shown of secondaries: how many serials each lacks, since when, and what was last refused."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg
import dns.exception
import dns.flags
import dns.message
import dns.opcode
import dns.rcode
import dns.rrset
import pytest
from answers.serving import Serving, add, add_zone, eventually, serving
from answers.test_transfers import KEY, add_secondary, copy, fresh, keyring
from outbound.test_notify import Listener, listening
from ports import free_port

from dhcp_fast.dns_server import metrics, secondary_watch
from ipam_core.model.dns_secondary import DnsSecondary
from ipam_core.services import secondaries

ZONE = "example.org"


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secondary_watch, "ROUND_SECONDS", 0.2)
    monkeypatch.setattr(secondary_watch, "SETTLE_SECONDS", 0.05)
    monkeypatch.setattr(secondary_watch, "BETWEEN_SECONDS", 0.05)


class Copying:
    """A secondary with a serial of its own; `codes` are those with which it answers NOTIFY and SOA."""

    def __init__(self) -> None:
        self.serial = 0
        self.notify = self.soa = dns.rcode.NOERROR
        self.flags = dns.flags.AA
        self.queries = 0

    def __call__(self, data: bytes) -> list[bytes]:
        query = dns.message.from_wire(data)
        response = dns.message.make_response(query)
        if query.opcode() == dns.opcode.NOTIFY:
            response.set_rcode(self.notify)
            return [response.to_wire()]
        self.queries += 1
        response.set_rcode(self.soa)
        response.flags |= self.flags
        if self.soa == dns.rcode.NOERROR:
            soa = f"ns. host. {self.serial} 1 1 1 1"
            response.answer.append(dns.rrset.from_text(query.question[0].name, 60, "IN", "SOA", soa))
        return [response.to_wire()]


async def shown(pool: asyncpg.Pool) -> DnsSecondary:
    async with pool.acquire() as connection:
        (row,) = [row async for row in secondaries.SQL.secondaries(connection, zone_no=None)]
    return secondaries.present(row)


async def until(pool: asyncpg.Pool, true: Callable[[DnsSecondary], Any]) -> DnsSecondary:
    async def is_true() -> bool:
        return bool(true(await shown(pool)))

    await eventually(is_true)
    return await shown(pool)


async def serial_of(served: Serving) -> int:
    answer = await served.ask(f"{ZONE}.", "SOA")
    return int(answer.answer[0][0].serial)


async def later(served: Serving, pool: asyncpg.Pool, zone_no: int, name: str) -> int:
    """Publish a record of its own serial, and return that."""
    await add(pool, zone_no, name, "A", "192.0.2.1")
    await served.eventually(f"{name}.{ZONE}.", "A", {"192.0.2.1"})
    return await serial_of(served)


async def test_how_far_a_secondary_has_come(database: str, pool: asyncpg.Pool, tmp_path: Path) -> None:
    zone_no = await add_zone(pool, ZONE, ("www", "A", "192.0.2.1"))
    there = Copying()
    listener: Listener = await listening(there)
    await add_secondary(pool, tmp_path, listener.port, None)
    async with serving(database, tmp_path) as served:
        await served.eventually(f"www.{ZONE}.", "A", {"192.0.2.1"})
        there.serial = first = await serial_of(served)
        seen = await until(pool, lambda it: it.state == "current")
        assert (seen.serial, seen.zone_serial, seen.serials_behind, seen.behind_since) == (
            first, first, None, None,
        )  # fmt: skip
        for name in ("a", "b", "c"):
            last = await later(served, pool, zone_no, name)
        began = await pool.fetchval("select at from dns_zone_delta where previous = $1", first)
        seen = await until(pool, lambda it: it.state == "behind" and it.zone_serial == last)
        assert seen.serials_behind == await pool.fetchval(
            "select count(*) from dns_zone_delta where at >= $1", began
        )
        assert seen.behind_since is not None
        assert seen.behind_since[:19] == began.strftime("%Y-%m-%dT%H:%M:%S")
        await eventually(lambda: page_has(served, "ipam_dns_secondaries_behind 1.0"))
        await pool.execute("delete from dns_zone_delta")  # as after a week: the numbers' distance is left
        assert (await shown(pool)).serials_behind == last - first
        there.serial = last
        await until(pool, lambda it: it.state == "current")
        await eventually(lambda: page_has(served, "ipam_dns_secondaries_behind 0.0"))
        there.serial = last + 1000
        await until(pool, lambda it: it.state == "ahead")
        await eventually(lambda: page_has(served, "ipam_dns_secondaries_lost 1.0"))
    listener.transport.close()


async def events_of(pool: asyncpg.Pool) -> list[tuple[str, str]]:
    rows = await pool.fetch("select type, data from event where type like 'dns.%' order by no")
    return [(row["type"], row["data"]["state"]) for row in rows]


async def test_an_event_tells_each_change_of_state_once(
    database: str, pool: asyncpg.Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although two DNS servers watch the secondary; one that is behind for a moment raises none."""
    zone_no = await add_zone(pool, ZONE, ("www", "A", "192.0.2.1"))
    there = Copying()
    listener: Listener = await listening(there)
    await add_secondary(pool, tmp_path, listener.port, None)
    behind = "dns.secondary_behind"
    async with serving(database, tmp_path) as served, serving(database, tmp_path):
        await served.eventually(f"www.{ZONE}.", "A", {"192.0.2.1"})
        there.serial = first = await serial_of(served)
        await eventually(lambda: told_state(pool, "current"))
        last = await later(served, pool, zone_no, "a")
        await until(pool, lambda it: it.state == "behind")
        await eventually(lambda: page_has(served, "ipam_dns_secondaries_behind 1.0"))
        assert await events_of(pool) == []
        monkeypatch.setattr(secondaries, "PATIENCE_SECONDS", 0.0)
        await eventually(lambda: told_state(pool, "behind"))
        there.serial = last + 1000
        await eventually(lambda: told_state(pool, "ahead"))
        there.serial = last
        await eventually(lambda: told_state(pool, "current"))
        assert await events_of(pool) == [
            (behind, "behind"),
            (behind, "ahead"),
            ("dns.secondary_current", "current"),
        ]
        row = await pool.fetchrow("select data, tenant_no from event where type = $1 order by no", behind)
        assert (row["data"]["zone"], row["data"]["serial"], row["data"]["serials_behind"]) == (ZONE, first, 1)
        assert row["tenant_no"] == await pool.fetchval("select tenant_no from dns_zone")
    listener.transport.close()


async def told_state(pool: asyncpg.Pool, state: str) -> bool:
    return bool(await pool.fetchval("select told_state = $1 from dns_secondary", state))


async def page_has(served: Serving, line: str) -> bool:
    return line in metrics.text(served.server)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"soa": dns.rcode.REFUSED}, "127.0.0.1 answered SOA with REFUSED"),
        ({"flags": dns.flags.Flag(0)}, "127.0.0.1 does not serve the zone"),
        ({"notify": dns.rcode.NOTAUTH}, "127.0.0.1 answered NOTIFY with NOTAUTH"),
    ],
)
async def test_what_a_secondary_refuses(
    database: str, pool: asyncpg.Pool, tmp_path: Path, fields: dict[str, Any], words: str
) -> None:
    """Its serial is what it told last, so one that refuses from the beginning is unknown."""
    zone_no = await add_zone(pool, ZONE, ("www", "A", "192.0.2.1"))
    there = Copying()
    vars(there).update(fields)
    listener = await listening(there)
    await add_secondary(pool, tmp_path, listener.port, None)
    async with serving(database, tmp_path) as served:
        await later(served, pool, zone_no, "a")
        seen = await until(pool, lambda it: it.last_refusal == words)
        assert seen.last_refusal_at is not None
        assert ("notify" in fields) or seen.state == "unknown"
    listener.transport.close()


@pytest.mark.parametrize(
    ("keys", "why"),
    [(None, "it is not signed"), (keyring("d3Jvbmcgc2VjcmV0"), "its signature is not valid")],
)
async def test_what_is_refused_to_a_secondary(
    database: str, pool: asyncpg.Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: Any, why: str
) -> None:
    """A transfer without its key, and one with another secret. It answers no SOA, which is a refusal too."""
    monkeypatch.setattr(secondary_watch, "ROUND_SECONDS", 30.0)
    await add_zone(pool, ZONE, ("www", "A", "192.0.2.1"))
    await add_secondary(pool, tmp_path, free_port(), KEY)
    async with serving(database, tmp_path) as served:
        await served.eventually(f"www.{ZONE}.", "A", {"192.0.2.1"})
        await served.server.secondaries.read.wait()

        async def is_told() -> bool:
            with pytest.raises((dns.exception.DNSException, EOFError)):
                await copy(served, fresh(), keys)
            return (await shown(pool)).last_refusal == f"a transfer to 127.0.0.1 was refused here: {why}"

        await eventually(is_told)


async def test_many_zones_are_asked_in_turns(
    database: str, pool: asyncpg.Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of forty, whatever the others do; at most sixteen at once."""
    monkeypatch.setattr(secondary_watch, "ROUND_SECONDS", 30.0)
    for n in range(40):
        await add_zone(pool, f"z{n}.test", ("www", "A", "192.0.2.1"))
    there = Copying()
    listener = await listening(there)
    await add_secondary(pool, tmp_path, listener.port, None)
    began = time.monotonic()
    async with serving(database, tmp_path):

        async def all_seen() -> bool:
            return bool(await pool.fetchval("select count(*) = 40 from dns_secondary"))

        await eventually(all_seen)
    assert there.queries >= 40
    assert time.monotonic() - began < 30
    listener.transport.close()
