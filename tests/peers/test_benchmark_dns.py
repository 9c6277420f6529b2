"""What benchmarks/dns.py drives starts, answers and is measured: ours as a process, and those it is compared with."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from benchmarks.dns import folder_of_a_run, main, percentile, questions
from benchmarks.dns_servers import FORWARD, REVERSE, Site, memory, postgres, servers, zones_of

pytestmark = pytest.mark.peers

NAMES = 20


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    with folder_of_a_run() as folder:
        async with postgres(folder) as made:
            yield made


async def test_each_serves_the_zones(site: Site, tmp_path: Path) -> None:
    async with contextlib.AsyncExitStack() as stack:
        for kind, server in servers(site, zones_of(NAMES)).items():
            (tmp_path / kind).mkdir()
            peer = await stack.enter_async_context(server(tmp_path / kind))
            assert await peer.ask(f"h19.{FORWARD}", "A") == {"10.0.0.19"}, kind
            assert await peer.ask(f"19.0.0.{REVERSE}", "PTR") == {f"h19.{FORWARD}."}, kind
            assert await peer.ask(f"none3.{FORWARD}", "A") == set(), kind
            assert memory(peer.pid) > 1_000_000, kind


def test_questions_have_answers_mostly() -> None:
    lines = list(questions(NAMES))
    there = [line for line in lines if not line.startswith(("none", "x."))]
    assert len(there) == len(lines) * 9 // 10
    assert sum(line.endswith(" PTR\n") for line in there) == len(there) // 2


def test_a_short_run(capsys: pytest.CaptureFixture[str]) -> None:
    """All three parts, with figures for each server."""
    main(["--names", "200", "--seconds", "1", "--rounds", "2", "--changes", "3", "--rate", "100"])
    said = capsys.readouterr().out
    for kind in ("ours", "powerdns", "nsd", "knot"):
        assert len([line for line in said.splitlines() if line.startswith(f"{kind} ")]) == 3, said
    assert "nan" not in said
    assert "change to answer: median" in said
    assert "100 leases within" in said
    assert ", names by embedded; 0 without one" in said
    assert "lease to adapter: median" in said


def test_percentiles() -> None:
    assert percentile(map(float, range(1000, 0, -1))) == 991
    assert percentile([7.0]) == 7
