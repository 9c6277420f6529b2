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
    """What both ways have in common.

    `map_by`: whether tenants of ours are NetBox's tenants or its VRFs, which bear the same name unless `mapping` (from
    the name, slug or route distinguisher there to the id here) says otherwise. `limit`: how many prefixes are looked at
    before the answer; `cursor` goes on from there."""

    url: Url
    token: Token
    verify_tls: bool = True
    # Certificates in PEM that the server's is checked against, instead of the well-known ones.
    ca_certificate: Annotated[str, Meta(max_length=32768)] | None = None
    dry_run: bool = False
    map_by: Literal["none", "tenant", "vrf"] = "none"
    mapping: Annotated[dict[NetBoxName, Id], Meta(max_length=500)] = msgspec.field(default_factory=dict)
    tenant_id: Id | None = None
    family: Literal[4, 6] | None = None
    within: Network | None = None
    limit: Annotated[int, Meta(ge=1, le=MOST_LOOKED_AT)] = 5000
    cursor: Annotated[str, Meta(max_length=49152, extra_json_schema={"format": "cursor"})] | None = None


class NetBoxImport(NetBoxCommand, kw_only=True, frozen=True):
    """Import from NetBox. `level`: level of nested prefixes that is imported. `statuses`: statuses that are
    imported; default: all but container and deprecated. `tenant`, `vrf`: only their prefixes; "null": prefixes
    without one. `site`, `role`, `tag`: slugs."""

    level: Literal["outermost", "innermost"] = "outermost"
    statuses: Annotated[tuple[NetBoxName, ...], Meta(max_length=32)] = ()
    tenant: NetBoxName | None = None
    vrf: NetBoxName | None = None
    site: NetBoxName | None = None
    role: NetBoxName | None = None
    tag: NetBoxName | None = None


class NetBoxExport(NetBoxCommand, kw_only=True, frozen=True):
    """Export to NetBox. `tenant`, `vrf`: for prefixes that `map_by` gives none. `status`: status of created
    prefixes."""

    tenant: NetBoxName | None = None
    vrf: NetBoxName | None = None
    status: NetBoxName = "active"


class MadePrefix(msgspec.Struct, frozen=True):
    """Created prefix. `id`: the prefix here. `netbox_id`: the prefix in NetBox. A dry run creates none, so one of
    them is null."""

    cidr: str
    tenant_id: str
    description: str
    id: str | None
    netbox_id: int | None


class SkippedPrefix(msgspec.Struct, frozen=True):
    """Prefix that was skipped, with the reason as a word and as a sentence."""

    cidr: str
    id: str | None
    netbox_id: int | None
    reason: Reason
    detail: str


class NetBoxFailure(msgspec.Struct, frozen=True):
    """Prefix that NetBox refused, or (`cidr` null) the reason for which the run ended early. Continue with
    `next_cursor`."""

    cidr: str | None
    field: str
    detail: str


class NetBoxResult(msgspec.Struct, frozen=True):
    """Created prefixes, or those that a dry run would create. `looked_at`: number of examined prefixes.
    `next_cursor` null: the run is complete."""

    dry_run: bool
    looked_at: int
    created: list[MadePrefix]
    skipped: list[SkippedPrefix]
    errors: list[NetBoxFailure]
    next_cursor: str | None
