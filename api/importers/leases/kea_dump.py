"""The tables lease4 and lease6 of Kea in what pg_dump and mysqldump write: COPY blocks, and INSERTs of one row or many.

An INSERT that names no columns has those of the CREATE TABLE before it.
"""

import re
from collections.abc import Iterator

from api.importers.leases import kea
from api.importers.leases.lease import Found, Unread, instant
from api.importers.leases.lines import Lines

TABLE = r'[`"]?(?:\w+[`"]?\.[`"]?)?(lease[46])[`"]?'
CREATE = re.compile(rf"CREATE TABLE (?:IF NOT EXISTS )?{TABLE} ?\(", re.IGNORECASE)
COPY = re.compile(rf"COPY {TABLE} \(([^)]*)\) FROM stdin;", re.IGNORECASE)
INSERT = re.compile(rf"INSERT (?:IGNORE )?INTO {TABLE}\s*(?:\(([^)]*)\))?\s*VALUES?\s*", re.IGNORECASE)
SIGN = re.compile(
    rf"^(?:{COPY.pattern}|{INSERT.pattern}|{CREATE.pattern}|-- PostgreSQL database dump|-- M(?:ySQL|ariaDB) dump)",
    re.MULTILINE,
)
COLUMN = re.compile(r'\s+[`"]?(\w+)[`"]? \w')
NO_COLUMNS = {"PRIMARY", "KEY", "CONSTRAINT", "UNIQUE", "INDEX", "FOREIGN", "CHECK"}

TEXT = r"'(?:[^'\\]++|\\.|'')*+'"
VALUE = re.compile(rf"\s*(?:_binary |E)?({TEXT}|[^\s'(),;]+)\s*([,)])")
BEGIN = re.compile(r"\s*,?\s*\(")
ESCAPES = {"0": "\0", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "b": "\b"}
COPY_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v"}
HEX = re.compile("0[xX](?:[0-9a-fA-F]{2})+")
ESCAPE = re.compile(r"\\(.)|''", re.DOTALL)


def read(lines: Lines) -> Iterator[Found]:
    columns: dict[str, list[str]] = {}
    for number, line in lines:
        if found := CREATE.match(line):
            columns[found[1].lower()] = list(columns_made(lines))
        elif found := COPY.match(line):
            yield from copied(lines, names(found[2]))
        elif found := INSERT.match(line):
            of_table = names(found[2]) if found[2] else columns.get(found[1].lower(), [])
            yield from inserted(number, line[found.end() :], lines, of_table)


def names(listed: str) -> list[str]:
    return [each.strip(' `"').lower() for each in listed.split(",")]


def columns_made(lines: Lines) -> Iterator[str]:
    """Yield the columns of the lines of a CREATE TABLE, up to that which closes it."""
    for _, line in lines:
        if line.startswith(")"):
            return
        column = COLUMN.match(line)
        if column and column[1].upper() not in NO_COLUMNS:
            yield column[1].lower()


def copied(lines: Lines, columns: list[str]) -> Iterator[Found]:
    for number, line in lines:
        if line == "\\.":
            return
        cells = ["" if each == r"\N" else unescaped(each, COPY_ESCAPES) for each in line.split("\t")]
        yield row(number, cells, columns)


def inserted(number: int, rest: str, lines: Lines, columns: list[str]) -> Iterator[Found]:
    """Yield the rows behind VALUES, which may stand on lines of their own; a semicolon ends them."""
    while True:
        at = 0
        while begun := BEGIN.match(rest, at):
            cells, at = values(rest, begun.end())
            yield row(number, cells, columns) if cells else Unread(number)
        if rest[at:].strip() not in ("", ","):
            return
        number, rest = next(lines, (number, ";"))


def values(text: str, at: int) -> tuple[list[str], int]:
    """Return the cells of a row that begins there, none where it is not written as we know it, and where it ends."""
    cells: list[str] = []
    while found := VALUE.match(text, at):
        cells.append(value(found[1]))
        at = found.end()
        if found[2] == ")":
            return cells, at
    return [], len(text)


def value(written: str) -> str:
    """Return the value; octets of a binary value are characters of Latin-1."""
    if written.startswith("'"):
        return unescaped(written[1:-1], ESCAPES) if not written.startswith("'\\x") else written[1:-1]
    if HEX.fullmatch(written):
        return bytes.fromhex(written[2:]).decode("latin-1")
    return "" if written.upper() == "NULL" else written


def unescaped(text: str, escapes: dict[str, str]) -> str:
    if "\\" not in text and "''" not in text:
        return text
    return ESCAPE.sub(lambda found: escapes.get(found[1], found[1]) if found[1] else "'", text)


def row(number: int, cells: list[str], columns: list[str]) -> Found:
    try:
        return kea.lease(number, dict(zip(columns, cells, strict=True)), octets, instant)
    except (ValueError, KeyError):
        return Unread(number)


def octets(cell: str) -> bytes:
    r"""PostgreSQL writes \x and hexadecimal, MySQL the octets."""
    return bytes.fromhex(cell[2:]) if cell.startswith("\\x") else cell.encode("latin-1")
