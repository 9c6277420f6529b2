"""Webhooks: deliveries per second and their delay, with several endpoints of which one is dead.

    .venv/bin/python -m benchmarks.webhooks --events 10000 --endpoints 10 --workers 1
    .venv/bin/python -m benchmarks.webhooks --rate 100 --dead hangs

Database, `ipam worker` and receivers share this machine, so the figures are those of all of them
together; the processor time of each is reported separately. With `--rate` so many events per second
are committed one by one, and the lag is the one that a receiver sees. Without it all are there at
once, and the lag is the wait of the last one. The dead endpoint refuses connections, or takes them
and never answers.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import asyncpg
import psutil

from ipam_core.db.connect import create_pool
from ipam_core.db.embedded.programs import OWN_ACCOUNT
from ipam_core.db.embedded.server import EmbeddedPostgres
from ipam_core.db.migrate import migrate
from ipam_core.model.ids import new_id
from ipam_core.secrets import Keyring
from ipam_core.services import events

SECRET = "whsec_" + "YmVuY2htYXJr" * 3
ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"
QUIET_SECONDS = 60.0


def receive(pipe: Connection, hangs: bool) -> None:
    """Receive in a process: print its port and that of the dead one, then the lag of each message, by path."""
    asyncio.run(Receivers(pipe).run(hangs))


class Receivers:
    def __init__(self, pipe: Connection) -> None:
        self.pipe = pipe
        self.lags: list[float] = []

    async def run(self, hangs: bool) -> None:
        server = await asyncio.start_server(self.converse, "127.0.0.1", 0)
        dead = await asyncio.start_server(self.hang, "127.0.0.1", 0)
        ports = [each.sockets[0].getsockname()[1] for each in (server, dead)]
        if not hangs:
            dead.close()
        self.pipe.send(ports)
        while not self.pipe.poll():
            await asyncio.sleep(0.05)
            self.pipe.send(self.lags)
            self.lags = []

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
                body = json.loads(await reader.readexactly(length))
                self.lags.append(time.time() - datetime.fromisoformat(body["timestamp"]).timestamp())
                writer.write(ANSWER)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def hang(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()


async def add_webhooks(pool: asyncpg.Pool, keyring: Keyring, ports: list[int], count: int) -> None:
    """Add webhooks, of which the last one is dead."""
    async with pool.acquire() as connection:
        for number in range(count):
            id_, port = new_id(), ports[1] if number == count - 1 else ports[0]
            await connection.execute(
                "insert into webhook (id, url, events, secret) values ($1, $2, '{node.*}', $3)",
                id_,
                f"http://127.0.0.1:{port}/{number}",
                await keyring.seal(connection, "webhook", id_, SECRET),
            )


async def record(pool: asyncpg.Pool, count: int, rate: float) -> None:
    """Record events as services do: all in one transaction, or one by one."""
    async with pool.acquire() as connection:
        if not rate:
            async with connection.transaction():
                for number in range(count):
                    await events.record(connection, "node.up", told(number), None)
            return
        began = time.monotonic()
        for number in range(count):
            await events.record(connection, "node.up", told(number), None)
            await asyncio.sleep(max(0.0, began + (number + 1) / rate - time.monotonic()))


def told(number: int) -> dict[str, Any]:
    return {"name": f"node{number}", "role": "dhcp", "version": "0.1.0", "detail": "x" * 200}


@asynccontextmanager
async def workers(dsn: str, folder: Path, count: int) -> AsyncIterator[list[int]]:
    """Provide the workers' process ids."""
    settings = {
        "IPAM_DATABASE_URL": dsn,
        "IPAM_DATA_DIR": str(folder),
        "IPAM_WEBHOOK_ALLOW": "127.0.0.0/8",
        "IPAM_LOG_LEVEL": "error",
    }
    running = []
    for number in range(count):
        environment = os.environ | settings | {"IPAM_HEALTH_LISTEN": f"127.0.0.1:{18090 + number}"}
        running.append(start(environment))
    try:
        yield [process.pid for process in running]
    finally:
        for process in running:
            process.send_signal(signal.SIGTERM)
            process.wait()


def start(environment: dict[str, str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-m", "api.cli", "worker"], env=environment)


def processor_seconds(pids: Sequence[int]) -> float:
    """Return the seconds of these processes and those that they started, ended ones too."""
    total = 0.0
    for process in [psutil.Process(pid) for pid in pids]:
        total += sum(process.cpu_times()[:4])
        total += sum(sum(child.cpu_times()[:2]) for child in process.children(recursive=True))
    return total


async def measure(dsn: str, folder: Path, database: int, asked: argparse.Namespace) -> None:
    ours, theirs = multiprocessing.Pipe()
    receiving = multiprocessing.get_context("spawn").Process(
        target=receive, args=(theirs, asked.dead == "hangs"), daemon=True
    )
    receiving.start()
    ports = ours.recv()
    async with await create_pool(dsn) as pool:
        await add_webhooks(pool, Keyring(folder / "secret.key"), ports, asked.endpoints)
        async with workers(dsn, folder, asked.workers) as pids:
            while not await pool.fetchval("select count(*) from worker_cursor where name = 'webhooks'"):  # noqa: ASYNC110 - no event reports it
                await asyncio.sleep(0.05)
            parties = {"worker": pids, "database": [database], "receivers": [receiving.pid or 0]}
            before = {name: processor_seconds(pids) for name, pids in parties.items()}
            lags, seconds = await collect(pool, ours, asked)
            costs = {name: processor_seconds(pids) - before[name] for name, pids in parties.items()}
        ours.send("end")
        receiving.join()
        dead = await pool.fetchrow(
            "select sum(attempts) as attempts, count(*) as deliveries from webhook_delivery where webhook_no = $1",
            asked.endpoints,
        )
    show(sorted(lags), seconds, asked, dead)
    each = ", ".join(f"{name} {1000 * cost / len(lags):.2f} ms" for name, cost in costs.items())
    print(f"  processor time of a delivery: {each}")


async def collect(
    pool: asyncpg.Pool, pipe: Connection, asked: argparse.Namespace
) -> tuple[list[float], float]:
    """Return the lags of all that came, and how long that took."""
    wanted, lags = asked.events * (asked.endpoints - 1), list[float]()
    began = heard = time.monotonic()
    recording = asyncio.create_task(record(pool, asked.events, asked.rate))
    while len(lags) < wanted:
        while pipe.poll():
            found = pipe.recv()
            heard = time.monotonic() if found else heard
            lags += found
        if time.monotonic() - heard > QUIET_SECONDS:
            raise SystemExit(f"{len(lags)} of {wanted} deliveries came, then none for {QUIET_SECONDS:g} s")
        await asyncio.sleep(0.02)
    await recording
    return lags, heard - began


def show(lags: list[float], seconds: float, asked: argparse.Namespace, dead: Any) -> None:
    shares = {share: lags[min(len(lags) - 1, int(len(lags) * share / 100))] for share in (50, 90, 99, 100)}
    print(f"{asked.events} events, {asked.endpoints} endpoints, one {asked.dead}, {asked.workers} workers")
    print(f"  {len(lags)} deliveries in {seconds:.1f} s: {len(lags) / seconds:.0f}/s")
    print("  lag " + ", ".join(f"p{share} {value * 1000:.0f} ms" for share, value in shares.items()))
    print(f"  the dead one: {dead['deliveries']} deliveries wait, {dead['attempts']} attempts")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--endpoints", type=int, default=10)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--rate", type=float, default=0.0, help="events a second; 0: all at once")
    parser.add_argument("--dead", choices=("refuses", "hangs"), default="refuses")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ipam-bench-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        database = EmbeddedPostgres(folder / "postgres", OWN_ACCOUNT)
        dsn = database.start()
        try:
            migrate(dsn)
            asyncio.run(measure(dsn, folder, database.pid, asked))
        finally:
            database.stop()


if __name__ == "__main__":
    main()
