"""A stream of server-sent events (HTML, section 9.2) read piece by piece, and how it goes on after it broke off."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from api.client.exchange import Ask
from ipam_core.model.event import Event

MEDIA = "text/event-stream"
AGAIN_SECONDS = 3.0


class Following:
    """Of one caller: `ask` says what to send at first and after each break, `take` what came is worth."""

    def __init__(self, filters: Mapping[str, Any], last_id: str | None = None) -> None:
        self.filters = {name: value for name, value in filters.items() if value is not None}
        self.last_id = last_id
        self.pause = AGAIN_SECONDS
        self.rest = b""

    def ask(self) -> Ask:
        """Behind the event that was read last, else as the filters say. What was read by half comes again."""
        self.rest = b""
        behind = {"last-event-id": self.last_id} if self.last_id else {}
        return Ask("GET", "/events", query=self.filters, headers={"accept": MEDIA} | behind, streams=True)

    def take(self, piece: bytes) -> Iterator[Event]:
        *blocks, self.rest = (self.rest + piece).split(b"\n\n")
        for block in blocks:
            fields = dict(line.split(b": ", 1) for line in block.split(b"\n") if not line.startswith(b":"))
            if b"retry" in fields:
                self.pause = int(fields[b"retry"]) / 1000
            if b"data" in fields:
                yield msgspec.json.decode(fields[b"data"], type=Event)
            # Afterwards: an event that its reader could not deal with comes again.
            self.last_id = fields[b"id"].decode() if b"id" in fields else self.last_id
