"""Readers of files of leases, by their contents."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from api.importers.faults import SourceError
from api.importers.leases import dnsmasq, isc, kea_csv, kea_dump, windows
from api.importers.leases.lease import Found
from api.importers.leases.lines import lines_of
from api.importers.text import BYTE_ORDER

HEAD = 1 << 16
"""Octets in which a file shows what it is."""


class Format(NamedTuple):
    read: Callable[[Path], Iterator[Found]]
    sign: re.Pattern[str]


FORMATS = {
    "Windows XML": Format(
        windows.read,
        re.compile(
            r"\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--(?:(?!-->).)*+-->\s*+)*+<(?:\w+:)?DHCPServer\b", re.DOTALL
        ),
    ),
    "Kea CSV": Format(lambda path: kea_csv.read(lines_of(path)), kea_csv.SIGN),
    "Kea database": Format(lambda path: kea_dump.read(lines_of(path)), kea_dump.SIGN),
    "ISC dhcpd": Format(lambda path: isc.read(lines_of(path)), isc.SIGN),
    "dnsmasq": Format(lambda path: dnsmasq.read(lines_of(path)), dnsmasq.SIGN),
}
ANYWHERE = ("Kea database", "ISC dhcpd", "dnsmasq")
"""Those whose sign stands at the beginning of any line, others at that of the file."""


def guess(path: Path) -> str:
    """Raise SourceError."""
    with path.open("rb") as file:
        data = file.read(HEAD)
    marked = next((encoding for mark, encoding in BYTE_ORDER.items() if data.startswith(mark)), "latin-1")
    head = data.decode(marked, "replace").replace("\r\n", "\n")
    for name, each in FORMATS.items():
        if each.sign.search(head) if name in ANYWHERE else each.sign.match(head):
            return name
    known = ", ".join(FORMATS)
    raise SourceError(1, f"has no leases of a format that is known: {known}")
