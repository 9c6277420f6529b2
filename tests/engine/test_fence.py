"""Engine rule 12: a server that missed every word of a change cannot hand out what was just reserved or deleted.

The servers here never hear a notification and read the configuration once, at their start; what they learn of a
change they learn from the fence that refused them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
from engine.serving import (
    AFTERWARDS_SECONDS,
    Relay,
    Servers,
    at_once,
    drops,
    mac_of,
    octets,
    read_feed,
    reloaded,
)
from engine.site import Site, Subnet, until
from oracle import packets as say
from oracle.message4 import Message
from oracle.options4 import NAK
from oracle.packets import Packet

from dhcp_fast.database.leases.lease_feed import LeaseFeed
from dhcp_fast.database.plan.plan_loader import Configuration
from dhcp_fast.server import serving as serving_module
from dhcp_fast.server.serving import Serving
from ipam_core.db.connect import connect

MAC, OTHER = mac_of(1), mac_of(2)


@pytest.fixture
async def deaf(monkeypatch: pytest.MonkeyPatch, servers: Servers, subnet: Subnet) -> Serving:
    """A server that has read the plan and will not read it again by itself."""
    monkeypatch.setattr(serving_module, "PLAN_SECONDS", 3600.0)
    server = await servers.start()
    await server.plan.read_changes()
    return server


@pytest.fixture
def behind(servers: Servers, deaf: Serving, subnet: Subnet) -> Relay:
    return servers.relay(deaf, subnet.relay)


async def reserve_for_other(subnet: Subnet, offer: Message) -> None:
    await subnet.reserve(int(offer.yiaddr) & 255, mac=OTHER)


async def exclude(subnet: Subnet, offer: Message) -> None:
    await subnet.exclude(int(offer.yiaddr) & 255, int(offer.yiaddr) & 255)


async def delete_pool(subnet: Subnet, offer: Message) -> None:
    await subnet.site.connection.execute("delete from pool where subnet_no = $1", subnet.no)


async def assign(subnet: Subnet, offer: Message) -> None:
    await subnet.site.connection.execute(
        "insert into assignment (id, subnet_no, ip, hostname) values (gen_random_uuid(), $1, $2, 'static')",
        subnet.no,
        offer.yiaddr,
    )


async def make_gateway(subnet: Subnet, offer: Message) -> None:
    await subnet.set(gateway=offer.yiaddr)


async def reserve(subnet: Subnet) -> int:
    await subnet.reserve(42, mac=MAC)
    return 42


async def add_pool(subnet: Subnet) -> int:
    await subnet.pool(50, 59)
    return 50


async def cancel_reservation(subnet: Subnet) -> int:
    await subnet.site.connection.execute("delete from reservation where subnet_no = $1", subnet.no)
    return 100


Change = Callable[[Subnet, Message], Awaitable[None]]
WITHDRAWALS: list[Change] = [reserve_for_other, exclude, delete_pool, assign, make_gateway]


@pytest.mark.parametrize("change", WITHDRAWALS)
async def test_what_was_just_withdrawn_is_not_bound(
    change: Change, behind: Relay, site: Site, subnet: Subnet
) -> None:
    """Rule 12: the statement refuses rows whose fence is newer; the server reloads that subnet and decides again."""
    offer = await behind.offer(say.discover(MAC))
    async with subnet.change(tell=False):
        await change(subnet, offer)
    await behind.nak(say.request_selecting(MAC, offer.yiaddr, "127.0.0.1"))
    assert await site.count("lease") == 0


@pytest.mark.parametrize("change", WITHDRAWALS)
async def test_what_was_just_withdrawn_is_not_renewed(
    change: Change, behind: Relay, site: Site, subnet: Subnet
) -> None:
    """Rule 12; and the row is revoked before the NAK."""
    ack = await behind.lease(MAC)
    async with subnet.change(tell=False):
        await change(subnet, ack)
    await behind.nak(say.request_rebinding(MAC, ack.yiaddr))
    assert (await site.lease(ack.yiaddr))["state"] == "v"


async def test_the_reserved_client_gets_its_address_from_a_server_that_missed_it(
    behind: Relay, site: Site, subnet: Subnet
) -> None:
    """Rule 12: the request for the pool's address is refused, and the client begins anew."""
    offer = await behind.offer(say.discover(MAC))
    async with subnet.change(tell=False):
        await subnet.reserve(42, mac=MAC)
    await behind.nak(say.request_selecting(MAC, offer.yiaddr, "127.0.0.1"))
    assert (await behind.lease(MAC)).yiaddr == subnet.address(42)


@pytest.mark.parametrize("change", [reserve, add_pool, cancel_reservation])
async def test_what_another_server_offered_under_a_later_configuration_is_bound(
    change: Callable[[Subnet], Awaitable[int]], behind: Relay, deaf: Serving, site: Site, subnet: Subnet
) -> None:
    """A refusal by the configuration is as old as that is: it is looked at before a Request is refused."""
    if change is cancel_reservation:
        async with subnet.change(tell=False):
            await subnet.reserve(42, mac=MAC)
        await deaf.plan.read_changes()
    async with subnet.change(tell=False):
        address = subnet.address(await change(subnet))
    ack = await behind.ack(say.request_selecting(MAC, address, "127.0.0.1"))
    assert (ack.yiaddr, (await site.lease(address))["hw_address"]) == (address, octets(MAC))
    assert deaf.counters()["lost"] == 0


async def test_a_flood_of_requests_for_what_nobody_offered_has_few_looks(
    monkeypatch: pytest.MonkeyPatch, behind: Relay, deaf: Serving, subnet: Subnet
) -> None:
    """64 at once and 250 a second; all are refused."""
    looks = 0
    read = LeaseFeed.read_rows

    async def count(self: LeaseFeed, connection: Any, keys: list[Any]) -> None:
        nonlocal looks
        looks += len(keys)
        await read(self, connection, keys)

    monkeypatch.setattr(LeaseFeed, "read_rows", count)
    began = time.monotonic()
    requests = [
        say.request_selecting(mac_of(last), subnet.address(last), "127.0.0.1")
        for last in (*range(2, 100), *range(200, 252))
    ]
    sent = [
        packet
        for first in range(0, 150, 30)
        for packet in at_once(deaf, behind, *requests[first : first + 30])
    ]
    milliseconds = (time.monotonic() - began) * 1000
    replies = await behind.answers_to(sent)
    assert {reply and reply.message_type for reply in replies} == {NAK}
    assert 0 < looks <= 64 + milliseconds / 4 + 1


async def delete(site: Site, subnet: Subnet) -> None:
    async with site.connection.transaction():
        await site.connection.execute("delete from pool where subnet_no = $1", subnet.no)
        await site.connection.execute("delete from subnet where no = $1", subnet.no)
        await site.record(subnet.no, "subnet")


async def test_a_deleted_subnet_gives_nothing(
    behind: Relay, deaf: Serving, site: Site, subnet: Subnet
) -> None:
    """Rule 12: nor what was just deleted. Two clients wait while it goes."""
    offers = [await behind.offer(say.discover(mac)) for mac in (MAC, OTHER)]
    await delete(site, subnet)
    sent = [
        behind.send(say.request_selecting(mac, offer.yiaddr, "127.0.0.1"))
        for mac, offer in zip((MAC, OTHER), offers, strict=True)
    ]
    await until("dropped", lambda: drops(deaf, "no_subnet") == 2)
    assert await behind.answers_to(sent, AFTERWARDS_SECONDS) == [None, None]
    assert await site.count("lease") == 0
    await until("nothing waits", lambda: deaf.counters()["slots_in_use"] == 0)


async def test_a_subnet_switched_off_gives_nothing(
    behind: Relay, deaf: Serving, site: Site, subnet: Subnet
) -> None:
    """Rule 12: switches raise the fence; `dhcp_enabled` false: nobody is answered there."""
    offer = await behind.offer(say.discover(MAC))
    async with subnet.change(tell=False):
        await subnet.set(dhcp_enabled=False)
    sent = behind.send(say.request_selecting(MAC, offer.yiaddr, "127.0.0.1"))
    await until("dropped", lambda: drops(deaf, "dhcp_disabled") == 1)
    assert await behind.answer_to(sent, AFTERWARDS_SECONDS) is None
    assert await site.count("lease") == 0


async def test_a_change_that_forbids_nothing_costs_a_look_and_no_answer(
    behind: Relay, site: Site, subnet: Subnet
) -> None:
    """Rule 12: decided again, the client gets its ACK, and with it what was changed."""
    offer = await behind.offer(say.discover(MAC).asking(15))
    async with subnet.change("option", tell=False):
        await subnet.option(15, {"string": "new.example"})
    ack = await behind.ack(say.request_selecting(MAC, offer.yiaddr, "127.0.0.1").asking(15))
    assert ack.options[15] == b"new.example"
    assert [event["kind"] for event in await site.events(ack.yiaddr)] == ["g"]


async def test_only_the_subnet_concerned_is_looked_at(
    behind: Relay, servers: Servers, deaf: Serving, site: Site, subnet: Subnet
) -> None:
    """Rule 12: the server reloads that subnet; the others' fences stand."""
    other = await site.subnet(6)
    await other.pool(100, 199)
    await site.record(other.no, "subnet")
    await deaf.plan.read_changes()
    await reloaded(deaf, other)
    async with subnet.change(tell=False):
        await subnet.exclude(100, 149)
    ack = await servers.relay(deaf, other.relay).lease(MAC)
    assert (await site.lease(ack.yiaddr))["hw_address"] == octets(MAC)
    assert deaf.counters()["lost"] == 0


async def test_a_release_is_written_whatever_the_configuration_says(
    behind: Relay, site: Site, subnet: Subnet
) -> None:
    """What ends a lease needs no fence."""
    ack = await behind.lease(MAC)
    async with subnet.change(tell=False):
        await subnet.exclude(100, 199)
    behind.send(say.release(MAC, ack.yiaddr, "127.0.0.1"))
    await until("released", lambda: is_released(site, ack))


async def is_released(site: Site, ack: Message) -> bool:
    return (await site.lease(ack.yiaddr))["state"] == "r"


@pytest.mark.parametrize("asking", [say.request_rebinding, say.request_init_reboot])
@pytest.mark.parametrize("heard", [True, False])
async def test_a_lease_of_a_deleted_subnet_is_revoked_at_its_renewal(
    asking: Callable[..., Packet], heard: bool, behind: Relay, deaf: Serving, site: Site, subnet: Subnet
) -> None:
    """Whoever has a lease there gets NAK at its next renewal, nobody else hears anything (decisions: Which addresses
    are given)."""
    ack = await behind.lease(MAC)
    await delete(site, subnet)
    if heard:
        await deaf.plan.read_changes()
        assert subnet.no not in deaf.engine.plan.subnets
        await behind.unanswered(asking(OTHER, ack.yiaddr))
    await behind.nak(asking(MAC, ack.yiaddr))
    assert (await site.lease(ack.yiaddr))["state"] == "v"
    await behind.unanswered(asking(MAC, ack.yiaddr))


async def test_a_server_that_missed_that_an_address_was_given_back_revokes_no_good_lease(
    behind: Relay, site: Site, subnet: Subnet
) -> None:
    """Revoking is fenced too: by what this server knows, the client may not have the address that another server gave
    it meanwhile; it looks, and renews."""
    async with subnet.change(tell=False):
        await subnet.pool(50, 59)
    await site.put_lease(subnet.address(50), octets(MAC), subnet.no)
    await behind.ack(say.request_rebinding(MAC, subnet.address(50)))
    assert (await site.lease(subnet.address(50)))["state"] == "a"


async def test_many_refused_batches_read_their_subnet_once(
    monkeypatch: pytest.MonkeyPatch, database: str, behind: Relay, deaf: Serving, site: Site, subnet: Subnet
) -> None:
    """A change of a busy subnet: the first batch that it refuses reads the subnet for all that are refused meanwhile.
    They hold no session while they wait, and the feed and the heartbeat have their own."""
    readings: list[set[int]] = []
    read = Configuration.read

    async def count(self: Configuration, connection: Any, numbers: set[int]) -> list[int]:
        readings.append(set(numbers))
        return await read(self, connection, numbers)

    monkeypatch.setattr(Configuration, "read", count)
    offers = {mac_of(n): await behind.offer(say.discover(mac_of(n))) for n in range(10, 20)}
    async with subnet.change(tell=False):
        await subnet.exclude(190, 199)
    writer = await connect(database)
    try:
        await writer.execute("begin; lock table pool in access exclusive mode")
        sent = []
        for mac, offer in offers.items():
            sent += at_once(deaf, behind, say.request_selecting(mac, offer.yiaddr, "127.0.0.1"))
            await until("refused", lambda: deaf.counters()["ready"] == 0)
            await asyncio.sleep(0.05)
        async with asyncio.timeout(4):
            await read_feed(deaf)
            async with AsyncExitStack() as sessions:
                for _ in range(3):
                    await sessions.enter_async_context(deaf.connections.plan.acquire())
    finally:
        await writer.close()
    replies = await behind.answers_to(sent)
    assert all(reply is not None for reply in replies)
    assert readings == [{subnet.no}]


async def test_each_raise_of_the_fence_costs_one_reading_at_most(
    monkeypatch: pytest.MonkeyPatch, behind: Relay, deaf: Serving, site: Site, subnet: Subnet
) -> None:
    readings = 0
    read = Configuration.read

    async def count(self: Configuration, connection: Any, numbers: set[int]) -> list[int]:
        nonlocal readings
        readings += 1
        return await read(self, connection, numbers)

    monkeypatch.setattr(Configuration, "read", count)
    asked = 0
    for round_ in range(5):
        offers = [await behind.offer(say.discover(mac_of(n))) for n in range(10 * round_, 10 * round_ + 8)]
        async with subnet.change(tell=False):
            await subnet.exclude(200 + round_, 200 + round_)
        sent = [
            behind.send(say.request_selecting(mac_of(10 * round_ + n), offer.yiaddr, "127.0.0.1"))
            for n, offer in enumerate(offers)
        ]
        assert None not in await behind.answers_to(sent)
        asked += len(sent)
    assert (asked, readings) == (40, 5)
