"""dhcpd.leases and dhcpd6.leases, journals of blocks, in which the later block of an address counts (dhcpd.leases(5)).

A DHCPv6 block is named by four octets of IAID and the DUID behind them, and holds an address or prefix each in a block
of its own.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv6Address, IPv6Network
from typing import NamedTuple

from api.importers import server_duid
from api.importers.faults import SourceError
from api.importers.leases.lease import Client, Found, Given, Lease, State, Unread, client4, client6, octets
from api.importers.leases.lines import Lines, as_text

SIGN = re.compile(
    r"^[ \t]*+(?:lease [0-9.]+ \{|ia-(?:na|ta|pd) |server-duid |authoring-byte-order |# The format of this file is )",
    re.MULTILINE,
)
TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{};]|#.*|[^\s{};"#]+|"')
ESCAPE = re.compile(r"\\([0-7]{3}|.)")
IAID_OCTETS = 4
LONGEST = 65_536
"""Characters of a line: texts without an end are looked for from each quote anew."""
STATES: dict[str, State] = {
    "active": "active",
    "expired": "expired",
    "free": "expired",
    "backup": "expired",
    "reset": "expired",
    "released": "released",
    "abandoned": "declined",
}
OWN = "server-duid"
LEASES = ("lease", "iaaddr", "iaprefix")
MADE_BY_OMAPI = "hosts made over OMAPI: write them into the configuration"


class Statement(NamedTuple):
    """Words, and what ends them: a semicolon, or a brace that opens a block or closes one (then without words)."""

    line: int
    words: list[str]
    end: str


def statements(lines: Lines) -> Iterator[Statement]:
    words: list[str] = []
    begun = 0
    for number, line in lines:
        if len(line) > LONGEST:
            raise SourceError(number, f"is longer than {LONGEST} characters, which no line of leases is")
        for token in TOKEN.findall(line):
            if token in ("{", "}", ";"):
                yield Statement(begun or number, words, token)
                words, begun = [], 0
            elif not token.startswith("#"):
                words.append(token)
                begun = begun or number
    if words:
        yield Statement(begun, words, "")


class Block:
    """One that is open: its first line, and what it has said."""

    def __init__(self, line: int, words: list[str]) -> None:
        self.line = line
        self.words = words
        self.said: dict[str, list[str]] = {}

    def text(self, name: str) -> list[str]:
        return self.said.get(name, [])


def read(lines: Lines) -> Iterator[Found]:
    open_: list[Block] = []
    own: Unread | None = None
    for line, words, end in statements(lines):
        if words[:1] == [OWN] and not open_:
            own = own_duid(line, words)
        elif end == "{":
            if own is not None and words[:1] and words[0].startswith("ia-"):
                yield own
                own = None
            open_.append(Block(line, words))
        elif end == "}" and open_:
            yield from closed(open_.pop(), open_)
        elif open_ and words:
            # `binding state active` and `set x = ...`: by all words but the last; others by their first one.
            key = "binding state" if words[:2] == ["binding", "state"] else words[0]
            open_[-1].said[key] = words
    yield from (Unread(each.line, "cut short by the end of the file") for each in open_ if is_lease(each))


def own_duid(line: int, words: list[str]) -> Unread:
    """Tell the DUID of the server; a file of DHCPv4 may have one too, which none of its clients knows."""
    try:
        return Unread(line, server_duid.noted(quoted(words[1])))
    except (ValueError, IndexError):
        return Unread(line)


def is_lease(block: Block) -> bool:
    return bool(block.words) and block.words[0] in LEASES


def closed(block: Block, around: list[Block]) -> Iterator[Found]:
    if block.words[:1] == ["host"]:
        yield Unread(block.line, MADE_BY_OMAPI)
    elif is_lease(block):
        try:
            yield lease(block, around[-1] if around else None)
        except (ValueError, KeyError, IndexError):
            yield Unread(block.line)


def lease(block: Block, association: Block | None) -> Lease:
    """Raise ValueError, KeyError or IndexError for a block that is none."""
    state = STATES[block.said["binding state"][-1]]
    if association:
        client = client6(quoted(association.words[1])[IAID_OCTETS:])
        state = "temporary" if association.words[0] == "ia-ta" else state
    else:
        client = client_of(block)
    return Lease(
        block.line,
        given_by(block.words[0], block.words[1]),
        client,
        ends(block.text("ends")),
        state,
        name_of(block.text("client-hostname")),
    )


def given_by(kind: str, text: str) -> Given:
    if kind == "lease":
        return IPv4Address(text)
    return IPv6Address(text) if kind == "iaaddr" else IPv6Network(text)


def client_of(block: Block) -> Client | None:
    hardware = block.text("hardware")
    told = "".join(each.zfill(2) for each in hardware[-1].split(":")) if hardware else ""
    return client4(octets(told), quoted(block.text("uid")[-1]) if "uid" in block.said else b"")


def name_of(words: list[str]) -> str:
    return as_text(quoted(words[-1]).decode("latin-1")) if words else ""


def quoted(word: str) -> bytes:
    """Return a text with octal escapes, or hexadecimal with colons."""
    if not word.startswith('"'):
        return octets(":".join(each.zfill(2) for each in word.split(":")))
    return ESCAPE.sub(unescaped, word[1:-1]).encode("latin-1")


def unescaped(found: re.Match[str]) -> str:
    return chr(int(found[1], 8) & 0xFF) if len(found[1]) == 3 else found[1]


def ends(words: list[str]) -> float | None:
    """Return the end of `ends never`, `ends epoch SECONDS`, or `ends WEEKDAY YYYY/MM/DD HH:MM:SS` in UTC; without a
    word on it never."""
    if not words or words[1] == "never":
        return None
    if words[1] == "epoch":
        return int(words[2])
    return datetime.strptime(" ".join(words[2:4]), "%Y/%m/%d %H:%M:%S").replace(tzinfo=UTC).timestamp()
