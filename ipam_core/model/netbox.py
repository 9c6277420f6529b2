"""Prefixes taken from NetBox and given to it: what is asked, and what came of it."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ipam_core.model.base import Command, Id
from ipam_core.model.values import Network

MOST_LOOKED_AT = 10_000

Url = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=2048,
        extra_json_schema={"format": "http-url"},
        examples=["https://netbox.example.net"],
        description="Where NetBox's start page is, without /api.",
    ),
]
Token = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=512,
        examples=["nbt_4F9DAouzURLb.zjebxBPzICiPbWz0Wtx0fTL7bCKXKGTYhNzkgC2S"],
        description="nbt_<key>.<token> (v2), or 40 hex digits (v1). It is neither stored nor logged.",
    ),
]
NetBoxName = Annotated[str, Meta(min_length=1, max_length=200)]

Reason = Literal[
    "exists",
    "overlaps",
    "nested",
    "holds_others",
    "duplicate",
    "status",
    "no_counterpart",
    "ambiguous",
    "host_bits",
    "out_of_order",
]


class NetBoxCommand(Command, kw_only=True, frozen=True):
    """Fields of import and export.

    `map_by`: whether tenants of ours are NetBox's tenants or its VRFs, which bear the same name unless `mapping` (from
    the name, slug or route distinguisher there to the id here) says otherwise. `limit`: how many prefixes are looked at
    before the answer; `cursor` goes on from there."""

    url: Url
    """Where NetBox's start page is, without /api."""

    token: Token
    """NetBox's token: nbt_<key>.<token> (v2), or 40 hex digits (v1). It is neither stored nor logged."""

    verify_tls: bool = True
    """False: NetBox's certificate is not verified."""

    ca_certificate: Annotated[str, Meta(max_length=32768)] | None = None
    """CA certificates in PEM that verify NetBox's certificate. Null: the system's CA certificates."""

    dry_run: bool = False
    map_by: Literal["none", "tenant", "vrf"] = "none"
    """NetBox object that corresponds to a tenant: `tenant`, `vrf`, or `none` for a single tenant."""

    mapping: Annotated[dict[NetBoxName, Id], Meta(max_length=500)] = msgspec.field(default_factory=dict)
    """Tenant ids by name, slug or route distinguisher in NetBox, for tenants whose names differ."""

    tenant_id: Id | None = None
    """Tenant of the prefixes. Null: the default tenant."""

    family: Literal[4, 6] | None = None
    """Only IPv4 (4) or IPv6 (6) prefixes. Null: both."""

    within: Network | None = None
    """Only prefixes in this network. Null: all."""

    limit: Annotated[int, Meta(ge=1, le=MOST_LOOKED_AT)] = 5000
    """Maximum number of prefixes in one request."""

    cursor: Annotated[str, Meta(max_length=49152, extra_json_schema={"format": "cursor"})] | None = None
    """next_cursor of the previous answer. Null: from the beginning."""


class NetBoxImport(NetBoxCommand, kw_only=True, frozen=True):
    """Import from NetBox. `level`: level of nested prefixes that is imported. `statuses`: statuses that are
    imported; default: all but container and deprecated. `tenant`, `vrf`: only their prefixes; "null": prefixes
    without one. `site`, `role`, `tag`: slugs."""

    level: Literal["outermost", "innermost"] = "outermost"
    """Level of nested prefixes that is imported."""

    statuses: Annotated[tuple[NetBoxName, ...], Meta(max_length=32)] = ()
    """Statuses of the prefixes that are imported. Empty: all but container and deprecated."""

    tenant: NetBoxName | None = None
    """Only prefixes of this NetBox tenant, by its slug; "null": prefixes without one. Null: all."""

    vrf: NetBoxName | None = None
    """Only prefixes of this VRF; "null": prefixes without one. Null: all."""

    site: NetBoxName | None = None
    """Only prefixes of this site, by its slug. Null: all."""

    role: NetBoxName | None = None
    """Only prefixes of this role, by its slug. Null: all."""

    tag: NetBoxName | None = None
    """Only prefixes with this tag, by its slug. Null: all."""


class NetBoxExport(NetBoxCommand, kw_only=True, frozen=True):
    """Export to NetBox. `tenant`, `vrf`: for prefixes that `map_by` gives none. `status`: status of created
    prefixes."""

    tenant: NetBoxName | None = None
    """NetBox tenant of exported prefixes that map_by gives none. Null: none."""

    vrf: NetBoxName | None = None
    """VRF of exported prefixes that map_by gives none. Null: none."""

    status: NetBoxName = "active"
    """Status of the prefixes in NetBox."""


class MadePrefix(msgspec.Struct, frozen=True):
    """Created prefix. `id`: the prefix here. `netbox_id`: the prefix in NetBox. A dry run creates none, so one of
    them is null."""

    cidr: str
    """The prefix."""

    tenant_id: str
    description: str
    id: str | None
    """Id of the prefix here. Null: there is none."""

    netbox_id: int | None
    """Id of the prefix in NetBox. Null: there is none."""


class SkippedPrefix(msgspec.Struct, frozen=True):
    """Prefix that was skipped, with the reason as a word and as a sentence."""

    cidr: str
    id: str | None
    netbox_id: int | None
    reason: Reason
    """Reason for which the prefix was skipped, as a word."""

    detail: str
    """The reason as a sentence."""


class NetBoxFailure(msgspec.Struct, frozen=True):
    """Prefix that NetBox refused, or (`cidr` null) the reason for which the run ended early. Continue with
    `next_cursor`."""

    cidr: str | None
    """Prefix that NetBox refused. Null: the reason for which the run ended early."""

    field: str
    """Field that NetBox refused."""

    detail: str
    """Message of NetBox."""


class NetBoxResult(msgspec.Struct, frozen=True):
    """Created prefixes, or those that a dry run would create. `looked_at`: number of examined prefixes.
    `next_cursor` null: the run is complete."""

    dry_run: bool
    looked_at: int
    """Number of prefixes that were examined."""

    created: list[MadePrefix]
    """Prefixes that were created, or would be in a dry run."""

    skipped: list[SkippedPrefix]
    """Prefixes that were skipped."""

    errors: list[NetBoxFailure]
    """Errors of the run."""

    next_cursor: str | None
    """Where to go on. Null: there are no more."""
