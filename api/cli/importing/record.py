"""Record of an import's objects, kept in a file beside the source, a line of JSON for each event.

Before a request is sent, it is written down whole; after its answer, the ids that it has made. So a run that was cut
short sends the open request again under the same idempotency key, and learns what it has made, if it has.
"""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from ipam_core.errors import IpamError


@dataclass(eq=False)
class RecordError(IpamError):
    """{file}: {reason}"""

    file: str
    reason: str


class Sent(msgspec.Struct, frozen=True):
    """A request: its key, its operations, and under which collection each object will be found."""

    key: str
    operations: list[dict[str, Any]]
    families: list[str]


class Made(msgspec.Struct, frozen=True):
    family: str
    id: str


class Line(msgspec.Struct, omit_defaults=True):
    """One of its members is set. `run`: what the keys of this import are made of, with its server."""

    run: str = ""
    url: str = ""
    sent: Sent | None = None
    made: list[Made] | None = None
    refused: str = ""


class Record:
    """Record of an import. Raises RecordError for a file that is none, or of another server."""

    def __init__(self, path: Path, url: str) -> None:
        self.path = path
        self.made: list[Made] = []
        self.open: Sent | None = None
        self.run = ""
        if path.exists():
            self.load(url)
        else:
            self.run, self.url = secrets.token_hex(16), url

    def load(self, url: str) -> None:
        whole = self.path.read_bytes()
        complete = whole[
            : whole.rfind(b"\n") + 1
        ]  # an incomplete line was written before its request was sent
        try:
            for text in complete.splitlines():
                self.take(msgspec.json.decode(text, type=Line))
        except (msgspec.ValidationError, msgspec.DecodeError, RecursionError):
            raise RecordError(
                str(self.path), "is not the record of an import: name another file with --record"
            ) from None
        if not self.run:
            self.run, self.url = secrets.token_hex(16), url
            self.path.unlink()
            return
        if self.url != url:
            raise RecordError(
                str(self.path), f"is the record of an import into {self.url}: name another file with --record"
            )
        if len(complete) < len(whole):
            os.truncate(self.path, len(complete))

    def take(self, line: Line) -> None:
        if line.run:
            self.run, self.url = line.run, line.url
        if line.sent:
            self.open = line.sent
        if line.made is not None:
            self.made += line.made
        if line.made is not None or line.refused:
            self.open = None

    def write(self, line: Line) -> None:
        """Write the record to the disk. Raises RecordError."""
        lines = [line] if self.path.exists() else [Line(run=self.run, url=self.url), line]
        try:
            with self.path.open("ab") as file:
                file.writelines(msgspec.json.encode(each) + b"\n" for each in lines)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise RecordError(str(self.path), f"{error.strerror}: name another file with --record") from None
        self.take(line)

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
