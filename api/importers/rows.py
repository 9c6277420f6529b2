"""Tables as text: rows of cells behind a separator, quoted where they hold it, each with the line where it begins."""

import csv
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from api.importers.faults import SourceError
from api.importers.lines import Line, lines_of
from ipam_core.model.csv_cells import unguarded
from ipam_core.model.values import MOST_ALIASES, parse_alias

SEPARATORS = ",;\t "
NOTHING = ("", "FALSE", "false", "False")
"""Cells that say no more than none."""


class Row(Line):
    """`cells` by the names of their columns, without those that are empty."""

    __slots__ = ("cells", "kind")

    def __init__(self, line: int, kind: str, cells: dict[str, str]) -> None:
        super().__init__(line, [])
        self.kind = kind
        self.cells = cells

    def said(self, name: str) -> str:
        return self.cells.get(name, "")

    def flag(self, name: str) -> bool:
        return self.said(name).lower() in ("true", "yes", "1")

    def several(self, name: str) -> list[str]:
        """Return a list in one cell, with or without a comma at its end."""
        return [each.strip() for each in self.said(name).replace(";", ",").split(",") if each.strip()]


def aliases_among(texts: Iterable[str], hostname: str | None) -> tuple[list[str], list[str]]:
    """Return the texts that can be aliases of a host of that name, and those that cannot: without a name, all."""
    aliases: list[str] = []
    others: list[str] = []
    for text in texts:
        try:
            alias = parse_alias(text)
        except ValueError:
            others.append(text)
            continue
        if hostname is None or (len(aliases) == MOST_ALIASES and alias not in aliases):
            others.append(text)
        elif alias != hostname.lower() and alias not in aliases:
            aliases.append(alias)
    return aliases, others


def rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield rows that are not empty, with the lines where they begin. Raises SourceError."""
    reader = csv.reader(lines_of(text), delimiter=separator, skipinitialspace=separator in ",;")
    line = 1
    try:
        for cells in reader:
            if any(cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise SourceError(line, f"is no row of cells: {error}") from None


def separator_of(line: str) -> str:
    """Return the one by which a line has most cells; the comma where there is none."""
    return max(SEPARATORS, key=lambda each: (len(next(csv.reader([line], delimiter=each), [])), each == ","))


class Unread(NamedTuple):
    """A column that nobody reads: the first line that says something there, and how many rows do."""

    line: int
    rows: int


class Columns:
    """The columns of a table. `known`: which are read; the others are counted.

    Cells lose the blanks around them, and the apostrophe that keeps a spreadsheet from evaluating them
    (decisions: CSV).
    """

    def __init__(self, names: Iterable[str], known: Iterable[str]) -> None:
        self.names = list(names)
        known = set(known)
        self.others = [at for at, name in enumerate(self.names) if name and name not in known]
        self.unread: dict[str, Unread] = {}

    def row(self, line: int, kind: str, cells: list[str]) -> Row:
        for at in self.others:
            if at < len(cells) and cells[at].strip() not in NOTHING:
                first, count = self.unread.get(self.names[at], (line, 0))
                self.unread[self.names[at]] = Unread(first, count + 1)
        pairs = zip(self.names, cells, strict=False)
        return Row(line, kind, {name: plain for name, each in pairs if (plain := unguarded(each.strip()))})
