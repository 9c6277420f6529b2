"""What fuzzing found, each by the one packet or two that showed it, named after the bug.

Invariant: none of these comes back. Where the packets alone show it, the request is answered as the oracle and
`check_reply` want it; where a config change or a database row had a part, the test makes that too.
"""

from collections.abc import AsyncIterator

import asyncpg
import pytest
from fuzz import network
from fuzz.network import CLIENTS, Network
from fuzz.served import Wire, serving
from oracle import packets as say
from oracle.message4 import Message, parse_reply
from oracle.packets import Packet
from oracle.replies4 import check_reply

MAC = CLIENTS[7]
RELAY, SERVER = "127.0.0.1", "127.0.0.1"


@pytest.fixture
async def planned(pool: asyncpg.Pool) -> Network:
    async with pool.acquire() as connection:
        return await network.build(connection)


@pytest.fixture
async def wire(planned: Network, database: str) -> AsyncIterator[Wire]:
    async with serving(database) as wire:
        yield wire


async def ask(wire: Wire, packet: Packet) -> Message:
    """The one lawful reply to a packet sent through the main subnet's relay."""
    data = packet.with_relay(RELAY).relay_port().bytes()
    wire.replies.clear()
    await wire.exchange([data])
    assert len(wire.replies) == 1, wire.counters()
    assert check_reply(data, wire.replies[0]) == []
    reply = parse_reply(wire.replies[0])
    assert isinstance(reply, Message)
    return reply


def select(address: str, mac: bytes = MAC) -> Packet:
    return say.request_selecting(mac, address, SERVER)


async def test_infinite_lease_asked_under_the_greatest_maximum(wire: Wire) -> None:
    """Lifetime plus reuse margin left PostgreSQL's integer: the row was refused and the client never served."""
    reply = await ask(wire, select("127.64.0.20").lease_time(0xFFFFFFFF))
    assert reply.options[51] == (2**31 - 1).to_bytes(4, "big")
