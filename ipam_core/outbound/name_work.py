"""Cost of the names of a DNS message, computed before the message is parsed.

dnspython's time for a name grows with the square of its labels, and a pointer of two octets stands for 127 labels: four
kilobytes take it a second, 64 KiB half a minute. So the labels behind every possible pointer are counted first, for
records of all types. Other data that looks like a pointer leads to few labels.
"""

import re

import dns.exception

POINTER = re.compile(rb"[\xc0-\xff](?=[\x00-\xff])")
MOST_LABELS = 128  # RFC 1035 section 3.1: 255 octets
# An octet's share; a name below ip6.arpa has 34 labels, and a record of it 12 octets at least.
MOST_OF_OCTET = 128


class TooMuchWorkError(dns.exception.FormError):
    """Names of the message take too long to read."""


def check(octets: bytes) -> None:
    """Raise TooMuchWorkError for a message whose names are long and many as no zone's are."""
    if work(octets) > MOST_OF_OCTET * len(octets):
        raise TooMuchWorkError


def work(octets: bytes) -> int:
    """Return the squares of the labels that all pointers stand for, added up."""
    known: dict[int, int] = {}
    targets = (pointed(octets, found.start()) for found in POINTER.finditer(octets))
    return sum(labels(octets, target, known) ** 2 for target in targets)


def labels(octets: bytes, at: int, known: dict[int, int]) -> int:
    """Return the number of labels of the name that begins there; `known` has names that were counted before."""
    passed: list[int] = []
    while at < len(octets) and at not in known:
        known[at] = 0  # where a loop comes back to
        passed.append(at)
        at = following(octets, at)
    count = known.get(at, 0)
    for place in reversed(passed):
        count = min(count + (0 < octets[place] < 64), MOST_LABELS)
        known[place] = count
    return count


def following(octets: bytes, at: int) -> int:
    """Return the position behind the label or pointer there, or the end of the message if the name ends."""
    size = octets[at]
    if 0 < size < 64:
        return at + 1 + size
    return pointed(octets, at) if size >= 0xC0 and at + 1 < len(octets) else len(octets)


def pointed(octets: bytes, at: int) -> int:
    return (octets[at] & 0x3F) << 8 | octets[at + 1]
