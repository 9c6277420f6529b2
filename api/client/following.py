"""A stream of server-sent events (HTML, section 9.2) read piece by piece, and its continuation after a break."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import httpx
import msgspec

from api.client.errors import ConnectionFailed, error_of, foreign
from api.client.exchange import RETRIED, Ask, retry_after
from ipam_core.model.event import Event
from ipam_core.model.values import rfc3339

MEDIA = "text/event-stream"
AGAIN_SECONDS = 3.0
ENDED = "the server ended the stream"


class Following:
    """State of one caller: `ask` returns the request, at first and after each break; `begun` returns whether it was
    accepted; `take` yields the events of a piece. `reason` and `pause` describe a break: its reason, and the seconds
    until the next attempt."""

    def __init__(self, filters: Mapping[str, Any], last_id: str | None = None) -> None:
        self.filters = {name: value for name, value in filters.items() if value is not None}
        self.last_id = last_id
        self.since = ""  # when the first connection began
        self.again = AGAIN_SECONDS

    def ask(self) -> Ask:
        """Ask for events after the last one, else as the filters request; a reader without an id yet continues from its
        beginning. An event that was read in part is sent again."""
        self.rest = b""
        self.fields: dict[bytes, bytes] = {}
        self.reason, self.pause = ENDED, self.again
        behind = {"last-event-id": self.last_id} if self.last_id else {}
        since = {"since": self.since} if self.since and not self.last_id else {}
        query = since | self.filters
        return Ask("GET", "/events", query=query, headers={"accept": MEDIA} | behind, streams=True)

    def begun(self, response: httpx.Response) -> bool:
        """Raise ApiError for a refusal that waiting does not mend."""
        if response.is_success:
            self.since = self.since or rfc3339(datetime.now(UTC))
            return True
        refusal = error_of(response)
        if response.status_code not in RETRIED:
            raise refusal
        self.reason, self.pause = str(refusal), retry_after(response)
        return False

    def lost(self, error: ConnectionFailed) -> None:
        """Raise it where there was no connection at all."""
        if not self.since:
            raise error
        self.reason, self.pause = error.reason, self.again

    def take(self, piece: bytes) -> Iterator[Event]:
        """Yield the fields; only line feeds end a line here, whatever a client's name holds, and a colon begins a
        comment."""
        *lines, self.rest = (self.rest + piece).split(b"\n")
        for line in (line.removesuffix(b"\r") for line in lines):
            if line:
                name, _, value = line.partition(b":")
                self.fields[name] = value.removeprefix(b" ")
            else:
                yield from self.close(self.fields)
                self.fields = {}

    def close(self, fields: Mapping[bytes, bytes]) -> Iterator[Event]:
        """Yield the event of a block that an empty line has ended."""
        if fields.get(b"retry", b"").isdigit():
            self.again = self.pause = int(fields[b"retry"]) / 1000
        if b"data" in fields:
            yield event_of(fields[b"data"])
        # Afterwards: an event that its reader could not deal with comes again.
        self.last_id = fields.get(b"id", b"").decode() or self.last_id


def event_of(data: bytes) -> Event:
    """Return an event of the stream. Raises ApiError for other data."""
    try:
        return msgspec.json.decode(data, type=Event)
    except (msgspec.DecodeError, ValueError):
        raise foreign("The stream contains something else than events of an ipam API") from None
