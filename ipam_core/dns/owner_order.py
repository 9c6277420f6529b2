"""Owners of a zone in an order in which those below a name follow each other: one search finds whether a name has any.
A table of the names above each owner would have up to 127 entries for one record.
"""

from bisect import bisect_left, insort

import dns.name

from ipam_core.dns.names import APEX

FEW = 64
"""Owners that are put into their places one by one; more are sorted together."""
BETWEEN = "\0"
"""Between labels in a key; before all that a label may have, so that a name is followed by those below it."""


class Owners:
    """Owners, relative to their zone, each added once."""

    def __init__(self) -> None:
        self.single: str | None = None  # one of those of one label, below the zone alone
        self.keys: list[str] = []
        self.fresh: list[str] = []

    def add(self, name: str) -> None:
        if "." in name:
            self.fresh.append(name)
        elif name != APEX:
            self.single = name

    def below(self, name: str) -> str | None:
        """Return one of the owners below a name; None where there is none."""
        if name == APEX and self.single is not None:
            return self.single
        self.sort()
        key = "" if name == APEX else key_of(name) + BETWEEN
        at = bisect_left(self.keys, key)
        found = self.keys[at] if at < len(self.keys) else ""
        return name_of(found) if found and found.startswith(key) else None

    def sort(self) -> None:
        """Put what was added since the last question into its place."""
        fresh, self.fresh = [key_of(each) for each in self.fresh], []
        if len(fresh) <= FEW:
            for key in fresh:
                insort(self.keys, key)
        else:
            self.keys += fresh
            self.keys.sort()


def key_of(name: str) -> str:
    """Return the labels, the last one first. An escaped dot ends none."""
    return BETWEEN.join(reversed(labels_of(name)))


def name_of(key: str) -> str:
    return ".".join(reversed(key.split(BETWEEN)))


def labels_of(name: str) -> list[str]:
    if "\\" not in name:
        return name.split(".")
    found = dns.name.from_text(name, None)
    return [dns.name.Name([label]).to_text() for label in found.labels]
