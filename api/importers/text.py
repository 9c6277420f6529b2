"""A file as text, in whatever encoding it comes; lines end with a line feed afterwards."""

import codecs
from pathlib import Path

from api.importers.faults import SourceError

MOST_OCTETS = 64 * 1024 * 1024
"""A file is read whole, and its plan takes some twenty times its size of memory at most."""
BYTE_ORDER = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def text_of(path: Path) -> str:
    """Return the text by its byte order mark, else UTF-8, else windows-1252. Raises SourceError."""
    if path.stat().st_size > MOST_OCTETS:
        raise SourceError(1, f"is larger than {MOST_OCTETS >> 20} MiB: split it by subnets")
    text = decoded(path.read_bytes()).replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        raise SourceError(
            text[: text.index("\0")].count("\n") + 1, "has a NUL character: it is no configuration"
        )
    return text


def decoded(data: bytes) -> str:
    """Return the text; octets that windows-1252 leaves open become U+FFFD: a name with a strange letter is better than
    none."""
    marked = next((name for mark, name in BYTE_ORDER.items() if data.startswith(mark)), None)
    try:
        return data.decode(marked or "utf-8")
    except UnicodeDecodeError as error:
        if marked:
            line = data[: error.start].count(b"\n") + 1
            raise SourceError(line, f"is not in {error.encoding}, as its first octets say") from None
        return data.decode("cp1252", errors="replace")
