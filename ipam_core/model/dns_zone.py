"""Zones and their records; what names and data mean stands in ipam_core/dns."""

from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta

from ipam_core.model.base import Command, Id, Model, Text
from ipam_core.model.values import Network

Ttl = Annotated[int, Meta(ge=0, le=2**31 - 1)]
DomainName = Annotated[str, Meta(min_length=1, max_length=1004, extra_json_schema={"format": "domain-name"})]
RecordType = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z][A-Za-z0-9-]{0,15}$",
        examples=[
            "A",
            "AAAA",
            "CNAME",
            "MX",
            "TXT",
            "SRV",
            "PTR",
            "NS",
            "CAA",
            "SSHFP",
            "TLSA",
            "HTTPS",
            "TYPE65400",
        ],
    ),
]
LAST_SERIAL = 0xFFFFFFFF  # RFC 1982; 0 is left out, since some servers take it for none
MOST_OCTETS = 32 << 20  # of a zone file: some 400,000 records


class DnsZoneFields(Command, kw_only=True, frozen=True):
    """What may be changed later."""

    dns_server_id: Id | None = None
    description: Text = ""
    # Whether the built-in DNS server answers for the zone.
    dns_enabled: bool = False
    # Another server still takes updates for it, so that the built-in one must not answer.
    updated_elsewhere: bool = False
    # Who may copy it (AXFR, IXFR), beside its secondaries.
    transfer_networks: Annotated[tuple[Network, ...], Meta(max_length=64)] = ()
    # DNS servers that are told of a new serial, and may copy it.
    secondary_ids: Annotated[tuple[Id, ...], Meta(max_length=64)] = ()
    default_ttl: Ttl = 3600
    mname: DomainName | None = None
    rname: DomainName | None = None
    refresh_seconds: Ttl = 7200
    retry_seconds: Ttl = 900
    expire_seconds: Ttl = 1209600
    minimum_seconds: Ttl = 3600
    # From which the next one follows; None leaves it to the publisher.
    serial: Annotated[int, Meta(ge=1, le=LAST_SERIAL)] | None = None


class NewDnsZone(DnsZoneFields, kw_only=True, frozen=True):
    name: DomainName
    tenant_id: Id | None = None


class DnsZone(Model, kw_only=True, frozen=True):
    untagged: ClassVar[tuple[str, ...]] = ("serial",)

    tenant_id: str
    name: str
    dns_server_id: str | None
    description: str
    dns_enabled: bool
    updated_elsewhere: bool
    transfer_networks: list[str]
    secondary_ids: list[str]
    default_ttl: int
    mname: str | None
    rname: str | None
    refresh_seconds: int
    retry_seconds: int
    expire_seconds: int
    minimum_seconds: int
    serial: int


class NewDnsRecord(Command, kw_only=True, frozen=True):
    name: DomainName
    type: RecordType
    data: Annotated[str, Meta(max_length=16384)]
    ttl: Ttl | None = None
    description: Text = ""


class DnsRecord(Model, kw_only=True, frozen=True):
    beside: ClassVar[tuple[str, ...]] = ("served_ttl", "warnings")

    zone_id: str
    name: str
    # The owner in full.
    fqdn: str
    type: str
    data: str
    ttl: int | None
    # Of its RRset.
    served_ttl: int
    description: str
    # static, or what it follows: lease, assignment, reservation, delegation.
    source: str
    warnings: list[str]


class ZoneImport(Command, kw_only=True, frozen=True):
    """Master file (RFC 1035 section 5). `replace`: static records of the zone that are not in the file are
    deleted."""

    zone_file: Annotated[str, Meta(min_length=1, max_length=MOST_OCTETS)]
    mode: Literal["merge", "replace"] = "merge"
    # The zone's own fields become those of the file's SOA, as `replace` has them anyway.
    soa: bool = False
    dry_run: bool = False


class SkippedRecord(msgspec.Struct, frozen=True):
    """Record of the file that was skipped, with the reason."""

    name: str
    type: str
    reason: str


class WarnedRecord(msgspec.Struct, frozen=True):
    """Record of the file that was imported although it is probably a mistake, with the reason."""

    name: str
    type: str
    data: str
    reason: str


class ZoneImported(msgspec.Struct, frozen=True):
    """Result of an import or its dry run: created, deleted, changed and existing records."""

    created: int
    deleted: int
    unchanged: int
    skipped: list[SkippedRecord]
    dry_run: bool
    warnings: list[WarnedRecord]
    updated: int


class ZoneFault(msgspec.Struct, frozen=True):
    """Finding that common secondaries refuse or warn about. `error`: at least one of the servers refuses the
    zone."""

    severity: Literal["error", "warning"]
    code: str
    name: str
    type: str
    data: str | None
    servers: list[Literal["bind", "nsd", "knot"]]
    problem: str
    fix: str


class ZoneChecked(msgspec.Struct, frozen=True):
    """Result of a zone check: at most 1,000 findings, errors first. `complete`: the whole zone was read within the
    time limit. In an incomplete check, no record is reported as missing."""

    complete: bool
    records: int
    errors: int
    warnings: int
    findings: list[ZoneFault]


class ZoneReconcile(Command, kw_only=True, frozen=True):
    """Reconciliation. `dry_run`: report the differences and change nothing."""

    dry_run: bool = False


class DifferingRecord(msgspec.Struct, frozen=True):
    """Record that differs. `data` is the expected data (for an obsolete record, the data to remove); `found` is the
    data at the server. Names are absolute."""

    name: str
    type: str
    data: str
    found: list[str]


class ZoneReconciled(msgspec.Struct, frozen=True):
    """Differences between the records at the zone's server and those that leases, reservations and static
    assignments require; at most 1,000 of each kind. `complete`: the whole zone was read; else only names of leases
    and names that this service once wrote were queried. `in_order`: correct records. `waiting`: addresses that were
    skipped because their updates are queued or in conflict. `repairs`: queued updates."""

    complete: bool
    in_order: int
    waiting: int
    missing: list[DifferingRecord]
    wrong: list[DifferingRecord]
    stale: list[DifferingRecord]
    repairs: int
    dry_run: bool


class DelegationRecord(msgspec.Struct, frozen=True):
    """Record for the parent zone; `name` is relative to that zone."""

    name: str
    type: str
    data: str


class ReverseZone(msgspec.Struct, frozen=True):
    """Reverse zone for addresses of a subnet. `zone_id`: the zone, if it exists. `parent`, for a classless zone
    (RFC 2317): the parent zone, which needs `delegation`."""

    name: str
    zone_id: str | None
    parent: str | None
    delegation: list[DelegationRecord]
