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
    """A master file (RFC 1035 section 5). `replace`: the zone's static records that it does not name are deleted."""

    zone_file: Annotated[str, Meta(min_length=1, max_length=MOST_OCTETS)]
    mode: Literal["merge", "replace"] = "merge"
    # The zone's own fields become those of the file's SOA, as `replace` has them anyway.
    soa: bool = False
    dry_run: bool = False


class SkippedRecord(msgspec.Struct, frozen=True):
    """A record of the file that was not taken, and why."""

    name: str
    type: str
    reason: str


class WarnedRecord(msgspec.Struct, frozen=True):
    """A record of the file that was taken although it is probably a mistake, and why."""

    name: str
    type: str
    data: str
    reason: str


class ZoneImported(msgspec.Struct, frozen=True):
    """What an import did, or would do: records made, deleted, and there already."""

    created: int
    deleted: int
    unchanged: int
    skipped: list[SkippedRecord]
    dry_run: bool
    warnings: list[WarnedRecord]


class ZoneFault(msgspec.Struct, frozen=True):
    """Something that common secondaries refuse or warn about. `error`: one of the servers refuses the zone."""

    severity: Literal["error", "warning"]
    code: str
    name: str
    type: str
    data: str | None
    servers: list[Literal["bind", "nsd", "knot"]]
    problem: str
    fix: str


class ZoneChecked(msgspec.Struct, frozen=True):
    """Result of a zone's check; at most a thousand findings, errors first. `complete`: the whole zone was read in the
    time that a check has; of a part of it no record is called missing."""

    complete: bool
    records: int
    errors: int
    warnings: int
    findings: list[ZoneFault]


class ZoneReconcile(Command, kw_only=True, frozen=True):
    """`dry_run`: say what differs, and leave it."""

    dry_run: bool = False


class DifferingRecord(msgspec.Struct, frozen=True):
    """`data` is what is to stand there (of what is stale: what stands there and is to go), `found` what does; names are
    absolute."""

    name: str
    type: str
    data: str
    found: list[str]


class ZoneReconciled(msgspec.Struct, frozen=True):
    """What the zone's server says against what leases, reservations and assignments mean; at most a thousand of each.
    `complete`: the whole zone was read; else each name was asked for that leases mean or that we once wrote. `in_order`
    records are as they should be, `waiting` addresses have updates under way or in conflict and are left alone.
    `repairs`: updates put into the outbox."""

    complete: bool
    in_order: int
    waiting: int
    missing: list[DifferingRecord]
    wrong: list[DifferingRecord]
    stale: list[DifferingRecord]
    repairs: int
    dry_run: bool


class DelegationRecord(msgspec.Struct, frozen=True):
    """A record for the zone above; `name` is relative to that."""

    name: str
    type: str
    data: str


class ReverseZone(msgspec.Struct, frozen=True):
    """A zone in which addresses of a subnet are found. `zone_id`: it exists. `parent`, of a classless one (RFC 2317):
    the zone above, which needs `delegation`."""

    name: str
    zone_id: str | None
    parent: str | None
    delegation: list[DelegationRecord]
