"""The lines of a running-config that speak of DHCP: those that begin with `ip dhcp`, and those of a pool or a class
below theirs. All others are not looked at."""

import re
from typing import NamedTuple

from api.importers.lines import Line

BLOCKS = ("pool", "class")
OF_POOL = {
    *(
        "network",
        "host",
        "client-identifier",
        "hardware-address",
        "client-name",
        "default-router",
        "dns-server",
    ),
    *("domain-name", "lease", "next-server", "bootfile", "option", "vrf", "import", "netbios-name-server"),
    *(
        "netbios-node-type",
        "class",
        "address",
        "utilization",
        "update",
        "accounting",
        "origin",
        "reserved-only",
    ),
    *("relay", "remember", "subnet", "override", "no"),
}
"""Lines that belong to the pool above them where a file is not indented."""


class Block(NamedTuple):
    """A line and those below it."""

    head: Line
    lines: list[Line]


def load(text: str) -> list[Block]:
    found: list[Block] = []
    inside = False
    for number, raw in enumerate(text.split("\n"), 1):
        words = split(raw)
        if words[:2] == ["ip", "dhcp"] or words[:3] == ["no", "ip", "dhcp"]:
            found.append(Block(Line(number, words), []))
            inside = len(words) > 2 and words[2] in BLOCKS
        elif inside and words and words != ["exit"] and belongs(raw, words):
            found[-1].lines.append(Line(number, words))
        elif words or raw.startswith("!"):
            inside = False
    return found


def split(raw: str) -> list[str]:
    """Return words, of which one may stand in quotes."""
    found = re.findall(r'"([^"]*)"|(\S+)', raw)
    words = [quoted or plain for quoted, plain in found]
    return [] if raw.lstrip().startswith("!") else [*map(str.lower, words[:1]), *words[1:]]


def belongs(raw: str, words: list[str]) -> bool:
    return raw[:1] in (" ", "\t") or words[0] in OF_POOL
