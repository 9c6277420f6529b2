"""`/trace6`: one DHCPv6 client's messages and the decisions on them; what both families do: engine/test_trace.py."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from engine.test_trace import Reader, answer, told
from engine6.serving6 import Relay, chosen, duid
from engine6.site6 import Subnet6
from oracle import packets6 as say

from dhcp_fast.server import trace_stream
from dhcp_fast.server.serving import Serving
from dhcp_fast.trace import paragraph
from ipam_core.processes import health
from ipam_core.setting_values import Endpoint

pytestmark = pytest.mark.shared_server

CLIENT, OTHER = duid(1), duid(2)
OPAQUE = bytes.fromhex("00ff0102030405")


@pytest.fixture
async def endpoint(server: Serving) -> AsyncIterator[Endpoint]:
    streams = {"/trace": trace_stream.stream(lambda: server.engine)}
    async with await health.serve(Endpoint("127.0.0.1", 0), {}, streams) as pages:
        yield Endpoint(*pages.sockets[0].getsockname())


async def test_a_client_from_solicit_to_release(relay: Relay, endpoint: Endpoint, subnet: Subnet6) -> None:
    async with Reader(endpoint, f"duid={CLIENT.hex(':')}") as trace:
        reply = await relay.lease(CLIENT, say.solicit(CLIENT).ia_na(1).ia_pd(2))
        await relay.lease(OTHER)
        await relay.reply(chosen(say.release(CLIENT, relay.server_id), reply))
        events = await trace.events(6)
    assert told(events) == [
        ("decision", "answered", None, "advertise"),
        ("reply", None, None, "advertise"),
        ("decision", "written", "bind", "reply"),
        ("reply", None, None, "reply"),
        ("decision", "written", "release", "reply"),
        ("reply", None, None, "reply"),
    ]
    solicit, _, bound, *_ = events
    assert solicit["from"].startswith("[::1]:")
    assert {event["subnet"] for event in events} == {"2001:db8:5::/64"}
    assert bound["address"] == str(reply.associations[0].leases[0].address)
    text = "\n".join("\n".join(paragraph(event)) for event in events)
    assert f"SOLICIT through relay {subnet.link} from [::1]:" in text
    assert f"clientid (1): LL {CLIENT.hex(':')}" in text
    assert f"asks the database for a new binding of {bound['address']}; REPLY leaves after the COMMIT" in text
    assert "ia-na (3): id 1, T1" in text
    assert f"{bound['address']}, preferred 8 minutes 20 seconds, valid 13 minutes 20 seconds" in text


async def test_by_what_the_relay_tells_of_the_hardware(
    relay: Relay, endpoint: Endpoint, subnet: Subnet6
) -> None:
    async with Reader(endpoint, "mac=02:00:00:00:00:01") as trace:
        await relay.advertise(say.solicit(CLIENT).ia_na(1))
        await relay.advertise(say.solicit(OTHER).ia_na(1))
        seen = say.solicit(OPAQUE).ia_na(1).through(subnet.link).from_hardware("02:00:00:00:00:01")
        await relay.advertise(seen.through("::"))
        await relay.unanswered(say.solicit(CLIENT).ia_na(1).through("3fff::1"))
        events = await trace.events(5)
    assert [event.get("reason") for event in events] == [None, None, None, None, "no_subnet"]


async def test_by_what_the_clients_own_address_was_made_of(
    relay: Relay, endpoint: Endpoint, subnet: Subnet6, server: Serving
) -> None:
    """Where neither relay nor DUID tells the hardware: as its relay saw it, nearest to the client; a DUID that tells
    another one is believed before."""
    opaque = say.solicit(OPAQUE).ia_na(1)
    async with Reader(endpoint, "mac=02:00:00:00:00:01") as trace:
        await relay.advertise(
            opaque.through(subnet.link, peer="fe80::ff:fe00:1").through("::", peer="fe80::7")
        )
        await relay.advertise(opaque.through(subnet.link, peer="fe80::ff:fe00:2").through("::"))
        await relay.advertise(
            opaque.through(subnet.link, peer="fe80::1").through("::", peer="fe80::ff:fe00:1")
        )
        await relay.advertise(
            say.solicit(OTHER).ia_na(1).through(subnet.link, peer="fe80::ff:fe00:1").through("::")
        )
        await relay.unanswered(opaque.through("3fff::1", peer="2001:db8:5::ff:fe00:1"))
        events = await trace.events(3)
    assert [(event["answer"], event.get("reason")) for event in events] == [
        ("advertise", None),
        ("advertise", None),
        (None, "no_subnet"),
    ]


async def test_an_identifier_of_the_other_family_is_refused(endpoint: Endpoint) -> None:
    status, body = await answer(endpoint, "client_id=0102")
    assert status == 400
    assert "set mac or duid: this is a DHCPv6 server" in body


@pytest.mark.parametrize("damaged", [b"", b"\x0c" * 40, CLIENT, b"\x01\0\0\0\0\1\0\xff"])
async def test_what_cannot_be_walked_is_nobodys(relay: Relay, endpoint: Endpoint, damaged: bytes) -> None:
    async with Reader(endpoint, f"duid={CLIENT.hex()}") as trace:
        relay.socket.sendto(damaged, relay.server)
        await relay.advertise(say.solicit(CLIENT).ia_na(1))
        assert len(await trace.events(2)) == 2
