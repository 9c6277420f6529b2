"""The log: one line a kind of unusual decision and interval, which a person understands without the source."""

from __future__ import annotations

from collections.abc import MutableMapping
from ipaddress import IPv4Address
from typing import Any

import pytest
from engine.serving import Relay, Servers, at_once, drops, mac_of, octets, reloaded
from engine.site import Site, Subnet, until
from oracle import packets as say
from structlog.testing import capture_logs

from dhcp_fast.server.serving import Serving
from ipam_core.dhcp import reasons

MAC, OTHER = mac_of(1), mac_of(2)
Line = MutableMapping[str, Any]


async def logged(server: Serving) -> list[Line]:
    with capture_logs() as lines:
        await server.log_unusual()
    return lines


async def line(server: Serving, kind: str) -> Line:
    """The one line that there is, of this kind."""
    (found,) = await logged(server)
    assert found["kind"] == kind
    assert found["event"] == reasons.NOTICES[kind]
    return found


async def test_a_drop(relay: Relay, server: Serving) -> None:
    relay.address = IPv4Address(int(relay.address) + 200)
    await relay.unanswered(say.discover(MAC))
    await relay.unanswered(say.discover(OTHER))
    (found,) = await logged(server)
    assert found["event"] == "packet dropped"
    assert found["reason"] == "no_subnet"
    assert found["meaning"] == "no subnet contains the relay or link address of the packet, or lists it"
    assert (found["mac"], found["relay"], found["total"]) == (MAC, str(relay.address), 2)
    assert found["subnet"] is found["address"] is None
    assert await logged(server) == []


async def test_exhaustion_names_the_subnet(servers: Servers, site: Site) -> None:
    subnet = await site.subnet(6)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    await relay.unanswered(say.discover(MAC))
    (found,) = await logged(server)
    assert (found["reason"], found["subnet"], found["mac"]) == ("exhausted", "10.6.0.0/24", MAC)


@pytest.mark.parametrize(
    ("address", "kind"),
    [("10.9.0.1", "nak_wrong_network"), ("10.5.0.7", "nak_not_allowed"), ("10.5.0.100", "nak_no_binding")],
)
async def test_a_refused_renewal(address: str, kind: str, relay: Relay, server: Serving) -> None:
    for mac in (MAC, OTHER):
        await relay.nak(say.request_rebinding(mac, address))
    found = await line(server, kind)
    assert (found["mac"], found["address"], found["subnet"]) == (MAC, address, "10.5.0.0/24")
    assert found["total"] == 2
    assert server.counters()["noticed"][kind] == 2


async def test_a_refused_selection(relay: Relay, server: Serving) -> None:
    await relay.nak(say.request_selecting(MAC, "10.5.0.7", "127.0.0.1"))
    assert (await line(server, "nak_not_allowed"))["address"] == "10.5.0.7"


async def test_a_client_that_must_move(relay: Relay, server: Serving, subnet: Subnet) -> None:
    offer = await relay.offer(say.discover(MAC))
    async with subnet.change():
        await subnet.reserve(20, mac=MAC)
    await reloaded(server, subnet)
    await relay.nak(say.request_selecting(MAC, offer.yiaddr, "127.0.0.1"))
    assert (await line(server, "nak_must_move"))["mac"] == MAC


async def test_a_clock_in_doubt(relay: Relay, server: Serving, site: Site, subnet: Subnet) -> None:
    ack = await relay.lease(MAC)
    engine = server.engine
    engine.set_clock(10**15, 0, 10**12)
    sent = at_once(server, relay, say.request_selecting(OTHER, ack.yiaddr, "127.0.0.1"))
    assert await relay.answers_to(sent) != [None]
    assert (await line(server, "nak_clock_in_doubt"))["address"] == str(ack.yiaddr)


async def test_a_lost_race(relay: Relay, server: Serving, site: Site, subnet: Subnet) -> None:
    offer = await relay.offer(say.discover(MAC))
    await site.put_lease(offer.yiaddr, octets(OTHER), subnet.no)
    await relay.nak(say.request_selecting(MAC, offer.yiaddr, "127.0.0.1"))
    found = await line(server, "nak_lost_race")
    assert (found["mac"], found["address"]) == (MAC, str(offer.yiaddr))


async def test_a_withdrawn_lease(relay: Relay, server: Serving, site: Site, subnet: Subnet) -> None:
    ack = await relay.lease(MAC)
    async with subnet.change():
        await site.connection.execute("delete from pool")
    await reloaded(server, subnet)
    await relay.nak(say.request_rebinding(MAC, ack.yiaddr))
    found = await line(server, "lease_revoked")
    assert (found["mac"], found["address"], found["subnet"]) == (MAC, str(ack.yiaddr), "10.5.0.0/24")


async def test_a_declined_address(relay: Relay, server: Serving) -> None:
    ack = await relay.lease(MAC)
    relay.send(say.decline(MAC, ack.yiaddr, "127.0.0.1"))
    await until("written", lambda: server.counters()["ended"])
    found = await line(server, "address_declined")
    assert (found["mac"], found["address"], found["relay"]) == (MAC, str(ack.yiaddr), str(relay.address))


async def test_an_offer_taken_back(servers: Servers, site: Site) -> None:
    subnet = await site.subnet(6)
    await subnet.pool(100, 100)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    await relay.offer(say.discover(MAC))
    await relay.offer(say.discover(OTHER))
    found = await line(server, "offer_taken_back")
    assert (found["mac"], found["address"]) == (OTHER, "10.6.0.100")


async def test_what_is_dropped_after_waiting_is_logged_too(relay: Relay, server: Serving, site: Site) -> None:
    """Its client was known when it was queued."""
    ack = await relay.lease(MAC)
    kill = (
        "select pg_terminate_backend(pid) from pg_stat_activity"
        " where application_name = 'ipam lease writer' and datname = current_database()"
    )
    async with site.connection.transaction():
        await site.connection.execute("select from lease where address = $1 for update", ack.yiaddr)
        relay.send(say.request_rebinding(MAC, ack.yiaddr))
        await until("under way", lambda: any(w.batch for w in server.writers.writers))
        await site.connection.execute(f"{kill} and datname = current_database()")
        await until("dropped", lambda: drops(server, "outcome_unknown"))
    found = next(found for found in await logged(server) if found["event"] == "packet dropped")
    assert (found["reason"], found["mac"], found["subnet"]) == ("outcome_unknown", MAC, "10.5.0.0/24")


async def test_ordinary_work_is_not_logged(relay: Relay, server: Serving) -> None:
    ack = await relay.lease(MAC)
    await relay.ack(say.request_rebinding(MAC, ack.yiaddr))
    await relay.ack(say.inform(MAC, ack.yiaddr))
    await relay.unanswered(say.release(MAC, ack.yiaddr, "127.0.0.1"))
    assert await logged(server) == []
