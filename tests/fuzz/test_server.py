"""Packets of every kind through a real server to a real database.

Invariants, whatever comes: the server lives. What the oracle refuses gets no answer, and what it ignores is counted.
Each packet is answered, written or counted as dropped, and the sums agree. An answer obeys the RFC. No lease stands on
an address that nobody may have, none is granted while another client holds it, and no batch fails as a whole.
"""

import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from ipaddress import IPv4Address
from random import Random

import asyncpg
import pytest
import structlog
from fuzz import network, traffic
from fuzz.network import EXCLUDED_AT_FIRST, LEASABLE, Network
from fuzz.served import Wire, serving
from oracle import packets as say
from oracle.message4 import Message, parse
from oracle.options4 import Malformed
from oracle.replies4 import check_reply

from ipam_core.services.entity import crud
from ipam_core.services.reservations import RESERVATIONS
from ipam_core.services.subnets import SUBNETS

SEED = 7_001
HOSTILE_SIZES = (0, 1, 239, 240, 2047, 2048, 2049, 4000, 65507)  # octets
AT_ONCE = 70  # more than the server reads with one call

# Writes that PostgreSQL could not take, protocol that was lost: none may happen for anything a packet says.
FAILURES = {"lease statement failed", "the database refused a lease row", "lease writer: protocol error"}

# A machine whose key alone changed, as it does with its subnet's match_client_id, takes nothing from anybody: its
# hardware address and its client id are as they were (rule 9).
STOLEN = """
select host(address) from (
  select address, kind, client_key, at, row(hw_type, hw_address, client_id) as machine, lag(state) over history as was,
    lag(client_key) over history as of, lag(reuse_at) over history as until,
    lag(row(hw_type, hw_address, client_id)) over history as of_machine
  from lease_event window history as (partition by tenant_no, address order by version)) h
where kind = 'g' and was = 'a' and client_key <> of and machine is distinct from of_machine and at < until"""

HELD_TWICE = """
select encode(client_key, 'hex') from lease where state = 'a' and expires_at > now()
group by tenant_no, subnet_no, client_key having count(*) > 1"""

# A reserved address stands for its owner alone, by whichever identity it is reserved; or its row is the mark of the
# API that gave it away.
NOT_THE_OWNERS = """
select host(l.address) from lease l join reservation r on r.ip = l.address
join subnet s on s.no = r.subnet_no and s.tenant_no = l.tenant_no
where l.claimed is not true
  and (l.hw_address = decode(replace(r.mac::text, ':', ''), 'hex') or l.client_id = r.client_id
  or l.circuit_id = r.circuit_id) is not true"""

# Engine rule 12: what was excluded before the packets came is not granted or renewed for any of them.
GRANTED_IN_EXCLUDE = """
select host(e.address), e.kind from lease_event e join exclude x on e.address between x.start_ip and x.end_ip
join subnet s on s.no = x.subnet_no and s.tenant_no = e.tenant_no
where e.at >= $1 and e.kind in ('g', 'n')"""


@pytest.fixture
async def planned(pool: asyncpg.Pool) -> Network:
    async with pool.acquire() as connection:
        return await network.build(connection)


@contextlib.asynccontextmanager
async def quietly_serving(database: str, **fields: str) -> AsyncIterator[Wire]:
    """A server whose log must hold no failure in the end."""
    with structlog.testing.capture_logs() as log:
        async with serving(database, **fields) as wire:
            yield wire
    assert [line for line in log if line["event"] in FAILURES] == []


@pytest.fixture
async def wire(planned: Network, database: str) -> AsyncIterator[Wire]:
    async with quietly_serving(database) as wire:
        yield wire


def server_count(fuzz_count: int) -> int:
    """A packet through the server costs what five through the codec do."""
    return fuzz_count // 5


async def books_agree(wire: Wire) -> None:
    assert wire.counters()["kernel_drops"] == 0
    assert wire.received() + wire.malformed() == wire.sent
    assert wire.received() == wire.replied() + wire.dropped() + wire.ended(), wire.counters()


async def leases_are_lawful(pool: asyncpg.Pool, also: Iterable[IPv4Address] = ()) -> None:
    held = {row["address"] for row in await pool.fetch("select address from lease")}
    assert held <= LEASABLE.union(also)
    assert await pool.fetch(NOT_THE_OWNERS) == []
    assert await pool.fetch(STOLEN) == []
    assert await pool.fetch(HELD_TWICE) == []


def unanswerable(requests: Iterable[bytes]) -> int:
    return sum(isinstance(parse(data), Malformed) for data in requests)


def ignored(requests: Iterable[bytes]) -> Counter[str]:
    """By code: how many of the packets that can be read have something in such an option that is ignored."""
    read = (parse(data) for data in requests)
    return Counter(str(code) for said in read if isinstance(said, Message) for code in said.ignored)


def complaints(wire: Wire) -> Counter[str]:
    """What the oracle holds against the replies; of requests with one transaction id one must fit."""
    found: Counter[str] = Counter()
    for reply in wire.replies:
        verdicts = [check_reply(request, reply, strict_order=True) for request in wire.requests[reply[4:8]]]
        found.update(min(verdicts, key=len, default=["unasked: no request has this transaction id"]))
    return found


async def test_lawful_requests_get_lawful_replies(wire: Wire, pool: asyncpg.Pool, fuzz_count: int) -> None:
    await wire.exchange(traffic.lawful(SEED, server_count(fuzz_count)))
    assert complaints(wire) == {}
    assert {reply[242] for reply in wire.replies} == {2, 5, 6}
    await books_agree(wire)
    await leases_are_lawful(pool)


async def test_damaged_requests_harm_nobody(wire: Wire, pool: asyncpg.Pool, fuzz_count: int) -> None:
    packets = list(traffic.damaged(SEED + 1, server_count(fuzz_count)))
    await wire.exchange(packets)
    assert wire.malformed() == unanswerable(packets) > len(packets) // 9
    assert wire.counters()["ignored_options"] == ignored(packets)
    assert complaints(wire) == {}
    await books_agree(wire)
    await leases_are_lawful(pool)


async def test_hostile_sizes(wire: Wire) -> None:
    """Up to the receive buffer's 2,048 octets the datagram is read; cut ones count as too short, whatever they held."""
    expected: Counter[str] = Counter()
    for size in HOSTILE_SIZES:
        data = say.discover(b"\2hosti").with_relay("127.0.0.1").relay_port().padded_to(size).bytes()[:size]
        await wire.exchange([data] * AT_ONCE)
        fault = "too_short" if size < 240 or size > 2048 else "no_message_type" if size == 240 else ""
        expected.update({fault: AT_ONCE} if fault else {})
        assert (size, wire.counters()["drops"]) == (size, expected)
        assert len(wire.replies) == (0 if fault else AT_ONCE)
        assert complaints(wire) == {}
        wire.forget()
    await books_agree(wire)


async def test_octets_of_no_protocol(wire: Wire, pool: asyncpg.Pool) -> None:
    """Nothing like DHCP, of any length that a datagram may have."""
    rng = Random(SEED + 2)
    sizes = [*range(600), *(rng.randrange(65508) for _ in range(400))]
    await wire.exchange(rng.randbytes(size) for size in sizes)
    assert wire.malformed() == wire.sent
    assert wire.replies == []
    assert await pool.fetchval("select count(*) from lease_event") == 0


async def test_configuration_changes_under_damaged_requests(
    wire: Wire, planned: Network, pool: asyncpg.Pool, fuzz_count: int
) -> None:
    """Every few packets the subnet loses or gets back a reservation, an exclude or itself; decisions are made again."""
    packets = list(traffic.damaged(SEED + 3, server_count(fuzz_count)))
    step = max(1, len(packets) // 60)
    for number, start in enumerate(range(0, len(packets), step)):
        await change_plan(pool, planned, number)
        since = await pool.fetchval("select now()")
        await wire.exchange(packets[start : start + step])
        assert await pool.fetch(GRANTED_IN_EXCLUDE, since) == []
    assert wire.malformed() == unanswerable(packets)
    assert wire.counters()["ignored_options"] == ignored(packets)
    assert complaints(wire) == {}
    await books_agree(wire)
    await leases_are_lawful(pool, also=EXCLUDED_AT_FIRST)


async def change_plan(pool: asyncpg.Pool, planned: Network, number: int) -> None:
    hostname = {"hostname": f"{'printer' * (number % 8 + 1)}"}
    switches = {"dhcp_enabled": number % 5 != 4, "match_client_id": number % 2 == 0}
    async with pool.acquire() as connection:
        await crud.change(connection, RESERVATIONS, network.HOST, planned.reservation, hostname)
        await crud.change(connection, SUBNETS, network.HOST, planned.main, switches)
        await network.move_exclude(connection, planned, number)
