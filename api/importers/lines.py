"""Sources that are read line by line: each line is a statement, and knows whether it was told in a warning."""

from collections.abc import Collection, Iterator
from typing import Protocol

from api.importers.plan import Planner, Reason, Statements


class Source(Protocol):
    """Source of an object: a line, or an element with all in it."""

    line: int
    told: bool

    def tell(self) -> None:
        """Report a fault of the file as a whole."""


class Line:
    """`line`: its number."""

    __slots__ = ("line", "told", "words")

    def __init__(self, line: int, words: list[str]) -> None:
        self.line = line
        self.words = words
        self.told = False

    def tell(self) -> None:
        self.told = True


def lines_of(text: str) -> Iterator[str]:
    """Yield one by one, so that a large file is not there twice."""
    at = 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        yield text[at:end]
        at = end


def lose(planner: Planner, source: Source, reason: Reason, what: str, why: str) -> None:
    """Warn of a statement that is not taken over, once."""
    if not source.told:
        source.tell()
        planner.warn(source.line, reason, what, why)


def counted(lines: Collection[Line]) -> Statements:
    told = sum(each.told for each in lines)
    return Statements(len(lines) - told, told)
