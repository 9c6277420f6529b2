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
    """First address of the range, inclusive."""

    end_ip: Address
    """Last address of the range, inclusive. The same as start_ip for a single address."""


class NewPool(Command, kw_only=True, frozen=True):
    """Pool of addresses from `start_ip` to `end_ip`, or of prefixes of `delegated_length` in `prefix`, outside all
    subnets."""

    start_ip: Address | None = None
    """First address of the range. Null for a pool that delegates prefixes."""

    end_ip: Address | None = None
    """Last address of the range, inclusive. Null for a pool that delegates prefixes."""

    prefix: Network | None = None
    """IPv6 prefix of a delegation pool, outside all subnets. Null: a pool of addresses."""

    delegated_length: Annotated[int, Meta(ge=1, le=128)] | None = None
    """Length of the prefix that each client of a delegation pool gets, such as 56. Null: a pool of addresses."""

    excluded_prefix: Network | None = None
    """Part of each delegated prefix that is excluded from delegation (RFC 6603), written within the first prefix of
    the pool. Null: none."""

    name: Name = ""
    """Name of the pool."""

    class_id: Id | None = None
    """Only clients of this class may use the pool; such pools are tried first. Null: all clients may use it."""

    allocation: Literal["hashed", "sequential"] = "hashed"
    """`hashed`: a new client's address is derived from its identity, so that servers need not agree. `sequential`:
    the lowest free address."""

    tags: Tags = ()
    custom: Custom = msgspec.field(default_factory=dict)


class AddressInUse(msgspec.Struct, kw_only=True, frozen=True):
    """Address that a machine visibly uses, so the pool does not lease it."""

    ip: str
    """The address."""

    used_by: Literal["gateway", "relay", "server"]
    """`gateway`: the subnet's gateway. `relay`: a trusted relay or relay_addresses names it, or packets of a trusted
    relay contained it within the last hour. `server`: a host with a DHCP server."""

    leased: bool
    """Whether a client has an active lease of the address. If a relay agent or server uses it too, the client keeps
    it until the lease expires."""


class Pool(Model, kw_only=True, frozen=True):
    beside: ClassVar[tuple[str, ...]] = ("in_use",)

    subnet_id: str
    name: str
    start_ip: str | None
    """First address of the range. Null for a pool that delegates prefixes."""

    end_ip: str | None
    """Last address of the range, inclusive. Null for a pool that delegates prefixes."""

    prefix: str | None
    delegated_length: int | None
    excluded_prefix: str | None
    class_id: str | None
    allocation: str
    tags: list[str]
    custom: dict[str, Any]
    in_use: list[AddressInUse]
    """Addresses of the pool that machines visibly use: servers, relay agents, the gateway. The pool leases none of
    them, nor a prefix that contains one. `If-Match` ignores them."""


class ListedPool(Pool, kw_only=True, frozen=True):
    """Row of a list, with its use when leases were last counted. Null: not counted yet."""

    used: int | None
    """Number of addresses (of a delegation pool: prefixes) that are not free: leased, reserved, assigned, excluded or
    visibly in use, when leases were last counted. Null: not counted yet."""

    used_exact: str | None
    """`used` as a decimal string."""

    utilisation: float | None
    """Share of the pool that is not free, as of `as_of`, 0 to 1. Null: not counted yet."""

    as_of: str | None
    """When leases were counted for `used` and `utilisation`. Null: not yet."""


class NewExclude(Range, kw_only=True, frozen=True):
    description: Text = ""


class Exclude(Model, kw_only=True, frozen=True):
    subnet_id: str
    start_ip: str
    end_ip: str
    description: str


def check_range(wanted: Range | NewPool, cidr: Network) -> None:
    """Raise ValidationError unless start <= end, both inside the subnet."""
    for field in ("start_ip", "end_ip"):
        address = getattr(wanted, field)
        if address.version != cidr.version or address not in cidr:
            raise ValidationError(field, f"{address} is not inside the subnet {cidr}")
    if int(wanted.start_ip or 0) > int(wanted.end_ip or 0):
        raise ValidationError("end_ip", "must not be lower than start_ip")


def check_pool(wanted: NewPool, cidr: Network) -> None:
    """Raise ValidationError unless it is a range of the subnet or prefixes to be delegated."""
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
