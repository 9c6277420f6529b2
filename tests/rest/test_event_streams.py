"""Live events over a real server: resumed, filtered, bounded, ended; a client sees what it may, and nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, NamedTuple

import asyncpg
import httpx
import pytest
import uvicorn

from api.http import gate as gates
from api.http.auth import CACHE_SECONDS
from api.http.event_streams import Bounds
from api.http.gate import Gate
from api.protocol import Listener, Protocol
from api.server import Server
from ipam_core import faults
from ipam_core.services import event_items, event_stream, events
from ipam_core.services.event_items import Item

SSE = {"accept": "text/event-stream"}
SECONDS = 30.0


class Message(NamedTuple):
    """One of server-sent events; a comment has neither type nor data."""

    id: str
    type: str
    data: Any

    @property
    def name(self) -> str:
        """Of a tenant or a node."""
        return str((self.data["data"].get("after") or self.data["data"]).get("name"))


class Quiet(Server):
    """Leaves the signals of the test's process alone."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Served(NamedTuple):
    base: str
    server: Quiet
    app: Gate

    @property
    def port(self) -> int:
        return int(self.base.split(":")[2].split("/")[0])


@pytest.fixture
async def served(app: Gate, admin_token: str) -> AsyncIterator[Served]:
    config = uvicorn.Config(
        app, port=0, lifespan="off", log_config=None, timeout_graceful_shutdown=5, http=Protocol
    )
    config.load()
    server = Quiet(config, app, Listener(None, (), 0))
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - it tells nobody
        await asyncio.sleep(0.005)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield Served(f"http://127.0.0.1:{port}/api/v1", server, app)
    server.should_exit = True
    await serving


class Follower:
    """A client of the stream."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self.lines = response.aiter_lines()

    async def message(self) -> Message:
        """The next, comments too. Raises StopAsyncIteration at the end."""
        found: dict[str, str] = {}
        async with asyncio.timeout(SECONDS):
            async for line in self.lines:
                if not line:
                    data = found.get("data")
                    return Message(found.get("id", ""), found.get("event", ""), data and json.loads(data))
                name, _, value = line.partition(":")
                found[name] = value.strip()
        raise StopAsyncIteration

    async def event(self) -> Message:
        while True:
            found = await self.message()
            if found.type:
                return found

    async def events(self, count: int) -> list[Message]:
        return [await self.event() for _ in range(count)]

    async def to_the_end(self) -> list[Message]:
        found = []
        with contextlib.suppress(StopAsyncIteration):
            while True:
                found.append(await self.message())
        return found


Follow = Callable[..., Any]


@pytest.fixture
def follow(served: Served, admin_token: str) -> Follow:
    @contextlib.asynccontextmanager
    async def following(token: str = admin_token, last: str = "", **params: str) -> AsyncIterator[Follower]:
        headers = SSE | {"authorization": f"Bearer {token}"} | ({"last-event-id": last} if last else {})
        async with (
            httpx.AsyncClient(timeout=SECONDS) as client,
            client.stream("GET", served.base + "/events", headers=headers, params=params) as response,
        ):
            assert response.status_code == 200, await response.aread()
            follower = Follower(response)
            assert await follower.message() == ("", "", None)  # when to come again
            assert served.app.streams is not None
            # It is decided where each one begins: what happens from here on is told.
            assert all(stream.position for stream in served.app.streams.streams)
            yield follower

    return following


async def test_what_happens_is_told_as_the_list_shows_it(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, served: Served, follow: Follow
) -> None:
    """Behind each event the stream goes on with the next; nothing is missing or twice."""
    await make("/tenants", name="before")
    async with follow() as follower:
        kind = follower.response.headers
        assert kind["content-type"].startswith("text/event-stream")
        assert (kind["cache-control"], kind["x-accel-buffering"]) == ("no-store", "no")
        for number in range(3):
            await make("/tenants", name=f"t{number}")
        async with pool.acquire() as connection:
            await events.record(connection, "node.down", {"name": "n"}, None)
        told = await follower.events(4)
    assert [message.name for message in told] == ["t0", "t1", "t2", "n"]
    assert [message.type for message in told] == ["tenant.created"] * 3 + ["node.down"]
    listed = (await admin.get("/events", params={"limit": "4"})).json()["items"]
    assert [message.data for message in told] == listed[::-1]
    for number in range(4):
        async with follow(last=told[number].id) as again:
            await make("/tenants", name=f"later{number}")
            rest = await again.events(4)
        assert [message.name for message in rest[: 3 - number]] == [m.name for m in told[number + 1 :]]
        assert rest[3 - number].name == "later0"
    async with follow(last=listed[3]["id"]) as by_list:
        missing = {event["id"] for event in listed}
        while missing:  # beginning with what is a little older
            missing.discard((await by_list.event()).data["id"])


@pytest.mark.parametrize("place", ["shown", "read", "look"])
async def test_a_fault_costs_one_event(
    pool: asyncpg.Pool, make: Any, served: Served, follow: Follow, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Of its reading, of how it is shown, or of the common reader: streams go on, and what is told later comes."""
    counts, failing = faults.faults.counts, {"on": True}
    where = {"shown": "event shown", "read": "event", "look": "event streams"}[place]
    before = counts[where, "ZeroDivisionError"]

    def planted(real: Any, when: Callable[..., bool]) -> Any:
        def fails(*told: Any, **named: Any) -> Any:
            if failing["on"] and when(*told):
                raise ZeroDivisionError
            return real(*told, **named)

        return fails

    if place == "shown":
        monkeypatch.setattr(
            Item, "shown", planted(Item.shown, lambda item, _: item.data.get("name") == "bad")
        )
    elif place == "read":
        log = event_items.EVENTS
        bad = log._replace(read=planted(log.read, lambda row: row["data"].get("name") == "bad"))
        logs = tuple(bad if each is log else each for each in event_stream.LOGS)
        monkeypatch.setattr(event_stream, "LOGS", logs)
    else:
        monkeypatch.setattr(event_stream, "read", planted(event_stream.read, lambda *_: True))
        monkeypatch.setattr(faults, "FIRST_REST", 0.05)
    async with follow() as follower:
        async with pool.acquire() as connection:
            for name in ("one", "bad", "two"):
                await events.record(connection, "node.down", {"name": name}, None)
        async with asyncio.timeout(SECONDS):
            while counts[where, "ZeroDivisionError"] == before:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        failing["on"] = place != "look"
        told = await follower.events(3 if place == "look" else 2)
    assert [message.name for message in told if message.name != "bad"] == ["one", "two"]


async def test_filters(make: Any, pool: asyncpg.Pool, follow: Follow, admin: httpx.AsyncClient) -> None:
    other = await make("/tenants", name="other")
    since = (await admin.get("/events", params={"limit": "1"})).json()["items"][0]["timestamp"]
    async with follow(since="2020-01-01T00:00:00Z", type="prefix.*,node.down") as some:
        await make("/prefixes", cidr="10.0.0.0/16")
        await make("/prefixes", cidr="10.1.0.0/16", tenant_id=other["id"])
        async with pool.acquire() as connection:
            await events.record(connection, "node.up", {"name": "n"}, None)
            await events.record(connection, "node.down", {"name": "n"}, None)
        assert [m.type for m in await some.events(3)] == ["prefix.created", "prefix.created", "node.down"]
    async with follow(since=since, tenant_id=other["id"], type="*") as theirs:
        assert (await theirs.event()).data["data"]["after"]["cidr"] == "10.1.0.0/16"


async def test_who_sees_what(make: Any, follow: Follow) -> None:
    """A tenant's token its own; who is no admin neither the object nor who changed it, nor tokens."""
    other = await make("/tenants", name="other")
    viewer = (await make("/tokens", name="v", role="viewer"))["token"]
    guest = (await make("/tokens", name="g", role="admin", tenant_id=other["id"]))["token"]
    async with follow(viewer, since="2020-01-01T00:00:00Z") as seen, follow(guest) as own:
        await make("/prefixes", cidr="10.0.0.0/16")
        await make("/prefixes", cidr="10.1.0.0/16", tenant_id=other["id"])
        assert (await own.event()).data["data"]["after"]["cidr"] == "10.1.0.0/16"
        found = await seen.events(3)
    assert [m.type for m in found] == ["tenant.created", "prefix.created", "prefix.created"]
    assert all(set(m.data["data"]) == {"object_type", "object_id", "subnet_id", "action"} for m in found)


async def test_what_is_wrong_is_an_answer(served: Served, admin_token: str, refused: Any) -> None:
    headers = SSE | {"authorization": f"Bearer {admin_token}"}
    async with httpx.AsyncClient(base_url=served.base, headers=headers) as client:
        for params, field in (
            ({"type": "lease.given"}, "type"),
            ({"since": "yesterday"}, "since"),
            ({"limit": "3"}, "limit"),
            ({"cursor": "x"}, "cursor"),
            ({"kind": "x"}, "kind"),
        ):
            answer = await client.get("/events", params=params)
            assert refused(answer, 422, "validation_error")["field"] == field
        answer = await client.get("/events", headers={"last-event-id": "x"})
        assert refused(answer, 422, "validation_error")["field"] == "last-event-id"
        refused(await client.get("/events", headers={"authorization": "Bearer x"}), 401, "unauthorized")
        head = await client.head("/events")
        assert (head.status_code, head.content) == (200, b"")


async def test_silence_is_filled_and_leads_on(
    make: Any, admin: httpx.AsyncClient, served: Served, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Longer than any request may take; a comment brings the id behind what did not concern the client. A token that is
    revoked ends the stream."""
    assert served.app.streams is not None
    served.app.streams.bounds = Bounds(beat=0.05)
    monkeypatch.setattr(gates, "DEADLINE_SECONDS", 0.2)
    token = await make("/tokens", name="v", role="viewer")
    async with follow(token["token"], type="node.down") as follower:
        beats = [await follower.message() for _ in range(8)]
        assert {beat[1:] for beat in beats} == {("", None)}
        await make("/tenants", name="unseen")
        await served.app.streams.joined.copy().pop().still()
        last = (await follower.message()).id
        while last == beats[-1].id:
            last = (await follower.message()).id
        async with follow(last=last, type="tenant.*") as again:
            await make("/tenants", name="seen")
            assert (await again.event()).name in ("unseen", "seen")
        await admin.delete(f"/tokens/{token['id']}")
        assert {m.type for m in await follower.to_the_end()} <= {""}


@pytest.mark.parametrize(
    "change",
    [None, {"role": "viewer"}, {"allowed_cidrs": ["192.0.2.0/24"]}],
    ids=["revoked", "role", "networks"],
)
@pytest.mark.parametrize("behind", [False, True], ids=["live", "catching up"])
async def test_a_token_that_changed_ends_its_stream(
    make: Any,
    admin: httpx.AsyncClient,
    pool: asyncpg.Pool,
    served: Served,
    follow: Follow,
    change: Any,
    behind: bool,
) -> None:
    """Of a client that is still reading what happened before, too."""
    assert served.app.streams is not None
    served.app.streams.bounds = Bounds(beat=0.05)
    token = await make("/tokens", name="v", role="operator")
    if behind:
        await pool.execute(
            "insert into event (id, type, data) select gen_random_uuid(), 'node.up',"
            " jsonb_build_object('name', repeat('x', 10000)) from generate_series(1, 3500)"
        )
    since = {"since": "2020-01-01T00:00:00Z"} if behind else {}
    async with follow(token["token"], type="node.up", **since) as follower:
        path = f"/tokens/{token['id']}"
        answer = await (admin.patch(path, json=change) if change else admin.delete(path))
        assert answer.status_code in (200, 204)
        await asyncio.sleep(CACHE_SECONDS + 0.1)
        async with asyncio.timeout(SECONDS):
            assert len([m for m in await follower.to_the_end() if m.type]) < 3500


async def test_streams_have_a_bound(served: Served, follow: Follow, admin_token: str, refused: Any) -> None:
    assert served.app.streams is not None
    served.app.streams.bounds = Bounds(streams=1)
    async with follow(), httpx.AsyncClient(base_url=served.base) as client:
        headers = SSE | {"authorization": f"Bearer {admin_token}"}
        answer = await client.get("/events", headers=headers)
        refused(answer, 503, "unavailable")
        assert "ipam_api_event_streams 1.0" in served.app.metrics.page()
    while served.app.streams.streams:  # noqa: ASYNC110 - the server tells nobody
        await asyncio.sleep(0.005)
    async with follow():
        pass


async def test_the_end_of_the_server_ends_the_streams(served: Served, follow: Follow) -> None:
    async with follow() as one, follow(type="node.down") as two:
        served.server.should_exit = True
        for follower in (one, two):
            assert [m for m in await follower.to_the_end() if m.type] == []


@pytest.mark.parametrize(
    "bounds", [Bounds(slow=0.2), Bounds(waiting=50)], ids=["takes nothing", "too much waits"]
)
async def test_a_slow_reader_is_cut(
    make: Any, pool: asyncpg.Pool, served: Served, follow: Follow, admin_token: str, bounds: Bounds
) -> None:
    """And nobody else waits for it."""
    assert served.app.streams is not None
    streams = served.app.streams
    with socket.socket() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(("127.0.0.1", served.port))
        slow.sendall(
            f"GET /api/v1/events?type=node.up HTTP/1.1\r\nhost: localhost\r\n"
            f"authorization: Bearer {admin_token}\r\naccept: text/event-stream\r\n\r\n".encode()
        )
        while not streams.joined:  # noqa: ASYNC110 - the server tells nobody
            await asyncio.sleep(0.005)
        streams.bounds = bounds
        async with follow(type="node.down") as quick:
            sending = 0
            while len(streams.streams) > 1:
                await pool.execute(
                    "insert into event (id, type, data) select gen_random_uuid(), 'node.up',"
                    " jsonb_build_object('name', repeat('x', 20000)) from generate_series(1, 60)"
                )
                sending += 1
                assert sending < 200
                await asyncio.sleep(0.05)
            async with pool.acquire() as connection:
                await events.record(connection, "node.down", {"name": "n"}, None)
            assert (await quick.event()).name == "n"
