"""What fuzzing found, each by the one packet or two that showed it, named after the bug.

Invariant: none of these comes back. Where the packets alone show it, the request is answered as the oracle and
`check_reply` want it; where a config change or a database row had a part, the test makes that too.
"""

from collections.abc import AsyncIterator
from ipaddress import IPv4Address
from typing import Any

import asyncpg
import pytest
from fuzz import network
from fuzz.network import CLIENTS, Network
from fuzz.served import Wire, serving
from oracle import packets as say
from oracle.message4 import Message, parse_reply
from oracle.options4 import NAK
from oracle.packets import Packet
from oracle.replies4 import check_reply

from dhcp_fast.engine.configure import set_own_addresses
from dhcp_fast.net.links import Links
from ipam_core.services.entity import crud
from ipam_core.services.subnets import SUBNETS

MAC = CLIENTS[7]
RELAY, SERVER = "127.0.0.1", "127.0.0.1"
# Without the marks of addresses that the API gave away.
LEASES = "select state, hw_type, subnet_no from lease where claimed is not true"
OWN = [(1, int(IPv4Address(address)), 8, 254) for address in ("127.0.0.1", "127.64.0.9")]


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


async def test_short_lease_whose_t2_was_its_end(wire: Wire) -> None:
    """An eighth of less than eight seconds was nothing, so T2 was the end of the lease (RFC 2131 4.4.5)."""
    for seconds in (1, 2, 3, 4, 7, 8, 9):
        mac, address = CLIENTS[10 + seconds], f"127.64.0.{40 + seconds}"
        reply = await ask(wire, select(address, mac).lease_time(seconds))
        assert reply.options[51] == seconds.to_bytes(4, "big")
        assert {58, 59} <= reply.options.keys() or seconds < 3


async def test_renew_time_behind_the_rebind_time_of_a_shorter_lease(
    wire: Wire, planned: Network, pool: asyncpg.Pool
) -> None:
    """The subnet's T1 is right for its usual lease; in a shorter one that the client asked for it met T2."""
    await change_main(wire, planned, pool, {"renew_time_seconds": 590})
    reply = await ask(wire, select("127.64.0.20").lease_time(595))
    assert reply.options[51] == (595).to_bytes(4, "big")


async def change_main(wire: Wire, planned: Network, pool: asyncpg.Pool, patch: dict[str, Any]) -> None:
    """Through the service, as the API does it, and until the server has it."""
    async with pool.acquire() as connection:
        await crud.change(connection, SUBNETS, network.HOST, planned.main, patch)
        fence = await connection.fetchval("select max(fence) from subnet")
    subnets = wire.server.engine.plan.subnets
    await wire.until(lambda: max(view.fence for view in subnets.values()) == fence)


RELAY_NOISE = b"\x09\xf8" + bytes(248)


async def test_relay_information_too_long_for_the_reply(wire: Wire) -> None:
    """Two pieces of option 82 took the room of the message type: what left was no DHCP message."""
    packet = select("127.64.0.20").also(82, RELAY_NOISE).also(82, RELAY_NOISE)
    reply = await ask(wire, packet)
    assert 82 not in reply.options
    reply = await ask(wire, packet.max_size(1500))
    assert len(reply.options[82]) == 502


async def test_client_id_that_the_relay_information_pushed_out(wire: Wire) -> None:
    """The echo of the relay's option had precedence over the client's (RFC 6842 says MUST, RFC 3046 SHOULD)."""
    identifier = bytes(range(255))
    reply = await ask(wire, select("127.64.0.20").client_id(identifier).also(82, RELAY_NOISE))
    assert reply.options[61] == identifier
    reply = await ask(wire, select("127.64.0.255").client_id(identifier).also(82, RELAY_NOISE))
    assert (reply.message_type, reply.options[61]) == (6, identifier)


async def test_relay_information_left_out_though_it_had_room(wire: Wire) -> None:
    """Room was kept for a lease time, T1 and T2, which a NAK has not, nor a lease of two seconds the last two."""
    identifier = bytes(range(255))
    packet = select("127.64.0.255").client_id(identifier).also(82, b"\x09\x20" + bytes(32))
    assert (await ask(wire, packet)).message_type == NAK
    packet = select("127.64.0.20").client_id(identifier).lease_time(2).also(82, b"\x09\x1c" + bytes(28))
    assert len((await ask(wire, packet)).options[82]) == 32


async def test_client_id_of_more_octets_than_an_option_holds(wire: Wire) -> None:
    """Its first 255 octets stood for it in the key, and the reply had no room to send it back: now no answer."""
    packet = select("127.64.0.20").also(61, bytes(200)).also(61, bytes(100))
    await wire.exchange([packet.with_relay(RELAY).relay_port().bytes()])
    assert wire.replies == []
    assert wire.counters()["drops"] == {"no_identity": 1}


async def test_ack_counted_that_was_never_sent(wire: Wire) -> None:
    """Replies were counted when they were written, before the COMMIT; a refused one counted as ACK and as NAK."""
    await ask(wire, select("127.64.0.20"))
    reply = await ask(wire, select("127.64.0.20", CLIENTS[8]))
    assert reply.message_type == 6
    assert wire.counters()["replied"] == {"ack": 1, "nak": 1}


async def test_written_release_counted_nowhere(wire: Wire) -> None:
    await ask(wire, select("127.64.0.20"))
    await wire.exchange([say.release(MAC, "127.64.0.20", SERVER).with_relay(RELAY).bytes()] * 2)
    counters = wire.counters()
    assert (counters["ended"], counters["drops"]) == (1, {"refused_row": 1})


async def test_release_of_the_servers_own_counted_as_a_packet(wire: Wire, pool: asyncpg.Pool) -> None:
    """A client that moves gives up its old address by an operation of ours; refused, it was a dropped packet."""
    await ask(wire, select("127.64.0.20"))
    await pool.execute("update lease set version = nextval('lease_version'), state = 'r', reuse_at = now()")
    await ask(wire, select("127.64.0.21"))
    await wire.until(wire.all_done)
    assert (wire.counters()["ended"], wire.counters()["drops"]) == (0, {})


async def test_client_with_two_addresses_after_reviving_the_expired_one(
    wire: Wire, pool: asyncpg.Pool
) -> None:
    """Moved to another address when the first had expired, it came back to the first by INIT-REBOOT and kept both."""
    await ask(wire, select("127.64.0.20"))
    await pool.execute("update lease set version = nextval('lease_version'), state = 'x', expires_at = now()")
    await ask(wire, select("127.64.0.21"))
    await wire.until(wire.all_done)
    await ask(wire, say.request_init_reboot(MAC, "127.64.0.20"))
    await wire.until(wire.all_done)
    assert [row[0] for row in await pool.fetch("select host(address) from lease where state = 'a'")] == [
        "127.64.0.20"
    ]


async def test_lease_released_through_the_relay_of_another_subnet(wire: Wire, pool: asyncpg.Pool) -> None:
    """The cache took the row for one of the relay's subnet; its address stayed taken until the next start."""
    lease = await ask(wire, select("127.64.0.20"))
    data = say.release(MAC, str(lease.yiaddr), SERVER).with_relay("127.0.0.2").bytes()
    await wire.exchange([data])
    assert await pool.fetchval(LEASES) == "r"
    number = await pool.fetchval(LEASES, column=2)
    cached = wire.server.engine.lease(1, int(lease.yiaddr))
    assert cached is not None
    assert (cached["state"], cached["subnet_no"]) == ("r", number)


async def test_message_for_another_server(wire: Wire) -> None:
    """Only some types looked at option 54, and 0.0.0.0 in it was taken for its absence."""
    address = "127.64.0.20"
    packets = [
        *(say.discover(MAC), say.inform(MAC, address), say.request_renewing(MAC, address)),
        *(select(address), say.release(MAC, address, SERVER), say.decline(MAC, address, SERVER)),
    ]
    addressed = [packet.server_id(named) for packet in packets for named in ("0.0.0.0", "192.0.2.1")]
    await wire.exchange(packet.with_relay(RELAY).relay_port().bytes() for packet in addressed)
    assert (wire.counters()["drops"], wire.replies) == ({"other_server": len(addressed)}, [])


async def test_server_named_by_another_of_its_addresses(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    """Known as ours, but the reply bore the address that the packet had come to: the client waits for the other."""
    # The heartbeat looks up the machine's addresses again, so it has to find this one too.
    monkeypatch.setattr(Links, "own_addresses", lambda *_: OWN)
    set_own_addresses(wire.server.engine, OWN)
    reply = await ask(wire, select("127.64.0.20").server_id("127.64.0.9"))
    assert str(reply.address(54)) == "127.64.0.9"


async def test_client_that_asked_for_two_addresses_at_once(wire: Wire, pool: asyncpg.Pool) -> None:
    """The release of the first was refused, because its row was younger than the packet that bound the second."""
    packets = [select(address).with_relay(RELAY).relay_port() for address in ("127.64.0.20", "127.64.0.21")]
    await wire.exchange(packet.bytes() for packet in packets)
    assert [row[0] for row in await pool.fetch("select host(address) from lease where state = 'a'")] == [
        "127.64.0.21"
    ]


async def test_address_of_another_hardware_type_taken_for_the_clients(wire: Wire, pool: asyncpg.Pool) -> None:
    """The same octets as another type's hardware address are another client (RFC 2131 2, 4.2); the database granted it
    the running lease, and renewed and released it for it, where the engine's memory would not."""
    await ask(wire, select("127.64.0.20"))
    stranger = select("127.64.0.20").field(htype=6)
    assert (await ask(wire, stranger)).message_type == NAK
    renewal = say.request_rebinding(MAC, "127.64.0.20").field(htype=6)
    assert (await ask(wire, renewal)).message_type == NAK
    await wire.exchange([say.release(MAC, "127.64.0.20", SERVER).field(htype=6).with_relay(RELAY).bytes()])
    assert [tuple(row)[:2] for row in await pool.fetch(LEASES)] == [("a", 1)]
