"""Pool of IOS: a network that it serves, or one client with its address."""

import re
from collections.abc import Callable, Mapping
from ipaddress import IPv4Address, IPv4Network
from typing import Any

from api.importers.cisco import reasons
from api.importers.cisco.statements import Block
from api.importers.lines import Line, lose
from api.importers.options import Option, decoded
from api.importers.plan import Fields, Planner
from ipam_core.dhcp import registry
from ipam_core.dhcp.kinds.definition import unknown
from ipam_core.model.lifetimes import INFINITE

LISTS = {"default-router": 3, "dns-server": 6, "netbios-name-server": 44}
NODE_TYPES = {"b-node": 1, "p-node": 2, "m-node": 4, "h-node": 8}
FIELDS = {"next-server": "next_server", "bootfile": "boot_file"}
CLASSFUL = ((128, 8), (192, 16), (224, 24))
MAC_DIGITS = 12
"""The longest lease here, of 68 years."""


class Unclear(Exception):
    """The line says nothing that can be taken over."""


class Pool:
    """`networks`: those after the first are secondary. Lines that say nothing are told in a warning at once."""

    def __init__(self, block: Block, planner: Planner) -> None:
        self.block = block
        self.line = block.head
        self.name = " ".join(block.head.words[3:])
        self.vrf: str | None = None
        self.networks: list[tuple[Line, IPv4Network]] = []
        self.host: tuple[Line, IPv4Address, IPv4Network | None] | None = None
        self.identity: Fields = {}
        self.hostname: str | None = None
        self.fields: Fields = {}
        self.field_lines: dict[str, Line] = {}
        self.options: dict[int, Option] = {}
        for line in block.lines:
            self.read(line, planner)

    def read(self, line: Line, planner: Planner) -> None:
        word, rest = line.words[0], line.words[1:]
        try:
            READERS.get(word, unread)(self, line, rest)
        except (Unclear, ValueError, IndexError):
            reason, why = reasons.of(word)
            lose(planner, line, reason, " ".join(line.words), why)

    def set(self, name: str, value: Any, line: Line) -> None:
        self.fields[name], self.field_lines[name] = value, line

    def add(self, line: Line, code: int, payload: Fields) -> None:
        self.options[code] = Option(line.line, {"code": code, "payload": payload})


def unread(_pool: Pool, _line: Line, _words: list[str]) -> None:
    raise Unclear


def network(pool: Pool, line: Line, words: list[str]) -> None:
    pool.networks.append((line, network_of(words[0], words[1] if len(words) > 1 else "")))


def network_of(address: str, mask: str) -> IPv4Network:
    """Return the network of /24 or a dotted mask; without one that of the address's class."""
    if not mask or mask == "secondary":
        first = int(address.split(".")[0])
        mask = str(next((length for most, length in CLASSFUL if first < most), 32))
    return IPv4Network(f"{address}/{mask.removeprefix('/')}")


def host(pool: Pool, line: Line, words: list[str]) -> None:
    around = IPv4Network(f"{words[0]}/{words[1].removeprefix('/')}", strict=False) if words[1:] else None
    pool.host = line, IPv4Address(words[0]), around


def client_identifier(pool: Pool, _line: Line, words: list[str]) -> None:
    """Read the hardware type, 01, and its address; else any octets."""
    octets = hexadecimal(words)
    is_mac = octets.startswith("01") and len(octets) == 2 + MAC_DIGITS
    pool.identity["mac" if is_mac else "client_id"] = octets[2:] if is_mac else octets


def hardware_address(pool: Pool, _line: Line, words: list[str]) -> None:
    if words[1:] and words[1].lower() not in ("ethernet", "1"):
        raise Unclear
    pool.identity["mac"] = hexadecimal(words[:1])


def hexadecimal(words: list[str]) -> str:
    digits = re.sub(r"[.:-]", "", "".join(words)).lower()
    if not digits or len(digits) % 2 or not re.fullmatch("[0-9a-f]+", digits):
        raise Unclear
    return digits


def client_name(pool: Pool, _line: Line, words: list[str]) -> None:
    pool.hostname = words[0]


def addresses(pool: Pool, line: Line, words: list[str]) -> None:
    found = [str(IPv4Address(each)) for each in words]
    if not found:
        raise Unclear
    pool.add(line, LISTS[line.words[0]], {"addresses": found})


def node_type(pool: Pool, line: Line, words: list[str]) -> None:
    pool.add(line, 46, {"value": NODE_TYPES.get(words[0]) or int(words[0], 16)})


def domain_name(pool: Pool, line: Line, words: list[str]) -> None:
    pool.add(line, 15, {"string": words[0]})


def lease(pool: Pool, line: Line, words: list[str]) -> None:
    """Read days, hours and minutes."""
    if words[0] == "infinite":
        return pool.set("lease_time_seconds", INFINITE, line)
    parts = [*map(int, words), 0, 0]
    return pool.set("lease_time_seconds", parts[0] * 86400 + parts[1] * 3600 + parts[2] * 60, line)


def plain(pool: Pool, line: Line, words: list[str]) -> None:
    pool.set(FIELDS[line.words[0]], words[0], line)


def option(pool: Pool, line: Line, words: list[str]) -> None:
    code, form, values = int(words[0]), words[1], words[2:]
    definition = registry.lookup(4, code) or unknown(4, code)
    if form == "ip":
        packed = [IPv4Address(each) for each in values]
        pool.add(line, code, decoded(definition, b"".join(each.packed for each in packed).hex()))
    elif form == "ascii":
        pool.add(line, code, decoded(definition, " ".join(values).encode().hex()))
    elif form == "hex":
        pool.add(line, code, decoded(definition, hexadecimal(values)))
    else:
        raise Unclear


def vrf(pool: Pool, _line: Line, words: list[str]) -> None:
    pool.vrf = words[0]


READERS: Mapping[str, Callable[[Pool, Line, list[str]], None]] = (
    {
        "network": network,
        "host": host,
        "client-identifier": client_identifier,
        "hardware-address": hardware_address,
        "client-name": client_name,
        "netbios-node-type": node_type,
        "domain-name": domain_name,
        "lease": lease,
        "option": option,
        "vrf": vrf,
    }
    | dict.fromkeys(LISTS, addresses)
    | dict.fromkeys(FIELDS, plain)
)
