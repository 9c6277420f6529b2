"""dhcp-range: the addresses, and the network that they lie in.

dnsmasq takes the mask from its interface where the line has none, so here it is that of another range around, else
/24, or as much as both ends need.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from api.importers.dnsmasq.syntax import Statement, seconds, tagged

Network = IPv4Network | IPv6Network
Address = IPv4Address | IPv6Address
MODES = ("static", "proxy", "ra-only", "ra-names", "ra-stateless", "ra-advrouter", "slaac", "off-link")
NO_ADDRESSES = ("static", "ra-only", "ra-stateless", "slaac")
"""Modes without addresses for whom nothing is reserved; slaac with two ends has some all the same."""
GUESSED = 24
SIX = 64


class NoRange(Exception):
    """The line has no addresses that could be given."""


@dataclass
class Range:
    """`network`: None where the mask is not said. `asked`: the tags that its clients need; `given`: those that they
    get."""

    source: Statement
    start: Address
    end: Address
    network: Network | None
    modes: set[str]
    lease: int | None
    asked: list[str]
    given: list[str]

    @property
    def gives(self) -> bool:
        return not self.modes & set(NO_ADDRESSES) or ("slaac" in self.modes and self.start != self.end)


def range_of(statement: Statement) -> Range:
    """Raise NoRange."""
    asked, given, words = tagged(statement.words)
    if words and re.fullmatch(r"[A-Za-z][\w-]*", words[0]) and words[0] not in MODES:
        given.append(words.pop(0))
    start = address(words.pop(0) if words else "")
    if words and words[0].startswith("constructor:"):
        raise NoRange(f"is in the network of the interface {words[0].partition(':')[2]}: name its addresses")
    end = start
    if words and (words[0] not in MODES and ("." in words[0] or ":" in words[0])):
        end = address(words.pop(0))
    if "proxy" in words:
        raise NoRange("answers beside another server, which has no counterpart")
    if start.version != end.version:
        raise NoRange("is of two families")
    start, end = sorted((start, end), key=int)  # either may come first
    return rest_of(Range(statement, start, end, None, set(), None, asked, given), words)


def rest_of(found: Range, words: list[str]) -> Range:
    """Return mode, mask, broadcast address, length of the prefix and lease, whatever their order."""
    try:
        for each in words:
            if each in MODES:
                found.modes.add(each)
            elif found.start.version == 4 and "." in each:
                found.network = found.network or ip_network(f"{found.start}/{each}", strict=False)
            elif found.start.version == 6 and found.network is None and each.isdecimal() and int(each) <= 128:
                found.network = ip_network(f"{found.start}/{each}", strict=False)
            elif (lease := seconds(each)) is not None:
                found.lease = lease
            elif each:
                raise NoRange(f"{each} is not understood")
    except ValueError as error:
        raise NoRange(str(error)) from None
    if found.network is None and found.start.version == 6:
        found.network = ip_network(f"{found.start}/{SIX}", strict=False)
    return found


def address(text: str) -> Address:
    try:
        return ip_address(text.strip("[]"))
    except ValueError:
        raise NoRange(f"{text or 'nothing'} is no address") from None


def guess(wanted: Range, others: Iterable[Range]) -> Network:
    """Return the network of a range whose line has no mask."""
    for each in others:
        if each.network and each.network.version == wanted.start.version and wanted.start in each.network:
            return each.network
    differ = (int(wanted.start) ^ int(wanted.end)).bit_length()
    return ip_network((str(wanted.start), min(GUESSED, 32 - differ)), strict=False)
