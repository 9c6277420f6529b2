"""Lines of dnsmasq.conf: a name, and fields between commas. Quotes keep commas and number signs."""

import re
import sys
from collections.abc import Iterator

from api.importers.lines import Line, lines_of
from ipam_core.model.lifetimes import INFINITE, of_others

PIECE = re.compile(r'"(?:[^"\\]|\\.)*"?|\\.|[^"\\]')
LEASE = re.compile(r"([0-9]{1,9})([smhdw]?)", re.IGNORECASE)
UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


class Statement(Line):
    """`words` are its fields."""

    __slots__ = ("name",)

    def __init__(self, line: int, name: str, fields: list[str]) -> None:
        super().__init__(line, fields)
        self.name = name

    @property
    def text(self) -> str:
        return f"{self.name}={','.join(self.words)}"[:80] if self.words else self.name


def statements(text: str) -> Iterator[Statement]:
    for number, line in enumerate(lines_of(text), 1):
        name, equals, rest = line.strip().lstrip("\ufeff").removeprefix("--").partition("=")
        if name.startswith("#") or not (name or equals):
            continue
        if not equals:
            name = name.partition("#")[0]
        yield Statement(number, sys.intern(name.strip().lower()), list(fields(rest)) if equals else [])


def fields(text: str) -> Iterator[str]:
    """Yield the fields; a number sign behind a blank begins a comment."""
    found, before = "", " "
    for match in PIECE.finditer(text):
        piece = match[0]
        if piece == "#" and before.isspace():
            break
        if piece == ",":
            yield found.strip()
            found = ""
        else:
            found += unquoted(piece)
        before = piece
    yield found.strip()


def unquoted(piece: str) -> str:
    if len(piece) > 1 and piece[0] == '"':
        return re.sub(r"\\(.)", r"\1", piece[1:].removesuffix('"'))
    return piece[1:] if len(piece) > 1 else piece


def seconds(text: str) -> int | None:
    """Return the seconds of a lease: 3600, 45m, 12h, infinite."""
    if text.lower() == "infinite":
        return INFINITE
    found = LEASE.fullmatch(text)
    return of_others(int(found[1]) * UNITS[found[2].lower()]) if found else None


def tagged(words: list[str]) -> tuple[list[str], list[str], list[str]]:
    """Return the required tags of the fields, those that are set, and the other fields. `net:` is an old word for
    both."""
    asked = [each.partition(":")[2] for each in words if each.startswith("tag:")]
    given = [each.partition(":")[2] for each in words if each.startswith(("set:", "net:"))]
    return asked, given, [each for each in words if not each.startswith(("tag:", "set:", "net:"))]
