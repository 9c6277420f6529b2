"""Connections to the API and to the pages of health: who takes too long, holds too many or reads nothing is bounded,
and others are answered meanwhile. `ipam api` as a process, with and without TLS."""

import asyncio
import contextlib
import json
import ssl
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psycopg
import pytest
from cli.serving import Served, serving
from cli.test_tls import write_pair
from conftest import COPIED, made

from api.openapi import page

pytestmark = pytest.mark.long  # what must end after ten seconds takes ten seconds

Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]
HEAD = b"GET /api/v1/tenants HTTP/1.1\r\nhost: 127.0.0.1\r\n"
SOON = 1.0  # in which others are answered
MADE = 16.0  # the ten seconds of a head, the look each second, and a slow machine
WITH_A_PAGE = """
import sys
from pathlib import Path
from api.cli import main
from api.openapi import page
page.BUILT = Path(sys.argv.pop(1))
main(prog_name="ipam")
"""
"""`ipam`, whose page /docs is served without a build of the console: one of its files is enough."""


class Api(NamedTuple):
    served: Served
    port: int
    health: int
    context: ssl.SSLContext | None
    folder: Path

    async def connect(self, host: str = "127.0.0.1", *, plain: bool = False) -> Ends:
        context = None if plain else self.context
        return await asyncio.open_connection("127.0.0.1", self.port, ssl=context, local_addr=(host, 0))

    async def ask(self, path: str = "/api/v1/tenants", host: str = "127.0.0.9") -> float:
        """Over a connection of its own: how long a good answer took."""
        began = time.monotonic()
        reader, writer = await self.connect(host)
        token = f"authorization: Bearer {self.served.token}\r\n"
        request = f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n{token}connection: close\r\n\r\n"
        writer.write(request.encode())
        async with asyncio.timeout(30):
            answer = await reader.read()
        writer.close()
        assert answer.startswith(b"HTTP/1.1 200 "), answer[:200]
        return time.monotonic() - began


def started(dsn: str, folder: Path, **settings: str) -> Iterator[Api]:
    secured = "api_tls_certificate" in settings
    (folder / page.FILES[0]).touch()
    command = (sys.executable, "-P", "-c", WITH_A_PAGE, str(folder))
    with serving(dsn, folder, command=command, **settings) as served:
        port = int(served.url.split(":")[2].split("/")[0])
        context = None
        if secured:
            context = ssl.create_default_context(cafile=settings["api_tls_certificate"])
        yield Api(served, port, served.health, context, folder)


@pytest.fixture(scope="module", params=["http", "https"])
def api(
    request: pytest.FixtureRequest,
    postgres_dsn: str,
    clerk: psycopg.Connection[Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Api]:
    folder = tmp_path_factory.mktemp(request.param)
    told: dict[str, str] = {}
    if request.param == "https":
        certificate, key = write_pair(folder)
        told = {"api_tls_certificate": str(certificate), "api_tls_key": str(key)}
    with made(clerk, postgres_dsn, COPIED) as dsn:
        yield from started(dsn, folder, **told)


async def closed(ends: Ends, within: float) -> float:
    """Seconds until the other end has closed; whatever it says before is read."""
    began = time.monotonic()
    async with asyncio.timeout(within):
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            while await ends[0].read(65536):
                pass
    return time.monotonic() - began


async def test_a_head_must_arrive_in_time(api: Api) -> None:
    """Whatever it is that does not end: nothing, a first line, headers that trickle, empty lines, a second request, a
    TLS handshake. All at once, on one connection each."""
    trickling: list[asyncio.Task[None]] = []

    async def half(first: bytes, then: bytes = b"", answered: bool = False, plain: bool = False) -> float:
        ends = await api.connect("127.0.0.2", plain=plain)
        ends[1].write(first)
        if answered:
            await ends[0].readuntil(b"\r\n\r\n")
        if then:
            trickling.append(asyncio.create_task(trickle(ends[1], then)))
        return await closed(ends, MADE)

    whole = HEAD + b"\r\n"
    token = f"authorization: Bearer {api.served.token}\r\n".encode()
    took = await asyncio.gather(
        half(b""),
        half(b"GET / HTTP/1.1\r\nX:"),
        half(b"GET / HTTP/1.1\r\n", b"x: y\r\n"),
        half(b"", b"\r\n"),
        half(HEAD + b"content-length: 1000\r\n\r\n", b"z"),  # answered 401 without its body
        half(whole, b"G", answered=True),
        half(b"POST /api/v1/tenants HTTP/1.1\r\nhost: x\r\n" + token + b"content-length: 999\r\n\r\n", b"{"),
        *([half(b"", plain=True), half(b"\x16\x03\x01\x02\x00\x01", plain=True)] if api.context else []),
    )
    for task in trickling:
        task.cancel()
    assert max(took) <= MADE
    assert min(took[:4]) >= 9.0
    assert await api.ask() < SOON


async def trickle(writer: asyncio.StreamWriter, octets: bytes) -> None:
    with contextlib.suppress(ConnectionError):
        for _ in range(100):
            await asyncio.sleep(0.5)
            writer.write(octets)
            await writer.drain()


async def test_a_late_head_is_answered_408(api: Api) -> None:
    reader, writer = await api.connect("127.0.0.3")
    writer.write(b"GET / HTTP/1.1\r\nX:")
    async with asyncio.timeout(MADE):
        assert (await reader.read()).startswith(b"HTTP/1.1 408 ")


async def test_one_address_has_its_share(api: Api) -> None:
    """Its longest idle connection makes room for its next one; others notice nothing."""
    held = [await api.connect("127.0.0.4") for _ in range(70)]
    for _, writer in held:
        writer.write(HEAD)
    assert await api.ask(host="127.0.0.4") < SOON
    assert await api.ask() < SOON
    await asyncio.wait_for(closed(held[0], 5), 5)
    closing = [asyncio.create_task(closed(ends, 30)) for ends in held]
    async with asyncio.timeout(30):
        while sum(task.done() for task in closing) < 7:  # noqa: ASYNC110 - any seven of them
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.2)
    assert sum(task.done() for task in closing) == 7
    for task in closing:
        task.cancel()


async def test_half_requests_of_many_addresses_keep_nobody_out(api: Api) -> None:
    """More than there are places, by addresses that each stay below their own bound."""
    crowd = []
    for n in range(40):
        made = await asyncio.gather(*(api.connect(f"127.0.3.{n + 1}", plain=True) for _ in range(50)))
        crowd += made
    for _, writer in crowd:
        writer.write(b"\x16\x03\x01" if api.context else b"GET / HTTP/1.1\r\nX:")
    took = [await api.ask() for _ in range(10)]
    assert max(took) < SOON
    for _, writer in crowd:
        writer.transport.abort()


@pytest.mark.parametrize(
    ("octets", "status"),
    [
        (b"GET / HTTP/1.1\r\n" + b"x" * 200_000, b"431"),
        (b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 40_000, b"431"),
        (b"GET /" + b"a" * 200_000, b"431"),
        (HEAD + b"transfer-encoding: chunked\r\n\r\n0\r\n" + b"x: y\r\n" * 40_000, b"401"),
        ((HEAD + b"\r\n") * 4000, b"400"),
    ],
    ids=["a name without an end", "headers", "a path", "trailers", "requests ahead"],
)
async def test_what_comes_ahead_is_bounded(api: Api, octets: bytes, status: bytes) -> None:
    ends = await api.connect("127.0.0.5")
    ends[1].write(octets)
    with contextlib.suppress(ConnectionError, ssl.SSLError):
        async with asyncio.timeout(10):
            found = await ends[0].read(12)
            assert found.endswith(status) or (found, status) == (
                b"",
                b"401",
            )  # an answer may be lost with its end
    assert await closed(ends, 10) < 10
    assert await api.ask() < SOON


async def test_requests_ahead_are_answered_in_their_order(api: Api) -> None:
    reader, writer = await api.connect("127.0.0.5")
    last = HEAD + b"connection: close\r\n\r\n"
    writer.write((HEAD + b"\r\n") * 10 + last)
    async with asyncio.timeout(10):
        assert (await reader.read()).count(b"HTTP/1.1 401 ") == 11


async def test_who_does_not_read_holds_little(api: Api) -> None:
    """The largest page that everybody may see, asked for on 64 connections that are not read from."""
    await api.ask("/docs")  # which is made for its first request
    before = memory_of(api)
    held = [await api.connect("127.0.0.6") for _ in range(60)]
    for reader, writer in held:
        reader._transport.pause_reading()  # type: ignore[attr-defined]
        writer.write(b"GET /docs HTTP/1.1\r\nhost: x\r\n\r\n" * 3)
    await asyncio.sleep(1)
    assert await api.ask() < SOON
    assert memory_of(api) - before < 100e6
    for _, writer in held:
        writer.transport.abort()


def memory_of(api: Api) -> float:
    return int(Path(f"/proc/{api.served.pid}/statm").read_text().split()[1]) * 4096.0


async def test_the_log_of_junk_is_small(api: Api) -> None:
    """Requests that are none, HTTPS where HTTP is spoken, and offers of another protocol, 200 of each."""
    size = (api.folder / "api.log").stat().st_size
    offer = HEAD + b"connection: close, upgrade\r\nupgrade: h2c\r\n\r\n"
    for junk in (b"\0\0\0\0\r\n\r\n", b"\x16\x03\x01\x02\0", b"GET / HTTP/9\r\n\r\n", offer):
        for _ in range(200):
            reader, writer = await api.connect("127.0.0.7", plain=True)
            writer.write(junk)
            writer.write_eof()
            with contextlib.suppress(ConnectionError):
                await reader.read()
            writer.close()
    assert (api.folder / "api.log").stat().st_size - size < 4000


async def test_health_has_its_share_too(api: Api) -> None:
    held = []
    for n in range(6):
        for _ in range(64):
            held.append(
                await asyncio.open_connection("127.0.0.1", api.health, local_addr=(f"127.0.4.{n + 1}", 0))
            )
    async with httpx.AsyncClient() as client:
        began = time.monotonic()
        assert (await client.get(f"http://127.0.0.1:{api.health}/readyz")).status_code == 200
        assert time.monotonic() - began < SOON
    for _, writer in held:
        writer.transport.abort()


@pytest.fixture
async def behind_a_proxy(database: str, tmp_path: Path) -> AsyncIterator[Api]:
    for api in started(database, tmp_path, trusted_proxies="127.0.8.0/24", connections_per_address="4"):
        yield api


async def test_a_proxy_is_exempt_and_its_clients_are_counted(behind_a_proxy: Api) -> None:
    """By their requests in progress, here streams of events; ten idle connections of the proxy stay."""
    api = behind_a_proxy
    idle = [await api.connect("127.0.8.1") for _ in range(10)]

    async def stream(client: str) -> tuple[bytes, Ends]:
        ends = await api.connect("127.0.8.1")
        token = f"authorization: Bearer {api.served.token}\r\naccept: text/event-stream\r\n"
        request = f"GET /api/v1/events HTTP/1.1\r\nhost: x\r\n{token}x-forwarded-for: {client}\r\n\r\n"
        ends[1].write(request.encode())
        async with asyncio.timeout(10):
            return await ends[0].readuntil(b"\r\n\r\n"), ends

    answers = [await stream("192.0.2.1") for _ in range(4)]
    assert all(head.startswith(b"HTTP/1.1 200 ") for head, _ in answers)
    refused, ends = await stream("192.0.2.1")
    assert refused.startswith(b"HTTP/1.1 429 ")
    assert b"retry-after: 1" in refused
    said = json.loads(await ends[0].readexactly(int(refused.split(b"content-length: ")[1].split(b"\r\n")[0])))
    assert said["error"]["code"] == "rate_limited"
    assert "More than 4 requests at a time" in said["error"]["message"]
    assert (await stream("2001:db8::1"))[0].startswith(b"HTTP/1.1 200 ")
    answers[0][1][1].transport.abort()
    deadline = time.monotonic() + 10
    while not (await stream("192.0.2.1"))[0].startswith(b"HTTP/1.1 200 "):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.2)
    for ends in idle:
        ends[1].write(HEAD + b"x-forwarded-for: 192.0.2.7\r\n\r\n")
        async with asyncio.timeout(10):
            assert (await ends[0].readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 401 ")
