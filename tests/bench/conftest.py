"""Servers as `ipam bench` starts them, with a look into the database before it is thrown away."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import asyncpg
import pytest
from harness.memory_folder import memory_folder
from rich.console import Console
from system.conftest import pytest_runtest_setup as pytest_runtest_setup  # a test may need a peer here too

from dhcp_fast.bench.scenarios import dora, fill, sarr
from dhcp_fast.bench.scenarios.scenario import Contestant
from dhcp_fast.bench.servers import databases, servers
from dhcp_fast.bench.servers.audit import Audit
from dhcp_fast.bench.servers.servers import OurServer, Setup

WARM_UP = 600  # exchanges
HOLDERS = 2000  # clients of DHCPv6 that have a lease to renew


class Length(NamedTuple):
    """How long each scenario is: leases at its beginning, exchanges of a step."""

    held: int
    count: int


@pytest.fixture(scope="session")
def length(request: pytest.FixtureRequest) -> Length:
    held = int(request.config.getoption("--scenario-leases"))
    if held < 20 or held % 20:
        raise pytest.UsageError(
            "--scenario-leases: a multiple of 20, for a fifth of the exchanges are of new clients"
        )
    return Length(held, held * 3 // 4)


class Watched:
    """Our own server as a contestant. `written` are the events of all its starts by kind; `spoil` is run before
    the audit looks."""

    def __init__(self, spoil: str = "select 1") -> None:
        self.spoil = spoil
        self.written: dict[str, int] = {}
        self.setups: list[Setup] = []

    @contextmanager
    def start(self, setup: Setup) -> Iterator[OurServer]:
        self.setups.append(setup)
        with servers.ours(setup) as server:
            yield Spoiled(**vars(server), watched=self)

    def contestant(self) -> Contestant:
        return Contestant("ipam", self.start)

    async def look(self, dsn: str) -> None:
        connection = await asyncpg.connect(dsn)
        rows = await connection.fetch("select kind::text, count(*) from lease_event group by 1")
        for kind, count in rows:
            self.written[kind] = self.written.get(kind, 0) + count
        await connection.execute(self.spoil)
        await connection.close()


class Spoiled(OurServer):
    def __init__(self, watched: Watched, **fields: object) -> None:
        super().__init__(**fields)  # type: ignore[arg-type]  # fields by name
        self.watched = watched

    def verdict(self, log: bytes, seed: int) -> Audit | None:
        asyncio.run(self.watched.look(self.dsn))
        return super().verdict(log, seed)


@pytest.fixture(autouse=True)
def light_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody reads these figures: the databases may lie in memory, little of their log is written ahead, servers are
    hardly warm and driven by few turns, and few clients hold a lease of DHCPv6 before they renew it."""
    monkeypatch.setattr(databases, "FOLDER", Path(memory_folder() or databases.FOLDER))
    monkeypatch.setattr(databases, "RECYCLED_SEGMENTS", 12)
    monkeypatch.setattr(fill, "WARM_UP", 200)
    monkeypatch.setattr(fill, "TURNS", 4)
    for scenario in (dora, sarr):
        monkeypatch.setattr(scenario, "WARM_UP", WARM_UP)
    monkeypatch.setattr(sarr, "HOLDERS", HOLDERS)


@pytest.fixture
def watched() -> Watched:
    return Watched()


@pytest.fixture
def console() -> Console:
    return Console(file=StringIO(), width=160)
