"""Benchmark of the DNS server: queries per second beside others, and the delay of changes and of
leases' names.

    tests/system/fetch_peers.sh dns
    .venv/bin/python -m benchmarks.dns                              # all three, ten minutes
    .venv/bin/python -m benchmarks.dns --only queries --seconds 10 --rounds 3 --names 100000
    .venv/bin/python -m benchmarks.dns --only changes --changes 50
    .venv/bin/python -m benchmarks.dns --only names --rate 1000 --seconds 20 --adapter embedded

* queries: ours, PowerDNS (on PostgreSQL, its caches on), NSD and Knot serve the same number of names
  and pointers.
  All run at once and are asked by turns; nine of ten questions have an answer.
  Memory is that of the server's processes after the questions (PSS; PostgreSQL's is not counted),
  less that of the same server with ten names.
* changes: the API changes a record, in zones with that number of names; the delay until `ipam dns`
  answers it.
* names: leases are written at a rate; the delay until a worker's adapter has written their names,
  and until they are answered (dns_names.py).

The figures are valid on a quiet machine only, and dnsperf takes its part of it.
"""

import argparse
import asyncio
import contextlib
import math
import os
import re
import statistics
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from benchmarks.dns_changes import measure_changes
from benchmarks.dns_names import ADAPTERS, measure_names
from benchmarks.dns_servers import (
    FORWARD,
    REVERSE,
    Peer,
    PeerMissingError,
    Server,
    Site,
    environment,
    memory,
    postgres,
    program,
    servers,
    zones_of,
)

PARTS = ("queries", "changes", "names")
QUESTIONS = 100_000
FEW = 10  # names of the servers whose memory is taken off
WARM_SECONDS = 2
LATENCY = re.compile(r"^> \S+ .* ([\d.]+)$", re.MULTILINE)  # of one query
LINES = (
    r"Queries per second:\s+([\d.]+)",
    r"Queries lost:\s+(\d+)",
    r"Average Latency \(s\):\s+([\d.]+)",
)


class Turn(NamedTuple):
    """Result of dnsperf for one server in one round; latencies in milliseconds."""

    rate: float
    lost: int
    average: float
    p99: float


def questions(names: int) -> Iterator[str]:
    """Yield questions for names and pointers by turns; one in ten of each is of none."""
    drawn = Random(1)  # noqa: S311 - the same questions to each
    for n in range(QUESTIONS):
        number, there = drawn.randrange(names), n % 20 // 2 != 9
        if n % 2:
            yield f"{'h' if there else 'none'}{number}.{FORWARD} A\n"
        else:
            owner = f"{number & 255}.{number >> 8 & 255}.{number >> 16 & 255}"
            yield f"{owner if there else f'x.{owner}'}.{REVERSE} PTR\n"


def ask(port: int, file: Path, seconds: int, clients: int, *more: str) -> str:
    """Return the output of dnsperf. Raises PeerMissingError."""
    command = [str(program("dnsperf")), "-s", "127.0.0.1", "-p", str(port), "-d", str(file)]
    command += ["-l", str(seconds), "-c", str(clients), *more]
    return subprocess.run(command, env=environment(), capture_output=True, text=True, check=True).stdout


def measure(port: int, file: Path, seconds: int, clients: int) -> Turn:
    """Measure the latencies of each query in a run of their own, because recording them costs dnsperf some of its
    speed."""
    said = ask(port, file, seconds, clients)
    rate, lost, average = (float(re.findall(line, said)[0]) for line in LINES)
    each = ask(port, file, max(1, seconds // 3), clients, "-v")
    return Turn(rate, int(lost), 1000 * average, 1000 * percentile(map(float, LATENCY.findall(each))))


def percentile(sample: Iterable[float], part: float = 0.99) -> float:
    """Return the percentile; NaN without values."""
    found = sorted(sample)
    return found[min(len(found) - 1, int(len(found) * part))] if found else math.nan


@contextlib.contextmanager
def folder_of_a_run() -> Iterator[Path]:
    """Provide a folder that the account of the embedded PostgreSQL can pass through."""
    with tempfile.TemporaryDirectory(prefix="ipam-bench-") as created:
        Path(created).chmod(0o711)
        yield Path(created)


async def begin_all(
    stack: contextlib.AsyncExitStack, folder: Path, found: Mapping[str, Server]
) -> dict[str, Peer]:
    """Begin all servers that are available."""
    peers = {}
    for name, server in found.items():
        (folder / name).mkdir(parents=True)
        try:
            peers[name] = await stack.enter_async_context(server(folder / name))
        except PeerMissingError as why:
            print(f"{name} is not measured: {why}")
    return peers


async def measure_queries(site: Site, names: int, seconds: int, rounds: int, clients: int) -> None:
    file = site.folder / "questions"
    file.write_text("".join(questions(names)))
    few = await memory_with(site, FEW, file, clients)
    async with contextlib.AsyncExitStack() as stack:
        peers = await begin_all(stack, site.folder / "many", servers(site, zones_of(names)))
        for peer in peers.values():
            await asyncio.to_thread(ask, peer.port, file, WARM_SECONDS, clients)
        print(f"\n{'':10}{'round':>6}{'queries/s':>11}{'lost':>7}{'average ms':>12}{'p99 ms':>9}")
        turns: dict[str, list[Turn]] = {name: [] for name in peers}
        for number in range(1, rounds + 1):
            for name, peer in list(peers.items())[:: 1 if number % 2 else -1]:
                turn = await asyncio.to_thread(measure, peer.port, file, seconds, clients)
                turns[name].append(turn)
                print(
                    f"{name:10}{number:6}{turn.rate:11,.0f}{turn.lost:7}{turn.average:12.3f}{turn.p99:9.3f}"
                )
        octets = {name: (memory(peer.pid) - few[name]) / (2 * names) for name, peer in peers.items()}
    show_medians(turns, octets)


async def memory_with(site: Site, names: int, file: Path, clients: int) -> dict[str, int]:
    """Return the memory of each server with so many names, after questions."""
    async with contextlib.AsyncExitStack() as stack:
        peers = await begin_all(stack, site.folder / "few", servers(site, zones_of(names)))
        for peer in peers.values():
            await asyncio.to_thread(ask, peer.port, file, 1, clients)
        return {name: memory(peer.pid) for name, peer in peers.items()}


def show_medians(turns: Mapping[str, Sequence[Turn]], octets: Mapping[str, float]) -> None:
    """Print medians with ours in times of each; an address and its pointer are two names."""
    medians = {name: Turn(*map(statistics.median, zip(*of, strict=True))) for name, of in turns.items()}
    print(
        f"\n{'medians':10}{'queries/s':>11}{'lost':>7}{'average ms':>12}{'p99 ms':>9}{'octets a name':>15}"
        f"{'ours: queries':>15}{'ours: p99':>11}"
    )
    ours = medians["ours"]
    for name, turn in medians.items():
        print(
            f"{name:10}{turn.rate:11,.0f}{turn.lost:7.0f}{turn.average:12.3f}{turn.p99:9.3f}{octets[name]:15.0f}"
            f"{ours.rate / turn.rate:13.2f} x{ours.p99 / turn.p99:9.2f} x"
        )


def show(title: str, milliseconds: Iterable[float]) -> None:
    """Print a line of percentiles."""
    sample = sorted(milliseconds)
    if not sample:
        print(f"{title}: none")
        return
    of = f"{statistics.median(sample):.0f} ms, p99 {percentile(sample):.0f}, worst {sample[-1]:.0f}"
    print(f"{title}: median {of} ({len(sample)})")


async def run(told: argparse.Namespace) -> None:
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.2f}")
    for part in told.only:
        with folder_of_a_run() as folder:
            async with postgres(folder) as site:
                if part == "queries":
                    await measure_queries(site, told.names, told.seconds, told.rounds, told.clients)
                elif part == "changes":
                    show("\nchange to answer", await measure_changes(site, told.names, told.changes))
                else:
                    for title, sample in await measure_names(site, told.adapter, told.rate, told.seconds):
                        show(title, sample)


def parts(text: str) -> list[str]:
    found = text.split(",")
    if not set(found) <= set(PARTS):
        raise argparse.ArgumentTypeError(f"expected some of {', '.join(PARTS)}")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", type=parts, default=list(PARTS), help="queries,changes,names")
    parser.add_argument("--names", type=int, default=100_000)
    parser.add_argument("--seconds", type=int, default=10, help="of each turn; of the leases")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clients", type=int, default=16, help="of dnsperf")
    parser.add_argument("--changes", type=int, default=50)
    parser.add_argument("--rate", type=int, default=1000, help="leases a second")
    parser.add_argument("--adapter", choices=ADAPTERS, default="embedded")
    asyncio.run(run(parser.parse_args(arguments)))


if __name__ == "__main__":
    main()
