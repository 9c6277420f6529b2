"""Printers of lists and objects: a table that fits the terminal, CSV, or JSON with a line an object.

No address, network or time is ever broken over two lines, where it would read as another one: a table that does not fit
leaves out its last columns and says so. What goes into a pipe is as wide as it needs to be.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from itertools import islice
from typing import Any, NamedTuple

import click
import msgspec
from rich.console import Console
from rich.table import Table

from api.cli.cells import MOMENT, csv_cell, local_time, order, subject, text
from api.cli.names import LABELS, Names
from api.cli.progress import Counting
from api.cli.shapes import KEYS, referred
from ipam_core.printing import is_plain, say

Row = Mapping[str, Any]

# Addresses, networks, MACs, moments, ids: they have a digit, and nothing but this.
SOLID = re.compile(r"(?=.*\d)[0-9A-Fa-f:./+-]+")
TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d.*")
NARROWEST = 12  # to which longer words may be broken
GAP = 1
LONGEST_LINE = 40  # of a list in a cell; a longer one has a line an item
PIPE = 1000


class Style(NamedTuple):
    """`sort`: a column, after a hyphen in descending order. `columns`: those that are shown, with commas. `raw`: CSV
    with cells as they are stored."""

    as_json: bool = False
    as_csv: bool = False
    wide: bool = False
    sort: str | None = None
    columns: str | None = None
    raw: bool = False


def styled(command: Callable[..., None]) -> Callable[..., None]:
    """Return the options of a list; the command takes its `style`."""

    @wraps(command)
    def run(
        *arguments: Any,
        as_json: bool,
        as_csv: bool,
        wide: bool,
        sort: str | None,
        columns: str | None,
        raw: bool,
        **options: Any,
    ) -> None:
        command(*arguments, style=Style(as_json, as_csv, wide, sort, columns, raw), **options)

    for option in STYLE_OPTIONS:
        run = option(run)
    return run


STYLE_OPTIONS = (
    click.option(
        "--json", "as_json", is_flag=True, help="Print JSON, one object per line, as the API returns them."
    ),
    click.option(
        "--csv", "as_csv", is_flag=True, help="Print CSV with all fields, or with those of --columns."
    ),
    click.option(
        "--raw",
        is_flag=True,
        help="With --csv: no apostrophe before what a spreadsheet takes for a formula, and no escapes.",
    ),
    click.option("--wide", is_flag=True, help="Show ids, and do not fit the table to the terminal."),
    click.option("--sort", metavar="COLUMN", help="Sort by a column; -COLUMN sorts in reverse."),
    click.option("--columns", metavar="A,B", help="Show these columns, by the names of fields."),
)

COUNTED = frozenset({"used", "utilisation"})
"""What the API counts from time to time: null until then."""
NOT_COUNTED = "not counted"

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, as the API returns it.")


class Listing:
    """One list. `columns`: what a table shows unless told otherwise; `known`: all fields that its rows have. `sorted_`:
    the rows come in the order asked for. `limit`: how many are shown; rows beyond are not asked for."""

    def __init__(
        self,
        style: Style,
        columns: Sequence[str],
        known: Sequence[str] = (),
        names: Names | None = None,
        sorted_: bool = False,
        limit: int | None = None,
    ) -> None:
        self.style, self.names, self.limit = style, names, limit
        self.known = tuple(dict.fromkeys((*known, *columns)))
        self.columns = self.chosen(columns)
        self.sort = None if sorted_ or not style.sort else self.known_column(style.sort.removeprefix("-"))

    def chosen(self, columns: Sequence[str]) -> tuple[str, ...]:
        if self.style.columns:
            return tuple(self.known_column(name.strip()) for name in self.style.columns.split(","))
        if self.style.as_csv:
            return tuple(name for name in self.known if name in columns or name not in DERIVED)
        if self.style.wide:
            own = [name for name in ("id", "tenant_id") if name in self.known]
            return tuple(dict.fromkeys((*own[:1], *columns, *(["tenant"] if own[1:] else []))))
        return tuple(name for name in columns if name != "id") or tuple(columns)

    def known_column(self, name: str) -> str:
        if name in self.known or f"{name}_id" in self.known:
            return name
        known = ", ".join(self.known)
        raise click.UsageError(f"there is no column {name!r}; choose from {known}")

    def show(self, items: Iterable[Row]) -> None:
        if self.style.as_json:
            for item in self.ordered(items):
                say(msgspec.json.encode(self.narrowed(item)))
        elif self.style.as_csv:
            self.print_csv(self.ordered(items))
        else:
            self.print_table(list(self.ordered(waiting(items))))

    def narrowed(self, item: Row) -> Row:
        """Return the chosen columns; JSON is whole without a choice."""
        return {name: self.value(item, name) for name in self.columns} if self.style.columns else item

    def ordered(self, items: Iterable[Row]) -> Iterable[Row]:
        """Return the sorted rows; empty cells come last in either order."""
        if self.sort is None:
            return islice(items, self.limit)
        keyed = [(self.value(item, self.sort), item) for item in items]
        descending = (self.style.sort or "").startswith("-")
        there = sorted(
            (pair for pair in keyed if pair[0] is not None),
            key=lambda pair: order(pair[0]),
            reverse=descending,
        )
        return [*(item for _, item in there), *(item for value, item in keyed if value is None)][: self.limit]

    def value(self, item: Row, column: str) -> Any:
        """Return a field, the name of what a field refers to, or what an entry is about."""
        if column in item:
            return item[column]
        if column == "object":
            return subject(item, LABELS)
        if column == "option":
            return option_name(item)
        family, id_ = referred(f"{column}_id"), item.get(f"{column}_id")
        return id_ and self.names.label(family, id_) if family and self.names else id_

    def cell(self, item: Row, column: str) -> str:
        """Return a cell of a table. What has not been counted yet says so: an empty column is left out."""
        value = self.value(item, column)
        return NOT_COUNTED if value is None and column in COUNTED and column in item else text(value, column)

    def print_csv(self, items: Iterable[Row]) -> None:
        click.echo(csv_line(self.columns))
        for item in items:
            click.echo(csv_line(csv_cell(self.value(item, name), self.style.raw) for name in self.columns))

    def print_table(self, rows: list[Row]) -> None:
        if not rows:
            say("nothing found", err=True)
        cells = {name: [in_lines(self.cell(row, name)) for row in rows] for name in self.columns}
        if rows and not self.style.columns:
            cells = {name: column for name, column in cells.items() if any(column)}
        screen = console()
        roomy = self.style.wide or not screen.is_terminal
        shown = cells if roomy else fitting(cells, screen.width)
        widths = {name: widest(name, column) for name, column in shown.items()}
        if roomy:
            screen.width = sum(widths.values()) + GAP * len(widths)
        else:
            widths = shared(
                widths, {name: least(name, column) for name, column in shown.items()}, screen.width
            )
        table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, GAP, 0, 0))
        for name, width in widths.items():
            table.add_column(name, overflow="fold", width=width)
        for values in zip(*shown.values(), strict=True):
            table.add_row(*values)
        screen.print(table)
        if left := [name for name in cells if name not in shown]:
            say(f"columns not shown: {', '.join(left)} (use --wide or --columns)", err=True)


def option_name(item: Row) -> str | None:
    """Return what a standard DHCP option is called."""
    from ipam_core.dhcp import registry  # a tenth of a second

    found = registry.lookup(item["family"], item["code"])
    return found.name if found else None


DERIVED = {"object", "option", *(key.removesuffix("_id") for key in KEYS)}


def csv_line(values: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(values)  # it quotes cells with these characters
    return line.getvalue().removesuffix("\r\n")


def fitting(cells: Mapping[str, list[str]], width: int) -> dict[str, list[str]]:
    """Return as many columns as fit, the first at least."""
    found: dict[str, list[str]] = {}
    room = width
    for name, column in cells.items():
        room -= least(name, column) + GAP
        if found and room < -GAP:
            break
        found[name] = column
    return found


def least(name: str, column: Iterable[str]) -> int:
    """Return how narrow a column may be: its head, and whatever may not be broken, stand in one line."""
    words = [word for cell in column for word in ([cell] if TIME.fullmatch(cell) else cell.split())]
    solid = [len(word) for word in words if SOLID.fullmatch(word) or TIME.fullmatch(word)]
    others = [min(len(word), NARROWEST) for word in words]
    return max([len(name), *solid, *others])


def widest(name: str, column: Iterable[str]) -> int:
    return max(len(line) for cell in (name, *column) for line in cell.split("\n"))


def shared(widest: Mapping[str, int], least: Mapping[str, int], width: int) -> dict[str, int]:
    """Return how wide each column is in a line of `width`: none below its least, and what is left goes to those that
    lack the fewest characters, so that few are folded."""
    found = dict(least)
    room = width - sum(least.values()) - GAP * (len(least) - 1)
    while room > 0 and found != widest:
        name = min(
            (name for name in found if found[name] < widest[name]),
            key=lambda name: widest[name] - found[name],
        )
        found[name] += 1
        room -= 1
    return found


def in_lines(cell: str) -> str:
    return cell.replace(",", ",\n") if len(cell) > LONGEST_LINE and "," in cell and " " not in cell else cell


def waiting(items: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows; on a terminal, report how many have come while more are awaited."""
    with Counting("Reading") as progress:
        for item in items:
            progress.advance()
            yield item


def console() -> Console:
    """Return a console as wide as the terminal; what goes into a pipe is never folded."""
    found = Console(markup=False, emoji=False, highlight=False, color_system=None if is_plain() else "auto")
    if not found.is_terminal:
        found.width = PIPE
    return found


def show_one(item: Any, as_json: bool, names: Names | None = None) -> None:
    """Print an object, a field a line; references with their names."""
    if as_json:
        say(msgspec.json.encode(item))
        return
    print_rows(
        {name: in_lines(named(name, value, names)) for name, value in msgspec.to_builtins(item).items()}
    )


def show_lines(rows: Mapping[str, list[str]]) -> None:
    """Print the lines of each name, without names that have none."""
    print_rows({name: "\n".join(lines) for name, lines in rows.items() if lines})


def print_rows(rows: Mapping[str, str]) -> None:
    """Print names with their values beside them; below one another on a terminal that is too narrow for both."""
    screen = console()
    width = max(map(len, rows), default=0)
    if width + GAP + least("", rows.values()) > screen.width:
        for name, value in rows.items():
            for line in f"{name}: {value}".split("\n"):
                say(line)
        return
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True, width=width)
    table.add_column(overflow="fold")
    for name, value in rows.items():
        table.add_row(name, value)
    screen.print(table)


def named(name: str, value: Any, names: Names | None) -> str:
    family = referred(name)
    if names is None or family is None or not value:
        return local_time(value) if isinstance(value, str) and MOMENT.fullmatch(value) else text(value, name)
    label = text(names.label(family, str(value)))
    return label if label == value else f"{label} ({value})"
