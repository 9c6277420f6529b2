"""Packets of every kind through a real server to a real database.

Invariants, whatever comes: the server lives. What the oracle calls malformed gets no answer. Each packet is answered,
written or counted as dropped, and the sums agree. An answer obeys the RFC. No lease stands on an address that nobody
may have, none is granted while another client holds it, and no batch fails as a whole.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterable

import asyncpg
import pytest
import structlog
from fuzz import network, traffic
from fuzz.network import LEASABLE, Network
from fuzz.served import Wire, serving
from oracle.message4 import parse
from oracle.options4 import Malformed
from oracle.replies4 import check_reply

SEED = 7_001

# Writes that PostgreSQL could not take, protocol that was lost: none may happen for anything a packet says.
FAILURES = {"lease statement failed", "a lease row was refused as such", "lease writer lost the protocol"}

STOLEN = """
select host(address) from (
  select address, kind, client_key, at, lag(state) over history as was, lag(client_key) over history as of,
    lag(reuse_at) over history as until
  from lease_event window history as (partition by tenant_no, address order by version)) h
where kind = 'g' and was = 'a' and client_key <> of and at < until"""

HELD_TWICE = """
select encode(client_key, 'hex') from lease where state = 'a' and expires_at > now()
group by tenant_no, subnet_no, client_key having count(*) > 1"""


@pytest.fixture
async def planned(pool: asyncpg.Pool) -> Network:
    async with pool.acquire() as connection:
        return await network.build(connection)


@pytest.fixture
async def wire(planned: Network, database: str) -> AsyncIterator[Wire]:
    with structlog.testing.capture_logs() as log:
        async with serving(database) as wire:
            yield wire
    assert [line for line in log if line["event"] in FAILURES] == []


def server_count(fuzz_count: int) -> int:
    """A packet through the server costs what ten through the codec do."""
    return fuzz_count // 10


async def books_agree(wire: Wire) -> None:
    assert wire.counters()["kernel_drops"] == 0
    assert wire.received() + wire.malformed() == wire.sent
    assert wire.received() == wire.replied() + wire.dropped() + wire.ended(), wire.counters()


async def leases_are_lawful(pool: asyncpg.Pool) -> None:
    held = {row["address"] for row in await pool.fetch("select address from lease")}
    assert held <= LEASABLE
    assert await pool.fetch(STOLEN) == []
    assert await pool.fetch(HELD_TWICE) == []


def unanswerable(requests: Iterable[bytes]) -> int:
    return sum(isinstance(parse(data), Malformed) for data in requests)


def complaints(wire: Wire) -> Counter[str]:
    """What the oracle holds against the replies; of requests with one transaction id one must fit."""
    found: Counter[str] = Counter()
    for reply in wire.replies:
        verdicts = [check_reply(request, reply) for request in wire.requests[reply[4:8]]]
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
    assert wire.malformed() == unanswerable(packets) > len(packets) // 20
    assert complaints(wire) == {}
    await books_agree(wire)
    await leases_are_lawful(pool)
