"""Values as RouterOS writes them. What is none raises ValueError."""

import re
from ipaddress import IPv4Address, IPv4Network

UNITS = {"w": 604800, "d": 86400, "h": 3600, "m": 60, "s": 1}
OPTION = re.compile(r"0[xX](?P<hex>(?:[0-9A-Fa-f]{2})+)|s'(?P<text>[^']*)'|'(?P<plain>[^']*)'")


def seconds(text: str) -> int:
    """Return the seconds of 10m, 1d, 1h30m, 00:10:00, 1d00:10:00."""
    found = re.fullmatch(r"((?:\d+[wdhms])*)(?:(\d+):(\d+):(\d+))?", text)
    if found is None or not text:
        raise ValueError(text)
    parts = re.findall(r"(\d+)([wdhms])", found[1])
    clock = sum(int(each or 0) * unit for each, unit in zip(found.groups()[1:], (3600, 60, 1), strict=True))
    return clock + sum(int(count) * UNITS[unit] for count, unit in parts)


def span(text: str) -> tuple[IPv4Address, IPv4Address]:
    """Return a range, an address, or a network."""
    if "/" in text:
        network = IPv4Network(text, strict=False)
        return network[0], network[-1]
    first, _, last = text.partition("-")
    return IPv4Address(first), IPv4Address(last or first)


def client_id(text: str) -> str:
    """Return octets without leading zeros, or text."""
    parts = text.split(":")
    if all(re.fullmatch("[0-9A-Fa-f]{1,2}", each) for each in parts) and len(parts) > 1:
        return "".join(each.rjust(2, "0") for each in parts).lower()
    return text.encode().hex()


def option_octets(text: str) -> bytes:
    """Return pieces one after another: octets, text, or addresses in quotes."""
    octets, at = b"", 0
    while at < len(text):
        found = OPTION.match(text, at)
        if found is None:
            raise ValueError(text)
        octets += piece(found)
        at = found.end()
    if not octets:
        raise ValueError(text)
    return octets


def piece(found: re.Match[str]) -> bytes:
    if found["hex"]:
        return bytes.fromhex(found["hex"])
    if found["text"] is not None:
        return found["text"].encode()
    try:
        return IPv4Address(found["plain"]).packed
    except ValueError:
        return found["plain"].encode()
