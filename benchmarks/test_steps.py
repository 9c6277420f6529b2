"""Micro benchmarks of the packet path's steps, by pytest-benchmark; times are of one repetition.

    .venv/bin/python -m pytest benchmarks/test_steps.py --benchmark-columns=median,iqr,ops

Each loop runs in C (tests/extensions/bench_steps.pyx). The counts of instructions, which a busy machine does not
change, are benchmarks/instructions.py's.
"""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network
from typing import Any

import pytest
from extensions.bench_steps import Fill, Table, Walk
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.common_path import CLOCK, Clients
from dhcp_fast.engine.engine import Engine, boot_clock
from dhcp_fast.pg.bind import BatchEncoder
from dhcp_fast.plan.compile import SubnetView
from dhcp_fast.plan.pool_row import PoolRow
from dhcp_fast.plan.tenant_view import TenantView

KEY = (3, 4)
TENANT = 1
TIMES = 4096
RELAY = int(IPv4Address("127.0.0.1"))
NETWORK = int(IPv4Address("10.0.0.0"))
POOL = 1 << 16
FILLS = (0.0, 0.5, 0.99, 0.9999)
OPTIONS = [
    (3, bytes(4), False, None),
    (6, bytes(8), False, None),
    (15, b"example.net", False, None),
    (28, bytes(4), False, None),
    (42, bytes(8), False, None),
]


def fields(number: int, reservations: int = 0) -> dict[str, Any]:
    """Return a /16 as a snapshot describes it."""
    network = IPv4Network((NETWORK + (number << 16), 16))
    first = int(network.network_address)
    return {
        "no": number + 1,
        "fence": 1,
        "network": first,
        "mask": int(network.netmask),
        "gateway": first + 1,
        "dhcp_enabled": True,
        "authoritative": True,
        "match_client_id": False,
        "rapid_commit": False,
        "ping_check": False,
        "lease_time_seconds": 3600,
        "min_lease_time_seconds": None,
        "max_lease_time_seconds": None,
        "renew_time_seconds": None,
        "rebind_time_seconds": None,
        "decline_quarantine_seconds": 86400,
        "reuse_margin_seconds": 10,
        "cache_threshold": 0.25,
        "next_server": None,
        "next_server_address": None,
        "boot_file": None,
        "ddns_enabled": False,
        "ddns_override_no_update": False,
        "ddns_override_client_update": False,
        "ddns_replace_client_name": "never",
        "ddns_domain": None,
        "ddns_client_domains": None,
        "ddns_generated_prefix": None,
        "options": [(1, network.netmask.packed, False, None), *OPTIONS],
        "pools": [PoolRow(number + 1, first + 16, first + 0xFFF0)],
        "forbidden": [],
        "reservations": [
            (first + 0xFFF1 + n % 8, [b"\x01\x01\x06" + n.to_bytes(5, "big")], None, [])
            for n in range(reservations)
        ],
    }


def engine(subnets: int) -> Engine:
    """Return the engine. The first subnet is the relay's; the others are there to be searched through."""
    made = Engine(KEY)
    made.plan.set_relays([(RELAY, 0xFFFFFFFF, 0)], TENANT)
    tenant = TenantView(TENANT, [])
    for number in range(subnets):
        made.put_subnet(SubnetView(tenant, KEY, fields(number)), [RELAY] if number == 0 else [], [])
    now = boot_clock()
    made.set_clock(CLOCK, now, now)
    return made


@pytest.fixture
def repeat(benchmark: BenchmarkFixture) -> Callable[..., None]:
    """Run a loop of TIMES repetitions; the reported time is that of one repetition."""

    def run(loop: Callable[[int], int]) -> None:
        done = benchmark.pedantic(loop, args=(TIMES,), rounds=50, warmup_rounds=3)
        assert done == TIMES
        benchmark.extra_info["repetitions a round"] = TIMES
        per_repetition(benchmark)

    return run


def per_repetition(benchmark: BenchmarkFixture) -> None:
    stats = benchmark.stats.stats
    stats.data[:] = [seconds / TIMES for seconds in stats.data]


@pytest.fixture(params=[1, 200])
def walk(request: pytest.FixtureRequest) -> Walk:
    return Walk(engine(request.param), Clients().discover(1))


@pytest.mark.parametrize("step", ["parse", "identify", "choose", "build"])
def test_discover(step: str, walk: Walk, repeat: Callable[..., None]) -> None:
    repeat(getattr(walk, step))


def test_encode(repeat: Callable[..., None]) -> None:
    walk, encoder = Walk(engine(1), Clients().discover(1)), BatchEncoder()
    repeat(lambda times: walk.encode(encoder, times))


@pytest.mark.parametrize("sequential", [False, True], ids=["hashed", "sequential"])
@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("bits", [16, 24], ids=["/16", "/8"])
def test_allocate(bits: int, fill: float, sequential: bool, repeat: Callable[..., None]) -> None:
    size = 1 << bits
    repeat(Fill(size, min(int(size * fill), size - 1), sequential).allocate)


@pytest.mark.parametrize("leases", [10**3, 10**4, 10**5, 10**6, 10**7])
def test_lease_table(leases: int, repeat: Callable[..., None]) -> None:
    repeat(Table(leases).find)


@pytest.mark.parametrize("reservations", [0, 100, 10_000])
def test_snapshot_of_a_subnet(reservations: int, benchmark: BenchmarkFixture) -> None:
    """Compile the description to C structs; the reading of the rows is PostgreSQL's and asyncpg's."""
    tenant, described = TenantView(TENANT, []), fields(0, reservations)
    view = benchmark(SubnetView, tenant, KEY, described)
    assert view.no == 1
