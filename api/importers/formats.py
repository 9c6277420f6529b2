"""Which converter reads a file: by its name as the user says it, else by what stands in the file."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

from api.importers import isc, kea
from api.importers.faults import SourceError
from api.importers.plan import Plan

CONVERTERS: dict[str, Callable[[str], Plan]] = {"kea": kea.read, "isc": isc.read}
SIGNS = {
    "kea": re.compile(r'"(?:Dhcp4|Dhcp6)"\s*:'),
    "isc": re.compile(
        r"^\s*(?:subnet6?|shared-network|host|group|option|default-lease-time)\b[^\n]*[{;]", re.MULTILINE
    ),
}
MOST_OCTETS = 64 * 1024 * 1024
"""A file is read whole, and its plan takes some twenty times its size of memory at most."""


def read(path: Path, format_: str | None = None) -> Plan:
    """Raises SourceError, which names file and line."""
    try:
        text = text_of(path)
        plan = CONVERTERS[format_ or guess(text)](text)
    except SourceError as error:
        error.file = str(path)
        raise
    plan.source = hashlib.sha256(text.encode()).hexdigest()
    return plan


def text_of(path: Path) -> str:
    if path.stat().st_size > MOST_OCTETS:
        raise SourceError(1, f"is larger than {MOST_OCTETS >> 20} MiB: split it by subnets")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise SourceError(line, "is not in UTF-8: convert it, as with iconv") from None
    if "\0" in text:
        raise SourceError(
            text[: text.index("\0")].count("\n") + 1, "has a NUL character: it is no configuration"
        )
    return text


def guess(text: str) -> str:
    found = next((name for name, sign in SIGNS.items() if sign.search(text)), None)
    if found is None:
        raise SourceError(
            1, f"is of no format that is known; if it is, say so: --format {'|'.join(CONVERTERS)}"
        )
    return found
