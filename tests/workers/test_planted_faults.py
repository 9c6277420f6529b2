"""One item of each loop of a worker makes our own code fail: its neighbors are served, the fault is counted, and the
item is not tried again at full speed."""

import asyncio
from collections.abc import Callable
from typing import Any

import asyncpg
import pytest
from workers.receiver import SECRET, Receiver, Reply
from workers.site import Site
from workers.test_ddns import both, subnet
from workers.test_event_stream import EVENT

from ipam_core import faults
from ipam_core.errors import SecretKeyError
from ipam_core.services import dns_publication, event_stream
from ipam_core.services.event_items import EVENTS
from ipam_core.workers import ddns_changes, ddns_events, ddns_outcomes, ddns_sender, webhook_events
from ipam_core.workers.loops import Loop
from ipam_core.workers.publisher import Publisher
from ipam_core.workers.webhook_outcomes import Outcome

__all__ = ["subnet"]

Fail = Callable[[str, str], int]


def counted(place: str, error: str = "ZeroDivisionError") -> int:
    return faults.faults.counts[place, error]


def failing(real: Any, when: Callable[..., bool]) -> Any:
    """The function, with a fault planted in those calls."""

    def planted(*told: Any, **named: Any) -> Any:
        if when(*told, **named):
            raise ZeroDivisionError("planted")
        return real(*told, **named)

    return planted


# --- names of addresses


async def test_an_address_whose_name_cannot_be_made(
    site: Site, subnet: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By our rules, among a hundred; the cursor goes on."""
    before = counted("ddns address")
    bad = failing(ddns_events.wanted, lambda row, *_: str(row["ip"]) == "10.20.1.50")
    monkeypatch.setattr(ddns_events, "wanted", bad)
    for n in range(1, 101):
        await site.lease(f"10.20.1.{n}", f"host{n}", mac=f"0200000000{n:02x}")
    await site.settle()
    expected = set().union(*(both(f"host{n}", f"10.20.1.{n}") for n in range(1, 101) if n != 50))
    assert await site.records() == expected
    assert counted("ddns address") == before + 1
    await site.lease("10.20.1.101", "later", mac="0200000000f1")
    await site.settle()
    assert both("later", "10.20.1.101") <= await site.records()
    assert counted("ddns address") == before + 1


@pytest.mark.own_database
async def test_an_address_that_the_outbox_does_not_take(site: Site, subnet: Any, pool: asyncpg.Pool) -> None:
    """The database refuses one row of the statement that has them all."""
    await pool.execute(
        "create function refuse() returns trigger language plpgsql as"
        " $$ begin if new.fqdn like 'bad.%' then raise division_by_zero; end if; return new; end $$"
    )
    await pool.execute(
        "create trigger refuse before insert on ddns_update for each row execute function refuse()"
    )
    before = counted("ddns address", "DivisionByZeroError")
    for n, name in enumerate(("one", "bad", "two", "three"), 1):
        await site.lease(f"10.20.1.{n}", name, mac=f"0200000000{n:02x}")
    await site.settle()
    found = await site.records()
    assert found == both("one", "10.20.1.1") | both("two", "10.20.1.3") | both("three", "10.20.1.4")
    assert counted("ddns address", "DivisionByZeroError") == before + 1


@pytest.mark.parametrize("place", ["change_of", "settle", "finish"])
async def test_an_update_that_cannot_be_sent(
    site: Site, subnet: Any, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """It is found among those that are claimed with it: when its change is made, or its outcome written."""
    if place == "change_of":
        bad = failing(ddns_changes.change_of, lambda row, _: row["fqdn"].startswith("bad."))
        monkeypatch.setattr(ddns_changes, "change_of", bad)
    elif place == "settle":
        bad = failing(ddns_outcomes.ownership, lambda outcome: outcome.row["fqdn"].startswith("bad."))
        monkeypatch.setattr(ddns_outcomes, "ownership", bad)
    else:
        bad = failing(ddns_outcomes.written, lambda outcome: outcome.row["fqdn"].startswith("bad."))
        monkeypatch.setattr(ddns_outcomes, "written", bad)
    where = "ddns update" if place == "change_of" else "ddns outcome"
    before = counted(where)
    for n, name in enumerate(("one", "bad", "two"), 1):
        await site.lease(f"10.20.1.{n}", name, mac=f"0200000000{n:02x}")
    await site.settle()
    assert both("one", "10.20.1.1") | both("two", "10.20.1.3") <= await site.records()
    states = {fqdn.partition(".")[0]: state for _, fqdn, state in await site.states()}
    assert (states["one"], states["two"]) == ("applied", "applied")
    assert states["bad"] != "applied"
    assert counted(where) == before + 1
    assert not await site.sender.step()  # nothing is due: it rests, or its claim holds it


async def test_a_server_whose_adapter_cannot_be_made(
    site: Site, subnet: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await make(
        "/dns-servers", name="bad", adapter="powerdns_http", url="http://127.0.0.1:9/", secret="x"
    )
    await make(
        "/subnets",
        prefix_id=subnet["prefix_id"],
        cidr="10.20.2.0/24",
        ddns_enabled=True,
        ddns_adapter="powerdns_http",
        ddns_dns_server_id=server["id"],
        ddns_domain="example.net",
        ddns_forward_zone="example.net",
    )
    monkeypatch.setattr(ddns_sender, "adapter_for", failing(ddns_sender.adapter_for, lambda *_: True))
    before = counted("ddns update")
    await site.lease("10.20.2.1", "lost", mac="020000000001")
    await site.lease("10.20.1.1", "found", mac="020000000002")
    await site.settle()
    assert both("found", "10.20.1.1") <= await site.records()
    states = {fqdn: state for _, fqdn, state in await site.states()}
    assert states["lost.example.net"] == "retrying"
    assert counted("ddns update") > before


# --- webhooks


@pytest.mark.own_database
async def test_an_event_that_cannot_be_told(
    site: Site, subnet: Any, make: Any, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By our code, and by the database."""
    async with Receiver().serving() as receiver:
        await site.webhook_events.step()
        await make("/webhooks", url=receiver.url, secret=SECRET, events=["lease.*"])
        bad = failing(webhook_events.message, lambda item, *_: item.data.get("hostname") == "bad")
        monkeypatch.setattr(webhook_events, "message", bad)
        before = counted("webhook event")
        for n, name in enumerate(("one", "bad", "two"), 1):
            await site.lease(f"10.20.1.{n}", name, mac=f"0200000000{n:02x}")
        await site.deliver()
        assert [got.verified()["data"]["hostname"] for got in receiver.got] == ["one", "two"]
        assert counted("webhook event") == before + 1
        await pool.execute(
            "create function refuse() returns trigger language plpgsql as"
            " $$ begin if new.payload::text like '%worse%' then raise division_by_zero; end if; return new; end $$"
        )
        await pool.execute(
            "create trigger refuse before insert on webhook_delivery for each row execute function refuse()"
        )
        for n, name in enumerate(("three", "worse", "four"), 4):
            await site.lease(f"10.20.1.{n}", name, mac=f"0200000000{n:02x}")
        await site.deliver()
        names = [got.verified()["data"]["hostname"] for got in receiver.got]
    assert names == ["one", "two", "three", "four"]
    assert counted("webhook event", "DivisionByZeroError") == 1


async def test_a_turn_that_fails_rests(
    site: Site, subnet: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One endpoint's; the other's events are delivered, and the sender goes on."""
    async with Receiver().serving() as good, Receiver().serving() as other:
        await site.webhook_events.step()
        await make("/webhooks", url=good.url, secret=SECRET, events=["lease.*"])
        await make("/webhooks", url=other.url, secret=SECRET, events=["lease.*"])
        bad = failing(site.webhook_sender.endpoints.of, lambda row: row["url"] == other.url)
        monkeypatch.setattr(site.webhook_sender.endpoints, "of", bad)
        before = counted("webhook turn")
        for n in range(1, 4):
            await site.lease(f"10.20.1.{n}", f"host{n}", mac=f"0200000000{n:02x}")
        async with asyncio.timeout(20):
            await site.deliver()
        assert len(good.got) == 3
        assert other.got == []
        assert 1 <= counted("webhook turn") - before <= 2


@pytest.mark.own_database
async def test_an_outcome_that_cannot_be_written(
    site: Site, subnet: Any, make: Any, pool: asyncpg.Pool
) -> None:
    """What an endpoint said is left out of it then; it is not sent again."""
    await pool.execute(
        "create function refuse() returns trigger language plpgsql as"
        " $$ begin if new.response like '%poison%' then raise division_by_zero; end if; return new; end $$"
    )
    await pool.execute(
        "create trigger refuse before update on webhook_delivery for each row execute function refuse()"
    )

    def decide(got: Any) -> Reply:
        return Reply(200, body=b"poison" if got.message["data"]["hostname"] == "bad" else b"fine")

    async with Receiver(decide).serving() as receiver:
        await site.webhook_events.step()
        await make("/webhooks", url=receiver.url, secret=SECRET, events=["lease.*"])
        for n, name in enumerate(("one", "bad", "two"), 1):
            await site.lease(f"10.20.1.{n}", name, mac=f"0200000000{n:02x}")
        await site.deliver()
    assert [got.message["data"]["hostname"] for got in receiver.got] == ["one", "bad", "two"]
    assert {state for _, state, _ in await site.deliveries()} == {"delivered"}


async def test_an_event_that_cannot_be_read_keeps_its_place(
    pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In pages of three, of which it is part: nothing is skipped behind it."""
    bad = EVENTS._replace(read=failing(EVENTS.read, lambda row: row["data"]["name"] == "7"))
    logs = tuple(bad if log is EVENTS else log for log in event_stream.LOGS)
    monkeypatch.setattr(event_stream, "LOGS", logs)
    before = counted("event")
    async with pool.acquire() as connection:
        position = await event_stream.head(connection)
        for n in range(12):
            await connection.execute(EVENT, str(n))
        names: list[str] = []
        for _ in range(12):
            reading = await event_stream.read(connection, position, frozenset({"node.up"}), at_most=3)
            names += [item.data["name"] for item in reading.items if item.type == "node.up"]
            position = reading.after
    assert names == [str(n) for n in range(12) if n != 7]
    assert counted("event") >= before + 1


# --- zones


async def test_a_zone_that_cannot_be_published(
    database: str, pool: asyncpg.Pool, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are, and it is when it can be, without anything that was changed meanwhile being lost."""
    zones = {
        name: await make("/dns-zones", name=name, dns_enabled=True) for name in ("a.org", "b.org", "c.org")
    }
    numbers = {row["name"]: row["no"] for row in await pool.fetch("select no, name from dns_zone")}
    broken = True
    real = dns_publication.find_difference
    bad = failing(real, lambda _connection, zone, _names: broken and zone["no"] == numbers["b.org"])
    monkeypatch.setattr(dns_publication, "find_difference", bad)
    publisher = Publisher(database)
    before = counted("dns publication")
    async with pool.acquire() as connection:
        async with asyncio.timeout(20):
            await publisher.publish_all(connection)
        served = {row["name"] for row in await connection.fetch("select name from dns_published")}
        assert served == {"a.org", "c.org"}
        assert counted("dns publication") == before + 1
        for name in zones:
            await make(f"/dns-zones/{zones[name]['id']}/records", name="www", type="A", data="192.0.2.1")
        await publisher.publish_all(connection)
        assert counted("dns publication") == before + 1  # it rests
        broken = False
        publisher.resting.forget(numbers["b.org"])
        await publisher.publish_all(connection)
        names = await connection.fetch("select zone_no from dns_rrset where name = 'www'")
    assert {row["zone_no"] for row in names} == set(numbers.values())


# --- the loops themselves


async def test_a_loop_that_fails_rests_and_goes_on() -> None:
    tries, before = 0, counted("worker planted")

    async def step() -> bool:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise ZeroDivisionError
        return False

    loop = Loop("planted", step, 0.01)
    loop.rests.next = lambda: 0.01  # type: ignore[method-assign]
    task = asyncio.create_task(loop.run())
    async with asyncio.timeout(10):
        while tries < 4:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    task.cancel()
    assert counted("worker planted") == before + 2
    assert loop.fault == ""


async def test_what_no_later_step_finds_right_ends_a_loop() -> None:
    async def step() -> bool:
        raise SecretKeyError("planted", "planted")

    with pytest.raises(SecretKeyError):
        await Loop("planted", step, 0.01).run()


async def test_what_goes_on_for_ever_is_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "FIRST_REST", 0.01)
    tries, before = 0, counted("planted duty")

    async def run() -> None:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise ZeroDivisionError

    async with asyncio.timeout(10):
        await faults.outlive("planted duty", run)
    assert tries == 3
    assert counted("planted duty") == before + 2
    assert "planted duty" not in faults.faults.failing


def test_what_a_server_says_can_be_stored() -> None:
    said = ddns_outcomes.storable("a\0b\ud800" + "x" * 5000)
    assert said.startswith("a\ufffdb?")
    assert len(said) == ddns_outcomes.LONGEST_ERROR
    assert Outcome(False, error=said).error
