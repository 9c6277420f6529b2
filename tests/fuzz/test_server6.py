"""DHCPv6 messages of every kind through a real server to a real database; invariants as in test_server.py."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack

import pytest
import structlog
from engine6.serving6 import Servers
from engine6.site6 import Site6
from fuzz import traffic6
from fuzz.test_server import FAILURES
from oracle.message6 import parse_reply, reading, violations
from oracle.options4 import Malformed
from oracle.replies6 import check_reply6
from wire.test_against_oracle6 import ASYMMETRIES

from dhcp_fast.server.serving import Serving
from ipam_core.db.connect import connect
from ipam_core.dhcp.reasons import FAULTS6

SEED = 8_001
BURST = 32
PATIENCE_SECONDS = 30.0

STOLEN = """
select host(address) from (
  select address, kind, client_key, at, lag(state) over history as was, lag(client_key) over history as of,
    lag(reuse_at) over history as until
  from lease_event window history as (partition by tenant_no, address order by version)) h
where kind = 'g' and was = 'a' and client_key <> of and at < until"""
OUTSIDE = """
select host(address) from lease
where ia_type = 3 and not address <<= $1 or ia_type = 25 and not address <<= $2 or prefix_length not in (64, 128)"""


class Wire6:
    """A relay's socket, what it sent by transaction id, and what it heard."""

    def __init__(self, server: Serving) -> None:
        self.server = server
        self.socket = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.socket.bind(("::1", 0))
        self.sent = 0
        self.requests: dict[int, list[bytes]] = defaultdict(list)
        self.beyond_judgment: set[int] = set()
        self.replies: list[bytes] = []

    async def exchange(self, datagrams: Iterable[bytes]) -> None:
        """Send all, a burst at a time, and wait until the server has done with the last of them."""
        for data in datagrams:
            self.socket.sendto(data, self.server.sockets[0].address)
            self.sent += 1
            self.note(data)
            if self.sent % BURST == 0:
                await self.until_counted()
        await self.until_counted()
        self.receive()

    def note(self, data: bytes) -> None:
        """What the oracle refuses and the codec does not is answered, and nobody can judge how."""
        faults = violations(data)
        if not faults:
            self.requests[reading(data).transaction_id].append(data)
        elif readable(data):
            self.beyond_judgment.add(reading(data).transaction_id)

    async def until_counted(self) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while self.received() + self.malformed() != self.sent or self.counters()["slots_in_use"]:
                self.receive()
                await asyncio.sleep(0.001)

    def receive(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while True:
                self.replies.append(self.socket.recv(65535))

    def forget(self) -> None:
        """What was said so far is judged; only the count of it stays."""
        self.requests.clear()
        self.beyond_judgment.clear()
        self.replies.clear()

    # --- the server's books

    def counters(self) -> dict[str, dict[str, int]]:
        return self.server.counters()

    def received(self) -> int:
        return sum(self.counters()["received"].values())

    def malformed(self) -> int:
        return sum(self.counters()["drops"].get(fault, 0) for fault in FAULTS6)

    def books_agree(self) -> bool:
        counters = self.counters()
        dropped = sum(counters["drops"].values()) - self.malformed()
        return counters["kernel_drops"] == 0 and self.received() == dropped + sum(
            counters["replied"].values()
        )


@contextlib.asynccontextmanager
async def planned(database: str) -> AsyncIterator[Site6]:
    """A pool of sixteen addresses, as many prefixes, short leases, and a second subnet without a pool."""
    connection = await connect(database)
    site = await Site6.create(connection)
    told = {
        "rapid_commit": True,
        "address_registration": True,
        "ddns_enabled": True,
        "ddns_domain": "fuzz.example",
    }
    times = {"lease_time_seconds": 4, "reuse_margin_seconds": 0, "decline_quarantine_seconds": 1}
    subnet = await site.subnet(5, **told, **times)
    await subnet.pool(0x100, 0x10F)
    await subnet.delegation_pool(str(traffic6.DELEGATED), traffic6.DELEGATED_LENGTH)
    await subnet.reserve(0x104, duid=traffic6.CLIENTS[1])
    await subnet.option(23, {"addresses": ["2001:db8::53"]})
    await site.subnet(6)
    yield site
    await connection.close()


@contextlib.asynccontextmanager
async def quietly_serving(database: str) -> AsyncIterator[Wire6]:
    """A server whose log must hold no failure in the end."""
    with structlog.testing.capture_logs() as log:
        async with AsyncExitStack() as stack:
            wire = Wire6(await Servers(database, stack).start())
            stack.callback(wire.socket.close)
            yield wire
    assert [line for line in log if line["event"] in FAILURES] == []


@pytest.fixture
async def site(database: str) -> AsyncIterator[Site6]:
    async with planned(database) as site:
        yield site


@pytest.fixture
async def wire(site: Site6, database: str) -> AsyncIterator[Wire6]:
    async with quietly_serving(database) as wire:
        yield wire


async def server_duid(wire: Wire6) -> bytes:
    """As its first answer says it, which is not judged."""
    await wire.exchange(traffic6.lawful(SEED + 9, 40, b"\0\4" + bytes(16)))
    reply = parse_reply(wire.replies[0])
    assert not isinstance(reply, Malformed)
    assert reply.server_id is not None
    wire.replies.clear()
    wire.requests.clear()
    return reply.server_id


def ignored(requests: Iterable[bytes]) -> Counter[str]:
    """By code: how many of the packets that can be read have something in such an option that is ignored."""
    read = [reading(data) for data in requests if readable(data)]
    return Counter(str(code) for said in read for code in said.ignored)


def readable(data: bytes) -> bool:
    return all((fault.reason, fault.code) in ASYMMETRIES for fault in violations(data))


def complaints(wire: Wire6, server: bytes) -> Counter[str]:
    """What the oracle holds against the replies; of requests with one transaction id one must fit."""
    found: Counter[str] = Counter()
    for data in wire.replies:
        reply = parse_reply(data)
        if isinstance(reply, Malformed):
            found.update([str(reply)] if reply.reason != "hop_count" else [])  # a relay's, which comes back
            continue
        asked = wire.requests[reply.transaction_id]
        if not asked and reply.transaction_id in wire.beyond_judgment:
            continue
        verdicts = [check_reply6(request, data, server) for request in asked]
        found.update(min(verdicts, key=len, default=["unasked: no request has this transaction id"]))
    return found


async def leases_are_lawful(site: Site6) -> None:
    assert await site.connection.fetch(STOLEN) == []
    assert await site.connection.fetch(OUTSIDE, traffic6.POOL, traffic6.DELEGATED) == []


async def test_lawful_messages_get_lawful_answers(wire: Wire6, site: Site6, fuzz_count: int) -> None:
    server = await server_duid(wire)
    await wire.exchange(traffic6.lawful(SEED, fuzz_count // 5, server))
    assert wire.malformed() == 0, wire.counters()
    assert complaints(wire, server) == {}
    assert set(wire.counters()["replied"]) == {"advertise", "reply", "addr_reg_reply"}
    assert wire.books_agree(), wire.counters()
    await leases_are_lawful(site)


async def test_damaged_messages_harm_nobody(wire: Wire6, site: Site6, fuzz_count: int) -> None:
    server = await server_duid(wire)
    packets = list(traffic6.damaged(SEED + 1, fuzz_count // 5, server))
    await wire.exchange(packets)
    assert wire.malformed() > wire.sent // 6
    assert wire.counters()["ignored_options"] == ignored(packets)
    assert complaints(wire, server) == {}
    assert wire.books_agree(), wire.counters()
    await leases_are_lawful(site)


@pytest.mark.parametrize("size", [0, 1, 3, 4, 33, 34, 37, 38, 2047, 2048, 2049, 65000])
async def test_hostile_size(wire: Wire6, size: int) -> None:
    """Up to the receive buffer's 2,048 octets the datagram is read. A whole message in it counts, and what is cut
    behind it is ignored."""
    data = next(traffic6.lawful(SEED, 1, b"\0\4" + bytes(16)))
    await wire.exchange([(data + b"\xfe" * 65000)[:size]] * 70)
    is_read = len(data) <= size <= 2048
    assert wire.malformed() == (0 if is_read else 70)
    assert wire.counters()["ignored_options"] == ({"0": 70} if is_read else {})
    assert is_read or wire.replies == []
