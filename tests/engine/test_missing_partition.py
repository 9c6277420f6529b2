"""Engine rule 23: a history without a partition for the day is no row's fault."""

from __future__ import annotations

import asyncio
import json

import asyncpg
import pytest
from engine.serving import Relay, Servers, at_once, drops, mac_of
from engine.site import Site, Subnet, until
from oracle import packets as say
from oracle.options4 import ACK

from dhcp_fast.server import http, metrics
from dhcp_fast.server.serving import Serving
from ipam_core.db import lease_log
from ipam_core.db.connect import connect

DAYS = """
select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
where inhparent = 'lease_event'::regclass order by 1"""


async def drop_days(connection: asyncpg.Connection, keep: int = 0) -> list[str]:
    names = [row["relname"] for row in await connection.fetch(DAYS)]
    for name in names[keep:]:
        await connection.execute(f"drop table {name}")
    return names


def requests(subnet: Subnet, count: int) -> list[say.Packet]:
    return [say.request_selecting(mac_of(n), subnet.address(100 + n), "127.0.0.1") for n in range(count)]


async def test_rows_wait_for_their_day(relay: Relay, server: Serving, site: Site, subnet: Subnet) -> None:
    """As after a jump of the database's clock: nothing is dropped, the days are made, and everybody is answered."""
    names = await drop_days(site.connection)
    answers = await relay.answers_to(at_once(server, relay, *requests(subnet, 32)))
    assert {reply and reply.message_type for reply in answers} == {ACK}
    assert drops(server, "refused_row") == 0
    assert [row["relname"] for row in await site.connection.fetch(DAYS)] == names
    assert await site.count("lease") == await site.count("lease_event") == 32


async def test_a_day_that_cannot_be_made(
    relay: Relay, server: Serving, site: Site, subnet: Subnet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server says so and asks PostgreSQL now and then, not as fast as it answers; later it goes on by itself."""
    monkeypatch.setattr(lease_log, "TRY_SECONDS", 0.1)
    other = await connect(server.dsn)
    await drop_days(site.connection)
    await other.execute("begin; lock table lease_event in share update exclusive mode")
    at_once(server, relay, *requests(subnet, 32))
    await until("told", lambda: "the lease history has no partition for today" in server.not_ready())
    assert "another session is changing the table" in server.not_ready()
    await until("tried again", lambda: sum(server.writers.commits.failures.values()) >= 2)
    assert sum(server.writers.commits.failures.values()) < 20
    assert drops(server, "refused_row") == 0
    await other.execute("rollback")
    await other.close()
    await until("ready", lambda: not server.not_ready())
    assert (await relay.ask(requests(subnet, 1)[0])).message_type == ACK


async def test_few_days_ahead_are_a_warning(servers: Servers, site: Site, subnet: Subnet) -> None:
    """Leases are still written: the page says ready and warns, and the figure stands in the metrics."""
    assert subnet
    await drop_days(site.connection, 4)
    other = await connect(servers.dsn)
    await other.execute("begin; lock table lease_event in share update exclusive mode")
    server = await servers.start()
    answer = http.ready(server)
    told = json.loads(answer.body)
    assert (answer.status, told["ready"]) == (200, True)
    assert "partitions for only 2 more days" in told["warnings"][0]
    assert "ipam_lease_event_partitions_ahead 2.0" in metrics.text(server)
    await other.execute("rollback")
    await other.close()
    server.lease_log.missing()
    await until("mended", lambda: not server.warnings())
    assert "ipam_lease_event_partitions_ahead 14.0" in metrics.text(server)


async def test_a_constraint_of_the_history_drops_no_row(
    relay: Relay, server: Serving, site: Site, subnet: Subnet
) -> None:
    """Only what refuses a row of `lease` is looked for by halves."""
    await site.connection.execute("alter table lease_event add constraint odd check (kind <> 'g')")
    sent = at_once(server, relay, *requests(subnet, 4))
    await until("told", lambda: "the database refuses leases" in server.not_ready())
    assert drops(server, "refused_row") == 0
    await site.connection.execute("alter table lease_event drop constraint odd")
    await asyncio.sleep(0)
    answers = await relay.answers_to(sent)
    assert {reply and reply.message_type for reply in answers} <= {ACK, None}
    assert drops(server, "refused_row") == 0
