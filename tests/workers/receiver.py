"""A real HTTP server that does with webhooks what a test tells it to: answers, fails, hangs, sends elsewhere."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, Self

from standardwebhooks import Webhook

SECRET = "whsec_" + "V2ViSG9va1NlY3JldA" * 2


class Got(NamedTuple):
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def message(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found

    def verified(self, secret: str = SECRET) -> dict[str, Any]:
        """The message, if its signature and time are good; raises WebhookVerificationError."""
        found: dict[str, Any] = Webhook(secret).verify(self.body, self.headers)
        return found


class Reply(NamedTuple):
    """`waits`: it is not given before that is set."""

    status: int = 204
    headers: tuple[str, ...] = ()
    body: bytes = b""
    waits: asyncio.Event | None = None


Decide = Callable[[Got], Reply]


class Receiver:
    """`got` holds what came, in order; `decide` what is answered."""

    def __init__(self, decide: Decide = lambda _: Reply()) -> None:
        self.decide = decide
        self.got: list[Got] = []
        self.came = asyncio.Condition()
        self.port = 0
        self.scheme = "http"

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/hook"

    @asynccontextmanager
    async def serving(self, context: ssl.SSLContext | None = None) -> AsyncIterator[Self]:
        server = await asyncio.start_server(self.converse, "127.0.0.1", 0, ssl=context)
        self.port = server.sockets[0].getsockname()[1]
        self.scheme = "https" if context else "http"
        try:
            yield self
        finally:
            server.close()

    async def until(self, count: int, seconds: float = 60.0) -> list[Got]:
        async with asyncio.timeout(seconds), self.came:
            await self.came.wait_for(lambda: len(self.got) >= count)
        return self.got

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                request = await read(reader)
                reply = self.decide(request)
                async with self.came:
                    self.got.append(request)
                    self.came.notify_all()
                if reply.waits is not None:
                    await reply.waits.wait()
                lines = [f"HTTP/1.1 {reply.status} X", f"content-length: {len(reply.body)}", *reply.headers]
                writer.write("\r\n".join([*lines, "", ""]).encode() + reply.body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


async def read(reader: asyncio.StreamReader) -> Got:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    pairs = (line.partition(":") for line in lines if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    return Got(first.split(" ")[1], headers, await reader.readexactly(int(headers["content-length"])))
