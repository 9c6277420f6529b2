"""Servers that answer as no server should, on loopback."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

Write = Callable[[bytes], Awaitable[None]]
Answer = Callable[[Write], Awaitable[None]]


@asynccontextmanager
async def serving(answer: Answer) -> AsyncIterator[int]:
    """A server that reads a head and then answers so; its port."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def write(data: bytes) -> None:
            writer.write(data)
            await writer.drain()

        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            await answer(write)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


def once(data: bytes) -> Answer:
    return lambda write: write(data)


def again_and_again(first: bytes, piece: bytes, pause: float = 0.0) -> Answer:
    async def answer(write: Write) -> None:
        await write(first)
        while True:
            await write(piece)
            await asyncio.sleep(pause)

    return answer


class Latency:
    """How long the event loop of the test was busy without a break, in seconds: `longest` by the clock, `busiest` in
    processor time, which other processes of the machine do not lengthen."""

    def __init__(self) -> None:
        self.longest = self.busiest = 0.0

    async def __aenter__(self) -> "Latency":
        self.task = asyncio.create_task(self.watch())
        await asyncio.sleep(0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.task.cancel()

    async def watch(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            before, worked = loop.time(), time.process_time()
            await asyncio.sleep(0.005)
            self.longest = max(self.longest, loop.time() - before - 0.005)
            self.busiest = max(self.busiest, time.process_time() - worked)
