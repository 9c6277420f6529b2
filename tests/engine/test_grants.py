"""Engine rule 7 where memory knows no row of an address: it is inserted; if one is there after all, the row decides."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from engine.serving import Relay, mac_of, octets, server_id
from engine.site import Site, Subnet
from engine.statements import Operation, write
from oracle import packets as say
from oracle.message4 import Message

from dhcp_fast.database.leases.grant_backoff import FIRST_SECONDS, LONGEST_SECONDS, GrantBackoff
from dhcp_fast.server.serving import Serving

MINE, OTHER, THIRD = mac_of(1), mac_of(2), mac_of(3)
GONE = {"expires_at": -20.0, "reuse_at": -20.0}


def selecting(mac: str, offer: Message) -> say.Packet:
    return say.request_selecting(mac, offer.yiaddr, server_id(offer))


def surprises(server: Serving) -> int:
    return server.writers.backoff.surprises


async def test_an_address_without_a_row_is_inserted(relay: Relay, server: Serving, site: Site) -> None:
    ack = await relay.lease(MINE)
    lease = await site.lease(ack.yiaddr)
    assert (lease["state"], lease["hw_address"], surprises(server)) == ("a", octets(MINE), 0)
    assert [event["kind"] for event in await site.events(ack.yiaddr)] == ["g"]


@pytest.mark.parametrize("state", ["r", "x", "v"])
async def test_a_row_that_is_free_is_taken_after_all(
    state: str, relay: Relay, server: Serving, site: Site, subnet: Subnet
) -> None:
    """Nobody told this server of the row: the insert fails, and the grant asks."""
    offer = await relay.offer(say.discover(MINE))
    before = await site.put_lease(offer.yiaddr, octets(OTHER), subnet.no, state=state, **GONE)
    await relay.ack(selecting(MINE, offer))
    lease = await site.lease(offer.yiaddr)
    assert (lease["state"], lease["hw_address"], surprises(server)) == ("a", octets(MINE), 1)
    assert lease["version"] > before


async def test_a_row_that_runs_refuses(relay: Relay, server: Serving, site: Site, subnet: Subnet) -> None:
    offer = await relay.offer(say.discover(MINE))
    await site.put_lease(offer.yiaddr, octets(OTHER), subnet.no)
    await relay.nak(selecting(MINE, offer))
    assert (await site.lease(offer.yiaddr))["hw_address"] == octets(OTHER)
    assert surprises(server) == 1


async def test_after_a_surprise_all_grants_ask(
    relay: Relay, server: Serving, site: Site, subnet: Subnet
) -> None:
    """The second unknown row costs no failed statement."""
    for mac in (MINE, THIRD):
        offer = await relay.offer(say.discover(mac))
        await site.put_lease(offer.yiaddr, octets(OTHER), subnet.no, state="r", **GONE)
        await relay.ack(selecting(mac, offer))
    assert surprises(server) == 1


async def test_the_others_of_a_surprised_batch_are_served(
    relay: Relay, site: Site, subnet: Subnet, server: Serving
) -> None:
    offers = {mac_of(number): await relay.offer(say.discover(mac_of(number))) for number in range(10, 30)}
    await site.put_lease(offers[mac_of(20)].yiaddr, octets(OTHER), subnet.no)
    sent = [relay.send(selecting(mac, offer)) for mac, offer in offers.items()]
    replies = await relay.answers_to(sent)
    kinds = [reply.message_type if reply else None for reply in replies]
    assert (kinds.count(5), kinds.count(6)) == (19, 1)


async def test_the_statement_refuses_an_older_fence(site: Site, subnet: Subnet) -> None:
    """Rule 12, for an operation decided before the subnet's last change and one decided after it."""
    fence = await site.connection.fetchval("select fence from subnet where no = $1", subnet.no)
    old, new = (
        Operation(site.tenant_no, subnet.address(host), subnet.no, told, "g", octets(MINE))
        for host, told in ((100, fence - 1), (101, fence))
    )
    assert await write(site.connection, [old, new]) == [subnet.address(101)]
    assert not await site.lease(subnet.address(100))


class Loop:
    """An event loop's clock and timers, moved by hand."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.timers: list[tuple[float, Callable[[], None]]] = []

    def time(self) -> float:
        return self.now

    def call_later(self, seconds: float, call: Callable[..., None], *arguments: Any) -> None:
        self.timers.append((self.now + seconds, partial(call, *arguments)))

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        due = [call for at, call in self.timers if at <= self.now]
        self.timers = [(at, call) for at, call in self.timers if at > self.now]
        for call in due:
            call()


def test_caution_ends_and_doubles_with_each_surprise_that_follows_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop, words, waits = Loop(), list[bool](), list[float]()
    monkeypatch.setattr("asyncio.get_running_loop", lambda: loop)
    caution = GrantBackoff(words.append)
    for _ in range(12):
        caution.surprised()
        caution.surprised()  # by another batch that was under way
        waits.append(caution.seconds)
        loop.pass_time(caution.seconds)
    assert words == [True, False] * 12
    assert waits == [min(FIRST_SECONDS * 2**n, LONGEST_SECONDS) for n in range(12)]
    loop.pass_time(2 * LONGEST_SECONDS)
    caution.surprised()
    assert caution.seconds == FIRST_SECONDS
