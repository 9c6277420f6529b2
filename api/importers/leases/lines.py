"""A file line by line. Latin-1 gives each octet a character, so that what is binary in a dump stays what it is."""

from collections.abc import Iterator
from pathlib import Path

from api.importers.faults import SourceError

LONGEST = 64 * 1024 * 1024
"""Octets of a line: mysqldump writes at most as many as the server's max_allowed_packet."""

Lines = Iterator[tuple[int, str]]


def lines_of(path: Path) -> Lines:
    """Yield numbers from 1, and text without its line end. Raises SourceError."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(LONGEST):
            number += 1
            if len(line) == LONGEST:
                raise SourceError(number, f"is longer than {LONGEST >> 20} MiB")
            yield number, line.decode("latin-1").rstrip("\r\n")


def as_text(latin: str) -> str:
    """Return a name in it, which is UTF-8."""
    return latin.encode("latin-1", "replace").decode("utf-8", "replace")
