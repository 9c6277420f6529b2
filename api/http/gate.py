"""The first and last thing that a request meets, around the framework.

It gives the request its id, counts it against the limits, finds out who is asking, and lets it pass to
the routes; it also sees to it that everything that leaves is in our shape. The framework's own middleware
would not do, because it does not run where no route matches. A request that takes too long is answered
here with 503, whatever it waits for.
"""

import asyncio
import contextlib
import re
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from functools import partial
from typing import Any

from api.http import console, errors, guide
from api.http.auth import Authenticator, Ends
from api.http.encodings import GZIP, Gzipped, compressed, may_shrink, preferred, varying
from api.http.errors import Answer
from api.http.event_streams import Streams
from api.http.forwarding import Client, read_address, within
from api.http.metrics import Metrics
from api.http.ratelimit import RateLimit, charge, key_of
from api.http.refusal_log import REFUSED, Refusals
from api.http.standby import Standby
from ipam_core.errors import BadRequest, IpamError, TooManyAtOnce, Unavailable
from ipam_core.model.actor import Actor
from ipam_core.model.token import SHOWN_LENGTH, hash_secret, well_formed
from ipam_core.model.values import Address
from ipam_core.processes.connections import Connections, most_connections
from ipam_core.services.failed_logins import FailedLogins
from ipam_core.settings import BASE_PATH, Settings

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

DEADLINE_SECONDS = 9.0
PIECE = 65536  # octets of a response that are handed on at once
CLIENT_LEFT = 499
"""What metrics count where no answer was sent; nginx's number."""
# RFC 9112 section 3.2, with what RFC 3986 section 3.2 lets stand for a host and its port.
HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]*)(:\d*)?")
REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")
TOKENS_PATH = f"{BASE_PATH}/tokens"
# A rotation makes a secret as a creation does.
TOKEN_CREATION = re.compile(rf"{TOKENS_PATH}(/[^/]+/rotate)?")
NOT_LET_IN = (401, 403)
ALWAYS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


class Gate:
    """An ASGI application around another."""

    def __init__(
        self,
        app: App,
        authenticator: Authenticator,
        settings: Settings,
        open_pages: Mapping[str, Callable[[], Awaitable[Answer]]],
        files: Mapping[str, Callable[[], Answer]],
    ) -> None:
        """Take the pages. `open_pages` are for everybody; `files`, which they load, do not count against the limits
        either."""
        self.app = app
        self.authenticator = authenticator
        self.open_pages = dict(open_pages)
        self.files = dict(files)
        self.closed: IpamError | None = None  # why no request can be served
        self.streams: Streams | None = None
        self.standby: Standby | None = None
        self.metrics = Metrics(settings.managed_address_limit)
        self.refusals = Refusals()
        self.failed_logins = FailedLogins()
        age = settings.api_hsts_seconds  # RFC 6797: browsers that were here do not come back in clear
        self.secured = {"strict-transport-security": f"max-age={age}"} if age else {}
        self.all_requests = RateLimit("default", settings.rate_limit)
        self.token_creations = RateLimit("tokens", settings.token_rate_limit)
        self.proxied = Connections(most_connections(), settings.connections_per_address)
        self.limits = (self.all_requests, self.token_creations)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            exchange = Exchange(scope, receive, send, self.secured)
            await self.serve(exchange)
            began = None if exchange.is_endless else exchange.began
            self.metrics.count(scope["method"], exchange.status, began)
            if exchange.status in REFUSED:
                self.note_refusal(exchange)
        elif scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def note_refusal(self, exchange: "Exchange") -> None:
        """Log the refusal; a token that was not accepted is a failed login besides."""
        actor: Actor | None = exchange.scope["state"].get("actor")
        source = key_of(exchange.address)
        if actor is not None and actor.token_id is not None:
            self.refusals.note(exchange.status, exchange.told(), str(actor.token_id), known=True)
            return
        self.refusals.note(exchange.status, exchange.told(), source, known=False)
        if actor is None and exchange.status in NOT_LET_IN and "authorization" in exchange.headers:
            secret = exchange.secret
            tried = hash_secret(secret) if well_formed(secret) else None
            address = None if exchange.address is None else str(exchange.address)
            self.failed_logins.note(source, address, tried, exchange.request_id)

    async def serve(self, exchange: "Exchange") -> None:
        exchange.allow(DEADLINE_SECONDS)
        try:
            check_host(exchange.scope)
            file = self.find_file(exchange)
            if file is not None:
                await exchange.respond(compressed(file, exchange.accepted), exchange.pass_on)
                return
            client = self.charge(exchange)
            self.give_place(exchange)
            if exchange.reads and exchange.path in self.open_pages:
                page = compressed(await self.open_pages[exchange.path](), exchange.accepted)
                await exchange.respond(page, exchange.pass_on)
                return
            if self.closed is not None:
                raise self.closed
            actor = await self.authenticator.identify(
                client, exchange.headers, exchange.request_id, exchange.makes_token, exchange.ends
            )
            exchange.scope["state"]["actor"] = actor
            await self.app(exchange.routed(), exchange.listen, exchange.pass_on)
        except asyncio.CancelledError:
            if not (exchange.late or exchange.left):
                raise
        except Exception as error:  # noqa: BLE001 - the last one to see it; it is logged and becomes an answer
            await exchange.fail(error)
        finally:
            exchange.end()
            exchange.give_back()
        if exchange.late:  # without an answer by then, the server would send one of its own
            await asyncio.wait({exchange.late})

    def give_place(self, exchange: "Exchange") -> None:
        """Give a place to a request of a proxy, whose connections are not counted: its client's requests in progress
        are. Raises TooManyAtOnce."""
        if not within(read_address(exchange.peer or ""), self.authenticator.settings.trusted_proxies):
            return
        place = self.proxied.admit(exchange.address, exchange.abort)
        if place is None:
            raise TooManyAtOnce(self.proxied.most_of_one)
        place.begin()
        exchange.give_back = partial(self.proxied.leave, place)

    def find_file(self, exchange: "Exchange") -> Answer | None:
        if not exchange.reads:
            return None
        if not exchange.path and "text/html" in exchange.headers.get("accept", ""):
            return console.way_there()
        if exchange.path in self.files:
            return self.files[exchange.path]()
        has_slash = exchange.scope["path"].endswith("/")
        page = guide.find(exchange.path, has_slash, exchange.headers)
        return page or console.find(exchange.path, exchange.headers)

    def charge(self, exchange: "Exchange") -> Client:
        client = self.authenticator.client(exchange.peer, exchange.headers, exchange.reached)
        exchange.address = client.address
        policies = [self.all_requests]
        if exchange.scope["method"] == "POST" and TOKEN_CREATION.fullmatch(exchange.path):
            policies.append(self.token_creations)
        charge(policies, key_of(client.address), exchange.answer_headers)
        return client


def nothing() -> None:
    """Do nothing: the place of a request that has none."""


def plain(path: str) -> str:
    """Return a path as the router reads it: no doubled and no closing slashes."""
    return re.sub("/+", "/", path).rstrip("/")


def check_host(scope: Scope) -> None:
    """Raise BadRequest unless a request of HTTP/1.1 names one host (RFC 9112 section 3.2)."""
    named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
    if len(named) > 1 or (not named and scope.get("http_version") == "1.1"):
        raise BadRequest(f"The request has {len(named) or 'no'} Host headers. HTTP/1.1 requires exactly one")
    if named and not HOST.fullmatch(named[0]):
        raise BadRequest("The Host header must be a hostname or address, with or without a port")


def headers_of(scope: Scope) -> dict[str, str]:
    """Return the headers by name; one that is given on several lines is one list (RFC 9110 section 5.3), as proxies may
    add lines."""
    found: dict[str, str] = {}
    for raw, octets in scope["headers"]:
        name, value = raw.decode("latin-1"), octets.decode("latin-1")
        found[name] = f"{found[name]}, {value}" if name in found else value
    return found


class Exchange:
    """One request and what has been answered so far."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, secured: Mapping[str, str]) -> None:
        """Take the app. `secured`: headers that answers over TLS have besides."""
        self.scope = scope
        self.receive = receive
        self.send = send
        self.leave: Send = self.send_last
        self.path = plain(scope["path"])
        self.headers = headers_of(scope)
        given = self.headers.get("x-request-id", "")
        self.request_id = given if REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
        scope.setdefault("state", {})["request_id"] = self.request_id
        self.answer_headers = ALWAYS | {"x-request-id": self.request_id}
        if scope.get("scheme") == "https":
            self.answer_headers |= secured
        self.address: Address | None = None
        self.task = asyncio.current_task()
        self.began = time.perf_counter()
        self.started = False
        self.status = 0
        self.late: asyncio.Task[None] | None = None
        self.deadline: asyncio.TimerHandle | None = None
        self.is_endless = False
        self.give_back: Callable[[], None] = nothing  # its place
        self.is_long = False
        self.read = False
        self.answered = False
        self.left = False
        self.watcher: asyncio.Task[None] | None = None
        scope["state"] |= {
            "allow_long": self.allow_long,
            "allow_endless": self.allow_endless,
            "abort": self.abort,
        }
        scope["state"]["bodiless"] = scope["method"] == "HEAD"

    @property
    def peer(self) -> str | None:
        client = self.scope.get("client")
        return client[0] if client else None

    @property
    def reached(self) -> str | None:
        server = self.scope.get("server")
        return server[0] if server else None

    @property
    def ends(self) -> Ends | None:
        """Of the connection: the client's and ours; None where they are no addresses."""
        client, server = self.scope.get("client"), self.scope.get("server")
        return (tuple(client), tuple(server)) if client and server and server[1] else None

    @property
    def secret(self) -> str:
        """What the request offers as its token."""
        return self.headers.get("authorization", "").partition(" ")[2].strip()

    @property
    def accepted(self) -> str:
        """Accept-Encoding."""
        return self.headers.get("accept-encoding", "")

    @property
    def makes_token(self) -> bool:
        return self.scope["method"] == "POST" and self.path == TOKENS_PATH

    @property
    def reads(self) -> bool:
        return self.scope["method"] in ("GET", "HEAD")

    def routed(self) -> Scope:
        """Return the request as the routes see it: RFC 9110 section 9.3.2 makes HEAD a GET without its body."""
        return {**self.scope, "method": "GET"} if self.scope["method"] == "HEAD" else self.scope

    def told(self) -> dict[str, Any]:
        """Return the request for the log: of a token only what the list of tokens shows too."""
        return {
            "address": None if self.address is None else str(self.address),
            "token": self.secret[:SHOWN_LENGTH] if well_formed(self.secret) else None,
            "method": self.scope["method"],
            "path": self.path,
            "request_id": self.request_id,
        }

    async def pass_on(self, message: Message) -> None:
        """Pass on the routes' messages, with the headers that every answer has."""
        if self.late:
            return
        if message["type"] == "http.response.start":
            self.started = True
            self.status = message["status"]
            told = {name for name, _ in message["headers"]}
            extra = [(name.encode(), value.encode()) for name, value in self.answer_headers.items()]
            extra = [header for header in extra if header[0] not in told]
            message = {**message, "headers": [*message["headers"], *extra]}
            if may_shrink(message):
                message = varying(message)
                if preferred(self.accepted, [GZIP]) == GZIP:
                    self.leave = Gzipped(self.send_last)
        self.answered = message["type"] == "http.response.body" and not message.get("more_body")
        await self.leave(message)

    async def send_last(self, message: Message) -> None:
        """Send; the answer to HEAD has the headers of a GET, and no body."""
        if message["type"] == "http.response.body" and self.scope["method"] == "HEAD":
            message = {**message, "body": b""}
        await self.send(message)

    async def fail(self, error: Exception) -> None:
        """Fail after an error that no route caught. Half an answer cannot be mended: then the connection ends."""
        if self.started:
            raise error
        if not self.late:
            await self.respond(errors.answer(error, self.request_id), self.pass_on)

    async def respond(self, answer: Answer, send: Send) -> None:
        self.status = answer.status
        headers = {
            "content-type": "application/json",
            "content-length": str(len(answer.body)),
        } | answer.headers
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        body = b"" if self.scope["method"] == "HEAD" else answer.body
        await send({"type": "http.response.start", "status": answer.status, "headers": pairs})
        *pieces, last = [body[at : at + PIECE] for at in range(0, len(body), PIECE)] or [b""]
        for piece in pieces:  # each waits until the client has read most of those before it
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": last})

    def allow(self, seconds: float) -> None:
        """Allow so long from now until the deadline."""
        self.end()
        self.deadline = asyncio.get_running_loop().call_later(seconds, self.give_up)

    def allow_long(self, seconds: float) -> None:
        """Give a route whose work may be long more time, and end that work when the client disconnects."""
        self.allow(seconds)
        self.is_long = True
        self.watch()

    async def listen(self) -> Message:
        """Return what the routes receive. Behind the body nothing comes but the end of the connection."""
        message = await self.receive()
        self.read = message["type"] == "http.request" and not message.get("more_body")
        self.watch()
        return message

    def watch(self) -> None:
        if self.read and self.is_long and self.watcher is None:
            self.watcher = asyncio.get_running_loop().create_task(self.end_with_client())

    async def end_with_client(self) -> None:
        """Cancel the request when its client disconnects: its transaction is rolled back, its threads end."""
        await self.receive()
        if not (self.answered or self.late) and self.task is not None:
            self.left, self.status = True, CLIENT_LEFT
            self.task.cancel()

    def allow_endless(self) -> None:
        """Remove the deadline: the answer continues as long as the client listens."""
        self.end()
        self.is_endless = True

    def abort(self) -> None:
        """End the connection with what waits in it: a client that takes nothing would keep it for ever."""
        transport = getattr(getattr(self.send, "__self__", None), "transport", None)  # uvicorn's
        if transport is not None:
            transport.abort()

    def end(self) -> None:
        if self.deadline is not None:
            self.deadline.cancel()
        if self.watcher is not None:
            self.watcher.cancel()

    def give_up(self) -> None:
        """Give up at the deadline: answer by itself, since the request's own task may wait for ever."""
        if not (self.started or self.left) and self.task is not None:
            self.late = asyncio.get_running_loop().create_task(self.answer_late())
            self.task.cancel()

    async def answer_late(self) -> None:
        answer = errors.answer(Unavailable("the service", "the request took too long"), self.request_id)
        answer = Answer(answer.status, answer.body, self.answer_headers | answer.headers)
        with contextlib.suppress(Exception):  # the client has gone meanwhile
            await self.respond(answer, self.send)
