"""Engine rules 7 and 9 where a write is late: its client may have gone to another server, and have a newer address.

The first server's writers are held by stopping their PostgreSQL processes, as a path that is cut holds them: what was
sent waits, and goes on when it heals, within the five seconds after which a server gives a request up.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from engine.serving import Relay, Servers, counters, drops, mac_of, octets, reloaded, server_id
from engine.site import Site, Subnet, until
from oracle import packets as say

from dhcp_fast.database.leases.lease_writers import SESSIONS
from dhcp_fast.database.plan.plan_reload import PlanReload
from ipam_core.db.embedded.programs import OWN_ACCOUNT
from ipam_core.db.embedded.server import EmbeddedPostgres

MAC, OTHER = mac_of(1), mac_of(2)
WRITERS = (
    "select pid from pg_stat_activity"
    " where application_name = 'ipam lease writer' and datname = current_database()"
)
NOW = "select extract(epoch from clock_timestamp())::bigint"


@pytest.fixture
def database(prepared_dir: Path) -> Iterator[str]:
    """On a server of its own: a transaction that stays open in any database of one holds back what is read of the
    history in all of them, and here the servers must hear of each other within the five seconds."""
    server = EmbeddedPostgres(prepared_dir, OWN_ACCOUNT)
    try:
        yield server.start()
    finally:
        server.stop()


@asynccontextmanager
async def held(site: Site, pids: set[int]) -> AsyncIterator[None]:
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


async def writers_of(site: Site) -> set[int]:
    """The processes of the only server that runs by now; one that connects late would write what the others hold."""

    async def all_of_them() -> set[int] | None:
        pids = {row["pid"] for row in await site.connection.fetch(WRITERS)}
        return pids if len(pids) == SESSIONS else None

    found: set[int] = await until("connected", all_of_them)
    return found


async def seconds_pass(site: Site, count: int) -> None:
    until_then = await site.connection.fetchval(NOW) + count

    async def is_then() -> bool:
        return bool(await site.connection.fetchval(NOW) >= until_then)

    await until("later", is_then)


async def two_servers(servers: Servers, site: Site, subnet: Subnet) -> tuple[Any, Relay, set[int], Relay]:
    """A server, a relay to it, its writers' processes, and a relay to a second server of the subnet."""
    first = await servers.start()
    one = servers.relay(first, subnet.relay)
    await one.lease(OTHER)
    pids = await writers_of(site)
    other = Relay(await servers.start(), "127.0.5.2")
    await subnet.set(relay_addresses=[subnet.relay, other.address])
    async with subnet.change():
        pass
    await until("served", lambda: offered(other, subnet.address(120)))
    return first, one, pids, other


async def is_known(server: Any, site: Site, address: Any) -> bool:
    return server.engine.lease(site.tenant_no, int(address)) is not None


async def test_a_late_bind_leaves_the_newer_lease_alone_and_gives_its_own_up(
    servers: Servers, site: Site, subnet: Subnet
) -> None:
    """A request for A waits at one server; its client gives it up and is acknowledged B by the other. When A is bound
    after all, B stays the client's, nobody is told of A, and A is free again."""
    late, newer = subnet.address(110), subnet.address(120)
    first, one, pids, other = await two_servers(servers, site, subnet)
    offer = await one.offer(say.discover(MAC).requesting(late))
    async with held(site, pids):
        waiting = one.send(say.request_selecting(MAC, late, server_id(offer)))
        await until("waits", lambda: counters(first)["slots_in_use"] > 0)
        await seconds_pass(site, 2)
        await other.lease(MAC, say.discover(MAC).requesting(newer))
        await until("told", lambda: is_known(first, site, newer))
    await until("all written", lambda: counters(first)["slots_in_use"] == 0)
    other.close()
    kept, given_up = await site.lease(newer), await site.lease(late)
    assert (kept["state"], kept["hw_address"]) == ("a", octets(MAC))
    assert (given_up["state"], given_up["hw_address"]) == ("r", octets(MAC))
    assert await one.answer_to(waiting, 0.3) is None
    assert drops(first, "has_newer_lease") == 1


async def test_late_requests_leave_the_lease_that_another_server_gave(
    servers: Servers, site: Site, subnet: Subnet
) -> None:
    """Two requests wait at one server, the first for the address that the other server acknowledges meanwhile. That it
    is written here too, late, does not make the second request the newer: the client keeps what it has."""
    late, newer = subnet.address(110), subnet.address(120)
    first, one, pids, other = await two_servers(servers, site, subnet)
    offer = await one.offer(say.discover(MAC).requesting(newer))
    async with held(site, pids):
        for address in (newer, late):
            one.send(say.request_selecting(MAC, address, server_id(offer)))
        await until("wait", lambda: counters(first)["slots_in_use"] > 1)
        await seconds_pass(site, 2)
        await other.lease(MAC, say.discover(MAC).requesting(newer))
        await until("told", lambda: is_known(first, site, newer))
    await until("all written", lambda: counters(first)["slots_in_use"] == 0)
    other.close()
    kept, given_up = await site.lease(newer), await site.lease(late)
    assert (kept["state"], kept["hw_address"]) == ("a", octets(MAC))
    assert given_up is None or given_up["state"] == "r"


async def offered(relay: Relay, address: Any) -> bool:
    reply = await relay.answer_to(relay.send(say.discover(MAC).requesting(address)), 0.2)
    return reply is not None and reply.yiaddr == address


async def test_two_requests_that_wait_at_one_server_end_with_the_later_address(
    servers: Servers, site: Site, subnet: Subnet
) -> None:
    """Their order is known here, however late both are written: the second is granted, and the first released."""
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    first, second = subnet.address(110), subnet.address(120)
    offer = await relay.offer(say.discover(MAC).requesting(first))
    await relay.lease(OTHER)
    async with held(site, await writers_of(site)):
        relay.send(say.request_selecting(MAC, first, server_id(offer)))
        wanted = relay.send(say.request_selecting(MAC, second, server_id(offer)))
        await until("wait", lambda: counters(server)["slots_in_use"] > 1)
        await seconds_pass(site, 2)
    reply = await relay.answer_to(wanted)
    assert reply is not None
    assert reply.yiaddr == second
    await until("all written", lambda: counters(server)["slots_in_use"] == 0)
    assert [(await site.lease(address))["state"] for address in (first, second)] == ["r", "a"]


async def test_a_request_that_is_decided_again_leaves_its_clients_later_one_alone(
    monkeypatch: pytest.MonkeyPatch, servers: Servers, site: Site, subnet: Subnet
) -> None:
    """The first is refused for a configuration that has changed. While the server looks, its client gives it up and
    asks for another address, which waits behind it: decided again it would be the later one, and release the other."""
    looks, may_decide = asyncio.Event(), asyncio.Event()

    async def catch_up(plan: PlanReload, fences: object, anew: object) -> None:
        looks.set()
        await may_decide.wait()

    monkeypatch.setattr(PlanReload, "catch_up", catch_up)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    first, second = subnet.address(110), subnet.address(120)
    offer = await relay.offer(say.discover(MAC).requesting(first))
    async with subnet.change(tell=False):
        pass
    given_up = relay.send(say.request_selecting(MAC, first, server_id(offer)))
    await looks.wait()
    await reloaded(server, subnet)
    wanted = relay.send(say.request_selecting(MAC, second, server_id(offer)))
    await until("both wait", lambda: counters(server)["slots_in_use"] == 2)
    may_decide.set()
    reply = await relay.answer_to(wanted)
    assert reply is not None
    assert reply.yiaddr == second
    assert await relay.answer_to(given_up, 0.3) is None
    await until("all written", lambda: counters(server)["slots_in_use"] == 0)
    assert drops(server, "overtaken") == 1
    assert (await site.lease(second))["state"] == "a"
    assert await site.events(first) == []


async def test_a_release_is_written_although_the_databases_clock_was_put_back(
    servers: Servers, site: Site, subnet: Subnet
) -> None:
    """Rule 28: the version that the server knows decides, not the time."""
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    released, declined = await relay.lease(MAC), await relay.lease(OTHER)
    await site.connection.execute("update lease set renewed_at = renewed_at + interval '1 hour'")
    relay.send(say.release(MAC, released.yiaddr, "127.0.0.1"))
    relay.send(say.decline(OTHER, declined.yiaddr, "127.0.0.1"))
    await until("released", lambda: has_state(site, released.yiaddr, "r"))
    await until("declined", lambda: has_state(site, declined.yiaddr, "d"))


@pytest.mark.parametrize("end", [say.release, say.decline])
async def test_what_ends_a_lease_leaves_the_one_alone_that_its_client_has_got_since(
    end: Callable[..., Any], servers: Servers, site: Site, subnet: Subnet
) -> None:
    """The statement of one server is under way while another one grants the client the same address."""
    first = await servers.start()
    one = servers.relay(first, subnet.relay)
    lease = await one.lease(MAC)
    pids = await writers_of(site)
    second = await servers.start()
    other = Relay(second, "127.0.5.2")
    await subnet.set(relay_addresses=[subnet.relay, other.address])
    async with subnet.change():
        pass
    await until("served", lambda: offered(other, lease.yiaddr))
    async with held(site, pids):
        one.send(end(MAC, lease.yiaddr, "127.0.0.1"))
        await until("waits", lambda: counters(first)["slots_in_use"] > 0)
        assert (await other.lease(MAC)).yiaddr == lease.yiaddr
    await until("all written", lambda: counters(first)["slots_in_use"] == 0)
    other.close()
    assert (await site.lease(lease.yiaddr))["state"] == "a"


async def has_state(site: Site, address: Any, state: str) -> bool:
    return bool((await site.lease(address))["state"] == state)
