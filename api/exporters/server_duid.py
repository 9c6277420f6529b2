"""The DUID of our DHCPv6 servers as other servers say one: of three types alone, put together of its parts."""

from typing import NamedTuple

from ipam_core.dhcp.server_duid import EN, LL, LLT

NUMBERS = {LLT: ("hardware", "time"), EN: ("enterprise",), LL: ("hardware",)}
SIZES = {"hardware": 2, "time": 4, "enterprise": 4}
NAMES = {LLT: "LLT", EN: "EN", LL: "LL"}


class Parts(NamedTuple):
    """`type`: LLT, EN or LL. `numbers`: by `hardware`, `time` and `enterprise`, those that the type has, in their
    order."""

    type: str
    numbers: dict[str, int]
    identifier: bytes


def parts(duid: bytes) -> Parts | None:
    """Return what a DUID is made of (RFC 8415 section 11). None for other types, and where a number is 0, which
    Kea takes for one that it is to make."""
    kind, at = int.from_bytes(duid[:2], "big"), 2
    numbers: dict[str, int] = {}
    for name in NUMBERS.get(kind, ()):
        numbers[name] = int.from_bytes(duid[at : at + SIZES[name]], "big")
        at += SIZES[name]
    return Parts(NAMES[kind], numbers, duid[at:]) if numbers and all(numbers.values()) else None
