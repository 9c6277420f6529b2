"""Utilization of a range, in addresses; of a delegation pool in prefixes of its length.

Everything but `leased` is as the plan stands now; `leased` is as of `as_of`, a few seconds ago (null: not counted
yet). An address may be two things at once, reserved and leased, or assigned and excluded; `free` counts those
that are none, and `utilisation` is the share of the others. `overlap` is how much the parts exceed the total, so that
the sum of the parts less `overlap` is always the total.

Counts that may exceed 2^53, which JavaScript and JSON (RFC 8259, section 6) do not keep, are repeated as decimal
strings.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from ipam_core.model.values import encode_value


class Utilisation(msgspec.Struct, frozen=True, kw_only=True):
    """Use of a subnet (addresses that hosts may have) or of a pool."""

    total: int
    """Number of addresses that hosts may have, or of prefixes of a delegation pool."""

    total_exact: str
    """total as a decimal string: JavaScript and others round integers above 2^53."""

    excluded: int
    """Number of excluded addresses."""

    excluded_exact: str
    """excluded as a decimal string."""

    reserved: int
    """Number of reserved addresses."""

    assigned: int
    """Number of addresses assigned to hosts without DHCP."""

    leased: int
    """Number of addresses with an active lease, as of as_of."""

    gateway: int
    """Number of gateways that are not excluded, reserved or assigned."""

    in_use: int
    """Number of addresses that only a server or relay agent visibly uses."""

    overlap: int
    """Number by which the parts exceed the total, because addresses have two uses at once. The total is excluded +
    reserved + assigned + leased + gateway + in_use + free - overlap, for a prefix plus edges."""

    free: int
    """Number of free addresses: none of the other uses applies, nor are they the gateway or visibly in use. An
    address may have two uses at once."""

    free_exact: str
    """free as a decimal string."""

    utilisation: float
    """Share that is not free, 0 to 1; for a prefix the share that lies in subnets."""

    as_of: str | None
    """When leases were counted. Null: not yet."""


class PrefixUtilisation(msgspec.Struct, frozen=True, kw_only=True):
    """Use of a prefix. `allocated` addresses lie in its `subnets`; `utilisation` is their share. `free` addresses
    lie outside all subnets, or are free in one."""

    total: int
    total_exact: str
    subnets: int
    """Number of subnets in the prefix."""

    allocated: int
    """Number of its addresses that lie in subnets."""

    allocated_exact: str
    """allocated as a decimal string."""

    excluded: int
    excluded_exact: str
    reserved: int
    assigned: int
    leased: int
    gateway: int
    in_use: int
    edges: int
    """Number of network and broadcast addresses of subnets."""

    overlap: int
    free: int
    free_exact: str
    utilisation: float
    as_of: str | None


PARTS = ("excluded", "reserved", "assigned", "leased", "gateway")


def of_range(row: Mapping[str, Any]) -> Utilisation:
    total = int(row["total"])
    free = max(0, total - int(row["taken"]) - row["open"])
    parts = parts_of(row)
    return Utilisation(
        **parts,
        **exact(total=total, free=free, excluded=parts["excluded"]),
        total=total,
        free=free,
        overlap=sum(parts.values()) + free - total,
        utilisation=share_of(total - free, total),
        as_of=encode_value(row["as_of"]),
    )


def of_prefix(row: Mapping[str, Any]) -> PrefixUtilisation:
    total, allocated = int(row["total"]), int(row["allocated"])
    free = total - allocated + int(row["free"])
    parts = parts_of(row) | {"edges": allocated - int(row["usable"])}
    return PrefixUtilisation(
        **parts,
        **exact(total=total, allocated=allocated, free=free, excluded=parts["excluded"]),
        total=total,
        subnets=row["subnets"],
        allocated=allocated,
        free=free,
        overlap=sum(parts.values()) + free - total,
        utilisation=share_of(allocated, total),
        as_of=encode_value(row["as_of"]),
    )


def parts_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the counts of addresses that are not free, by what they are. What the plan takes beyond excludes,
    reservations, assignments and the gateway are addresses visibly in use."""
    parts = {name: int(row[name]) for name in PARTS}
    planned = (
        parts["excluded"] + parts["reserved"] + parts["assigned"] - int(row["doubled"]) + parts["gateway"]
    )
    return parts | {"in_use": max(0, int(row["taken"]) - planned)}


def exact(**counts: int) -> dict[str, Any]:
    """Return the counts as decimal strings, by their names with `_exact`."""
    return {f"{name}_exact": str(count) for name, count in counts.items()}


def share_of(part: int, whole: int) -> float:
    return round(part / whole, 6)
