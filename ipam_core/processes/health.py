"""Health over HTTP: /readyz, /healthz and /metrics of every process, other fixed paths, and a client for them.

The server runs beside the service that it reports on and must answer when that one is busy. It reads one request per
connection, at most 8 KiB within five seconds, answers, and closes. A stream is a page without an end, in chunks (RFC
9112 section 7.1), for as long as its reader stays.
"""

import asyncio
import http.client
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import parse_qs

import msgspec

from ipam_core import faults
from ipam_core.errors import unserved_at
from ipam_core.processes.connections import Connection, Connections, most_connections, peer_address
from ipam_core.setting_values import Endpoint

STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n"
    b"Transfer-Encoding: chunked\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
)
READ_SECONDS = 5.0
ASK_SECONDS = 2.0
MOST_CONNECTIONS = 256
SLOW_SECONDS = 30.0  # that the reader of a stream may pause


class Answer(NamedTuple):
    status: HTTPStatus
    body: str
    content_type: str = "application/json"
    location: str | None = None


class HttpRequest(NamedTuple):
    """Request of a stream: header names are lowercase, `peer` and `local` are (host, port)."""

    query: Mapping[str, str]
    headers: Mapping[str, str]
    peer: tuple[str, int]
    local: tuple[str, int]


class Refused(Exception):
    """There is no stream: `answer` contains the reason or another location."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.body)
        self.answer = answer


Page = Callable[[], Awaitable[Answer]]
Pages = dict[str, Page]
Streams = Mapping[str, Callable[[HttpRequest], AsyncGenerator[str, None]]]


def state(good: bool, body: object) -> Answer:
    """Return `body` as JSON, with status 200 or 503."""
    status = HTTPStatus.OK if good else HTTPStatus.SERVICE_UNAVAILABLE
    return Answer(status, msgspec.json.encode(body).decode())


def readiness(reason: str, warnings: Sequence[str] = ()) -> Answer:
    """Return the page of a process that is ready unless there is a reason. `warnings` do not make it unready."""
    return state(not reason, {"ready": not reason, "reason": reason, "warnings": list(warnings)})


def numbers(text: str) -> Answer:
    """Return metrics in Prometheus's text format."""
    return Answer(HTTPStatus.OK, text, "text/plain; version=0.0.4; charset=utf-8")


async def alive() -> Answer:
    """Return the page of a process whose loop runs."""
    return state(True, {"alive": True})


def process_pages(readyz: Page, metrics: Page, healthz: Page = alive) -> Pages:
    """Return the pages that each process has."""
    return {"/readyz": readyz, "/healthz": healthz, "/metrics": metrics}


async def listen(
    endpoint: Endpoint | socket.socket, pages: Pages, streams: Streams | None = None
) -> asyncio.Server:
    """Serve the pages at the address of the setting. Raises SettingsError if it is not available."""
    try:
        return await serve(endpoint, pages, streams)
    except OSError as error:
        raise unserved_at("health_listen", endpoint, error) from None


async def serve(
    endpoint: Endpoint | socket.socket, pages: Pages, streams: Streams | None = None
) -> asyncio.Server:
    """Answer GET and HEAD of the paths in `pages`, GET of those in `streams`; at an address or a listening socket."""
    places = Connections(most_connections(MOST_CONNECTIONS))

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        name: Any = writer.get_extra_info("peername")
        place = places.admit(peer_address(name[0]), writer.transport.abort) if name else None
        if place is None:
            writer.transport.abort()
            return
        try:
            await converse(reader, writer, place)
            await end(writer)
        except (OSError, EOFError, TimeoutError, asyncio.LimitOverrunError):
            pass  # a client that does not ask properly gets no answer
        except Exception as error:  # noqa: BLE001 - the other pages are shown
            faults.caught("health page", error)
        finally:
            writer.transport.abort()
            places.leave(place)

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, place: Connection) -> None:
        async with asyncio.timeout(READ_SECONDS):
            head = await reader.readuntil(b"\r\n\r\n")
        place.begin()
        if stream := stream_of(head, streams or {}):
            await flow(stream(read_request(head, writer)), reader, writer)
        else:
            writer.write(await respond(head, pages))
            async with asyncio.timeout(SLOW_SECONDS):
                await writer.drain()
        place.rest()

    if isinstance(endpoint, Endpoint):
        return await asyncio.start_server(accept, endpoint.host, endpoint.port, limit=8192)
    return await asyncio.start_server(accept, sock=endpoint, limit=8192)


async def end(writer: asyncio.StreamWriter) -> None:
    """Close, after sending the pending answers. Raises OSError, TimeoutError."""
    writer.close()
    async with asyncio.timeout(READ_SECONDS):
        await writer.wait_closed()


def stream_of(head: bytes, streams: Streams) -> Callable[[HttpRequest], AsyncGenerator[str, None]] | None:
    method, _, rest = head.decode("latin-1").partition(" ")
    return streams.get(rest.split(" ", 1)[0].split("?", 1)[0]) if method == "GET" else None


def read_request(head: bytes, writer: asyncio.StreamWriter) -> HttpRequest:
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs if name}
    query = first.split(" ")[1].partition("?")[2]
    told = {name: values[-1] for name, values in parse_qs(query).items()}
    return HttpRequest(told, headers, ends(writer, "peername"), ends(writer, "sockname"))


def ends(writer: asyncio.StreamWriter, which: str) -> tuple[str, int]:
    found: Any = writer.get_extra_info(which)
    return found[0], found[1]


async def flow(
    lines: AsyncGenerator[str, None], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Pass the lines on until there are none, or the other end has gone."""
    gone = asyncio.create_task(reader.read(1))
    began = False
    try:
        async with aclosing(lines) as given:
            async for line in given:
                if not began:
                    writer.write(STREAM_HEAD)
                    began = True
                if gone.done():
                    return
                if line:
                    data = line.encode()
                    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
                async with asyncio.timeout(SLOW_SECONDS):
                    await writer.drain()
        writer.write(b"0\r\n\r\n")
    except Refused as refused:
        writer.write(encode(refused.answer, with_body=True))
        await writer.drain()
    finally:
        gone.cancel()


async def respond(head: bytes, pages: Pages) -> bytes:
    method, _, rest = head.decode("latin-1").partition(" ")
    page = pages.get(rest.split(" ", 1)[0].split("?", 1)[0])
    if method not in ("GET", "HEAD"):
        answer = Answer(HTTPStatus.METHOD_NOT_ALLOWED, "")
    elif page is None:
        answer = Answer(HTTPStatus.NOT_FOUND, "")
    else:
        answer = await shown(page)
    return encode(answer, with_body=method != "HEAD")


async def shown(page: Callable[[], Awaitable[Answer]]) -> Answer:
    """Return the page, or an answer that reports its failure; other pages still work."""
    try:
        return await page()
    except Exception as error:  # noqa: BLE001 - as above
        faults.caught("health page", error)
        return Answer(HTTPStatus.INTERNAL_SERVER_ERROR, '{"error":"this page failed; see the log"}')


def encode(answer: Answer, with_body: bool) -> bytes:
    body = answer.body.encode()
    head = (
        f"HTTP/1.1 {answer.status.value} {answer.status.phrase}\r\n"
        f"Content-Type: {answer.content_type}\r\n"
        f"Content-Length: {len(body)}\r\n"
        + (f"Location: {answer.location}\r\n" if answer.location else "")
        + "Connection: close\r\n\r\n"
    )
    return head.encode() + (body if with_body else b"")


async def ask(endpoint: Endpoint, path: str) -> tuple[int, str] | None:
    """Return status and body of another process's page, or None if that process does not answer."""
    return await asyncio.to_thread(fetch, endpoint, path)


def fetch(endpoint: Endpoint, path: str) -> tuple[int, str] | None:
    connection = http.client.HTTPConnection(endpoint.host, endpoint.port, timeout=ASK_SECONDS)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read().decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
