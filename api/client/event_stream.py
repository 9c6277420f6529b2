"""Events as they happen: GET /events as server-sent events (HTML, section 9.2), resumed after a break.

`follow(client, query)` never ends by itself: a lost connection is made again behind the last event seen, so that
nothing is missed and nothing comes twice.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import httpx
import msgspec

from api.client.client import TIMEOUT, Client
from api.client.errors import ConnectionFailed, error_of
from api.client.exchange import RETRIED, retry_after
from ipam_core.model.values import rfc3339

MEDIA = "text/event-stream"
# The server breaks each silence after fifteen seconds.
SILENCE = 45.0
LAST = "last-event-id"


class Message(NamedTuple):
    """A block of the stream. `event`: None in one that only says how far nothing happened; `retry`: seconds that the
    server wants a client to wait before it comes back."""

    id: str
    event: dict[str, Any] | None
    retry: float | None


class Follower:
    """One stream and its position. `on_break`: told why the connection ended, and after how many seconds it is tried
    again."""

    def __init__(
        self,
        client: Client,
        query: Mapping[str, str],
        on_break: Callable[[str, float], None] = lambda _reason, _seconds: None,
    ) -> None:
        self.client = client
        self.query = dict(query)
        self.on_break = on_break
        self.last = ""
        self.pause = 1.0
        self.start = ""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Raises ConnectionFailed where there was no connection at all, and ApiError for a refusal that stays."""
        while True:
            reason, pause = "the server ended the stream", None
            try:
                for message in self.connection():
                    self.last = message.id or self.last
                    self.pause = message.retry or self.pause
                    if message.event is not None:
                        yield message.event
            except httpx.TransportError as error:
                reason = str(error) or type(error).__name__
                if not self.start:
                    raise ConnectionFailed(self.client.url, reason) from None
            except Refused as error:
                if not self.start or error.response.status_code not in RETRIED:
                    raise error_of(error.response) from None
                reason, pause = str(error_of(error.response)), retry_after(error.response)
            pause = self.pause if pause is None else pause
            self.on_break(reason, pause)
            self.client.sleep(pause)

    def connection(self) -> Iterator[Message]:
        headers = {"accept": MEDIA} | ({LAST: self.last} if self.last else {})
        timeout = httpx.Timeout(TIMEOUT, read=SILENCE)
        # Whoever comes back before the first id was told goes on from where they began.
        since = {"since": self.start} if self.start and not self.last else {}
        url = f"{self.client.url}/events"
        with self.client.http.stream(
            "GET", url, params=since | self.query, headers=headers, timeout=timeout
        ) as response:
            if not response.is_success:
                response.read()
                raise Refused(response)
            self.start = self.start or rfc3339(datetime.now(UTC))
            yield from messages(lines(response.iter_bytes()))


class Refused(Exception):
    def __init__(self, response: httpx.Response) -> None:
        super().__init__()
        self.response = response


def follow(
    client: Client,
    query: Mapping[str, str],
    on_break: Callable[[str, float], None] = lambda _reason, _seconds: None,
) -> Iterator[dict[str, Any]]:
    """The events that the query asks for, from `since` or from now on."""
    return iter(Follower(client, query, on_break))


def lines(pieces: Iterable[bytes]) -> Iterator[str]:
    """Only line feeds end a line here, whatever a client's name holds."""
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        yield from (line.removesuffix(b"\r").decode("utf-8", "replace") for line in whole)


def messages(told: Iterable[str]) -> Iterator[Message]:
    """Blocks that an empty line ends; a colon begins a comment."""
    fields: dict[str, str] = {}
    for line in told:
        if line:
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
            continue
        event = msgspec.json.decode(fields["data"]) if "data" in fields else None
        retry = int(fields["retry"]) / 1000 if fields.get("retry", "").isdecimal() else None
        yield Message(fields.get("id", ""), event, retry)
        fields = {}
