"""Each scenario once, small, against a real server on a real PostgreSQL: is what it says what happened?

The counts of events in the lease history are the database's own word for how many exchanges there were.
"""

import json
from collections.abc import Callable
from io import StringIO
from ipaddress import IPv4Network
from itertools import pairwise
from pathlib import Path
from statistics import median

import asyncpg
import pytest
from bench.conftest import HOLDERS, WARM_UP, Length, Watched
from rich.console import Console

from dhcp_fast.bench import bench
from dhcp_fast.bench.report.tables import print_figures
from dhcp_fast.bench.scenarios import SCENARIOS, scale
from dhcp_fast.bench.scenarios import fill as fill_module
from dhcp_fast.bench.scenarios.bench_options import BenchOptions
from dhcp_fast.bench.scenarios.soak import SHARES
from dhcp_fast.bench.servers import bench_plan
from dhcp_fast.bench.servers.checkpointing import Checkpoint

pytestmark = pytest.mark.long

Ask = Callable[..., BenchOptions]


@pytest.fixture
def ask(length: Length) -> Ask:
    """ask(scenario, field=...): the options of a run."""

    def options(name: str, **more: object) -> BenchOptions:
        told = {"scenarios": (name,), "exchanges": length.count, "windows": (16,), "leases": length.held}
        return BenchOptions(**(told | more))  # type: ignore[arg-type]  # fields by name

    return options


def test_dora_and_half_of_its_rate(ask: Ask, length: Length, watched: Watched, console: Console) -> None:
    found = SCENARIOS["dora"].measure(watched.contestant(), ask("dora", windows=(8, 32)), console)
    assert [step.label for step in found.steps] == ["8 in flight", "32 in flight", "half the rate of 32"]
    assert [step.exchanges for step in found.steps] == [length.count] * 3
    full, half = found.steps[1:]
    assert half.offered_per_second == int(full.per_second / 2)
    assert half.per_second < full.per_second
    assert (found.clean, watched.written) == (True, {"g": WARM_UP + 3 * length.count})
    assert all(
        step.latency_ms["p50"] <= step.latency_ms["p99"] <= step.latency_ms["max"] for step in found.steps
    )


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("renew", lambda held, count: {"g": held, "n": held + count}),
        ("early", lambda held, count: {"g": held}),
        ("mixed", lambda held, count: {"g": held + (held + count) // 5, "n": (held + count) * 4 // 5}),
        ("churn", lambda held, count: {"g": 2 * held + count, "r": held + count}),
    ],
)
def test_the_steady_state(
    name: str,
    written: Callable[[int, int], dict[str, int]],
    ask: Ask,
    length: Length,
    watched: Watched,
    console: Console,
) -> None:
    """A warm-up of as many exchanges as there are leases, then the step."""
    found = SCENARIOS[name].measure(watched.contestant(), ask(name), console)
    (step,) = found.steps
    assert (step.exchanges, step.drops, step.naks) == (length.count, 0, 0)
    assert step.per_second > 0
    assert found.clean, found.verdict
    assert watched.written == written(*length)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("sarr", lambda count: {"g": WARM_UP + 2 * count}),
        ("sarr-pd", lambda count: {"g": 2 * (WARM_UP + 2 * count)}),
        ("renew6", lambda count: {"g": HOLDERS, "n": 2 * count}),
    ],
)
def test_dhcpv6(
    name: str,
    written: Callable[[int], dict[str, int]],
    ask: Ask,
    length: Length,
    watched: Watched,
    console: Console,
) -> None:
    """A lease row for each address and each prefix."""
    found = SCENARIOS[name].measure(watched.contestant(), ask(name, windows=(8, 32)), console)
    assert [(step.exchanges, step.drops, step.naks) for step in found.steps] == [(length.count, 0, 0)] * 2
    assert found.clean, found.verdict
    assert watched.written == written(length.count)


@pytest.mark.parametrize("reboot", [False, True])
def test_an_avalanche_is_over_when_the_last_client_has_its_address(
    ask: Ask, length: Length, reboot: bool, watched: Watched, console: Console
) -> None:
    asked = ask("avalanche", clients=length.held, reboot=reboot)
    found = SCENARIOS["avalanche"].measure(watched.contestant(), asked, console)
    (step,) = found.steps
    assert (step.exchanges, step.in_flight, found.facts["unserved"]) == (length.held, length.held, 0)
    assert float(found.facts["all_served_s"]) == pytest.approx(length.held / step.per_second, abs=0.01)
    assert float(found.facts["worst_wait_s"]) <= float(found.facts["all_served_s"]) + 0.02
    assert found.clean, found.verdict
    assert watched.written == {"g": length.held, "n": length.held} if reboot else {"g": 2 * length.held}


def test_a_pool_stays_as_full_as_it_is(ask: Ask, watched: Watched, console: Console) -> None:
    """A /24 has 253 addresses to give; at 99.9 % not one would be free. New clients fill it up from 90 to 95 %."""
    asked = ask("fill", exchanges=50, windows=(16,), pools=(24,), fills=(95.0, 90.0, 99.9))
    found = SCENARIOS["fill"].measure(watched.contestant(), asked, console)
    assert [(setup.leases, setup.given_back) for setup in watched.setups] == [(12, 241), (228, 25)] * 2
    assert [setup.sequential for setup in watched.setups] == [False] * 2 + [True] * 2
    turns = fill_module.TURNS * 50
    assert [(step.label, step.exchanges) for step in found.steps] == [
        (f"/24 {kind} {fill} %, {window} in flight", turns)
        for kind in ("hashed", "sequential")
        for fill, window in ((0, 3), (0, 6), (90, 6), (95, 3))
    ]
    for step in found.steps:
        assert 0.1 < float(step.facts["of_empty"]) < 10
        assert step.facts["fill"] or step.facts["of_empty"] == 1.0
    assert found.clean, found.verdict
    # A client that is told NAK has taken nobody's place.
    given_back = sum(setup.given_back for setup in watched.setups)
    standing = watched.written["g"] - (watched.written["r"] - given_back)
    filled_up = 2 * (241 - 228)
    assert 0 <= sum(setup.leases for setup in watched.setups) + filled_up - standing < 100


def test_a_pool_that_does_not_fill_up_is_told_of(
    ask: Ask, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fill_module, "FILLING_TRIES", 0)
    printed = StringIO()
    peer = watched.contestant()._replace(is_peer=True)  # one kind of pool
    asked = ask("fill", exchanges=50, windows=(16,), pools=(24,), fills=(90.0, 95.0))
    SCENARIOS["fill"].measure(peer, asked, Console(file=printed, width=160))
    assert "/24 sequential: 13 leases short of 95 %" in printed.getvalue()


def test_a_pool_whose_free_addresses_nobody_had(ask: Ask, watched: Watched, console: Console) -> None:
    """The empty one's table is then as large by leases of others."""
    asked = ask("fill", exchanges=50, windows=(16,), pools=(24,), fills=(95.0,), fresh=True)
    found = SCENARIOS["fill"].measure(watched.contestant(), asked, console)
    assert [(setup.leases, setup.given_back, setup.elsewhere) for setup in watched.setups] == [
        (6, 0, 241),
        (241, 0, 0),
    ] * 2
    assert found.clean, found.verdict


def test_a_pool_that_is_full_of_excludes(
    ask: Ask, watched: Watched, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fill_module, "LEASED_AMONG_EXCLUDES", 20)
    asked = ask("fill", exchanges=50, windows=(16,), pools=(24,), fills=(95.0, 90.0), excluded=True)
    found = SCENARIOS["fill"].measure(watched.contestant(), asked, console)
    taken = [228, 241]
    assert [(setup.leases, setup.excluded, setup.given_back) for setup in watched.setups] == [
        (12, 0, 0),
        *((20, full - 20, 0) for full in taken),
    ] * 2
    assert [step.facts["fill"] for step in found.steps] == [0, 0, 90, 95] * 2
    assert found.clean, found.verdict


@pytest.mark.parametrize(("is_peer", "fill"), [(True, 95.0), (False, 99.9)])
def test_nothing_to_measure_is_said(ask: Ask, is_peer: bool, fill: float, watched: Watched) -> None:
    """A peer has no pool that is full of excludes; at 99.9 % a /24 has not one address free."""
    contestant = watched.contestant()._replace(is_peer=is_peer)
    printed = StringIO()
    console = Console(file=printed, width=160)
    asked = ask("fill", pools=(24,), fills=(fill,), excluded=True)
    found = SCENARIOS["fill"].measure(contestant, asked, console)
    assert (found.steps, found.clean, watched.setups) == ([], True, [])
    print_figures(found, console)
    said = "fill: ipam: no requested scenario can be measured with it"
    assert " ".join(printed.getvalue().split()) == said


async def test_excludes_leave_so_many_addresses_open(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_plan, "MOST_RUNS", 7)
    await bench_plan.insert_single(database, IPv4Network("10.0.0.0/24"), excluded=200)
    connection = await asyncpg.connect(database)
    rows = await connection.fetch(
        "select start_ip::inet as first, end_ip::inet as last from exclude order by 1"
    )
    await connection.close()
    assert len(rows) == 7
    assert sum(int(row["last"]) - int(row["first"]) + 1 for row in rows) == 200
    opened = [int(after["first"]) - int(row["last"]) - 1 for row, after in pairwise(rows)]
    assert set(opened) == {7, 8}


def test_a_soak_tells_of_memory_and_tables(ask: Ask, watched: Watched, console: Console) -> None:
    asked = ask("soak", exchanges=0, seconds=3.0)
    found = SCENARIOS["soak"].measure(watched.contestant(), asked, console)
    assert [step.label for step in found.steps][-3:] == list(SHARES)
    assert [step.offered_per_second for step in found.steps][:2] == [0, 0]
    assert found.steps[2].offered_per_second == int(found.steps[0].per_second / 2)
    assert all(step.exchanges > 0 for step in found.steps)
    assert found.samples
    assert all(float(sample["server_pss_mib"]) > 1 for sample in found.samples)
    assert {"hot_random_order", "hot_granting_order", "server_private_growth", "table_growth"} <= set(
        found.facts
    )
    assert found.clean, found.verdict
    renewed = sum(step.exchanges for step in found.steps if step.label in ("granting", "random"))
    assert watched.written["n"] >= renewed


def test_a_lease_that_is_gone_is_found(
    ask: Ask,
    watched: Watched,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The exit code is 1, and the report says so too."""
    watched.spoil = "delete from lease where address = (select min(address) from lease)"
    monkeypatch.setattr(bench, "contestants", lambda *_: [watched.contestant()])
    report = tmp_path / "report.json"
    assert bench.bench(ask("renew", report=report)) == 1
    (found,) = json.loads(report.read_text())["results"]
    assert not found["clean"]
    assert "missing 1" in found["verdict"]
    assert "NOT CLEAN" in capsys.readouterr().out


@pytest.mark.peer("kea")
def test_kea_begins_with_the_same_leases(
    ask: Ask, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It renews them without a NAK, so it knows them; ratios are of the same load."""
    report = tmp_path / "report.json"
    asked = ask("renew", peer="kea", exchanges=200, leases=200, report=report)
    assert bench.bench(asked) == 0
    found = json.loads(report.read_text())
    servers = [result["server"] for result in found["results"]]
    assert servers == ["ipam", "Kea, PostgreSQL", "Kea, memory file"]
    steps = [result["steps"][0] for result in found["results"]]
    assert [(step["exchanges"], step["naks"], step["drops"]) for step in steps] == [(200, 0, 0)] * 3
    own, *others = (step["per_second"] for step in steps)
    for server, rate in zip(servers[1:], others, strict=True):
        assert found["ratios"]["renew"][server]["16 in flight"] == pytest.approx(own / rate, abs=0.01)
    assert "All in one" in capsys.readouterr().out


@pytest.mark.peer("kea")
def test_kea_serves_dhcpv6_beside_ours(ask: Ask, tmp_path: Path) -> None:
    """Addresses and prefixes, in both of its ways of keeping leases; ratios are of the same load."""
    report = tmp_path / "report.json"
    asked = ask("sarr-pd", peer="kea", exchanges=200, report=report)
    assert bench.bench(asked) == 0
    found = json.loads(report.read_text())
    assert [result["server"] for result in found["results"]] == [
        "ipam",
        "Kea, PostgreSQL",
        "Kea, memory file",
    ]
    steps = [result["steps"][0] for result in found["results"]]
    assert [(step["exchanges"], step["naks"], step["drops"]) for step in steps] == [(200, 0, 0)] * 3
    assert set(found["ratios"]["sarr-pd"]) == {"Kea, PostgreSQL", "Kea, memory file"}


def test_a_large_site_beside_a_small_one(
    ask: Ask, length: Length, watched: Watched, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scale, "CHANGES", 2)
    asked = ask("scale", subnets=30, reservations=90)
    found = SCENARIOS["scale"].measure(watched.contestant(), asked, console)
    assert [(setup.leases, setup.subnets) for setup in watched.setups] == [
        (length.held, 0),
        (0, 30),
        (length.held, 30),
    ]
    turns = [", 1", ", 2", ", 3", ", a cycle", " at a rate, 1", " at a rate, 2", " at a rate, 3"]
    assert [step.label for step in found.steps] == [
        f"{site} site: {kind}{turn}"
        for kind in ("renewals", "new clients")
        for turn in turns
        for site in ("small", "large")
    ]
    assert [(step.exchanges, step.drops, step.naks) for step in found.steps] == [(length.count, 0, 0)] * 28
    assert found.clean, found.verdict
    # Both sites' warm-up and renewals, and their new clients.
    each = length.held + len(turns) * length.count
    assert watched.written == {"g": 2 * each, "n": 2 * each}
    facts = {name: float(value) for name, value in found.facts.items()}
    assert facts["ready_s"] > 0
    for kind in ("change", "wide_change"):
        assert 0 < facts[f"{kind}_longest_wait_ms"] < 1000 < 60_000 > facts[f"{kind}_served_ms"] > 0
        assert 0 < facts[f"{kind}_longest_work_ms"] < 1000
    offered = {step.offered_per_second for step in found.steps[8:14]}
    assert offered == {int(0.75 * median(step.per_second for step in found.steps[1:6:2]))}
    small, large = found.steps[6:8]
    assert facts["renewals_cycle_time_times"] == pytest.approx(small.per_second / large.per_second, abs=0.001)


def test_a_checkpoint_within_a_step(database: str) -> None:
    """It is known to have been over only when it was."""
    with Checkpoint(database, after=0.0) as halfway:
        halfway.thread.join()
    assert halfway.seconds is not None
    with Checkpoint(database, after=60.0) as too_late:
        pass
    assert too_late.seconds is None


def test_workers_tell_of_memory_feed_and_storm(watched: Watched, console: Console) -> None:
    """Not in brief: what so few leases cost would not stand out of a clock of ten milliseconds."""
    asked = BenchOptions(scenarios=("workers",), leases=3000, workers=2, exchanges=500)
    figures = SCENARIOS["workers"].measure(watched.contestant(), asked, console)
    assert figures.clean, figures.verdict
    assert [setup.workers for setup in watched.setups] == [2]
    (step,) = figures.steps
    assert (step.label, step.exchanges + step.naks) == ("2 workers", 500)
    assert 0 < float(step.facts["supervisor_mib"]) < float(step.facts["host_mib"])
    assert all(f"feed_{owner}_us" in step.facts for owner in ("postgresql", "workers", "supervisor"))
    assert float(step.facts["feed_workers_us"]) > 0
