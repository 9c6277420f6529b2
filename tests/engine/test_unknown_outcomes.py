"""Engine rule 11: what nobody told the outcome of is not acknowledged; what ends a lease is tried again."""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta
from typing import Any

import pytest
from engine.serving import Relay, Servers, cached, drops, mac_of
from engine.site import Site, Subnet, until
from oracle import packets as say

from dhcp_fast.database.leases import lease_writer
from dhcp_fast.database.leases.lease_session import Backend, end_backend
from dhcp_fast.pg.bind import AnswerReader
from dhcp_fast.server.serving import Serving
from ipam_core.db.connect import connect_any

MAC = mac_of(1)
WRITERS = "application_name = 'ipam lease writer' and datname = current_database()"
KILL = f"select pg_terminate_backend(pid) from pg_stat_activity where {WRITERS}"
PIDS = f"select pid from pg_stat_activity where {WRITERS}"
BLOCKED = f"select count(*) from pg_stat_activity where wait_event_type = 'Lock' and {WRITERS}"
HOLD = "select from lease where address = $1 for update"
# Without a transaction number, for which the readers of every database of the run's PostgreSQL would wait.
HOLD_A_WHILE = "lock table lease in share mode; select pg_sleep(4.5)"


async def is_blocked(site: Site) -> bool:
    return bool(await site.connection.fetchval(BLOCKED))


async def is_over(site: Site) -> bool:
    return not await is_blocked(site)


async def in_state(site: Site, address: Any, state: str) -> bool:
    return (await site.lease(address))["state"] == state


async def test_a_killed_session_leaves_its_binds_and_renewals_unanswered(
    relay: Relay, server: Serving, site: Site
) -> None:
    """Rule 11: binds and renewals of unknown outcome are dropped; the client asks again."""
    ack = await relay.lease(MAC)
    async with site.connection.transaction():
        await site.connection.execute(HOLD, ack.yiaddr)
        waiting = relay.send(say.request_rebinding(MAC, ack.yiaddr))
        await until("blocked", lambda: is_blocked(site))
        await site.connection.execute(KILL)
        await until("dropped", lambda: drops(server, "outcome_unknown") == 1)
    assert await relay.answer_to(waiting, 0.2) is None
    await until("connected", lambda: not server.not_ready())
    await relay.ack(say.request_rebinding(MAC, ack.yiaddr))


@pytest.mark.parametrize("state", ["r", "d"])
async def test_a_killed_session_does_not_lose_a_release_or_decline(
    state: str, relay: Relay, server: Serving, site: Site
) -> None:
    """Rule 11: releases and declines are retried under their predicate."""
    ack = await relay.lease(MAC)
    said = say.release if state == "r" else say.decline
    async with site.connection.transaction():
        await site.connection.execute(HOLD, ack.yiaddr)
        relay.send(said(MAC, ack.yiaddr, "127.0.0.1"))
        await until("blocked", lambda: is_blocked(site))
        await site.connection.execute(KILL)
        await until("killed", lambda: is_over(site))
    await until("written", lambda: in_state(site, ack.yiaddr, state))
    assert [event["kind"] for event in await site.events(ack.yiaddr)] == ["g", state]


async def test_a_retried_release_does_not_end_what_was_written_since(
    relay: Relay, server: Serving, site: Site
) -> None:
    """Rule 11: under its predicate: not changed since the packet was received."""
    ack = await relay.lease(MAC)
    async with site.connection.transaction():
        await site.connection.execute(HOLD, ack.yiaddr)
        relay.send(say.release(MAC, ack.yiaddr, "127.0.0.1"))
        await until("blocked", lambda: is_blocked(site))
        await site.connection.execute(KILL)
        await until("killed", lambda: is_over(site))
        await site.connection.execute(
            "update lease set renewed_at = clock_timestamp(), version = nextval('lease_version')"
        )
    await until("refused", lambda: drops(server, "refused_row") == 1)
    assert await in_state(site, ack.yiaddr, "a")


async def test_a_late_batch_is_abandoned(
    monkeypatch: pytest.MonkeyPatch, relay: Relay, server: Serving, site: Site
) -> None:
    """Rule 11: by closing its connection, without replies; what it did all the same is learned."""
    monkeypatch.setattr(lease_writer, "LATE_SECONDS", 0.3)
    ack = await relay.lease(MAC)
    async with site.connection.transaction():
        await site.connection.execute(HOLD, ack.yiaddr)
        waiting = relay.send(say.request_rebinding(MAC, ack.yiaddr))
        await until("abandoned", lambda: drops(server, "outcome_unknown") == 1)
        before = (await site.lease(ack.yiaddr))["version"]
    assert await relay.answer_to(waiting, 0.2) is None
    monkeypatch.setattr(lease_writer, "LATE_SECONDS", 5.0)
    await relay.ack(say.request_rebinding(MAC, ack.yiaddr))
    row = await site.lease(ack.yiaddr)
    assert row["version"] > before
    assert (cached(server, site.tenant_no, ack.yiaddr) or {})["version"] == row["version"]


async def is_rid_of_one(pool: Any, before: set[int]) -> bool:
    return len(before & {row["pid"] for row in await pool.fetch(PIDS)}) == 1


async def test_an_abandoned_session_is_ended_by_the_next_one(
    monkeypatch: pytest.MonkeyPatch, relay: Relay, server: Serving, site: Site
) -> None:
    """It waits for a row still, and does not see that its connection is closed. It has ended before the next one
    connects: a server has two at most."""
    left: list[int] = []

    async def connect(*arguments: Any, **fields: Any) -> Any:
        left.append(len(await server.connections.plan.fetch(PIDS)))
        return await connect_any(*arguments, **fields)

    monkeypatch.setattr(lease_writer, "connect_any", connect)
    monkeypatch.setattr(lease_writer, "LATE_SECONDS", 0.3)
    ack = await relay.lease(MAC)
    before = {row["pid"] for row in await site.connection.fetch(PIDS)}
    async with site.connection.transaction():
        await site.connection.execute(HOLD, ack.yiaddr)
        relay.send(say.request_rebinding(MAC, ack.yiaddr))
        await until("abandoned", lambda: drops(server, "outcome_unknown") == 1)
        monkeypatch.setattr(lease_writer, "LATE_SECONDS", 5.0)
        pool = server.connections.plan  # a transaction sees the sessions as they were when it first looked
        await until("ended", lambda: is_rid_of_one(pool, before))
        await until("connected", lambda: all(writer.connected for writer in server.writers.writers))
        now = {row["pid"] for row in await pool.fetch(PIDS)}
    assert (len(before), len(now), len(before & now), left) == (2, 2, 1, [1])
    await relay.ack(say.request_rebinding(MAC, ack.yiaddr))


async def test_another_session_of_the_same_number_is_left_alone(
    relay: Relay, server: Serving, site: Site
) -> None:
    """PostgreSQL's process numbers are the kernel's, and come again."""
    await relay.lease(MAC)
    other = await site.connection.fetchrow(
        "select pid, backend_start as started from pg_stat_activity where pid = pg_backend_pid()"
    )
    later = Backend(other["pid"], other["started"] + timedelta(microseconds=1))
    pool = server.connections.plan
    await end_backend(pool, later)
    assert await site.connection.fetchval("select true")


async def test_an_answer_counts_that_comes_soon_after_all_stood_still(
    monkeypatch: pytest.MonkeyPatch, relay: Relay, server: Serving, site: Site
) -> None:
    """As in a machine that is moved: the server sees that the commit is late before PostgreSQL has answered."""
    monkeypatch.setattr(lease_writer, "LATE_SECONDS", 4.0)
    ack = await relay.lease(MAC)
    holder = asyncio.create_task(site.connection.execute(HOLD_A_WHILE))
    await asyncio.sleep(0.2)
    waiting = relay.send(say.request_rebinding(MAC, ack.yiaddr))
    await asyncio.sleep(0.1)
    time.sleep(4.15)  # noqa: ASYNC251 - nothing is heard
    assert await relay.answer_to(waiting) is not None
    assert drops(server, "outcome_unknown") == 0
    await holder


async def test_writers_have_no_time_out_of_the_database(servers: Servers, site: Site, subnet: Subnet) -> None:
    """Rule 11: no statement time-out, whatever the database's settings say."""
    name = await site.connection.fetchval("select current_database()")
    for setting in ("statement_timeout", "lock_timeout"):
        await site.connection.execute(f"alter database {name} set {setting} = '200ms'")
    relay = servers.relay(await servers.start(), subnet.relay)
    ack = await relay.lease(MAC)
    async with site.connection.transaction():
        await site.connection.execute(HOLD, ack.yiaddr)
        waiting = relay.send(say.request_rebinding(MAC, ack.yiaddr))
        assert await relay.answer_to(waiting, 0.6) is None
    assert await relay.answer_to(waiting) is not None


async def test_a_warning_of_something_else_stops_no_service(
    relay: Relay, server: Serving, site: Site
) -> None:
    """As that of transaction numbers running out, which comes with every statement, millions before the end. The one of
    a synchronous wait is in tests/outage/test_other_servers.py."""
    await site.connection.execute(WARN)
    for number in (1, 2):
        await relay.lease(mac_of(number))
    assert drops(server, "outcome_unknown") == 0
    assert server.writers.commits.remarks >= 2


WARN = """
create function warn() returns trigger language plpgsql as $$
begin raise warning 'database must be vacuumed within 39 transactions'; return null; end $$;
create trigger warn after insert or update on lease for each statement execute function warn()"""


@pytest.mark.parametrize(
    ("severity", "code", "routine", "warned"),
    [
        ("WARNING", "01000", "SyncRepWaitForLSN", True),
        ("WARNING", "57P01", "", True),
        ("WARNING", "01000", "", True),
        ("WARNING", "01000", "GetNewTransactionId", False),
        ("NOTICE", "00000", "SyncRepWaitForLSN", False),
        ("LOG", "00000", "", False),
    ],
)
def test_the_reader_tells_the_warning_of_a_wait_that_was_given_up(
    severity: str, code: str, routine: str, warned: bool
) -> None:
    """Rules 11 and 27: by fields that are not translated (V, C, R), in pieces of any size. Without a routine, as
    behind a pooler that strips it, the worse is believed."""
    fields = {"S": "WARNUNG", "V": severity, "C": code, "M": "said", "R": routine}
    body = b"".join(f"{key}{value}\0".encode() for key, value in fields.items() if value) + b"\0"
    stream = b"N" + (len(body) + 4).to_bytes(4, "big") + body + b"Z\0\0\0\5I"
    for size in (1, 3, len(stream)):
        reader = AnswerReader()
        complete = [reader.feed(stream[at : at + size]) for at in range(0, len(stream), size)]
        assert complete[-1]
        assert not any(complete[:-1])
        assert reader.warned == warned
        assert reader.remark == ("said" if severity == "WARNING" and not warned else None)
        assert reader.sqlstate is None


async def test_a_statement_that_failed_without_effect_is_written_again(
    relay: Relay, server: Serving, site: Site
) -> None:
    """An ErrorResponse says that nothing was done: nobody loses an answer by it."""
    ack = await relay.lease(MAC)
    await site.connection.execute(FAIL_ONCE)
    await relay.ack(say.request_rebinding(MAC, ack.yiaddr))
    assert drops(server, "outcome_unknown") == 0


FAIL_ONCE = """
create sequence tries;
create function fail_once() returns trigger language plpgsql as $$
begin
  if nextval('tries') = 1 then raise exception 'not now' using errcode = '55000'; end if;
  return null;
end $$;
create trigger fail_once after insert or update on lease for each statement execute function fail_once()"""
