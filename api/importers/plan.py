"""A plan: what is to be made, in the order of a cutover, and what the source says that could not be taken over.

Fields are those of a site file: an object of another family goes by its name. `inside` is the `ref` of the object that
something stands in; without one it stands in the tenant.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from api.importers.faults import SourceError
from api.importers.judging import Judge
from api.importers.leases.account import LeaseFile
from ipam_core.dhcp.default_routes import ROUTES, lacks_default, warning
from ipam_core.errors import ValidationError
from ipam_core.model.families import CUTOVER
from ipam_core.model.lifetimes import FIELDS as LIFETIMES
from ipam_core.model.lifetimes import of_others

Fields = dict[str, Any]
Reason = Literal["dropped", "approximated", "manual"]

COUNTED = ("reservations", "assignments")
"""Families that count toward the managed address limit, where it has an address or a prefix."""


class Planned(msgspec.Struct, kw_only=True, omit_defaults=True):
    """An object, and the line of the source that it comes from. `file`: where that is not the source itself."""

    ref: str
    family: str
    line: int
    file: str = ""
    inside: str | None = None
    fields: Fields

    @property
    def what(self) -> str:
        return label(self.family, self.fields)


def label(family: str, fields: Mapping[str, Any]) -> str:
    """Return what an object is called in messages: its family, and what tells it from others."""
    named = ("cidr", "ip", "start_ip", "prefix", "name", "mac", "duid", "code")
    return " ".join([family, *(str(fields[name]) for name in named if fields.get(name))][:2])


def is_managed(planned: Planned) -> bool:
    """Return whether an object counts toward the managed address limit. A missing `ip` means the next free address."""
    has_ip = planned.fields.get("ip", "next free") is not None
    return planned.family in COUNTED and (has_ip or bool(planned.fields.get("prefix")))


class Warned(msgspec.Struct, frozen=True, order=True):
    """`dropped`: lost. `approximated`: taken over, but not the same. `manual`: there is a way, which people must go."""

    line: int
    reason: Reason
    what: str
    why: str


class Statements(msgspec.Struct):
    """Number of statements of the source: each is read into an object or reported in a warning."""

    read: int = 0
    warned: int = 0


class Plan(msgspec.Struct, kw_only=True):
    format: str
    source: str = ""
    statements: Statements = msgspec.field(default_factory=Statements)
    objects: list[Planned] = msgspec.field(default_factory=list)
    there: list[Planned] | UnsetType = UNSET
    """Subnets of the server, with their prefixes, in which objects of the plan are. They are not created."""
    warnings: list[Warned] = msgspec.field(default_factory=list)
    leases: list[LeaseFile] | UnsetType = UNSET
    """Files of leases that were asked for reservations."""

    def managed_ips(self) -> int:
        return sum(map(is_managed, self.objects))

    def counts(self) -> dict[str, int]:
        found = dict.fromkeys(CUTOVER, 0)
        for each in self.objects:
            found[each.family] += 1
        return {family: count for family, count in found.items() if count}

    def encoded(self) -> bytes:
        return msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n"


MOST = 250_000
"""Objects and warnings together: what a server can be given in one cutover, in memory that a workstation has."""


def ref_there(cidr: str) -> str:
    """Return the `ref` of a subnet of the server, without characters that separate the words of a path."""
    return f"there-{cidr.translate(str.maketrans('./:', '---'))}"


class Planner:
    """Collector of objects and warnings. What the model refuses is a warning at once: a plan holds only what could be.
    Raises SourceError for a source that becomes too large."""

    def __init__(self, format_: str) -> None:
        self.plan = Plan(format=format_)
        self.judge = Judge()
        self.by_ref: dict[str, Planned] = {}

    def warn(self, line: int, reason: Reason, what: str, why: str) -> None:
        self.plan.warnings.append(Warned(line, reason, what, why))
        self.check_size(line)

    def warn_all(self, warnings: Iterable[Warned]) -> None:
        for each in warnings:
            self.warn(each.line, each.reason, each.what, each.why)

    def add(
        self,
        family: str,
        line: int,
        fields: Mapping[str, Any],
        inside: Planned | None = None,
        lines: Mapping[str, int] | None = None,
    ) -> Planned | None:
        """Return None where the object cannot be. A field that cannot be is left out. `lines`: where fields stand.
        Times beyond the longest that ends become infinite."""
        ref = f"{family}-{len(self.by_ref) + 1}"
        kept = {name: value for name, value in fields.items() if value is not None or name == "ip"}
        kept |= {name: of_others(kept[name]) for name in LIFETIMES if isinstance(kept.get(name), int)}
        planned = Planned(
            ref=ref, family=family, line=line, inside=inside.ref if inside else None, fields=kept
        )
        lost: dict[str, Warned] = {}
        while (fault := self.fault(planned, inside)) is not None:
            name = fault.field.split(".")[0].split("[")[0]
            at = (lines or {}).get(name, line)
            if name in lost:  # it cannot be without the field, which is the one reason
                reason = lost.pop(name)
                said = f"is left out: {reason.what.removeprefix(planned.what + ': ')} {reason.why}"
                lost[name] = Warned(at, "dropped", planned.what, said)
            elif name not in kept or name in self.judge.needed(family):
                lost[name] = Warned(at, "dropped", planned.what, str(fault))
            else:
                lost[name] = Warned(at, "dropped", f"{planned.what}: {name} {kept.pop(name)}", fault.reason)
                continue
            self.warn_all(lost.values())
            return None
        self.warn_all(lost.values())
        self.by_ref[ref] = planned
        self.plan.objects.append(planned)
        self.check_size(line)
        return planned

    def use(self, cidr: str) -> Planned:
        """Return a subnet of the server as a place for objects of the plan."""
        ref = ref_there(cidr)
        prefix = Planned(ref=f"{ref}-prefix", family="prefixes", line=0, fields={"cidr": cidr})
        subnet = Planned(ref=ref, family="subnets", line=0, inside=prefix.ref, fields={"cidr": cidr})
        self.by_ref |= {prefix.ref: prefix, subnet.ref: subnet}
        self.plan.there = [*(self.plan.there or ()), prefix, subnet]
        return subnet

    def check_size(self, line: int) -> None:
        if len(self.plan.objects) + len(self.plan.warnings) > MOST:
            raise SourceError(
                line, f"brings the plan to more than {MOST} objects and warnings: split the source"
            )

    def fault(self, planned: Planned, inside: Planned | None) -> ValidationError | None:
        try:
            self.judge.check(planned.family, planned.fields, inside.fields if inside else {})
        except ValidationError as error:
            return error
        return None

    def warn_of_routes(self) -> None:
        """Warn of routes that take the gateway of their subnet away, or of any where they are for several."""
        subnets = [each for each in self.plan.objects if each.family == "subnets"]
        for option in [each for each in self.plan.objects if each.fields.get("code") in ROUTES]:
            around = self.subnet_around(option)
            has_gateway = any(each.fields.get("gateway") for each in ([around] if around else subnets))
            if has_gateway and lacks_default(option.fields.get("payload", {})):
                self.warn(option.line, "manual", option.what, warning(option.fields["code"]))

    def subnet_around(self, planned: Planned) -> Planned | None:
        while planned.family != "subnets" and planned.inside is not None:
            planned = self.by_ref[planned.inside]
        return planned if planned.family == "subnets" else None

    def finish(self) -> Plan:
        """Finish the plan in the order of a cutover."""
        self.warn_of_routes()
        self.plan.objects.sort(key=lambda each: CUTOVER.index(each.family))
        self.plan.warnings.sort()
        return self.plan


def family_of(plan: Plan, family: str) -> Iterator[Planned]:
    return (each for each in plan.objects if each.family == family)
