"""`/trace` and `ipam trace`: one client's packets and decisions, copied while somebody looks and never otherwise."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from http import HTTPStatus
from typing import Any

import pytest
from engine.serving import Relay, Servers, at_once, drops, mac_of, octets, read_feed, reloaded, verdict
from engine.site import Site, Subnet, until
from oracle import packets as say

from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.trace_reader import Trace
from dhcp_fast.packets.dissect import dissect
from dhcp_fast.server import metrics, trace_stream
from dhcp_fast.server.duties import OwnHost
from dhcp_fast.server.held_sockets import HeldSockets
from dhcp_fast.server.link_watch import LinkWatch
from dhcp_fast.server.serving import Serving
from dhcp_fast.server.startup import Opened, Startup
from dhcp_fast.trace import paragraph
from dhcp_fast.watching import ANSWER_SECONDS
from ipam_core.processes import health, local_access
from ipam_core.setting_values import Endpoint
from ipam_core.settings import Settings

MAC, OTHER = mac_of(1), mac_of(2)
CLIENT_ID = b"\x00left"
COMMAND = [sys.executable, "-P", "-m", "api.cli", "trace"]


@pytest.fixture
async def endpoint(server: Serving) -> AsyncIterator[Endpoint]:
    """Where this server's /trace is: its own health address has a port of the kernel's choice."""
    streams = {"/trace": trace_stream.stream(lambda: server.engine)}
    async with await health.serve(Endpoint("127.0.0.1", 0), {}, streams) as pages:
        yield Endpoint(*pages.sockets[0].getsockname())


class Reader:
    """One open trace."""

    def __init__(self, endpoint: Endpoint, query: str) -> None:
        self.endpoint = endpoint
        self.query = query

    async def __aenter__(self) -> Reader:
        self.reader, self.writer = await asyncio.open_connection(self.endpoint.host, self.endpoint.port)
        self.writer.write(f"GET /trace?{self.query} HTTP/1.1\r\nHost: {self.endpoint}\r\n\r\n".encode())
        head = await self.reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 ")
        assert b"Transfer-Encoding: chunked" in head
        return self

    async def __aexit__(self, *_: Any) -> None:
        self.writer.close()

    async def events(self, count: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        async with asyncio.timeout(10):
            while len(found) < count:
                size = int(await self.reader.readline(), 16)
                chunk = await self.reader.readexactly(size)
                await self.reader.readexactly(2)
                found += map(json.loads, chunk.decode().splitlines())
        assert len(found) == count
        return found


async def answer(endpoint: Endpoint, query: str, *headers: str) -> tuple[int, str]:
    reader, writer = await asyncio.open_connection(endpoint.host, endpoint.port)
    given = "".join(f"{header}\r\n" for header in headers or (f"Host: {endpoint}",))
    writer.write(f"GET /trace?{query} HTTP/1.1\r\n{given}\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head.split()[1])
    body = b"" if status == 200 else await reader.read()
    writer.close()
    return status, body.decode()


def told(events: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(e["event"], e.get("decision"), e.get("write"), e["answer"]) for e in events]


def test_nobody_is_traced_before_there_is_an_engine() -> None:
    """While the database has not answered; the numbers are there, and say nothing yet."""
    settings = Settings()
    nowhere = Opened(Endpoint("127.0.0.1", 0), None, HeldSockets([]), LinkWatch())
    startup = Startup(settings, "postgresql://127.0.0.1:1/none", OwnHost(settings, 4), nowhere, 4)
    with pytest.raises(health.Refused) as refused:
        startup.traced()
    assert refused.value.answer.status == HTTPStatus.SERVICE_UNAVAILABLE
    assert startup.counters() == metrics.NOTHING


async def test_a_client_from_discover_to_release(relay: Relay, server: Serving, endpoint: Endpoint) -> None:
    async with Reader(endpoint, f"mac={MAC}") as trace:
        ack = await relay.lease(MAC, say.discover(MAC).hostname("printer").circuit("eth1/3"))
        await relay.lease(OTHER)
        await relay.unanswered(say.release(MAC, ack.yiaddr, "127.0.0.1"))
        events = await trace.events(6)
    assert told(events) == [
        ("decision", "answered", None, "offer"),
        ("reply", None, None, "offer"),
        ("decision", "written", "bind", "ack"),
        ("reply", None, None, "ack"),
        ("decision", "written", "release", None),
        ("decision", "done", None, None),
    ]
    assert all(event["subnet"] == "10.5.0.0/24" for event in events)
    discover, _, _, acked, _, ended = events
    assert discover["from"].startswith(f"{relay.address}:")
    asked = dissect(bytes.fromhex(discover["packet"]))
    assert asked is not None
    assert (asked.type_name, asked.value(12), asked.giaddr) == ("DISCOVER", b"printer", relay.address)
    given = dissect(bytes.fromhex(acked["packet"]))
    assert given is not None
    assert (given.type_name, given.yiaddr) == ("ACK", ack.yiaddr)
    assert 0 < acked["commit_wait_ms"] <= acked["in_server_ms"]
    assert ended["commit_wait_ms"] > 0
    assert discover["commit_wait_ms"] is None


async def test_a_packet_that_is_dropped_before_its_client_is_known(
    relay: Relay, server: Serving, endpoint: Endpoint
) -> None:
    async with Reader(endpoint, f"mac={MAC}") as trace:
        await relay.unanswered(say.discover(MAC).without(53))
        assert await verdict(server, say.discover(MAC)) == "not_served_here"
        malformed, unserved = await trace.events(2)
    assert (malformed["decision"], malformed["reason"]) == ("dropped", "no_message_type")
    assert unserved["meaning"].startswith("no subnet is on this interface")
    assert malformed["subnet"] is unserved["subnet"] is None


async def test_a_refusal_says_why(
    relay: Relay, server: Serving, site: Site, subnet: Subnet, endpoint: Endpoint
) -> None:
    offer = await relay.offer(say.discover(MAC))
    await site.put_lease(offer.yiaddr, b"\x02\0\0\0\0\x09", subnet.no)
    async with Reader(endpoint, f"mac={MAC}") as trace:
        await relay.nak(say.request_selecting(MAC, offer.yiaddr, "127.0.0.1"))
        await relay.nak(say.request_rebinding(MAC, "10.9.9.9"))
        written, refused, nak, wrong, _ = await trace.events(5)
    assert (written["decision"], written["unusual"]) == ("written", None)
    assert (refused["decision"], refused["unusual"]) == ("answered", "nak_lost_race")
    assert refused["commit_wait_ms"] > 0
    assert nak["answer"] == "nak"
    assert wrong["unusual"] == "nak_wrong_network"


async def test_an_early_renewal_has_no_commit(
    relay: Relay, server: Serving, subnet: Subnet, endpoint: Endpoint
) -> None:
    async with subnet.change():
        await subnet.set(cache_threshold=0.25)
    await reloaded(server, subnet)
    ack = await relay.lease(MAC)

    async def seen() -> bool:
        await read_feed(server)
        async with Reader(endpoint, f"mac={MAC}") as trace:
            await relay.ack(say.request_rebinding(MAC, ack.yiaddr))
            decision, reply = await trace.events(2)
        return decision["decision"] == "answered" and reply["commit_wait_ms"] is None

    await until("answered from memory", seen)


async def test_by_client_id(relay: Relay, server: Serving, endpoint: Endpoint) -> None:
    """Alone, or both: then both must hold."""
    async with (
        Reader(endpoint, f"client_id={CLIENT_ID.hex(':')}") as by_id,
        Reader(endpoint, f"mac={MAC}&client_id={CLIENT_ID.hex()}") as by_both,
    ):
        for mac, client_id in ((OTHER, CLIENT_ID), (MAC, b"\x00right"), (MAC, CLIENT_ID)):
            await relay.offer(say.discover(mac).client_id(client_id))
        first, _, second, _ = await by_id.events(4)
        only, _ = await by_both.events(2)
    assert first["packet"] != second["packet"] == only["packet"]


async def test_four_may_look_and_a_fifth_is_told(server: Serving, endpoint: Endpoint) -> None:
    readers = [Reader(endpoint, f"mac={mac_of(n)}") for n in range(4)]
    for reader in readers:
        await reader.__aenter__()
    status, body = await answer(endpoint, f"mac={MAC}")
    assert status == 503
    assert "four clients are traced already" in body
    await readers[0].__aexit__()

    async def is_free() -> bool:
        return (await answer(endpoint, f"mac={MAC}"))[0] == 200

    await until("free again", is_free)
    for reader in readers[1:]:
        await reader.__aexit__()


async def test_what_has_no_room_is_counted(relay: Relay, server: Serving, endpoint: Endpoint) -> None:
    """256 entries are kept: a flood between two looks costs no memory, and says how much was missed."""
    async with Reader(endpoint, f"mac={MAC}") as trace:
        at_once(server, relay, *[say.discover(MAC) for _ in range(200)])
        events = await trace.events(257)
    assert events[-1] == {"event": "lost", "count": 400 - 256}
    assert drops(server, "relay_offers") == 0


async def test_nobody_looks_and_nothing_is_copied(relay: Relay, server: Serving, endpoint: Endpoint) -> None:
    async with Reader(endpoint, f"mac={MAC}") as trace:
        await relay.offer(say.discover(MAC))
        await trace.events(2)
    await relay.offer(say.discover(MAC))
    async with Reader(endpoint, f"mac={MAC}") as trace:
        await relay.lease(MAC)
        assert len(await trace.events(4)) == 4


# --- who may look


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        pytest.param(["Host: dhcp.example.net:8081"], "browser", id="a name of another's choice"),
        pytest.param(["Host: 127.0.0.1", "Origin: http://example.net"], "browser", id="a web page"),
        pytest.param(["Host: 127.0.0.1", "X-Forwarded-For: 192.0.2.1"], "proxy", id="through a proxy"),
        pytest.param(["Accept: */*"], "browser", id="no host"),
    ],
)
async def test_who_may_not_look(headers: list[str], reason: str, endpoint: Endpoint) -> None:
    status, body = await answer(endpoint, f"mac={MAC}", *headers)
    assert status == 403
    assert reason in body


def request(peer: str, **headers: str) -> health.HttpRequest:
    return health.HttpRequest({}, headers or {"host": "127.0.0.1:8081"}, (peer, 1), ("127.0.0.1", 2))


def test_another_machine_may_not_look() -> None:
    assert (
        local_access.refusal(request("192.0.2.1"))
        == "packets are shown only on this host: run the command there"
    )


def test_another_account_may_not_look() -> None:
    """The kernel knows whose socket it is; nobody's is refused as well."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.create_connection(listening.getsockname()) as mine,
    ):
        ends = mine.getsockname(), mine.getpeername()
        assert local_access.owner(*ends) == os.geteuid()
    assert "account of the server" in str(local_access.refusal(request("127.0.0.1")))


async def test_another_accounts_process_is_refused(endpoint: Endpoint) -> None:
    if os.geteuid() != 0:
        pytest.skip("missing peer: another account can be had by root only")
    code = (
        "import http.client, sys\n"
        "c = http.client.HTTPConnection(sys.argv[1], int(sys.argv[2]), timeout=5)\n"
        f"c.request('GET', '/trace?mac={MAC}')\nprint(c.getresponse().status)"
    )
    process = await asyncio.create_subprocess_exec(
        "/usr/bin/python3",
        "-c",
        code,
        endpoint.host,
        str(endpoint.port),
        user="nobody",
        stdout=asyncio.subprocess.PIPE,
    )
    assert (await process.communicate())[0].split() == [b"403"]


@pytest.mark.parametrize(
    "query", ["", "mac=", "mac=zz", "client_id=0", f"mac={'00' * 17}", f"client_id={'00' * 256}"]
)
async def test_an_unclear_question(query: str, endpoint: Endpoint) -> None:
    assert (await answer(endpoint, query))[0] == 400


# --- the command


@pytest.fixture
def interruptible() -> Iterator[None]:
    """What a shell starts in the background ignores SIGINT, and so would the programs that we start."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
async def test_the_command_prints_for_people(relay: Relay, server: Serving, endpoint: Endpoint) -> None:
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        "--mac",
        MAC,
        "--server",
        str(endpoint),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert (await process.stderr.readline()).startswith(b"Watching " + MAC.encode())
    ack = await relay.lease(MAC, say.discover(MAC).circuit("eth1/3").asking(1, 3))
    text = ""
    async with asyncio.timeout(10):
        while (
            "waiting for the COMMIT" not in text
            or "lease-time (51)" not in text.split("waiting for the COMMIT")[1]
        ):
            text += (await process.stdout.readline()).decode()
    process.send_signal(signal.SIGINT)
    async with asyncio.timeout(10):
        _, said = await process.communicate()
    assert (process.returncode, b"Traceback" in said) == (0, False), said.decode()
    assert f"through relay {relay.address}, circuit eth1/3" in text
    assert f"asks the database for a new binding of {ack.yiaddr}; ACK leaves after the COMMIT" in text
    assert "parameter-request-list (55)" in text


async def test_a_client_may_be_silent(relay: Relay, endpoint: Endpoint) -> None:
    """For longer than the command waits for the server's answer."""
    process = await asyncio.create_subprocess_exec(
        *[*COMMAND, "--mac", MAC, "--server", str(endpoint)],
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        assert (await process.stderr.readline()).startswith(b"Watching")
        await asyncio.sleep(ANSWER_SECONDS + 1)
        await relay.lease(MAC)
        async with asyncio.timeout(10):
            assert b"DISCOVER" in await process.stdout.readline()
    finally:
        process.kill()
        await process.wait()


def test_what_was_lost_is_shown() -> None:
    assert "12 more are not shown" in "".join(paragraph({"event": "lost", "count": 12}))


def test_a_malformed_packet_is_shown() -> None:
    event = {
        "event": "decision", "time": "2026-01-02T03:04:05.678Z", "decision": "dropped", "reason": "no_cookie",
        "meaning": "no options", "from": "192.0.2.1:68", "interface": None, "subnet": None, "packet": "00" * 64,
    }  # fmt: skip
    assert list(paragraph(event)) == [
        "03:04:05.678  malformed packet from 192.0.2.1:68",
        "    => dropped, no_cookie: no options",
    ]


async def test_no_server_is_one_line() -> None:
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "--mac", MAC, "--server", "127.0.0.1:1", stderr=asyncio.subprocess.PIPE
    )
    _, said = await process.communicate()
    assert process.returncode == 1
    assert said.decode().splitlines()[-1].startswith("ipam: the server at 127.0.0.1:1 is not available")


@pytest.mark.usefixtures("interruptible")
async def test_the_command_follows_to_the_server_that_sees_packets(endpoint: Endpoint, relay: Relay) -> None:
    """Under `ipam up` the health address is the supervisor's."""

    async def elsewhere() -> health.Answer:
        return health.Answer(HTTPStatus.TEMPORARY_REDIRECT, "", location=f"http://{endpoint}/trace")

    async with await health.serve(Endpoint("127.0.0.1", 0), {"/trace": elsewhere}) as pages:
        first = Endpoint(*pages.sockets[0].getsockname())
        process = await asyncio.create_subprocess_exec(
            *COMMAND, "--mac", MAC, "--server", str(first), "--json",
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        await process.stderr.readline()
        await relay.offer(say.discover(MAC))
        event = json.loads(await process.stdout.readline())
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(10):
            await process.communicate()
    assert (event["event"], event["answer"]) == ("decision", "offer")


async def test_a_bootp_client_is_seen(servers: Servers, subnet: Subnet) -> None:
    """Its messages have no type."""
    await subnet.reserve(20, mac=MAC)
    server = await servers.start(dhcp4_bootp="reserved")
    watcher = trace_stream.Watcher(server.engine, octets(MAC), b"")
    servers.relay(server, subnet.relay).send(say.bootp(MAC))
    text = ""

    def is_answered() -> bool:
        nonlocal text
        text += watcher.lines()
        return len(text.splitlines()) == 2

    await until("answered", is_answered)
    watcher.trace.close()
    events = list(map(json.loads, text.splitlines()))
    assert told(events) == [("decision", "written", "bind", "bootp"), ("reply", None, None, "bootp")]


def test_a_trace_that_the_garbage_collector_ends_frees_its_place() -> None:
    """As an exception's traceback may leave it: in a circle, with the engine in it."""
    engine = Engine((1, 2))
    for _ in range(2 * 4):  # more than there are places
        circle: list[Any] = [Trace(engine, b"\2\0\0\0\0\1", b""), engine]
        circle.append(circle)
        del circle
        gc.collect()
