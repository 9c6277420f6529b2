"""Content codings (RFC 9110 sections 8.4 and 12.5.3): which one a client prefers, and bodies in gzip.

What bears an entity tag is not compressed: the tag is of the octets, and If-Match compares it strongly. Nor is a stream
of events, which must leave at once.
"""

import asyncio
import gzip
import zlib
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from functools import lru_cache
from http import HTTPStatus
from typing import Any

from api.http.errors import Answer

GZIP, IDENTITY = "gzip", "identity"
ALIASES = {"x-gzip": GZIP}
"""Old names (RFC 9110 section 8.4.1.3)."""
VARIES = b"accept-encoding"
SMALLEST = 1024  # octets; less is hardly smaller in gzip
AT_ONCE = 65_536  # octets that are compressed on the event loop, in about a millisecond
LEVEL = 4
GZIP_WINDOW = 31  # zlib's number for a gzip stream with the largest window
KINDS = ("application/json", "text/csv", "text/html", "text/javascript", "text/css", "image/svg+xml")
MOST_KEPT = 8  # files that are kept compressed; the largest is of 1.5 MB before

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]


def weights(accepted: str) -> dict[str, float]:
    """Return the weight of each coding that an Accept-Encoding names; one that cannot be read is refused."""
    found: dict[str, float] = {}
    for part in filter(None, map(str.strip, accepted.lower().split(","))):
        name, _, parameter = (word.strip() for word in part.partition(";"))
        coding = ALIASES.get(name, name)
        name, _, value = (word.strip() for word in parameter.partition("="))
        try:
            found[coding] = float(value) if name == "q" else 1.0
        except ValueError:
            found[coding] = 0.0
    return found


def preferred(accepted: str, offered: Collection[str]) -> str:
    """Return the offered coding of the largest weight, the first of equal ones; identity where none is accepted."""
    named = weights(accepted)
    others = named.get("*", 0.0)
    ranked = {coding: named.get(coding, others) for coding in offered}
    best = max(ranked, key=lambda coding: ranked[coding], default=IDENTITY)
    weight = ranked.get(best, 0.0)
    return best if weight > 0 and weight >= named.get(IDENTITY, 0.0) else IDENTITY


def compressed(answer: Answer, accepted: str) -> Answer:
    """Return a page or a file as this client takes it."""
    if answer.status != HTTPStatus.OK or answer.headers["content-type"].partition(";")[0] not in KINDS:
        return answer
    headers = answer.headers | {"vary": "accept-encoding"}
    if "content-encoding" in headers or len(answer.body) < SMALLEST or preferred(accepted, [GZIP]) != GZIP:
        return Answer(answer.status, answer.body, headers)
    return Answer(answer.status, compressed_file(answer.body), headers | {"content-encoding": GZIP})


@lru_cache(maxsize=MOST_KEPT)
def compressed_file(body: bytes) -> bytes:
    """Return a file in gzip, made once."""
    return gzip.compress(body, mtime=0)


def kind_of(headers: dict[bytes, bytes]) -> str:
    return headers.get(b"content-type", b"").partition(b";")[0].strip().decode("latin-1")


def may_shrink(start: Message) -> bool:
    """Return whether the body that follows this start of a response may be sent in gzip at all."""
    headers = {name.lower(): value for name, value in start["headers"]}
    fixed = b"etag" in headers or b"content-encoding" in headers
    return start["status"] == HTTPStatus.OK and not fixed and kind_of(headers) in KINDS


def varying(start: Message) -> Message:
    """Return the start of a response with Vary, by which caches keep what is compressed apart."""
    told = [value for name, value in start["headers"] if name.lower() == b"vary"]
    others = [pair for pair in start["headers"] if pair[0].lower() != b"vary"]
    named = dict.fromkeys([*told, VARIES])
    return {**start, "headers": [*others, (b"vary", b", ".join(named))]}


class Gzipped:
    """A response on its way to a client that takes gzip. `send` is where it leaves."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.start: Message | None = None
        self.packer: Any = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.start = message
        elif self.start is not None:
            await self.begin(self.start, message)
            self.start = None
        else:
            await self.go_on(message)

    async def begin(self, start: Message, first: Message) -> None:
        """Decide by the first piece of the body: a short answer goes as it is."""
        body, more = first.get("body", b""), first.get("more_body", False)
        headers = [pair for pair in start["headers"] if pair[0].lower() != b"content-length"]
        if not more and len(body) < SMALLEST:
            await self.send(start)
            await self.send(first)
            return
        self.packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP_WINDOW)
        packed = await self.pack(body, more)
        headers.append((b"content-encoding", b"gzip"))
        if not more:
            headers.append((b"content-length", str(len(packed)).encode()))
        await self.send({**start, "headers": headers})
        await self.send({**first, "body": packed})

    async def go_on(self, message: Message) -> None:
        if self.packer is not None:
            packed = await self.pack(message.get("body", b""), message.get("more_body", False))
            message = {**message, "body": packed}
        await self.send(message)

    async def pack(self, body: bytes, more: bool) -> bytes:
        """Return what a piece becomes; much of it is compressed beside the event loop."""
        if len(body) > AT_ONCE:
            return await asyncio.to_thread(self.packed, body, more)
        return self.packed(body, more)

    def packed(self, body: bytes, more: bool) -> bytes:
        begun = self.packer.compress(body)
        return bytes(begun + self.packer.flush(zlib.Z_SYNC_FLUSH if more else zlib.Z_FINISH))
