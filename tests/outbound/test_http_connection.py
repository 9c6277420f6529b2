"""One connection: answers of every shape a server may give, and what may not follow them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from ipam_core.outbound.http_connection import MOST_OCTETS, SHOWN_OCTETS, HttpConnection

MESSAGE = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}"
EMPTY = b"HTTP/1.1 204 No Content\r\n\r\n"
OK = b"HTTP/1.1 200 OK\r\n"


class Watched(HttpConnection):
    """It says when it is no more."""

    def __init__(self) -> None:
        super().__init__()
        self.lost = asyncio.Event()

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self.lost.set()


@asynccontextmanager
async def answering(*answers: bytes, stays: bool = True) -> AsyncIterator[HttpConnection]:
    """A connection to a server that gives these, one to each message, and then ends it, unless it stays."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for answer in answers:
            await reader.readexactly(len(MESSAGE))
            writer.write(answer)
        if stays:
            await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    _, connection = await asyncio.get_running_loop().create_connection(HttpConnection, "127.0.0.1", port)
    async with server:
        yield connection
        connection.close()


async def post(connection: HttpConnection) -> tuple[int, bytes]:
    async with asyncio.timeout(20):
        answer = await connection.post(MESSAGE)
    return answer.status, answer.beginning


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (EMPTY, (204, b"")),
        (OK + b"content-length: 3\r\n\r\nyes", (200, b"yes")),
        (
            OK + b"transfer-encoding: chunked\r\n\r\n2\r\nye\r\n1\r\ns\r\n0\r\nx-more: y\r\n\r\n",
            (200, b"yes"),
        ),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nlink: x\r\n\r\n" + EMPTY, (204, b"")),
        (OK + b"content-length: 60000\r\n\r\n" + b"y" * 60_000, (200, b"y" * SHOWN_OCTETS)),
    ],
)
async def test_another_may_follow(answer: bytes, told: tuple[int, bytes]) -> None:
    async with answering(answer, EMPTY) as connection:
        assert await post(connection) == told
        assert connection.is_usable
        assert await post(connection) == (204, b"")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (OK + b"connection: close\r\ncontent-length: 3\r\n\r\nyes", (200, b"yes")),
        (b"HTTP/1.0 200 OK\r\ncontent-length: 3\r\n\r\nyes", (200, b"yes")),
        (b"HTTP/1.1 500 Oh\r\ncontent-length: 0\r\n\r\n" + EMPTY, (500, b"")),
        (b"HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\njunk", (101, b"")),
        (OK + b"transfer-encoding: chunked\r\n\r\n2\r\nye\r\nno number\r\n", (200, b"ye")),
        (OK + b"content-length: 999999\r\n\r\n" + b"y" * 2 * MOST_OCTETS, (200, b"y" * SHOWN_OCTETS)),
    ],
)
async def test_none_may_follow(answer: bytes, told: tuple[int, bytes]) -> None:
    async with answering(answer) as connection:
        assert await post(connection) == told
        assert not connection.is_usable


@pytest.mark.parametrize("head", [OK, OK + b"content-length: 9\r\n"])
async def test_a_body_that_ends_with_the_connection(head: bytes) -> None:
    async with answering(head + b"\r\nyes", stays=False) as connection:
        assert await post(connection) == (200, b"yes")
        assert not connection.is_usable


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"", "closed without a response"),
        (b"HTTP/1.1 204 No", "closed without a response"),
        (b"HTTP/1.1 100 Continue\r\n\r\n", "closed without a response"),
        (b"SSH-2.0-OpenSSH_9.9\r\n", "not HTTP/1.1"),
        (OK + b"x: " + b"y" * 2 * MOST_OCTETS, "header is longer than 65536"),
    ],
)
async def test_no_answer(answer: bytes, error: str) -> None:
    async with answering(answer, stays=False) as connection:
        with pytest.raises(ConnectionError, match=error):
            await post(connection)
        assert not connection.is_usable


async def test_who_gives_up_leaves_nothing_for_the_next() -> None:
    """The late answer would be taken for that of the next message."""
    async with answering(b"HTTP/1.1 ") as connection:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await connection.post(MESSAGE)
        assert not connection.is_usable


@pytest.mark.parametrize("unasked", [b"HTTP/1.1 200 OK\r\n\r\n", b""])
async def test_what_happens_between_two_messages(unasked: bytes) -> None:
    """An answer to nothing, or the server's end of the connection: both are seen before the next message."""
    go_on, done = asyncio.Event(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(len(MESSAGE))
        writer.write(EMPTY)
        await go_on.wait()
        writer.write(unasked)
        if unasked:
            await reader.read()  # until the other side ends it
        writer.close()
        done.set()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        _, connection = await asyncio.get_running_loop().create_connection(Watched, "127.0.0.1", port)
        assert await post(connection) == (204, b"")
        assert connection.is_usable
        go_on.set()
        async with asyncio.timeout(20):
            await done.wait()
            await connection.lost.wait()
        assert not connection.is_usable
