"""Notes of explain about the options and leases of an answer."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime

from ipam_core.dhcp import default_routes, registry
from ipam_core.model.values import rfc3339

LARGER = {4: "; clients that accept larger messages send option 57", 6: ""}
EPOCH_2000 = int(datetime(2000, 1, 1, tzinfo=UTC).timestamp())
NEVER = 2**32 - 1


def left_out(family: int, codes: Iterable[str]) -> Iterator[str]:
    """Yield a note for each option that had no room; `codes` as the engine counts them."""
    for code in codes:
        row = registry.lookup(family, int(code)) if code.isdecimal() else None
        name = row.label if row else f"option {code}" if code.isdecimal() else "an option above 255"
        yield f"{name} is omitted: the answer has no room for it{LARGER[family]}"


def without_default(options: Mapping[int, bytes]) -> Iterator[str]:
    """Yield a warning for each list of routes of a DHCPv4 answer that takes the gateway away."""
    for code in default_routes.ROUTES:
        if code in options and default_routes.lacks_default({"hex": options[code].hex()}):
            yield default_routes.warning(code)


def moment_of(seconds: int) -> str | None:
    """Return the end of a lease, in seconds since 2000; None: never."""
    return None if seconds == NEVER else rfc3339(datetime.fromtimestamp(EPOCH_2000 + seconds, UTC))
