"""HTTP over one connection: uvicorn's protocol, with bounds on how long a client may take and how much it may hold.

uvicorn waits without limit for a request's head, for a TLS handshake and for a client that does not read, and keeps any
number of pipelined requests. Here each connection has a place among those of its listener
(ipam_core/processes/connections.py) from the moment it is accepted, before the handshake. Once a second the listener
looks at all of them and ends those that are overdue.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable
from typing import Any

import structlog
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from api.http.forwarding import within
from ipam_core import faults
from ipam_core.model.values import Address, Network
from ipam_core.processes.connections import Connection, Connections, most_connections, peer_address
from ipam_core.setting_values import Endpoint

HEAD_SECONDS = 10.0  # from its first octet, or from when the connection was accepted
STALLED_SECONDS = 30.0  # that a client may read nothing
LINGER_SECONDS = 5.0  # until a connection that we have closed has taken what is on its way
LOOK_SECONDS = 1.0
AGAIN_SECONDS = 0.2
ACCEPTED_AT_ONCE = 64
BACKLOG = 2048
MOST_PIPELINED = 16
MOST_AHEAD = 65536  # octets that come without completing a head or a piece of a body
BODILESS = (204, 304)
TLS_HANDSHAKE = b"\x16\x03"  # RFC 8446 section 5.1: the first record's type and version
NO_TLS_HERE = "use http://, or set api_tls_certificate and api_tls_key"
TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"

log = structlog.get_logger("api")


class TooManyRequests(Exception):
    """The client has sent more requests ahead than one connection may have."""


class Listener:
    """The API's address, from `open` until `close`, and all connections to it. `keep` ends those that are overdue.

    It accepts connections itself, because asyncio's servers report one only after its TLS handshake, and stops for a
    moment where the process has no file left."""

    def __init__(
        self, secured: ssl.SSLContext | None, proxies: tuple[Network, ...], most_of_one: int
    ) -> None:
        self.secured = secured
        self.proxies = proxies
        self.places = Connections(most_connections(), most_of_one)
        self.sockets: list[socket.socket] = []
        self.protocols: set[Protocol] = set()
        self.connecting: set[asyncio.Task[None]] = set()
        self.make: Callable[[], Protocol] = unset

    async def open(self, endpoint: Endpoint, make: Callable[[], "Protocol"]) -> None:
        """Raise OSError."""
        self.make = make
        self.sockets = await listening(endpoint)
        for sock in self.sockets:
            self.hear(sock)

    def hear(self, sock: socket.socket) -> None:
        if sock.fileno() >= 0:
            asyncio.get_running_loop().add_reader(sock, self.accept, sock)

    def accept(self, sock: socket.socket) -> None:
        """Accept some of the connections that wait."""
        loop = asyncio.get_running_loop()
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                made, peer = sock.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:  # no file or memory left
                faults.caught("API accept", error)
                self.places.make_room()
                loop.remove_reader(sock)
                loop.call_later(AGAIN_SECONDS, self.hear, sock)
                return
            self.welcome(made, peer_address(peer[0]))

    def welcome(self, sock: socket.socket, peer: Address | None) -> None:
        arrival = Arrival(sock)
        place = self.places.admit(peer, arrival.abort, exempt=within(peer, self.proxies))
        if place is None:
            sock.close()
            return
        arrival.task = asyncio.get_running_loop().create_task(self.connect(arrival, place))
        self.connecting.add(arrival.task)
        arrival.task.add_done_callback(self.connecting.discard)

    async def connect(self, arrival: "Arrival", place: Connection) -> None:
        """Perform the handshake, where there is one."""
        protocol = self.make()
        told = {"ssl_handshake_timeout": HEAD_SECONDS, "ssl_shutdown_timeout": LINGER_SECONDS}
        arrival.sock.setblocking(False)
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: protocol.at(self, arrival, place),
                arrival.sock,
                ssl=self.secured,
                **(told if self.secured else {}),
            )
        except (OSError, TimeoutError):  # the client has gone, or does not speak TLS
            arrival.sock.close()
        except Exception as error:  # noqa: BLE001 - the other connections go on
            arrival.sock.close()
            faults.caught("API connection", error)
        finally:
            if protocol not in self.protocols:
                self.places.leave(place)

    async def keep(self) -> None:
        """Keep going for ever."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            now = asyncio.get_running_loop().time()
            for protocol in [each for each in self.protocols if each.is_overdue(now)]:
                protocol.give_up()

    # --- as a server that uvicorn closes

    def close(self) -> None:
        for sock in self.sockets:
            asyncio.get_running_loop().remove_reader(sock)
            sock.close()
        for task in self.connecting:
            task.cancel()

    async def wait_closed(self) -> None:
        """Return at once, because nothing is left to wait for."""


def unset() -> "Protocol":
    raise RuntimeError("the listener is not open")


async def listening(endpoint: Endpoint) -> list[socket.socket]:
    """Return a socket for each address of the endpoint's name. Raises OSError."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(
        endpoint.host, endpoint.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    sockets: list[socket.socket] = []
    try:
        for family, *_, address in dict.fromkeys(found):
            sockets.append(socket.create_server(address, family=family, backlog=BACKLOG))
            sockets[-1].setblocking(False)
    except OSError:
        for sock in sockets:
            sock.close()
        raise
    return sockets


class Arrival:
    """A connection from when it is accepted; `abort` ends it, in whichever state it is."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.task: asyncio.Task[None] | None = None
        self.transport: asyncio.Transport | None = None

    def abort(self) -> None:
        if self.transport is not None:
            self.transport.abort()
        elif self.task is not None:
            self.task.cancel()
            self.sock.close()


class Protocol(HttpToolsProtocol):
    """One connection. `since`: the moment from which its client is waited for, None while a request is being served."""

    listener: Listener
    arrival: Arrival

    def __init__(self, *told: Any, **named: Any) -> None:
        super().__init__(*told, **named)
        self.place: Connection | None = None
        self.since: float | None = None
        self.stalled: float | None = None
        self.closing: float | None = None
        self.begun = False
        self.ahead = 0  # octets that have completed nothing yet

    def at(self, listener: Listener, arrival: Arrival, place: Connection) -> "Protocol":
        """Return the same, at its place."""
        self.listener, self.arrival, self.place = listener, arrival, place
        return self

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        super().connection_made(transport)
        self.arrival.transport = transport
        self.listener.protocols.add(self)
        self.since = self.loop.time()

    def connection_lost(self, exc: Exception | None) -> None:
        self.leave()
        super().connection_lost(exc)

    def leave(self) -> None:
        if self.place is not None:
            self.listener.places.leave(self.place)
            self.listener.protocols.discard(self)
            self.place = None

    # --- requests

    def data_received(self, data: bytes) -> None:
        if self.place is None or self.transport.is_closing():
            return
        if not self.begun and data.startswith(TLS_HANDSHAKE):
            if (suppressed := faults.due("https_where_http_is_spoken")) is not None:
                log.warning(
                    "https_where_http_is_spoken",
                    client=self.client and self.client[0],
                    mend=NO_TLS_HERE,
                    suppressed=suppressed,
                )
            self.send_400_response(f"this is an HTTP port, not HTTPS: {NO_TLS_HERE}")
            return
        self.begun = True
        if self.is_unoccupied and self.since is None:
            self.since = self.loop.time()
        self.ahead += len(data)
        super().data_received(data)
        if self.ahead > MOST_AHEAD and not self.transport.is_closing():
            self.end_with(TOO_LARGE)

    @property
    def is_unoccupied(self) -> bool:
        """Whether no request is being served."""
        return self.cycle is None or (self.cycle.response_complete and not self.pipeline)

    def on_headers_complete(self) -> None:
        if len(self.pipeline) >= MOST_PIPELINED:
            raise TooManyRequests
        self.begin_cycle()
        self.since, self.ahead = None, 0
        if self.place is not None:
            self.place.begin()

    def begin_cycle(self) -> None:
        """Start serving the request. uvicorn answers HTTP/1.0 as if it were HTTP/1.1: it closes each connection, also
        where the client asks to keep it (`ab -k`; RFC 9112, appendix C.2.2), and sends chunks (section 6.1)."""
        if self.parser.get_http_version() != "1.0":
            super().on_headers_complete()
            return
        keeps = self.parser.should_keep_alive()
        app, self.app = self.app, in_version_1_0(self.app, keeps)
        super().on_headers_complete()
        self.app = app
        if self.cycle is not None:
            self.cycle.keep_alive = keeps

    def _unsupported_upgrade_warning(self) -> None:
        """Say nothing: a client that offers another protocol is answered in HTTP/1.1 (RFC 9110 section 7.8)."""

    def on_body(self, body: bytes) -> None:
        self.ahead = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self.ahead = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.is_unoccupied and self.place is not None:
            self.place.rest()

    def pause_writing(self) -> None:
        """Pause while the client reads too slowly; until it has caught up it holds its place like an idle one."""
        self.stalled = self.loop.time()
        if self.place is not None:
            self.place.rest()
        super().pause_writing()

    def resume_writing(self) -> None:
        self.stalled = None
        if self.place is not None and not self.is_unoccupied:
            self.place.begin()
        super().resume_writing()

    # --- time

    def is_overdue(self, now: float) -> bool:
        if self.closing is None and self.transport.is_closing():
            self.closing = now
        limits = (
            (self.since, HEAD_SECONDS),
            (self.stalled, STALLED_SECONDS),
            (self.closing, LINGER_SECONDS),
        )
        return any(since is not None and now - since >= seconds for since, seconds in limits)

    def give_up(self) -> None:
        """Give up and answer a client that began a request; another one, or one that reads nothing, gets no answer."""
        if self.begun and self.stalled is None and self.closing is None:
            self.end_with(TOO_SLOW)
        else:
            self.transport.abort()
        self.since = None

    def end_with(self, response: bytes) -> None:
        """End with a response, unless another one is under way."""
        if self.is_unoccupied:
            self.transport.write(response)
        self.transport.close()


def in_version_1_0(app: Any, keeps: bool) -> Any:
    """Return the application with answers of HTTP/1.0. `keeps`: the client asks to keep the connection. An answer of
    unknown length is sent without chunks and ends with its connection."""

    async def serve(scope: Any, receive: Any, send: Any) -> None:
        cycle: RequestResponseCycle = send.__self__
        measured = False

        async def answer(message: Any) -> None:
            nonlocal measured
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", ()))
                measured = message["status"] in BODILESS or any(
                    name == b"content-length" for name, _ in headers
                )
                headers.append((b"connection", b"keep-alive" if measured and keeps else b"close"))
                message = {**message, "headers": headers}
            if not measured:
                cycle.chunked_encoding = False
                cycle.expected_content_length = len(message.get("body", b""))
            await send(message)

        await app(scope, receive, answer)

    return serve
