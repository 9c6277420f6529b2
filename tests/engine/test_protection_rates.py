"""Limits on packets: one client or one relay that floods is dropped, counted, and hurts nobody else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from engine.serving import Relay, Servers, at_once, counters, drops, mac_of
from engine.site import Site, Subnet
from hypothesis import given
from hypothesis import strategies as st
from oracle import packets as say
from oracle.packets import Packet

from dhcp_fast.server.serving import Serving
from dhcp_fast.state.token_bucket import Rates

RATE = 2
BURST = 4 * RATE
SECOND = 1_000_000
MAC, OTHER = mac_of(1), mac_of(2)


# --- the buckets alone


@given(st.integers(1, 50), st.lists(st.integers(0, SECOND), max_size=200))
def test_a_sender_alone_is_a_token_bucket(rate: int, pauses: list[int]) -> None:
    """Four seconds' worth at most, refilled at the rate: the textbook's bucket says the same of every packet."""
    rates, interval = Rates(rate, 64), SECOND // rate
    now, room = 10 * SECOND, 4 * SECOND
    for pause in pauses:
        now += pause
        room = min(4 * SECOND, room + pause)
        admitted = room >= interval
        room -= interval if admitted else 0
        assert rates.admits(0x12345, now) == admitted


def test_floods_hurt_others_rarely() -> None:
    """A thousand clients at their limit, 65,536 cells a row: of ten thousand others at most a few suffer."""
    rates, state = Rates(1, 65536), 1
    hashes = []
    for _ in range(11_000):  # a full-period generator: the same senders in every run
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        hashes.append(state ^ state >> 29)
    for flooding in hashes[:1000]:
        for _ in range(10):
            rates.admits(flooding, SECOND)
    assert sum(not rates.admits(other, SECOND) for other in hashes[1000:]) <= 10


def test_no_rate_is_no_table() -> None:
    Rates(0, 64)


# --- the server


async def flood(server: Serving, relay: Relay, packet: Packet, count: int) -> None:
    """So many of the packet in one reading of the socket."""
    at_once(server, relay, *[packet] * count)


@pytest.fixture
async def limited(servers: Servers, subnet: Subnet) -> Serving:
    return await servers.start(dhcp4_client_rate=RATE)


@pytest.fixture
def through(limited: Serving, subnet: Subnet, servers: Servers) -> Relay:
    return servers.relay(limited, subnet.relay)


MESSAGES: dict[str, Callable[[Any], Packet]] = {
    "discover": lambda address: say.discover(MAC),
    "selecting": lambda address: say.request_selecting(MAC, address, "127.0.0.1"),
    "rebinding": lambda address: say.request_rebinding(MAC, address),
    "inform": lambda address: say.inform(MAC, address),
    "release": lambda address: say.release(MAC, address, "127.0.0.1"),
    "decline": lambda address: say.decline(MAC, address, "127.0.0.1"),
}


@pytest.mark.parametrize("kind", MESSAGES)
async def test_what_a_client_sends_above_its_rate_is_dropped(
    kind: str, limited: Serving, through: Relay, subnet: Subnet
) -> None:
    """Whatever the message; a release costs a write, so it is no exception."""
    await flood(limited, through, MESSAGES[kind](subnet.address(100)), BURST + 5)
    assert drops(limited, "client_rate") == 5


async def test_a_flooding_client_hurts_no_other_one(limited: Serving, through: Relay) -> None:
    await flood(limited, through, say.discover(MAC), BURST + 20)
    await through.lease(OTHER)
    assert drops(limited, "client_rate") == 20


async def test_a_client_is_heard_again_when_it_has_been_quiet(limited: Serving, through: Relay) -> None:
    await flood(limited, through, say.discover(MAC), BURST + 1)
    await through.offer_in_time(MAC)


async def test_a_client_without_hardware_address_is_known_by_its_client_id(
    limited: Serving, through: Relay
) -> None:
    """RFC 2132 section 9.14; two such clients are two senders, and one without any identity is nobody's."""
    packet = say.discover(mac_of(0)).field(chaddr=b"", hlen=0, htype=32).broadcast()
    await flood(limited, through, packet.client_id(b"\x00one"), BURST + 3)
    assert drops(limited, "client_rate") == 3
    await flood(limited, through, packet.client_id(b"\x00two"), BURST)
    assert drops(limited, "client_rate") == 3
    await flood(limited, through, packet, BURST + 3)
    assert drops(limited, "no_identity") == BURST + 3


async def test_what_comes_through_a_relay_above_its_rate_is_dropped(site: Site, servers: Servers) -> None:
    """Of however many clients; another relay goes on being served."""
    first, second = await site.subnet(5), await site.subnet(6)
    for subnet in (first, second):
        await subnet.pool(100, 199)
    server = await servers.start(dhcp4_relay_rate=RATE)
    flooding, quiet = servers.relay(server, first.relay), servers.relay(server, second.relay)
    at_once(server, flooding, *[say.discover(mac_of(n)) for n in range(BURST + 7)])
    assert drops(server, "relay_rate") == 7
    await quiet.lease(mac_of(100))


async def test_a_flooding_client_takes_nothing_of_its_relays_share(servers: Servers, subnet: Subnet) -> None:
    """The client's limit stands before the relay's."""
    server = await servers.start(dhcp4_client_rate=1, dhcp4_relay_rate=10)
    relay = servers.relay(server, subnet.relay)
    await flood(server, relay, say.discover(MAC), 200)
    assert (drops(server, "client_rate"), drops(server, "relay_rate")) == (196, 0)
    await relay.lease(OTHER)


async def test_without_settings_nothing_is_limited(server: Serving, relay: Relay) -> None:
    await flood(server, relay, say.discover(MAC), 200)
    assert counters(server)["drops"] == {}
