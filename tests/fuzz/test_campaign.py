"""Mutated packets by the million: codec against oracle, then through a real server to a real database.

    pytest tests/fuzz/test_campaign.py --campaign 1000000                        # the extensions as they are
    pytest tests/fuzz/test_sanitized.py -k campaign --campaign 10000000          # and under the sanitizers
    pytest ... --campaign-seed 7                                                 # other packets

Invariants: those of test_against_oracle.py and of test_server.py, for every packet. They are judged a round at a time,
so that memory stays flat however long it takes. A failure names its round; the same seed makes the same packets.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterator

import asyncpg
import pytest
from fuzz import network, traffic
from fuzz.served import Wire
from fuzz.test_server import (
    books_agree,
    complaints,
    ignored,
    leases_are_lawful,
    quietly_serving,
    unanswerable,
)
from wire.test_against_oracle import agree

ROUND = 10_000
PLAIN = 2_000
APART = 1_000_003  # seeds of two campaigns are so far apart


@pytest.fixture
async def planned(pool: asyncpg.Pool) -> None:
    async with pool.acquire() as connection:
        await network.build(connection)


@pytest.fixture
async def wire(planned: None, database: str) -> AsyncIterator[Wire]:
    async with quietly_serving(database) as wire:
        yield wire


@pytest.fixture
async def bootp_wire(planned: None, database: str) -> AsyncIterator[Wire]:
    async with quietly_serving(database, dhcp4_bootp="any") as wire:
        yield wire


def rounds(total: int, seed: int) -> Iterator[tuple[int, int]]:
    """Seed and size of each round."""
    for number, start in enumerate(range(0, total, ROUND)):
        yield seed * APART + number, min(ROUND, total - start)


async def test_campaign(wire: Wire, pool: asyncpg.Pool, request: pytest.FixtureRequest) -> None:
    total = request.config.getoption("--campaign") or PLAIN
    malformed, passed_over = 0, Counter[str]()
    for seed, size in rounds(total, request.config.getoption("--campaign-seed")):
        packets = list(traffic.wounded(seed, size))
        for data in packets:
            agree(data)
        await wire.exchange(packets)
        malformed += unanswerable(packets)
        passed_over += ignored(packets)
        assert complaints(wire) == {}, f"round {seed}"
        assert wire.malformed() == malformed, f"round {seed}"
        assert wire.counters()["ignored_options"] == passed_over, f"round {seed}"
        await books_agree(wire)
        await leases_are_lawful(pool)
        await begin_anew(wire, pool)
    assert malformed > total // 4
    assert wire.ended() + wire.replied() > total // 20


async def test_campaign_with_bootp_clients(
    bootp_wire: Wire, pool: asyncpg.Pool, request: pytest.FixtureRequest
) -> None:
    """A tenth of the packets to a server that takes those without cookie or message type for BOOTP's."""
    total = (request.config.getoption("--campaign") or PLAIN) // 10
    unanswered = 0
    for seed, size in rounds(total, request.config.getoption("--campaign-seed") + 1):
        packets = list(traffic.wounded(seed, size))
        await bootp_wire.exchange(packets)
        unanswered += unanswerable(packets)
        await books_agree(bootp_wire)
        await leases_are_lawful(pool)
        await begin_anew(bootp_wire, pool)
    bootp = bootp_wire.counters()["received"]["bootp"]
    assert bootp > total // 20
    assert bootp_wire.malformed() + bootp == unanswered
    assert bootp_wire.counters()["replied"]["bootp"] > 0


async def begin_anew(wire: Wire, pool: asyncpg.Pool) -> None:
    """History is judged with its round; the leases stay for the next one. (History is append-only, by triggers.)"""
    wire.forget()
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("set local session_replication_role = replica")
        await connection.execute("truncate lease_event")
    print(f"{wire.sent:,} packets, {wire.replied():,} replies, {wire.counters()['drops']}", flush=True)
