"""Kea's lease files, kea-leases4.csv and kea-leases6.csv: a journal, in which a later line of an address counts."""

import re
from collections.abc import Iterator

from api.importers.leases import kea
from api.importers.leases.lease import Found, Unread, octets
from api.importers.leases.lines import Lines

SIGN = re.compile(r"\s*address,(?:hwaddr|duid),")
ESCAPED = re.compile("&#x([0-9a-fA-F]{2})")
"""How Kea writes a comma in a value."""


def read(lines: Lines) -> Iterator[Found]:
    columns: list[str] = []
    for number, line in lines:
        if line.startswith("address,"):
            columns = line.split(",")
        elif line.strip():
            yield read_line(number, line, columns)


def read_line(number: int, line: str, columns: list[str]) -> Found:
    cells = line.split(",")
    if "&#x" in line:
        cells = [ESCAPED.sub(lambda found: chr(int(found[1], 16)), each) for each in cells]
    try:
        return kea.lease(number, dict(zip(columns, cells, strict=False)), octets, int)
    except (ValueError, KeyError):
        return Unread(number)
