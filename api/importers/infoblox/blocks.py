"""Rows of an export: the first cell is their type, and the last header of the type before them names their cells."""

from collections.abc import Callable, Collection, Iterator

from api.importers.faults import SourceError
from api.importers.lines import lines_of
from api.importers.rows import Columns, Row, rows, separator_of

HEADER = "header-"


class Blocks:
    """`known`: which columns of a type are read. `kinds`: the types that the file has, each with the line of its first
    row and how many there are. Raises SourceError for a row before the header of its type."""

    def __init__(self, text: str, known: Callable[[str, str], bool]) -> None:
        self.text = text
        self.known = known
        self.separator = separator_of(next(lines_of(text), ""))
        self.columns: list[tuple[str, Columns]] = []
        self.headers = 0
        self.kinds: dict[str, tuple[int, int]] = {}
        self.look()

    def look(self) -> None:
        headed = set()
        for line, cells in rows(self.text, self.separator):
            kind = plain(cells[0])
            if kind.startswith(HEADER):
                headed.add(kind.removeprefix(HEADER))
                self.headers += 1
            elif kind not in headed:
                raise SourceError(line, f"has a row of {kind or 'no type'} before its header {HEADER}{kind}")
            else:
                first, count = self.kinds.get(kind, (line, 0))
                self.kinds[kind] = first, count + 1

    def rows(self, kinds: Collection[str]) -> Iterator[Row]:
        """Yield rows of these types, whose columns are noted."""
        current: dict[str, Columns] = {}
        if not self.kinds.keys() & set(kinds):
            return
        for line, cells in rows(self.text, self.separator):
            kind = plain(cells[0])
            if kind in kinds:
                yield current[kind].row(line, kind, cells[1:])
            elif kind.startswith(HEADER) and (kind := kind.removeprefix(HEADER)) in kinds:
                names = list(map(plain, cells[1:]))
                current[kind] = Columns(names, [name for name in names if self.known(kind, name)])
                self.columns.append((kind, current[kind]))


def plain(name: str) -> str:
    """Return the plain name: names are the same in capitals; an asterisk marks a required column."""
    return name.strip().lstrip("\ufeff").removesuffix("*").lower()
