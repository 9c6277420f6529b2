"""Statements of a source that know whether anybody has read them, so that none is lost in silence.

A statement is a member with a plain value, or a list of such; mappings and lists of mappings only hold statements. A
reader asks for members by type. What has another type, or is never asked for, stays unread and becomes a warning.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple


class Unread(NamedTuple):
    """A member that nobody asked for."""

    line: int
    name: str


class Entry(dict[str, Any]):
    """A mapping. `line`: where it begins; `lines`: where each member stands."""

    def __init__(self, line: int = 1) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[str, int] = {}
        self.read: set[str] = set()
        self.told = False

    def take(self, name: str, kind: type | tuple[type, ...]) -> Any:
        """Return the member, if it is there and of this type; None leaves it unread."""
        value = self.get(name)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
            return None
        self.read.add(name)
        return value

    def text(self, name: str) -> str | None:
        value: str | None = self.take(name, str)
        return value

    def number(self, name: str) -> int | None:
        value: int | None = self.take(name, int)
        return value

    def flag(self, name: str) -> bool | None:
        value: bool | None = self.take(name, bool)
        return value

    def entry(self, name: str) -> "Entry | None":
        value: Entry | None = self.take(name, Entry)
        return value

    def entries(self, name: str) -> "list[Entry]":
        """Return a list of mappings; one that holds anything else is left unread."""
        value = self.get(name)
        if not isinstance(value, list) or not all(isinstance(each, Entry) for each in value):
            return []
        self.read.add(name)
        return value

    def texts(self, name: str) -> list[str]:
        value = self.get(name)
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            return []
        self.read.add(name)
        return value

    def line_of(self, name: str) -> int:
        return self.lines.get(name, self.line)

    def tell(self) -> None:
        """Report a fault of the file as a whole."""
        self.told = True

    def warned(self) -> int:
        """Return how many statements are in warnings."""
        if self.told:
            return self.statements()
        return sum(
            sum(each.warned() for each in below(value)) if name in self.read else statements_in(value)
            for name, value in self.items()
        )

    def unread(self) -> Iterator[Unread]:
        """Yield the outermost members that nobody asked for."""
        for name, value in self.items() if not self.told else ():
            if name not in self.read:
                yield Unread(self.line_of(name), name)
            else:
                for each in below(value):
                    yield from each.unread()

    def statements(self) -> int:
        return sum(map(statements_in, self.values()))


def below(value: Any) -> list[Entry]:
    if isinstance(value, Entry):
        return [value]
    return [each for each in value if isinstance(each, Entry)] if isinstance(value, list) else []


def statements_in(value: Any) -> int:
    inside = below(value)
    return sum(each.statements() for each in inside) if inside else 1
