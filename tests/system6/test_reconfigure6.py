"""A client is told to renew, and does (RFC 8415 section 18.3.11): one of packets of our own, on the wire and behind two
relays, and dhcpcd on the wire and behind Debian's relay.

What is asked for is written as the API writes it; whether the message is genuine is judged here, by the key that the
client was told.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import socket
import struct
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import IPv6Address
from pathlib import Path

import asyncpg
import pytest
from oracle import packets6 as say
from oracle.message6 import RECONFIGURE, RENEW, Message, parse_reply
from oracle.options4 import Malformed
from oracle.options6 import AUTH, CLIENT_ID, RECONF_ACCEPT, RECONF_MSG, SERVER_ID, first
from oracle.packets6 import Packet
from system.namespaces import Namespace, Network, socket_in
from system6 import sites6
from system6.clients6 import Dhcpcd
from system6.sites6 import LINK, UPSTREAM, Wire

from ipam_core.db.connect import connect
from ipam_core.model.actor import Actor
from ipam_core.model.lease import ReconfigureLease, lease_id
from ipam_core.services import leases

pytestmark = pytest.mark.peer("namespaces")

CLIENT_PORT, SERVER_PORT = 546, 547
SERVERS = "ff02::1:2"
ANSWER_SECONDS, SILENCE_SECONDS = 10.0, 6.0
DUID = say.duid_ll("02:00:00:00:00:07")
LATE = {"renew_time_seconds": 600, "rebind_time_seconds": 900, "lease_time_seconds": 1800}


@pytest.fixture
def direct(network: Network, database: str, tmp_path: Path) -> Iterator[Wire]:
    """Server and client on one wire; nobody renews of itself in the time of a test."""
    asyncio.run(sites6.plan(database, **LATE))
    made = sites6.direct(network, database, tmp_path)
    made.server.namespace.ip("address", "add", f"{UPSTREAM[1]}/64", "dev", "s0", "nodad")
    made.client.ip("address", "add", f"{UPSTREAM[5]}/64", "dev", "c0", "nodad")
    made.server.start()
    yield made
    made.server.stop()
    print(made.server.log.read_text(errors="replace")[-6000:])


async def tell(dsn: str, address: object, message: str = "renew") -> None:
    """As POST /leases/{id}/reconfigure does."""
    connection: asyncpg.Connection = await connect(dsn)
    try:
        id_ = await lease_of(connection, address)
        await leases.reconfigure(connection, Actor(role="admin"), id_, ReconfigureLease(message=message))
    finally:
        await connection.close()


async def lease_of(connection: asyncpg.Connection, address: object) -> str:
    row = await connection.fetchrow(
        "select tenant_no, address from lease where host(address) = $1", str(address)
    )
    return lease_id(row["tenant_no"], row["address"])


class Station:
    """Packets of our own out of the client's namespace: a client, or the relays in front of one."""

    def __init__(self, wire: Wire, port: int, to: tuple[str, int]) -> None:
        self.wire = wire
        self.to = to
        self.socket = socket_in(wire.client, socket.AF_INET6, socket.SOCK_DGRAM)
        self.socket.bind(("::", port))
        self.server_id = b""

    def dress(self, packet: Packet) -> Packet:
        return packet.option(RECONF_ACCEPT)

    def ask(self, packet: Packet) -> Message:
        asked = self.dress(packet)
        self.socket.sendto(asked.bytes(), self.to)
        while True:
            answer = self.heard(ANSWER_SECONDS)
            assert answer is not None
            if answer.transaction_id == asked.transaction_id:
                return answer

    def heard(self, seconds: float) -> Message | None:
        """The next datagram; None when there is none in time."""
        self.socket.settimeout(seconds)
        try:
            answer = parse_reply(self.socket.recv(65535))
        except TimeoutError:
            return None
        assert not isinstance(answer, Malformed), answer
        return answer

    def lease(self) -> tuple[IPv6Address, bytes, int]:
        """The address, the key, and the replay value that it came with."""
        offer = self.ask(say.solicit(DUID).ia_na(1))
        assert offer.server_id is not None
        self.server_id = offer.server_id
        self.address = offer.associations[0].leases[0].address
        reply = self.ask(say.request(DUID, self.server_id).ia_na(1, self.address))
        told = first(reply.options, AUTH)
        assert told is not None
        return self.address, told[12:], int.from_bytes(told[3:11], "big")

    def renew(self) -> None:
        renewal = replace(say.renew(DUID, self.server_id).ia_na(1, self.address), transaction_id=0x77)
        assert self.ask(renewal).associations[0].leases[0].valid


class Relays(Station):
    """Two of them; the outer one speaks with the server by unicast."""

    def dress(self, packet: Packet) -> Packet:
        inner = packet.option(RECONF_ACCEPT).through(LINK[1], peer="fe80::7").at_interface("port7")
        return inner.through("::", peer=LINK[2]).at_interface("up")


def index_of(namespace: Namespace, interface: str) -> int:
    return int(namespace.ip("-o", "link", "show", "dev", interface).partition(":")[0])


def client_on(wire: Wire, kind: type[Station] = Station) -> Station:
    scope = index_of(wire.client, "c0")
    made = kind(wire, CLIENT_PORT, (SERVERS, SERVER_PORT))
    made.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, struct.pack("@i", scope))
    return made


def relays_on(wire: Wire) -> Station:
    return Relays(wire, SERVER_PORT, (str(UPSTREAM[1]), SERVER_PORT))


def is_genuine(message: Message, key: bytes) -> bool:
    """Section 20.4.3, over the octets of the message with zeros in place of the hash."""
    data = rebuilt(message)
    wanted = hmac.new(key, data[:-16] + bytes(16), hashlib.md5).digest()
    return hmac.compare_digest(wanted, data[-16:])


def rebuilt(message: Message) -> bytes:
    options = b"".join(struct.pack("!HH", code, len(value)) + value for code, value in message.options)
    assert message.options[-1][0] == AUTH
    return bytes([message.message_type]) + message.transaction_id.to_bytes(3, "big") + options


@pytest.mark.parametrize("station", [client_on, relays_on], ids=["on the wire", "behind two relays"])
def test_a_client_is_told_until_it_renews(direct: Wire, station: object) -> None:
    client: Station = station(direct)  # type: ignore[operator]
    address, key, replay = client.lease()
    direct.client.ip("address", "add", f"{address}/64", "dev", "c0", "nodad")
    asyncio.run(tell(direct.database, address))
    told = client.heard(ANSWER_SECONDS)
    assert told is not None
    assert (told.message_type, told.transaction_id) == (RECONFIGURE, 0)
    named = {code: first(told.options, code) for code in (CLIENT_ID, SERVER_ID, RECONF_MSG)}
    assert named == {CLIENT_ID: DUID, SERVER_ID: client.server_id, RECONF_MSG: bytes([RENEW])}
    assert is_genuine(told, key)
    auth = first(told.options, AUTH)
    assert auth is not None
    assert auth[:3] == b"\3\1\0"
    assert int.from_bytes(auth[3:11], "big") > replay
    if isinstance(client, Relays):
        assert [(e.hop_count, e.link_address, e.peer_address, e.interface_id) for e in told.envelopes] == [
            (1, IPv6Address(0), LINK[2], b"up"),
            (0, LINK[1], IPv6Address("fe80::7"), b"port7"),
        ]

    again = client.heard(ANSWER_SECONDS)
    assert again == told  # nothing was heard of the client: the same to the octet, its replay value too
    client.renew()
    assert client.heard(SILENCE_SECONDS) is None


def test_a_later_request_takes_the_place_of_an_earlier_one(direct: Wire) -> None:
    client = client_on(direct)
    address, key, _ = client.lease()
    direct.client.ip("address", "add", f"{address}/64", "dev", "c0", "nodad")
    asyncio.run(tell(direct.database, address))
    assert client.heard(ANSWER_SECONDS) is not None
    asyncio.run(tell(direct.database, address, "information_request"))
    for _ in range(2):
        told = client.heard(ANSWER_SECONDS)
        assert told is not None
        assert first(told.options, RECONF_MSG) == bytes([11])
        assert is_genuine(told, key)


class Willing(Dhcpcd):
    """Asks to be reconfigured."""

    MORE = ("option dhcp6_reconfigure_accept",)


@pytest.fixture
def relayed(network: Network, database: str, tmp_path: Path) -> Iterator[Wire]:
    asyncio.run(sites6.plan(database, **LATE))
    made = sites6.behind_relay(network, database, tmp_path)
    made.server.start()
    yield made
    made.server.stop()
    for log in sorted(tmp_path.rglob("*.log")):
        print(f"--- {log.relative_to(tmp_path)}\n{log.read_text(errors='replace')[-6000:]}")


@pytest.mark.peer("dhcpcd")
@pytest.mark.peer("dhcrelay")
def test_dhcpcd_renews_when_it_is_told_to(relayed: Wire) -> None:
    """It takes the message from a link-local address only, as that of its relay is."""
    renews_when_told(relayed)


@pytest.mark.peer("dhcpcd")
def test_dhcpcd_on_the_wire_renews_when_it_is_told_to(direct: Wire) -> None:
    """The server sends from its own link-local address, to the one that the client sent from."""
    renews_when_told(direct)


def renews_when_told(wire: Wire) -> None:
    client = Willing(wire.client, wire.folder / "client")
    client.start()
    rows = wire.await_rows(lambda rows: {3, 25} <= rows.keys(), "leased")
    assert rows[3]["accepts_reconfigure"]
    asyncio.run(tell(wire.database, rows[3]["address"]))
    wire.await_rows(
        lambda now: all(now[kind]["renewed_at"] > rows[kind]["renewed_at"] for kind in (3, 25)), "renewed"
    )
    client.release()
