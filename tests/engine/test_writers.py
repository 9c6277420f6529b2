"""Engine rule 6: what becomes ready while a statement is under way is the next batch, and leaves before the replies to
the first; another writer begins one of its own for many operations, or when the first takes long."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from engine.serving import Relay, at_once, counters, mac_of
from engine.site import Site, Subnet, until
from oracle import packets as say
from oracle.options4 import ACK

from dhcp_fast.database.leases import lease_writer, lease_writers
from dhcp_fast.server.serving import Serving

BLOCKED = (
    "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
)
LOCK = "select from lease where address = $1 for update"
OTHERS = range(2, 2 + lease_writers.WORTH_A_STATEMENT)


@pytest.fixture(autouse=True)
async def both_idle(server: Serving) -> None:
    """A session that opens only now would take what is to wait for the first one."""
    await until("both idle", lambda: all(writer.idle for writer in server.writers.writers))


async def lease_of_the_first(relay: Relay, subnet: Subnet) -> Any:
    """At an address that none of the others asks for."""
    return await relay.lease(mac_of(1), say.discover(mac_of(1)).requesting(subnet.address(101)))


async def begin_a_statement_that_waits(relay: Relay, site: Site, address: Any) -> Any:
    """Within a transaction of the caller's that holds the row."""
    await site.connection.execute(LOCK, address)
    sent = relay.send(say.request_rebinding(mac_of(1), address))

    async def blocked() -> bool:
        return bool(await site.connection.fetchval(BLOCKED))

    await until("blocked", blocked)
    return sent


def requests(subnet: Subnet, clients: range) -> list[Any]:
    return [say.request_selecting(mac_of(n), subnet.address(100 + n), "127.0.0.1") for n in clients]


@pytest.mark.parametrize("count", [lease_writers.WORTH_A_STATEMENT - 1, lease_writers.WORTH_A_STATEMENT])
async def test_many_get_a_statement_of_their_own_and_a_few_wait(
    relay: Relay, server: Serving, site: Site, subnet: Subnet, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """The few are one batch when the commit that is under way is done."""
    monkeypatch.setattr(lease_writers, "PATIENCE_SECONDS", 600.0)
    held = await lease_of_the_first(relay, subnet)
    batches = server.writers.commits.sizes.counts
    async with site.connection.transaction():
        first = await begin_a_statement_that_waits(relay, site, held.yiaddr)
        before = sum(batches)
        sent = at_once(server, relay, *requests(subnet, OTHERS[:count]))
        waiting = sum(server.engine.ready())
        if not waiting:
            assert all(reply and reply.message_type == ACK for reply in await relay.answers_to(sent))
    last = [first, *sent] if waiting else [first]
    assert all(reply and reply.message_type == ACK for reply in await relay.answers_to(last))
    assert waiting == (count if count < lease_writers.WORTH_A_STATEMENT else 0)
    assert sum(batches) == before + 2


@pytest.mark.parametrize(("count", "statements"), [(63, 1), (64, 2)])
async def test_idle_writers_divide_what_is_ready_but_not_a_few(
    relay: Relay, server: Serving, subnet: Subnet, count: int, statements: int
) -> None:
    sent = at_once(server, relay, *requests(subnet, range(1, 1 + count)))
    assert sum(not writer.idle for writer in server.writers.writers) == statements
    assert all(reply and reply.message_type == ACK for reply in await relay.answers_to(sent))


async def test_one_that_takes_long_keeps_nobody_waiting(
    relay: Relay, server: Serving, site: Site, subnet: Subnet
) -> None:
    """No packet comes that would remind the server of what is ready."""
    held = await lease_of_the_first(relay, subnet)
    async with site.connection.transaction():
        first = await begin_a_statement_that_waits(relay, site, held.yiaddr)
        (other,) = at_once(server, relay, *requests(subnet, OTHERS[:1]))
        assert await relay.answer_to(other) is not None
        await until("the first one alone", lambda: counters(server)["slots_in_use"] == 1)
    assert await relay.answer_to(first) is not None


async def test_postgresql_has_the_next_statement_before_the_replies_to_the_last_leave(
    relay: Relay, server: Serving, site: Site, subnet: Subnet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease_writers, "PATIENCE_SECONDS", 600.0)
    held = await lease_of_the_first(relay, subnet)
    under_way = []
    succeeded = lease_writer.Writer.succeeded

    def note(writer: lease_writer.Writer, *told: Any) -> None:
        under_way.append(writer.batch is not None)
        succeeded(writer, *told)

    async with site.connection.transaction():
        first = await begin_a_statement_that_waits(relay, site, held.yiaddr)
        monkeypatch.setattr(lease_writer.Writer, "succeeded", note)
        (other,) = at_once(server, relay, *requests(subnet, OTHERS[:1]))
    assert all(reply and reply.message_type == ACK for reply in await relay.answers_to([first, other]))
    assert under_way == [True, False]
    assert server.writers.impatience is None, "nobody waits for a commit that is over"


async def test_what_has_come_meanwhile_goes_along_with_the_next_statement(
    relay: Relay, server: Serving, site: Site, subnet: Subnet
) -> None:
    """The answer to the one before is what makes the server look: nothing else does here."""
    held = await lease_of_the_first(relay, subnet)
    async with site.connection.transaction():
        first = await begin_a_statement_that_waits(relay, site, held.yiaddr)
        for sock in server.sockets:
            asyncio.get_running_loop().remove_reader(sock.fd)
        sent = [relay.send(packet) for packet in requests(subnet, OTHERS[:3])]
    assert all(reply and reply.message_type == ACK for reply in await relay.answers_to([first, *sent]))
