"""Faults that common secondaries refuse in a zone, or warn about: BIND (named-checkzone, check-names, and the limits of
`named` itself), NSD (nsd-checkzone) and Knot (kzonecheck). Which records may be together is in content.py, which hosts
records may name in targets.py.

A zone is read record by record (`Inspection.add`), in any order; faults that depend on other records are found at the
end.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Literal, NamedTuple

from ipam_core.dns import content, targets
from ipam_core.dns.content import MOST_IN_RRSET, MOST_TYPES, Names, above
from ipam_core.dns.names import APEX
from ipam_core.dns.rrsets import Record
from ipam_core.dns.targets import Fault, owner_of, target_of
from ipam_core.dns.zone_file import Soa

Server = Literal["bind", "nsd", "knot"]
Severity = Literal["error", "warning"]
BIND, NSD, KNOT, ALL = ("bind",), ("nsd",), ("knot",), ("bind", "nsd", "knot")

MOST_FOUND = 1000  # findings that are kept; more are only counted
DAY, WEEK = 86_400, 604_800
ADDRESSED = ("MX", "SRV")  # their targets must have an address (RFC 2181 section 10.3, RFC 2782)
FOLLOWED = ("MX", "SRV", "NS", "CNAME", "HTTPS", "SVCB")

MENDED = {
    "alias": "Name the host to which the alias leads.",
    "absent": "Create an A or AAAA record for it, or name another host.",
    "redirected": "Name the host to which the redirection leads.",
    "no_address": "Create an A or AAAA record for it, or name another host.",
    "no_glue": "Create an A or AAAA record for it in this zone.",
}


class Finding(NamedTuple):
    """`servers` complain about it; with severity `error` one of them refuses the zone, from a file or in a transfer.
    Without servers: none complains, and clients are answered otherwise than the records read."""

    severity: Severity
    code: str
    name: str
    type: str
    data: str | None
    servers: tuple[str, ...]
    problem: str
    fix: str


class Target(NamedTuple):
    """Record that names a host inside the zone."""

    name: str
    type: str
    data: str
    owner: str


Served = Callable[[str, str], bool]


class Inspection:
    """A zone that is being checked. `is_served`: whether an RRset (name and type) is published. Secondaries do not see
    RRsets that the publisher leaves out."""

    def __init__(
        self, zone: str, soa: Soa, default_ttl: int, is_served: Served = lambda _name, _type: True
    ) -> None:
        self.zone, self.soa, self.default_ttl, self.is_served = zone, soa, default_ttl, is_served
        self.names = Names(())
        self.targets: list[Target] = []
        self.ttls: dict[
            tuple[str, str], tuple[int, int]
        ] = {}  # shortest and longest, where they differ from default
        self.found: list[Finding] = []
        self.errors = self.warnings = self.records = 0

    def tell(self, finding: Finding) -> None:
        """Count a finding, and keep it while there is room; an error takes the place of a warning."""
        is_error = finding.severity == "error"
        kept_errors = min(self.errors, MOST_FOUND)
        self.errors += is_error
        self.warnings += not is_error
        if len(self.found) < MOST_FOUND:
            self.found.append(finding)
        elif is_error and kept_errors < MOST_FOUND:
            at = next(at for at, each in enumerate(self.found) if each.severity == "warning")
            self.found[at] = finding

    def report(
        self,
        severity: Severity,
        code: str,
        record: Record | Target | tuple[str, str, str | None],
        servers: tuple[str, ...],
        problem: str,
        fix: str,
    ) -> None:
        name, kind, data = record if len(record) == 3 else (record.name, record.type, record.data)
        self.tell(Finding(severity, code, name, kind, data, servers, problem, fix))

    def full(self, name: str) -> str:
        return self.zone if name == APEX else f"{name}.{self.zone}"

    def add(self, record: Record) -> None:
        """Take the next record, and report what is wrong with it whatever else the zone has."""
        self.records += 1
        if record.name.endswith(".") and not record.name.endswith("\\."):
            self.report(
                "error",
                "out_of_zone",
                record,
                NSD,
                f"{record.name} lies outside the zone",
                "Delete the record.",
            )
            return
        self.names.add(record.name, record.type, record.data)
        self.note_ttl(record)
        self.check_names(record)
        if record.type in FOLLOWED:
            target = target_of(record.type, record.data)
            owner = None if target is None else owner_of(target, self.zone)
            if owner is not None:
                self.targets.append(Target(record.name, record.type, record.data, owner))

    def note_ttl(self, record: Record) -> None:
        ttl = self.default_ttl if record.ttl is None else record.ttl
        key = record.name, record.type
        if key in self.ttls or ttl != self.default_ttl or self.names.counts[record.name][record.type] > 1:
            first = self.ttls.get(key)
            if first is None and self.names.counts[record.name][record.type] > 1:
                first = self.default_ttl, self.default_ttl
            self.ttls[key] = (min(first[0], ttl), max(first[1], ttl)) if first else (ttl, ttl)

    def check_names(self, record: Record) -> None:
        fqdn = self.full(record.name)
        if reason := content.misplaced(record.name, record.type):
            is_ns = record.type == "NS"
            if record.type != "CNAME":  # which is found beside the zone's other records
                self.report(
                    "error" if is_ns else "warning",
                    "at_wildcard",
                    record,
                    BIND if is_ns else (),
                    reason,
                    "Delete the record, or give it a name without a wildcard.",
                )
        if "*" in record.name.split(".")[1:]:
            self.report(
                "warning",
                "wildcard_inside",
                record,
                BIND,
                "only the first label of a wildcard may be *",
                "Rename the record.",
            )
        if not targets.may_own(fqdn, record.type):
            self.report(
                "warning",
                "owner_name",
                record,
                BIND,
                f"{fqdn} is not the name of a host, which has letters, digits and inner hyphens (check-names)",
                "Rename it, or set check-names in BIND.",
            )
        if (bad := targets.bad_host(fqdn, record.type, record.data)) is not None:
            self.report(
                "warning",
                "target_name",
                record,
                BIND,
                f"{bad} is not the name of a host, which has letters, digits and inner hyphens (check-names)",
                "Name another host, or set check-names in BIND.",
            )

    def finish(self, *, complete: bool = True, step: Callable[[], None] = lambda: None) -> list[Finding]:
        """Return what was found, errors first. Of a zone that was not read to its end nothing is called missing. `step`
        is called often, and may raise."""
        if complete:
            self.check_servers()
            for target in self.targets:
                step()
                self.check_target(target)
        for name, kinds in self.names.counts.items():
            step()
            self.check_name(name, kinds)
        self.check_ttls()
        for finding in soa_faults(self.soa):
            self.tell(finding)
        return sorted(self.found, key=lambda each: (each.severity, each.name != APEX, each[2:5], each.code))

    def check_name(self, name: str, kinds: dict[str, int]) -> None:
        for kind, count in kinds.items():
            if count > MOST_IN_RRSET:
                self.report(
                    "error",
                    "too_many_records",
                    (name, kind, None),
                    BIND,
                    f"{name} has {count} records of type {kind}, and BIND takes {MOST_IN_RRSET} (max-records-per-type)",
                    "Delete some, use several names, or raise the limit in BIND.",
                )
        if len(kinds) > MOST_TYPES:
            self.report(
                "error",
                "too_many_types",
                (name, "", None),
                BIND,
                f"{name} has records of {len(kinds)} types, and BIND takes {MOST_TYPES} (max-types-per-name)",
                "Delete some, or use several names.",
            )
        self.check_together(name, kinds)
        self.check_place(name, kinds)
        if name in self.names.null_mx and kinds["MX"] > 1:
            self.report(
                "warning",
                "null_mx",
                (name, "MX", "0 ."),
                (),
                content.NULL_MX,
                "Delete it, or the other MX records.",
            )

    def check_together(self, name: str, kinds: dict[str, int]) -> None:
        """Report an alias or a redirection with other records of its name, or a second one."""
        alone = next((kind for kind in ("CNAME", "DNAME") if kind in kinds), None)
        if alone is None:
            return
        others = [kind for kind in kinds if kind != alone] + [alone] * (kinds[alone] > 1)
        if name == APEX and alone == "CNAME":
            others.append("SOA")
        for other in others:
            reason = content.misplaced(name, alone) or content.obstacle_at(name, alone, other)
            if reason is None:
                continue
            servers = KNOT if {alone, other} == {"DNAME", "NS"} else ALL
            served = self.is_served(name, alone) and (other == "SOA" or self.is_served(name, other))
            self.report_conflict("together", (name, alone, None), servers, reason, served)
            return

    def check_place(self, name: str, kinds: dict[str, int]) -> None:
        """Report records below a DNAME or a delegation."""
        names = above(name)
        if over := next((each for each in names if "DNAME" in self.names.counts.get(each, ())), None):
            reason = content.BELOW.format(other=over)
            for kind in kinds:
                served = self.is_served(name, kind) and self.is_served(over, "DNAME")
                self.report_conflict("below_dname", (name, kind, None), NSD + KNOT, reason, served)
            return
        cut = targets.cut_of(self.names, name)
        if cut is None:
            return
        for kind in kinds:
            if (name == cut and kind in ("NS", "DS", "NSEC")) or (
                kind in targets.ADDRESSES and name in self.glue
            ):
                continue
            if {kind} <= {"DNAME", "CNAME"} and name == cut:
                continue  # is found beside the NS records
            self.report(
                "warning",
                "below_delegation",
                (name, kind, None),
                (),
                f"{cut} is delegated by NS records, so the servers of that zone answer for {name}",
                "Create the record in that zone, or delete the NS records.",
            )

    def report_conflict(
        self,
        code: str,
        record: tuple[str, str, str | None],
        servers: tuple[str, ...],
        reason: str,
        served: bool,
    ) -> None:
        fix = "Delete one of them."
        if served:
            self.report("error", code, record, servers, reason, fix)
        else:
            self.report("warning", code, record, (), f"{reason}. Records are left out of the zone", fix)

    @cached_property
    def glue(self) -> set[str]:
        """Owners that are servers, once all records were read."""
        return {each.owner for each in self.targets if each.type == "NS"}

    def check_servers(self) -> None:
        """Report a zone without servers of its own, and servers inside the zone that cannot be found."""
        if "NS" not in self.names.counts.get(APEX, ()):
            self.report(
                "warning",
                "no_servers",
                (APEX, "NS", None),
                (),
                f"the zone has no NS records, and is served with its primary server's name, {self.soa.mname}",
                "Create NS records at @ with the names of the zone's servers.",
            )
            owner = owner_of(self.soa.mname, self.zone)
            if owner is not None:
                data = f"{self.soa.mname}."
                self.names.add(APEX, "NS", data)
                self.targets.append(Target(APEX, "NS", data, owner))

    def check_target(self, record: Target) -> None:
        if targets.cut_of(self.names, record.name) not in (None, record.name):
            return  # it is hidden itself
        if record.type == "NS":
            self.check_server(record)
            return
        needs_address = record.type in ADDRESSED
        fault = targets.fault_of(self.names, record.owner, needs_address=needs_address)
        if fault is not None:
            self.report_target(record, fault, "warning", BIND if needs_address else ())

    def check_server(self, server: Target) -> None:
        fault = targets.server_fault(self.names, server.owner)
        if fault is None or (server.name == APEX and fault == "no_glue"):
            return
        cut = targets.cut_of(self.names, server.owner)
        is_sibling = fault == "no_glue" and cut != server.name
        severity: Severity = "error" if server.name == APEX else "warning"
        self.report_target(server, fault, severity, BIND if is_sibling else BIND + KNOT)

    def report_target(
        self, record: Target, fault: Fault, severity: Severity, servers: tuple[str, ...]
    ) -> None:
        problem = f"its target {self.full(record.owner)} {targets.IS[fault]}"
        self.report(severity, f"target_{fault}", record, servers, problem, MENDED[fault])

    def check_ttls(self) -> None:
        for (name, kind), (least, most) in self.ttls.items():
            if least != most:
                problem = (
                    f"its records have TTLs from {least} to {most}; all are served with {least} (RFC 2181)"
                )
                self.report(
                    "warning", "ttls_differ", (name, kind, None), (), problem, "Give them the same TTL."
                )
            elif least == 0 or most > WEEK:
                problem = (
                    "a TTL of 0 lets nobody cache it" if least == 0 else f"a TTL of {most} s is over a week"
                )
                fix = "Choose a TTL from 60 to 604800 seconds."
                self.report("warning", "ttl", (name, kind, None), (), problem, fix)


def soa_faults(soa: Soa) -> Iterator[Finding]:
    """Yield unusable values of the zone's own fields (RFC 1912 section 2.2)."""

    def finding(severity: Severity, code: str, servers: tuple[str, ...], problem: str, fix: str) -> Finding:
        return Finding(severity, code, APEX, "SOA", soa.data, servers, problem, fix)

    if soa.expire == 0:
        yield finding(
            "error",
            "soa_expire",
            NSD,
            "expire_seconds is 0, so a copy expires at once",
            "Use 1209600 (two weeks).",
        )
    elif soa.expire <= soa.refresh:
        problem = f"expire_seconds ({soa.expire}) is not above refresh_seconds ({soa.refresh}): copies expire too soon"
        yield finding("warning", "soa_expire", (), problem, "Use 1209600 (two weeks).")
    if soa.refresh == 0 or soa.retry == 0:
        field = "refresh_seconds" if soa.refresh == 0 else "retry_seconds"
        yield finding("warning", "soa_refresh", (), f"{field} is 0", "Use 7200 to refresh and 900 to retry.")
    elif soa.retry >= soa.refresh:
        problem = f"retry_seconds ({soa.retry}) is not below refresh_seconds ({soa.refresh})"
        yield finding("warning", "soa_retry", (), problem, "Use a fraction of refresh_seconds.")
    if soa.minimum > DAY:
        problem = (
            f"minimum_seconds ({soa.minimum}) is over a day: names that do not exist are cached for so long"
        )
        yield finding("warning", "soa_minimum", (), problem, "Use 300 to 10800 (RFC 2308 section 5).")
    if not targets.is_host(soa.mname):
        yield finding(
            "warning", "soa_name", BIND, f"mname {soa.mname} is not the name of a host", "Change mname."
        )
    if not targets.is_host(targets.domain_of(soa.rname)):
        yield finding(
            "warning", "soa_name", BIND, f"rname {soa.rname} is not a mailbox at a host", "Change rname."
        )
