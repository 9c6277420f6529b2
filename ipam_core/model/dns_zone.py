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
    """Fields that may be changed later."""

    dns_server_id: Id | None = None
    """DNS server that receives updates of the zone. Null: a zone of this service."""

    description: Text = ""
    dns_enabled: bool = False
    """True: `ipam dns` serves the zone. A tenant other than the default can enable zones at or below its dns_suffixes
    only, and none at, above or below an enabled zone of another tenant."""

    updated_elsewhere: bool = False
    """True: another server still receives the updates of the zone, so `ipam dns` must not serve it."""

    transfer_networks: Annotated[tuple[Network, ...], Meta(max_length=64)] = ()
    """Networks that may transfer the zone (AXFR, IXFR), in addition to its secondaries."""

    secondary_ids: Annotated[tuple[Id, ...], Meta(max_length=64)] = ()
    """DNS servers that are notified of each new serial and may transfer the zone."""

    default_ttl: Ttl = 3600
    """TTL in seconds of records without a TTL of their own."""

    mname: DomainName | None = None
    """Name of the primary server in the SOA. Null: the host's own name."""

    rname: DomainName | None = None
    """Mailbox of the administrator in the SOA, written as a domain name. Null: hostmaster of the zone."""

    refresh_seconds: Ttl = 7200
    """SOA: seconds after which secondaries look for a new serial."""

    retry_seconds: Ttl = 900
    """SOA: seconds after which secondaries retry a failed refresh."""

    expire_seconds: Ttl = 1209600
    """SOA: seconds after the last successful refresh until secondaries stop answering."""

    minimum_seconds: Ttl = 3600
    """SOA: seconds for which resolvers may cache that a name does not exist (RFC 2308)."""

    serial: Annotated[int, Meta(ge=1, le=LAST_SERIAL)] | None = None
    """Serial of the SOA, which the next published change increases. It may be set to a later serial (RFC 1982), such
    as that of the zone's previous server, because secondaries do not follow an earlier one. Left out: the serial
    continues, also from that of a deleted zone of this name."""


class NewDnsZone(DnsZoneFields, kw_only=True, frozen=True):
    name: DomainName
    """Name of the zone; it never changes. A network stands for its reverse zone: 10.50.0.0/16 is 50.10.in-addr.arpa,
    and 192.0.2.64/26 is 64/26.2.0.192.in-addr.arpa (RFC 2317)."""

    tenant_id: Id | None = None


class DnsZone(Model, kw_only=True, frozen=True):
    untagged: ClassVar[tuple[str, ...]] = ("serial",)

    tenant_id: str
    name: str
    """Name of the zone; it never changes."""

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
    """Serial of the SOA. Each published change increases it."""


class NewDnsRecord(Command, kw_only=True, frozen=True):
    name: DomainName
    """Owner of the record relative to the zone; @ for the zone itself, * for a wildcard."""

    type: RecordType
    """Type of the record, by name or as TYPE65400 (RFC 3597)."""

    data: Annotated[str, Meta(max_length=16384)]
    """Data of the record as in a master file (RFC 1035 section 5). Names without a trailing dot are absolute."""

    ttl: Ttl | None = None
    """TTL in seconds. Null: the zone's default_ttl."""

    description: Text = ""


class DnsRecord(Model, kw_only=True, frozen=True):
    beside: ClassVar[tuple[str, ...]] = ("served_ttl", "warnings")

    zone_id: str
    """Zone of the record. It cannot be changed."""

    name: str
    """Owner of the record relative to the zone; @ is the zone itself."""

    fqdn: str
    """Fully qualified owner of the record."""

    type: str
    data: str
    ttl: int | None
    served_ttl: int
    """TTL in seconds with which the record is served: the shortest TTL in its RRset (RFC 2181 section 5.2)."""

    description: str
    source: str
    """`static` for a record that was created by hand, else its source: lease, assignment or reservation, or
    delegation (the enabled zone below)."""

    warnings: list[str]
    """Probable mistakes, as sentences: a name without its trailing dot, which then ends with the zone's name twice,
    or a target in the zone that does not exist, has no address or is an alias."""


class ZoneImport(Command, kw_only=True, frozen=True):
    """Master file (RFC 1035 section 5). `replace`: static records of the zone that are not in the file are
    deleted."""

    zone_file: Annotated[str, Meta(min_length=1, max_length=MOST_OCTETS)]
    """A master file (RFC 1035 section 5)."""

    mode: Literal["merge", "replace"] = "merge"
    """`merge` adds the records of the file; `replace` also deletes static records of the zone that are not in the
    file."""

    soa: bool = False
    """True: mname, rname and the times are taken from the file's SOA, as in mode `replace`. The serial always follows
    the file's if that is later."""

    dry_run: bool = False


class SkippedRecord(msgspec.Struct, frozen=True):
    """Record of the file that was skipped, with the reason."""

    name: str
    """Owner of the record."""

    type: str
    reason: str
    """Reason why the record was skipped."""


class WarnedRecord(msgspec.Struct, frozen=True):
    """Record of the file that was imported although it is probably a mistake, with the reason."""

    name: str
    """Owner of the record."""

    type: str
    data: str
    reason: str
    """Probable mistake."""


class ZoneImported(msgspec.Struct, frozen=True):
    """Result of an import or its dry run: created, deleted, changed and existing records."""

    created: int
    """Number of created records."""

    deleted: int
    """Number of deleted records."""

    unchanged: int
    """Number of records that existed already."""

    skipped: list[SkippedRecord]
    """Records of the file that were skipped."""

    dry_run: bool
    warnings: list[WarnedRecord]
    """Imported records that are probably mistakes; at most 1,000."""

    updated: int
    """Number of records that got another TTL."""


class ZoneFault(msgspec.Struct, frozen=True):
    """Finding that common secondaries refuse or warn about. `error`: at least one of the servers refuses the
    zone."""

    severity: Literal["error", "warning"]
    """`error`: at least one of `servers` refuses the zone, from a file or in a transfer. `warning`: no server refuses
    it."""

    code: str
    """Kind of the finding, a stable word for programs."""

    name: str
    """Owner of the record, relative to the zone; @ is the zone itself."""

    type: str
    """Type of the record or of its RRset; empty: all types of the name."""

    data: str | None
    """The record's data. Null: the whole RRset."""

    servers: list[Literal["bind", "nsd", "knot"]]
    """Servers that refuse the zone or log a warning: bind, nsd, knot. Empty: no server complains."""

    problem: str
    """Description of the finding."""

    fix: str
    """How to fix it."""


class ZoneChecked(msgspec.Struct, frozen=True):
    """Result of a zone check: at most 1,000 findings, errors first. `complete`: the whole zone was read within the
    time limit. In an incomplete check, no record is reported as missing."""

    complete: bool
    """True: the whole zone was read. False: the zone is too large for one check, so nothing is reported as
    missing."""

    records: int
    """Number of records that were read."""

    errors: int
    """Number of errors."""

    warnings: int
    """Number of warnings."""

    findings: list[ZoneFault]
    """Findings, errors first; at most 1,000."""


class ZoneReconcile(Command, kw_only=True, frozen=True):
    """Reconciliation. `dry_run`: report the differences and change nothing."""

    dry_run: bool = False


class DifferingRecord(msgspec.Struct, frozen=True):
    """Record that differs. `data` is the expected data (for an obsolete record, the data to remove); `found` is the
    data at the server. Names are absolute."""

    name: str
    """Fully qualified owner of the record."""

    type: str
    data: str
    """Data that the record must have. For an obsolete record: the data that will be removed."""

    found: list[str]
    """Data of the record that exists instead."""


class ZoneReconciled(msgspec.Struct, frozen=True):
    """Differences between the records at the zone's server and those that leases, reservations and static
    assignments require; at most 1,000 of each kind. `complete`: the whole zone was read; else only names of leases
    and names that this service once wrote were queried. `in_order`: correct records. `waiting`: addresses that were
    skipped because their updates are queued or in conflict. `repairs`: queued updates."""

    complete: bool
    """True: the whole zone was read. False: only names of leases and names that this service once wrote were
    queried."""

    in_order: int
    """Number of records that are correct."""

    waiting: int
    """Number of addresses that were skipped because their updates are queued or in conflict."""

    missing: list[DifferingRecord]
    """Missing records; at most 1,000."""

    wrong: list[DifferingRecord]
    """Records with wrong data; at most 1,000."""

    stale: list[DifferingRecord]
    """Obsolete records; at most 1,000."""

    repairs: int
    """Number of updates that were queued."""

    dry_run: bool


class DelegationRecord(msgspec.Struct, frozen=True):
    """Record for the parent zone; `name` is relative to that zone."""

    name: str
    """Owner of the record, relative to the parent zone."""

    type: str
    data: str


class ReverseZone(msgspec.Struct, frozen=True):
    """Reverse zone for addresses of a subnet. `zone_id`: the zone, if it exists. `parent`, for a classless zone
    (RFC 2317): the parent zone, which needs `delegation`."""

    name: str
    """Name of the zone, below in-addr.arpa or ip6.arpa."""

    zone_id: str | None
    """Zone that exists already. Null: it can be created."""

    parent: str | None
    """For a network smaller than /24 (RFC 2317): the parent zone, which contains `delegation`. Null: for others."""

    delegation: list[DelegationRecord]
    """Records for the parent zone (RFC 2317) that delegate to this zone."""
