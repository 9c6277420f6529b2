"""The health server answers its pages and survives what is no request."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from http import HTTPStatus

import pytest

from ipam_core import faults
from ipam_core.processes import health
from ipam_core.setting_values import Endpoint


async def ready() -> health.Answer:
    return health.Answer(HTTPStatus.OK, "yes", "text/plain")


@pytest.fixture
async def endpoint() -> AsyncIterator[Endpoint]:
    async with await health.serve(Endpoint("127.0.0.1", 0), {"/readyz": ready}) as server:
        yield Endpoint(*server.sockets[0].getsockname())


async def say(endpoint: Endpoint, octets: bytes) -> bytes:
    reader, writer = await asyncio.open_connection(endpoint.host, endpoint.port)
    writer.write(octets)
    writer.write_eof()
    answer = await reader.read()
    writer.close()
    return answer


async def test_a_page_and_its_head(endpoint: Endpoint) -> None:
    assert await health.ask(endpoint, "/readyz?verbose") == (200, "yes")
    head = await say(endpoint, b"HEAD /readyz HTTP/1.1\r\n\r\n")
    assert b"Content-Length: 3\r\n" in head
    assert head.endswith(b"\r\n\r\n")


@pytest.mark.parametrize(
    ("request_", "status"),
    [(b"GET /other HTTP/1.1\r\n\r\n", 404), (b"POST /readyz HTTP/1.1\r\n\r\n", 405), (b"\r\n\r\n", 405)],
)
async def test_anything_else_has_its_status(endpoint: Endpoint, request_: bytes, status: int) -> None:
    assert (await say(endpoint, request_)).startswith(f"HTTP/1.1 {status} ".encode())


@pytest.mark.parametrize("octets", [b"", b"GET /readyz", b"\x16\x03\x01" * 10_000])
async def test_what_is_no_request_gets_nothing_and_harms_nobody(endpoint: Endpoint, octets: bytes) -> None:
    with contextlib.suppress(ConnectionError):  # a flood is cut off before it is read
        assert await say(endpoint, octets) == b""
    assert await health.ask(endpoint, "/readyz") == (200, "yes")


async def test_a_page_that_fails_is_an_error_and_others_are_shown() -> None:
    async def broken() -> health.Answer:
        raise ZeroDivisionError

    before = faults.faults.counts["health page", "ZeroDivisionError"]
    pages: health.Pages = {"/readyz": ready, "/metrics": broken}
    async with await health.serve(Endpoint("127.0.0.1", 0), pages) as server:
        place = Endpoint(*server.sockets[0].getsockname())
        status, body = await health.ask(place, "/metrics") or (0, "")
        assert (status, body) == (500, '{"error":"this page failed; see the log"}')
        assert await health.ask(place, "/readyz") == (200, "yes")
    assert faults.faults.counts["health page", "ZeroDivisionError"] == before + 1


async def test_nobody_there() -> None:
    assert await health.ask(Endpoint("127.0.0.1", 1), "/readyz") is None
