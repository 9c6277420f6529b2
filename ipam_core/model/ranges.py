"""Pools and excludes: ranges of addresses inside a subnet, both ends included; and prefixes that are delegated."""

from ipaddress import IPv6Network
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from ipam_core.errors import ValidationError
from ipam_core.model.base import Command, Id, Model, Name, Text
from ipam_core.model.reservation import NEVER_DELEGATED, check_excluded
from ipam_core.model.values import Address, Custom, Network, Tags

MOST_IN_ORDER = 1 << 24
"""Addresses or prefixes of an IPv6 pool of which the servers know which is the lowest free one (see compiled6.pxd)."""


class Range(Command, kw_only=True, frozen=True):
    start_ip: Address
    end_ip: Address


class NewPool(Command, kw_only=True, frozen=True):
    """Pool of addresses from `start_ip` to `end_ip`, or of prefixes of `delegated_length` in `prefix`, outside all
    subnets."""

    start_ip: Address | None = None
    end_ip: Address | None = None
    prefix: Network | None = None
    delegated_length: Annotated[int, Meta(ge=1, le=128)] | None = None
    excluded_prefix: Network | None = None
    """What each client leaves to its link (RFC 6603), told within the first prefix that the pool delegates."""
    name: Name = ""
    class_id: Id | None = None
    allocation: Literal["hashed", "sequential"] = "hashed"
    tags: Tags = ()
    custom: Custom = msgspec.field(default_factory=dict)


class AddressInUse(msgspec.Struct, kw_only=True, frozen=True):
    """Address that a machine visibly uses, so the pool does not lease it."""

    ip: str
    used_by: Literal["gateway", "relay", "server"]
    leased: bool


class Pool(Model, kw_only=True, frozen=True):
    beside: ClassVar[tuple[str, ...]] = ("in_use",)

    subnet_id: str
    name: str
    start_ip: str | None
    end_ip: str | None
    prefix: str | None
    delegated_length: int | None
    excluded_prefix: str | None
    class_id: str | None
    allocation: str
    tags: list[str]
    custom: dict[str, Any]
    in_use: list[AddressInUse]


class ListedPool(Pool, kw_only=True, frozen=True):
    """Row of a list, with its use when leases were last counted. Null: not counted yet."""

    used: int | None
    used_exact: str | None
    utilisation: float | None
    as_of: str | None


class NewExclude(Range, kw_only=True, frozen=True):
    description: Text = ""


class Exclude(Model, kw_only=True, frozen=True):
    subnet_id: str
    start_ip: str
    end_ip: str
    description: str


def check_range(wanted: Range | NewPool, cidr: Network) -> None:
    """Raises ValidationError unless start <= end, both inside the subnet."""
    for field in ("start_ip", "end_ip"):
        address = getattr(wanted, field)
        if address.version != cidr.version or address not in cidr:
            raise ValidationError(field, f"{address} is not inside the subnet {cidr}")
    if int(wanted.start_ip or 0) > int(wanted.end_ip or 0):
        raise ValidationError("end_ip", "must not be lower than start_ip")


def check_pool(wanted: NewPool, cidr: Network) -> None:
    """Raises ValidationError unless it is a range of the subnet or prefixes to be delegated."""
    if wanted.prefix is not None:
        check_delegation(wanted, wanted.prefix, cidr)
    else:
        check_addresses(wanted, cidr)
    check_order(wanted, cidr)


def check_addresses(wanted: NewPool, cidr: Network) -> None:
    for field in ("delegated_length", "excluded_prefix"):
        if getattr(wanted, field) is not None:
            raise ValidationError(field, "is only for pools that delegate prefixes: set prefix too")
    for field in ("start_ip", "end_ip"):
        if getattr(wanted, field) is None:
            raise ValidationError(
                field, "is required, unless the pool delegates prefixes (prefix, delegated_length)"
            )
    check_range(wanted, cidr)


def check_order(wanted: NewPool, cidr: Network) -> None:
    if cidr.version == 4 or wanted.allocation != "sequential":
        return
    if wanted.prefix is not None:
        size = 1 << ((wanted.delegated_length or 0) - wanted.prefix.prefixlen)
    else:
        size = int(wanted.end_ip or 0) - int(wanted.start_ip or 0) + 1
    if size > MOST_IN_ORDER:
        raise ValidationError(
            "allocation",
            f"sequential is for pools of at most {MOST_IN_ORDER}; this one has {size}: take hashed",
        )


def check_delegation(wanted: NewPool, prefix: Network, cidr: Network) -> None:
    for field in ("start_ip", "end_ip"):
        if getattr(wanted, field) is not None:
            raise ValidationError(field, "must be left out if the pool delegates prefixes")
    if prefix.version != 6 or cidr.version != 6:
        raise ValidationError("prefix", "must be an IPv6 prefix: only IPv6 prefixes are delegated")
    if any(prefix.overlaps(never) for never in NEVER_DELEGATED):
        raise ValidationError("prefix", f"{prefix} is not a network for clients")
    if wanted.delegated_length is None:
        raise ValidationError(
            "delegated_length", "is required: the length of the prefix that each client gets"
        )
    if wanted.delegated_length < prefix.prefixlen:
        raise ValidationError("delegated_length", f"must not be shorter than {prefix}")
    first = IPv6Network((int(prefix.network_address), wanted.delegated_length))
    check_excluded(wanted.excluded_prefix, first, "the first that is delegated")
