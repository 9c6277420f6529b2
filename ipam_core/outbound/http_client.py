"""Requests to one HTTP server on somebody's behalf, with replies that are bounded in size and time.

Redirects are not followed. `Accept-Encoding: identity` is asked for and a compressed reply is a fault, because a
kilobyte of it can hold a gigabyte. A connection is used again only within a second: later the server may have begun to
close it.
"""

import asyncio
import re
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from typing import Any, NamedTuple, TypeVar

import httpx
import msgspec

from ipam_core.outbound.faults import Kind, OutboundError
from ipam_core.outbound.guard import Guard, Reach, words
from ipam_core.outbound.http_connection import MOST_OCTETS, Answer, HttpConnection

T = TypeVar("T")

USER_AGENT = f"ipam/{metadata.version('ipam')}"
IDLE_SECONDS = 1.0
MOST_IDLE = 8
AT_ONCE_OCTETS = 65_536  # of JSON that is decoded on the event loop
VALUE = re.compile(rb"[\t\x20-\x7e\x80-\xff]*")  # RFC 9110 section 5.5

Query = Sequence[tuple[str, str]]


class Reply(NamedTuple):
    """Whole answer of a server; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Whole(Answer):
    """An answer whose head and body are kept."""

    def __init__(self, most: int) -> None:
        super().__init__(most + 1, most + MOST_OCTETS)
        self.headers: dict[str, str] = {}

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers[name.decode("latin-1").lower()] = value.decode("latin-1")


class HttpClient:
    """Client that sends requests below `base`; each has `seconds` in all, its connection included. Raises
    OutboundError."""

    def __init__(
        self,
        guard: Guard,
        reach: Reach,
        base: str,
        headers: Mapping[str, str],
        seconds: float,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self.guard, self.reach = guard, reach
        self.base = base
        self.headers = headers
        self.seconds = seconds
        self.context = context or guard.context
        self.idle: list[HttpConnection] = []

    async def request(
        self,
        method: str,
        path: str,
        query: Query = (),
        body: bytes | None = None,
        most: int = MOST_OCTETS,
        *,
        large: bool = False,
    ) -> Reply:
        """Return the reply, whatever its status. `most`: octets of its body; `large`: it may come near them, so few are
        received at once. Raises OutboundError."""
        url = self.url(path, query)
        message = self.message(method, url, body)
        async with self.guard.turn(self.reach, large=large):
            try:
                async with asyncio.timeout(self.seconds):
                    return await self.exchange(url, message, most)
            except TimeoutError:
                said = f"{origin(url)} does not answer within {self.seconds:g} s"
                raise OutboundError(Kind.SILENT, said) from None

    async def exchange(self, url: httpx.URL, message: bytes, most: int) -> Reply:
        """Send over a connection that was used before, if there is one. The server may have begun to close it: then the
        message is sent once more over another one. A POST, which might be done twice, always gets a new one."""
        kept = None if message.startswith(b"POST ") else self.kept()
        if kept is not None:
            answer = Whole(most)
            try:
                return await self.exchange_over(kept, url, message, answer)
            except OutboundError:
                if answer.octets:
                    raise
        return await self.exchange_over(await self.connected(url), url, message, Whole(most))

    async def exchange_over(
        self, connection: HttpConnection, url: httpx.URL, message: bytes, answer: Whole
    ) -> Reply:
        try:
            await connection.post(message, answer)
            reply = whole(answer, url)
        except OSError as error:
            kind = Kind.TLS if isinstance(error, ssl.SSLError) else Kind.PROTOCOL
            raise OutboundError(kind, f"{origin(url)}: {words(error)}") from None
        except OutboundError:
            connection.close()
            raise
        self.keep(connection)
        return reply

    async def connected(self, url: httpx.URL) -> HttpConnection:
        secure = url.scheme == "https"
        host, port = url.raw_host.decode("ascii"), url.port or (443 if secure else 80)
        return await self.guard.connect(
            HttpConnection, host, port, self.reach, self.context if secure else None
        )

    def kept(self) -> HttpConnection | None:
        """Return a connection that may be used again."""
        while self.idle:
            connection = self.idle.pop()
            if connection.is_usable and time.monotonic() - connection.used < IDLE_SECONDS:
                return connection
            connection.close()
        return None

    def keep(self, connection: HttpConnection) -> None:
        if connection.is_usable and len(self.idle) < MOST_IDLE:
            self.idle.append(connection)
        else:
            connection.close()

    def url(self, path: str, query: Query) -> httpx.URL:
        try:
            url = httpx.URL(self.base + path, params=list(query)) if query else httpx.URL(self.base + path)
        except httpx.InvalidURL as error:
            raise OutboundError(Kind.NAME, f"{self.base} is not a URL: {error}") from None
        if url.scheme not in ("http", "https") or not url.host:
            raise OutboundError(Kind.NAME, f"{self.base} is not an http or https URL")
        return url

    def message(self, method: str, url: httpx.URL, body: bytes | None) -> bytes:
        headers = {
            "host": url.netloc.decode("ascii"),
            "accept-encoding": "identity",
            "user-agent": USER_AGENT,
            **self.headers,
        }
        if body is not None:
            headers |= {"content-type": "application/json", "content-length": str(len(body))}
        lines = [
            f"{method} {url.raw_path.decode('ascii')} HTTP/1.1".encode(),
            *(header(*each) for each in headers.items()),
        ]
        return b"\r\n".join([*lines, b"", body or b""])

    def close(self) -> None:
        for connection in self.idle:
            connection.close()
        self.idle.clear()


def whole(answer: Whole, url: httpx.URL) -> Reply:
    """Return an answer as a reply. Raises OutboundError unless it is all there and within its limit."""
    said = f"{origin(url)} answers {answer.status}"
    if answer.is_too_long or len(answer.body) == answer.shown:
        raise OutboundError(Kind.SIZE, f"{said} with more than {size(answer.shown - 1)}")
    if not answer.is_whole:
        raise OutboundError(Kind.PROTOCOL, f"{said}, but the body ends early")
    if answer.headers.get("content-encoding", "").strip().lower() not in ("", "identity"):
        raise OutboundError(Kind.PROTOCOL, f"{said} with a compressed body, although identity was requested")
    return Reply(answer.status, answer.headers, answer.beginning)


def header(name: str, value: str) -> bytes:
    """Return a header's line. Raises OutboundError for a value that would end it, such as a key with a line break."""
    data = value.encode()
    if not VALUE.fullmatch(data):
        raise OutboundError(Kind.PROTOCOL, f"the value of the header {name} contains control characters")
    return f"{name}: ".encode() + data


def size(octets: int) -> str:
    return f"{octets >> 20} MiB" if octets >= 1 << 20 else f"{octets} octets"


def origin(url: httpx.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


async def decoded(body: bytes, decode: Callable[[bytes], T]) -> T:
    """Return what `decode` makes of JSON, in a thread if it is large. Raises as that does.

    It must decode to structs: fields that they lack are skipped without being built, whereas plain JSON can take thirty
    times its size in memory."""
    return decode(body) if len(body) <= AT_ONCE_OCTETS else await asyncio.to_thread(decode, body)


def encoded(value: Any) -> bytes:
    return msgspec.json.encode(value)
