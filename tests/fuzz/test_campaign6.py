"""DHCPv6 messages by the million, half of them mutants: codec against oracle, then through a real server to a real
database; see test_campaign.py, whose options it takes.

Invariants: those of test_against_oracle6.py and of test_server6.py, judged a round at a time.
"""

from collections import Counter
from collections.abc import AsyncIterator

import pytest
from engine6.site6 import Site6
from fuzz import traffic6
from fuzz.test_campaign import PLAIN, rounds
from fuzz.test_server6 import (
    Wire6,
    complaints,
    ignored,
    leases_are_lawful,
    planned,
    quietly_serving,
    server_duid,
)
from wire.test_against_oracle6 import agree, read


@pytest.fixture
async def site(database: str) -> AsyncIterator[Site6]:
    async with planned(database) as site:
        yield site


@pytest.fixture
async def wire(site: Site6, database: str) -> AsyncIterator[Wire6]:
    async with quietly_serving(database) as wire:
        yield wire


async def test_campaign(wire: Wire6, site: Site6, request: pytest.FixtureRequest) -> None:
    total = request.config.getoption("--campaign") or PLAIN
    server = await server_duid(wire)
    malformed, passed_over = wire.malformed(), Counter[str]()
    for seed, size in rounds(total, request.config.getoption("--campaign-seed")):
        packets = list(traffic6.damaged(seed, size, server))
        for data in packets:
            agree(data)
        await wire.exchange(packets)
        malformed += sum(isinstance(read(data), str) for data in packets)
        passed_over += ignored(packets)
        assert complaints(wire, server) == {}, f"round {seed}"
        assert wire.malformed() == malformed, f"round {seed}"
        assert wire.counters()["ignored_options"] == passed_over, f"round {seed}"
        assert wire.books_agree(), wire.counters()
        await leases_are_lawful(site)
        await begin_anew(wire, site)
    assert malformed > total // 6
    assert sum(wire.counters()["replied"].values()) > total // 5


async def begin_anew(wire: Wire6, site: Site6) -> None:
    """History is judged with its round; the leases stay for the next one. (History is append-only, by triggers.)"""
    wire.forget()
    async with site.connection.transaction():
        await site.connection.execute("set local session_replication_role = replica")
        await site.connection.execute("truncate lease_event")
    print(f"{wire.sent:,} packets, {wire.counters()['replied']}, {wire.counters()['drops']}", flush=True)
