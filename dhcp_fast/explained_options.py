"""What explain notes about the options of an answer."""

from collections.abc import Iterable, Iterator

from ipam_core.dhcp import registry


def left_out(family: int, codes: Iterable[str]) -> Iterator[str]:
    """A note for each option that had no room; `codes` as the engine counts them."""
    for code in codes:
        row = registry.lookup(family, int(code)) if code.isdecimal() else None
        name = row.label if row else f"option {code}" if code.isdecimal() else "an option above 255"
        yield f"{name} is left out: the answer has no room for it{LARGER[family]}"


LARGER = {4: "; a client that takes larger messages says so in option 57", 6: ""}
