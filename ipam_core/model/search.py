"""Possible meanings of a search text: an address or its leading part, a network, a MAC or a part of it, an identifier,
a part of a name or description, a tag, the beginning of a site's name, a VLAN ("20", "vlan 20").

A text may mean several things at once ("10" begins an address and a host name); all of them are looked for.
Leading parts become ranges of addresses, so that an index on addresses serves them: "10.1" is 10.1.0.0/16,
10.10.0.0-10.19.255.255 and 10.100.0.0-10.199.255.255.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address

import msgspec

from ipam_core.model.labels import parse_tag
from ipam_core.model.page import Page
from ipam_core.model.search_texts import Question, question
from ipam_core.model.values import (
    Address,
    Network,
    parse_address,
    parse_hostname,
    parse_mac,
    parse_network,
    parse_octets,
)

LEADING_V4 = re.compile(r"\d{1,3}(?:\.\d{1,3}){0,2}\.?")
VLAN = re.compile(r"(?:vlan ?)?([0-9]{1,4})")
LEADING_V6 = re.compile(r"[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6}:{0,2}")

Range = tuple[Address, Address]


class Hit(msgspec.Struct, frozen=True):
    """Object that was found: its kind, its label, the field that matched, and its place."""

    type: str
    """Kind of the object: prefix, subnet, pool, reservation, assignment, lease, dns_zone or dns_record."""

    id: str
    label: str
    """Label of the object: address and name."""

    match: str
    """Field that matched."""

    subnet_id: str | None
    """Subnet of the object, or the subnet itself. Null: none."""


class Found(Page[Hit], frozen=True):
    """Page of hits. Changes committed up to `as_of` are found by parts of names; null: the search table is not
    filled yet."""

    as_of: str | None
    """Changes committed up to this time are found by parts of their names. Null: the search table has not been filled
    yet."""


class Meaning(msgspec.Struct, frozen=True):
    """Possible meaning of a search text; None is not."""

    address: Address | None
    network: Network | None
    ranges: list[Range]
    mac: str | None
    octets: bytes | None
    name: str | None
    tag: str | None
    vlan_id: int | None
    question: Question


def read_search(text: str) -> Meaning:
    text = text.strip()
    address = network = mac = octets = name = tag = None
    with suppress(ValueError):
        address = parse_address(text)
    with suppress(ValueError):
        network = parse_network(text)
    with suppress(ValueError):
        mac = parse_mac(text)
    with suppress(ValueError):
        octets = parse_octets(text)
    with suppress(ValueError):
        name = parse_hostname(text.rstrip("-")) and text.lower()
    with suppress(ValueError):
        tag = parse_tag(text)
    vlan = VLAN.fullmatch(text.lower())
    vlan_id = int(vlan[1]) if vlan else None
    ranges = [] if address else list(leading_ranges(text.lower()))
    return Meaning(address, network, ranges, mac, octets, name, tag, vlan_id, question(text))


def leading_ranges(text: str) -> Iterator[Range]:
    """Yield the ranges of addresses whose usual spelling begins with the text."""
    if LEADING_V4.fullmatch(text):
        yield from spans(text, ".", 10, 8, 4, IPv4Address)
    elif ":" in text and LEADING_V6.fullmatch(text):
        yield from spans(text, ":", 16, 16, 8, IPv6Address)


def spans(
    text: str, separator: str, base: int, bits: int, count: int, kind: type[IPv4Address] | type[IPv6Address]
) -> Iterator[Range]:
    """Yield the ranges of values. The last group may be unfinished: "1" stands for 1, 10-19 and 100-199."""
    groups = [group for group in text.split(separator) if group]
    values = [int(group, base) for group in groups]
    finished = text.endswith(separator)
    width = bits * (count - len(values))
    head = sum(value << bits * (len(values) - 2 - index) for index, value in enumerate(values[:-1]))
    low = high = values[-1]
    while low < 1 << bits and all(value < 1 << bits for value in values[:-1]):
        top = min(high, (1 << bits) - 1)
        first = ((head << bits) + low) << width
        last = (((head << bits) + top + 1) << width) - 1
        yield kind(first), kind(last)
        if finished or low == 0:
            return
        low, high = low * base, high * base + base - 1
