"""How full a range is, in addresses; a delegation pool in prefixes of its length.

Everything but `leased` is as the plan stands now; `leased` is as of `as_of`, a few seconds ago (null: not counted
yet). An address may be two things at once, reserved and leased, or assigned and excluded; `free` counts those
that are none, and `utilisation` is the share of the others.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from ipam_core.model.values import encode_value


class Utilisation(msgspec.Struct, frozen=True, kw_only=True):
    """Of a subnet (the addresses that hosts may bear) or of a pool."""

    total: int
    excluded: int
    reserved: int
    assigned: int
    leased: int
    free: int
    utilisation: float
    as_of: str | None


class PrefixUtilisation(msgspec.Struct, frozen=True, kw_only=True):
    """Of a prefix: `allocated` addresses lie in its `subnets`, and `utilisation` is their share; `free` are those
    outside all subnets and the free ones in them."""

    total: int
    subnets: int
    allocated: int
    excluded: int
    reserved: int
    assigned: int
    leased: int
    free: int
    utilisation: float
    as_of: str | None


def of_range(row: Mapping[str, Any]) -> Utilisation:
    total = int(row["total"])
    free = max(0, total - int(row["taken"]) - row["open"])
    counts = {name: int(row[name]) for name in ("excluded", "reserved", "assigned", "leased")}
    share = share_of(total - free, total)
    return Utilisation(total=total, free=free, utilisation=share, as_of=encode_value(row["as_of"]), **counts)


def of_prefix(row: Mapping[str, Any]) -> PrefixUtilisation:
    total, allocated = int(row["total"]), int(row["allocated"])
    names = ("subnets", "excluded", "reserved", "assigned", "leased")
    return PrefixUtilisation(
        total=total,
        allocated=allocated,
        free=total - allocated + int(row["free"]),
        utilisation=share_of(allocated, total),
        as_of=encode_value(row["as_of"]),
        **{name: int(row[name]) for name in names},
    )


def share_of(part: int, whole: int) -> float:
    return round(part / whole, 6)
