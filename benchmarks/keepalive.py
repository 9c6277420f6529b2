"""An HTTP client that costs little: one keep-alive connection, one request under way, bodies with a length.

A full client library would need more of the shared processor than the service that it asks.
"""

import asyncio
from typing import Self


class Connection(asyncio.Protocol):
    def __init__(self, token: str) -> None:
        self.head = f"host: localhost\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n"
        self.received = b""
        self.answer: asyncio.Future[tuple[int, bytes]] | None = None
        self.transport: asyncio.Transport | None = None

    @classmethod
    async def open(cls, host: str, port: int, token: str) -> Self:
        _, made = await asyncio.get_running_loop().create_connection(lambda: cls(token), host, port)
        return made

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        if self.answer and not self.answer.done():
            self.answer.set_exception(error or ConnectionResetError())

    async def ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        assert self.transport is not None
        self.answer = asyncio.get_running_loop().create_future()
        length = f"content-length: {len(body)}\r\n" if body else ""
        self.transport.write(f"{method} {path} HTTP/1.1\r\n{self.head}{length}\r\n".encode() + body)
        return await self.answer

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, blank, body = self.received.partition(b"\r\n\r\n")
        if not blank:
            return
        _, _, tail = head.lower().partition(b"content-length:")
        if len(body) >= int(tail.partition(b"\r\n")[0]):
            self.received = b""
            assert self.answer is not None
            self.answer.set_result((int(head[9:12]), body))

    def close(self) -> None:
        if self.transport is not None:
            self.transport.close()
