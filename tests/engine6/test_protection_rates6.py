"""Limits on DHCPv6 packets: one client, by its DUID, or one relay that floods is dropped and counted, and hurts nobody.

The buckets themselves are those of DHCPv4 (engine/test_protection_rates.py).
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from engine.serving import drops
from engine6.serving6 import Relay, Servers, duid
from engine6.site6 import Subnet6
from oracle import packets6 as say
from oracle.packets6 import Packet

from dhcp_fast.server.serving import Serving

RATE = 2
BURST = 4 * RATE
CLIENT, OTHER = duid(1), duid(2)

MESSAGES: dict[str, Callable[[Relay], Packet]] = {
    "solicit": lambda relay: say.solicit(CLIENT).ia_na(1),
    "request": lambda relay: say.request(CLIENT, relay.server_id).ia_na(1),
    "confirm": lambda relay: say.confirm(CLIENT).ia_na(1, "2001:db8:5::100"),
    "renew": lambda relay: say.renew(CLIENT, relay.server_id).ia_na(1, "2001:db8:5::100"),
    "rebind": lambda relay: say.rebind(CLIENT).ia_na(1, "2001:db8:5::100"),
    "release": lambda relay: say.release(CLIENT, relay.server_id).ia_na(1, "2001:db8:5::100"),
    "information_request": lambda relay: say.information_request(CLIENT),
}


def flood(server: Serving, relay: Relay, packet: Packet, count: int) -> None:
    """So many of the packet in one reading of the socket."""
    for _ in range(count):
        relay.send(packet)
    server.engine.receive(0)


@pytest.fixture
async def limited(servers: Servers, subnet: Subnet6) -> Serving:
    return await servers.start(dhcp4_client_rate=RATE)


@pytest.fixture
async def through(limited: Serving, subnet: Subnet6, servers: Servers) -> Relay:
    """A relay that knows its server's DUID, by another client."""
    relay = servers.relay(limited, subnet.link)
    await relay.advertise(say.solicit(duid(9)).ia_na(1))
    return relay


@pytest.mark.parametrize("kind", MESSAGES)
async def test_what_a_client_sends_above_its_rate_is_dropped(
    kind: str, limited: Serving, through: Relay
) -> None:
    flood(limited, through, MESSAGES[kind](through), BURST + 5)
    assert drops(limited, "client_rate") == 5
    await through.advertise(say.solicit(OTHER).ia_na(1))


async def test_a_message_without_a_duid_is_nobodys(limited: Serving, through: Relay) -> None:
    flood(limited, through, say.information_request(), BURST + 5)
    assert drops(limited, "client_rate") == 0


async def test_a_relays_clients_share_its_rate(servers: Servers, subnet: Subnet6) -> None:
    """By the address that it sends from, whatever it says of its clients' links."""
    server = await servers.start(dhcp4_relay_rate=RATE)
    relay = servers.relay(server, subnet.link)
    for number in range(BURST + 5):
        relay.send(say.solicit(duid(number + 1)).ia_na(1))
    server.engine.receive(0)
    assert drops(server, "relay_rate") == 5


async def test_without_the_settings_nothing_is_limited(server: Serving, relay: Relay) -> None:
    flood(server, relay, say.solicit(CLIENT).ia_na(1), 5 * BURST)
    assert drops(server, "client_rate") == drops(server, "relay_rate") == 0
