"""Queries a second of the DNS server, by dnsperf: ours, and beside it PowerDNS, NSD and Knot where they are fetched.

    tests/system/fetch_peers.sh dns
    .venv/bin/python -m benchmarks.dns --seconds 10 --names 100000

One zone of as many names is served by each in turn, over loopback, with no limit of responses; of ten questions nine
have an answer. The figures mean something on a quiet machine only, and dnsperf takes its part of it.
"""

import argparse
import asyncio
import contextlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from random import Random

import asyncpg

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from answers.serving import add_zone, free_port
from peers.servers import Peer, answering, begin, knot_with, nsd_with, powerdns_with
from system.peers import PeerMissingError, environment, program

from ipam_core.db.embedded.server import EmbeddedPostgres
from ipam_core.db.migrate import migrate

ZONE = "bench.example"
HEAD = (
    f"$TTL 3600\n@ SOA ns.{ZONE}. hostmaster.{ZONE}. 1 3600 600 86400 60\n@ NS ns.{ZONE}.\nns A 127.0.0.1\n"
)
QUESTIONS = 100_000
LINES = {
    "queries/s": r"Queries per second:\s+([\d.]+)",
    "lost": r"Queries lost:\s+(\d+)",
    "average ms": r"Average Latency \(s\):\s+([\d.]+)",
}

Server = AbstractAsyncContextManager[Peer]


def records(names: int) -> list[tuple[str, str, str]]:
    return [(f"h{n}", "A", f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}") for n in range(names)]


def zone_text(names: int) -> str:
    return HEAD + "".join(f"{name} {kind} {data}\n" for name, kind, data in records(names))


def questions(names: int) -> str:
    drawn = Random(1)  # noqa: S311 - the same questions to each
    return "".join(
        f"{'h' if n % 10 else 'none'}{drawn.randrange(names)}.{ZONE} A\n" for n in range(QUESTIONS)
    )


@contextlib.asynccontextmanager
async def ours(folder: Path, names: int) -> AsyncIterator[Peer]:
    """A process of its own, on a database of its own."""
    server = EmbeddedPostgres(folder / "data", "nobody")
    dsn = await asyncio.to_thread(server.start)
    try:
        await asyncio.to_thread(migrate, dsn)
        async with await asyncpg.create_pool(dsn) as pool:
            await add_zone(pool, ZONE, *records(names))
        port = free_port()
        settings = {
            "IPAM_DATABASE_URL": dsn,
            "IPAM_DATA_DIR": str(folder),
            "IPAM_DNS_LISTEN": f"127.0.0.1:{port}",
            "IPAM_DNS_RESPONSE_RATE": "0",
            "IPAM_HEALTH_LISTEN": f"127.0.0.1:{free_port()}",
        }
        log = folder / "ours.log"
        process = begin([sys.executable, "-P", "-m", "api.cli", "dns"], folder, log, os.environ | settings)
        try:
            await answering(process, port, log, ZONE)
            yield Peer("ours", port)
        finally:
            process.terminate()
            process.wait()
    finally:
        server.stop()


def others(names: int) -> dict[str, Callable[[Path], Server]]:
    zones = {ZONE: zone_text(names)}
    return {
        "powerdns": lambda folder: powerdns_with(folder, zones),
        "nsd": lambda folder: nsd_with(folder, zones),
        "knot": lambda folder: knot_with(folder, zones),
    }


def measure(port: int, file: Path, seconds: int, clients: int) -> dict[str, str]:
    """What dnsperf says. Raises PeerMissingError."""
    command = [str(program("dnsperf")), "-s", "127.0.0.1", "-p", str(port), "-d", str(file)]
    command += ["-l", str(seconds), "-c", str(clients)]
    said = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True).stdout
    found = {label: re.search(pattern, said) for label, pattern in LINES.items()}
    return {label: match[1] if match else "?" for label, match in found.items()}


def prepare(folder: Path, names: int) -> None:
    """The account of the embedded PostgreSQL passes through it."""
    folder.chmod(0o711)
    (folder / "questions").write_text(questions(names))


async def run(names: int, seconds: int, clients: int) -> None:
    servers: dict[str, Callable[[Path], Server]] = {
        "ours": lambda folder: ours(folder, names),
        **others(names),
    }
    for name, server in servers.items():
        with tempfile.TemporaryDirectory(prefix="ipam-bench-") as created:
            folder = Path(created)
            prepare(folder, names)
            try:
                async with server(folder) as peer:
                    asked = folder / "questions", seconds, clients
                    found = await asyncio.to_thread(measure, peer.port, *asked)
            except PeerMissingError as missing:
                print(f"{name:10} not measured: {missing}")
                continue
            print(f"{name:10} " + "  ".join(f"{value} {label}" for label, value in found.items()))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--names", type=int, default=100_000)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--clients", type=int, default=16)
    told = parser.parse_args()
    asyncio.run(run(told.names, told.seconds, told.clients))


if __name__ == "__main__":
    main()
