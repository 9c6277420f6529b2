"""Replies that grow, trickle, never end or unpack to a gigabyte: each is bounded, and the event loop stays free."""

import asyncio
import contextlib
import gzip
import tracemalloc
from typing import Any

import msgspec
import pytest
from outbound.hostile import Answer, Latency, again_and_again, once, serving
from workers.receiver import Receiver, Reply
from workers.site import LOOPBACK

from ipam_core.outbound.faults import Kind, OutboundError
from ipam_core.outbound.guard import Guard, Reach
from ipam_core.outbound.http_client import MOST_IDLE, HttpClient, decoded

REACH = Reach(1, of_tenant=True)
OK = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
MOST = 100_000
BOMB = gzip.compress(bytes(1 << 26))
# Of the loop and of memory, with room for a slow machine: without the limits it is seconds and hundreds of megabytes.
BUSIEST, MOST_MEMORY = 0.5, 8 << 20


def client(port: int, seconds: float = 20.0, **headers: str) -> HttpClient:
    return HttpClient(Guard([LOOPBACK]), REACH, f"http://127.0.0.1:{port}/base", headers, seconds)


def chunked(size: int) -> bytes:
    return b"".join([b"1\r\nx\r\n"] * size)


@pytest.mark.parametrize(
    ("answer", "seconds", "kind", "said"),
    [
        (once(OK + b"content-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(BOMB) + BOMB), 20.0, Kind.PROTOCOL,
         "with a compressed body, although identity was requested"),
        (once(OK + b"Content-Encoding: GZIP, br\r\ncontent-length: 0\r\n\r\n"), 20.0, Kind.PROTOCOL, "compressed"),
        (again_and_again(OK, b"x-more: " + b"y" * 50_000 + b"\r\n"), 20.0, Kind.PROTOCOL, "header is longer"),
        (again_and_again(OK, b"x: y\r\n" * 5000), 20.0, Kind.PROTOCOL, "header is longer"),
        (again_and_again(b"HTTP/1.1 103 Early\r\n\r\n", b"HTTP/1.1 103 Early\r\n\r\n" * 2000), 20.0, Kind.PROTOCOL,
         "header is longer"),
        (again_and_again(OK + b"\r\n", b" " * 50_000), 20.0, Kind.SIZE, "more than 100000 octets"),
        (again_and_again(OK + b"transfer-encoding: chunked\r\n\r\n", chunked(5000)), 20.0, Kind.SIZE, "more than"),
        (again_and_again(OK + b"transfer-encoding: chunked\r\n\r\n1;" , b"e" * 50_000), 20.0, Kind.SIZE, "more than"),
        (again_and_again(OK + b"transfer-encoding: chunked\r\n\r\n0\r\n", b"x: y\r\n" * 5000), 20.0, Kind.SIZE,
         "more than"),
        (once(OK + b"content-length: 99999999\r\n\r\n{}"), 20.0, Kind.PROTOCOL, "early"),
        (once(OK + b"content-length: 5\r\ncontent-length: 6\r\n\r\n{}"), 20.0, Kind.PROTOCOL, "not HTTP"),
        (again_and_again(OK + b"\r\n", b" ", 0.02), 0.3, Kind.SILENT, "within 0.3 s"),
        (again_and_again(b"HTTP/1.1 200 ", b"O", 0.02), 0.3, Kind.SILENT, "within 0.3 s"),
        (again_and_again(b"", b"", 0.1), 0.3, Kind.SILENT, "within 0.3 s"),
        (once(b""), 20.0, Kind.PROTOCOL, "closed without a response"),
        (once(b"SSH-2.0-OpenSSH_9.9\r\n"), 20.0, Kind.PROTOCOL, "not HTTP/1.1"),
    ],
)  # fmt: skip
async def test_replies_that_are_bounded(answer: Answer, seconds: float, kind: Kind, said: str) -> None:
    async with serving(answer) as port:
        sending = client(port, seconds)
        tracemalloc.start()
        try:
            async with Latency() as latency:
                with pytest.raises(OutboundError, match=said) as caught:
                    await sending.request("GET", "/", most=MOST)
            assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
        finally:
            tracemalloc.stop()
        assert caught.value.kind == kind
        assert latency.busiest < BUSIEST
        assert sending.idle == []


async def test_a_reply_of_exactly_the_limit() -> None:
    async with serving(once(OK + b"content-length: 4\r\n\r\nbody")) as port:
        assert (await client(port).request("GET", "/", most=4)).body == b"body"
        with pytest.raises(OutboundError, match="more than 3 octets"):
            await client(port).request("GET", "/", most=3)


async def test_a_connection_that_the_server_closed_meanwhile() -> None:
    """A request goes over another one, but for a POST, which might then be done twice."""
    over = [0]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        over[0] += 1
        for _ in range(2):
            head = await reader.readuntil(b"\r\n\r\n")
            if head.startswith(b"GET /base/second"):
                break
            writer.write(OK + b"content-length: 0\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        sending = client(server.sockets[0].getsockname()[1])
        assert (await sending.request("GET", "/first")).status == 200
        with pytest.raises(OutboundError, match="closed without a response"):
            await sending.request("GET", "/second")
        assert over[0] == 2
        assert (await sending.request("GET", "/first")).status == 200
        assert (await sending.request("POST", "/first", body=b"")).status == 200
        assert over[0] == 4
        sending.close()


async def test_a_redirect_is_a_reply() -> None:
    """It is not followed, wherever it leads."""
    async with Receiver(lambda _: Reply(302, ("location: http://127.0.0.1:1/",))).serving() as receiver:
        reply = await client(receiver.port).request("PATCH", "/x", body=b"{}")
        assert (reply.status, reply.headers["location"], len(receiver.got)) == (302, "http://127.0.0.1:1/", 1)


async def test_what_is_sent() -> None:
    async with Receiver(lambda _: Reply(200, (), b"{}")).serving() as receiver:
        sending = client(receiver.port, **{"x-api-key": "k"})
        await sending.request("PATCH", "/a b/%2F", (("q", "x y&z"),), b'{"a":1}')
        await sending.request("PATCH", "/", body=b"")
        first, second = receiver.got
        assert (first.path, first.body, second.path) == ("/base/a%20b/%2F?q=x+y%26z", b'{"a":1}', "/base/")
        assert first.headers["x-api-key"] == "k"
        assert first.headers["accept-encoding"] == "identity"
        assert len(sending.idle) == 1
        sending.close()


@pytest.mark.parametrize("value", ["a\r\nx-more: 1", "a\nb", "a\x00b"])
async def test_a_secret_that_would_end_its_header(value: str) -> None:
    async with Receiver().serving() as receiver:
        with pytest.raises(OutboundError, match="the header x-api-key contains control characters") as caught:
            await client(receiver.port, **{"x-api-key": value}).request("GET", "/")
        assert value not in str(caught.value)
        assert receiver.got == []


@pytest.mark.parametrize(
    "base",
    [
        "http://127.0.0.1/", "http://2130706433", "http://0x7f.1", "http://[::ffff:127.0.0.1]", "http://localhost",
        "http://user:pass@127.0.0.1", "http://[::ffff:a9fe:a9fe]", "http://169.254.169.254", "http://[::1]",
        "http://10.0.0.1", "http://[fd00::1]", "http://127.0.0.1%2f.example", "ftp://203.0.113.1", "//203.0.113.1",
        "http://\u0661\u0662\u0667.0.0.1", "http://127\u30020.0.1", "http://a b/", "http:///x", "http://[::1%25lo]",
    ],
)  # fmt: skip
async def test_a_tenants_destination_that_is_closed(base: str) -> None:
    """Whatever the notation, nothing is connected to."""
    sending = HttpClient(Guard(), REACH, base, {}, 5.0)
    with pytest.raises(OutboundError) as caught:
        await sending.request("GET", "/")
    assert caught.value.kind in (Kind.FORBIDDEN, Kind.NAME)


async def test_connections_of_a_tenant_are_counted() -> None:
    """What is beyond its share waits, and another tenant does not."""
    go_on, begun = asyncio.Event(), [0]

    async def wait(write: Any) -> None:
        begun[0] += 1
        await go_on.wait()
        await write(OK + b"content-length: 0\r\n\r\n")

    async with serving(wait) as port:
        guard = Guard([LOOPBACK])
        mine, others = (
            HttpClient(guard, Reach(no, of_tenant=True), f"http://127.0.0.1:{port}", {}, 20.0)
            for no in (1, 2)
        )
        asking = [asyncio.create_task(mine.request("GET", "/")) for _ in range(80)]
        while begun[0] < 64:  # noqa: ASYNC110 - the server tells nobody
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        assert begun[0] == 64
        last = asyncio.create_task(others.request("GET", "/"))
        while begun[0] < 65:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        go_on.set()
        assert {each.status for each in await asyncio.gather(*asking, last)} == {200}
        assert len(mine.idle) <= MOST_IDLE


class Row(msgspec.Struct, gc=False):
    name: str


class Rows(msgspec.Struct):
    rows: list[Row]


@pytest.mark.parametrize(
    "body",
    [
        b'{"rows":[],"more":[' + b"[]," * 4_000_000 + b"0]}",
        b'{"rows":[' + b"[]," * 4_000_000 + b"[]]}",
        b'{"rows":[],"more":' + b"[" * 1_000_000,
        b'{"rows":[' + b'{"name":""},' * 300_000 + b'{"name":""}]}',
    ],
)
async def test_large_json_is_decoded_beside_the_loop(body: bytes) -> None:
    """What the struct lacks is skipped unbuilt: as plain objects the first body takes 300 MB."""
    decode = msgspec.json.Decoder(Rows).decode
    async with Latency() as latency:
        with contextlib.suppress(msgspec.DecodeError, RecursionError):
            await decoded(body, decode)
    assert latency.busiest < BUSIEST
    tracemalloc.start()
    try:
        with contextlib.suppress(msgspec.DecodeError, RecursionError):
            decode(body)
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()
