"""Active leases of the plan's subnets become reservations, so that clients keep their addresses (specification,
recommended cutover 5).

They are marked (`tags` has `pinned`), because they are needed for the cutover only and count toward the managed address
limit. What the plan itself says of an address or a client stands.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from datetime import datetime
from ipaddress import IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Any

from api.importers.faults import SourceError
from api.importers.judging import Judge
from api.importers.leases import formats
from api.importers.leases.account import Account, LeaseFile
from api.importers.leases.lease import Client, Found, Given, Lease, Unread
from api.importers.plan import Fields, Plan, Planned, family_of
from ipam_core.errors import ValidationError
from ipam_core.model.families import CUTOVER
from ipam_core.model.reservation import IDENTITIES
from ipam_core.model.values import PARSERS, Mac, Octets, rfc3339

TAG = "pinned"
LONGEST_NAME = 255
FALLEN = ("expired", "released", "declined", "temporary", "registered", "reserved")
Span = tuple[int, int, Planned]
Key = tuple[int, int, int]


def pin(plan: Plan, path: Path, at: datetime) -> LeaseFile:
    """Add to the plan what is active in the file at that moment. Raises SourceError, which names file and line."""
    try:
        format_ = formats.guess(path)
        pinning = Pinning(plan, at.timestamp())
        pinning.take(formats.FORMATS[format_].read(path))
    except SourceError as error:
        error.file = str(path)
        raise
    pinning.finish(path.name)
    told = pinning.account.told(path.name, format_, rfc3339(at))
    plan.leases = [*plan.leases, told] if isinstance(plan.leases, list) else [told]
    return told


class Spans:
    """Ranges that do not overlap, by the addresses in them."""

    def __init__(self, spans: Iterable[tuple[int, int, int, Planned]]) -> None:
        self.spans: dict[int, list[Span]] = {4: [], 6: []}
        for version, first, last, planned in sorted(spans, key=lambda each: each[:3]):
            self.spans[version].append((first, last, planned))
        self.firsts = {version: [each[0] for each in spans] for version, spans in self.spans.items()}

    def holding(self, key: Key) -> Planned | None:
        version, first, last = key
        at = bisect_right(self.firsts[version], first) - 1
        if at < 0:
            return None
        _, end, planned = self.spans[version][at]
        return planned if last <= end else None


class Pinning:
    """Pinning of one file. `at`: seconds since 1970."""

    def __init__(self, plan: Plan, at: float) -> None:
        self.plan = plan
        self.at = at
        self.account = Account()
        self.judge = Judge()
        self.held: dict[Key, Lease] = {}
        self.by_ref = {each.ref: each for each in plan.objects}
        self.subnets = Spans(network_spans(family_of(plan, "subnets"), "cidr"))
        self.delegating = Spans(network_spans(family_of(plan, "pools"), "prefix"))
        self.excludes = Spans(map(range_span, family_of(plan, "excludes")))
        self.assigned = {spell("ip", each.fields["ip"]) for each in family_of(plan, "assignments")}
        self.reserved, self.clients = taken(family_of(plan, "reservations"))

    # --- reading

    def take(self, found: Iterable[Found]) -> None:
        for each in found:
            if isinstance(each, Unread):
                self.account.note(each.why, each.line)
            else:
                self.keep(each)

    def keep(self, lease: Lease) -> None:
        """Keep only leases that may still be pinned when the file has ended."""
        key = key_of(lease.given)
        if (earlier := self.held.pop(key, None)) is not None:
            self.account.note("superseded", earlier.line)
        if outcome := self.fallen(lease, key):
            self.account.note(outcome, lease.line)
        else:
            self.held[key] = lease

    def fallen(self, lease: Lease, key: Key) -> str:
        if self.subnet_of(lease, key) is None:
            return "outside"
        if lease.state in FALLEN:
            return lease.state
        if lease.ends is not None and lease.ends <= self.at:
            return "expired"
        return "" if lease.client else "nameless"

    def subnet_of(self, lease: Lease, key: Key) -> Planned | None:
        """Return the subnet of a lease; a delegated prefix is of the subnet whose pool holds it."""
        if not isinstance(lease.given, IPv6Network):
            return self.subnets.holding(key)
        pool = self.delegating.holding(key)
        return self.by_ref[pool.inside or ""] if pool else None

    # --- deciding

    def finish(self, file: str) -> None:
        chosen: dict[tuple[str, Client], dict[str, Lease]] = {}
        for key, lease in self.held.items():
            subnet = self.subnet_of(lease, key)
            assert subnet is not None
            assert lease.client is not None
            if outcome := self.taken(lease, key, subnet):
                self.account.note(outcome, lease.line)
            else:
                self.choose(chosen.setdefault((subnet.ref, lease.client), {}), lease)
        made = [
            each
            for number, ((ref, client), leases) in enumerate(chosen.items(), 1)
            if (each := self.reservation(file, number, self.by_ref[ref], client, leases))
        ]
        self.plan.objects += made
        self.plan.objects.sort(key=lambda each: CUTOVER.index(each.family))

    def taken(self, lease: Lease, key: Key, subnet: Planned) -> str:
        if (subnet.ref, key) in self.reserved:
            return "reserved"
        if self.clients & {(subnet.ref, lease.client), (None, lease.client)}:
            return "client_reserved"
        if lease.given in self.assigned:
            return "assigned"
        return "excluded" if self.excludes.holding(key) else ""

    def choose(self, leases: dict[str, Lease], lease: Lease) -> None:
        """Choose of several leases the one that lasts longest, because a reservation has one address and one prefix."""
        slot = "prefix" if isinstance(lease.given, IPv6Network) else "ip"
        earlier = leases.setdefault(slot, lease)
        if earlier is not lease:
            stays, goes = sorted((earlier, lease), key=lasting, reverse=True)
            leases[slot] = stays
            self.account.note("moved", goes.line)

    def reservation(
        self, file: str, number: int, subnet: Planned, client: Client, leases: dict[str, Lease]
    ) -> Planned | None:
        lines = [each.line for each in leases.values()]
        fields: Fields = {"ip": None} | {slot: str(each.given) for slot, each in leases.items()}
        fields |= {client.field: client.value, "tags": [TAG]}
        if name := next((each.hostname for each in leases.values() if each.hostname.isprintable()), ""):
            fields["description"] = f"lease of {name[:LONGEST_NAME]}"
        outcome = "pinned"
        try:
            self.judge.check("reservations", fields, subnet.fields)
        except ValidationError as error:
            outcome = f"not possible as a reservation: {error}"
        for line in lines:
            self.account.note(outcome, line)
        if outcome != "pinned":
            return None
        ref = f"{TAG}-{file}-{number}"
        return Planned(
            ref=ref, family="reservations", line=min(lines), file=file, inside=subnet.ref, fields=fields
        )


def lasting(lease: Lease) -> tuple[float, int]:
    return float("inf") if lease.ends is None else lease.ends, lease.line


def key_of(given: Given) -> Key:
    if isinstance(given, IPv6Network):
        return 6, int(given.network_address), int(given.broadcast_address)
    return given.version, int(given), int(given)


def network_spans(objects: Iterable[Planned], field: str) -> Iterator[tuple[int, int, int, Planned]]:
    for each in objects:
        if each.fields.get(field):
            network = ip_network(each.fields[field])
            yield network.version, int(network.network_address), int(network.broadcast_address), each


def range_span(planned: Planned) -> tuple[int, int, int, Planned]:
    first, last = (ip_address(planned.fields[name]) for name in ("start_ip", "end_ip"))
    return first.version, int(first), int(last), planned


def taken(reservations: Iterable[Planned]) -> tuple[set[tuple[str | None, Key]], set[tuple[str | None, Any]]]:
    """Return addresses and prefixes, and clients, of each subnet; of none: in all of them."""
    given: set[tuple[str | None, Key]] = set()
    clients: set[tuple[str | None, Any]] = set()
    for each in reservations:
        told = each.fields
        if told.get("ip"):
            given.add((each.inside, key_of(ip_address(told["ip"]))))
        if told.get("prefix"):
            given.add((each.inside, key_of(IPv6Network(told["prefix"]))))
        clients |= {(each.inside, (name, spell(name, told[name]))) for name in IDENTITIES if told.get(name)}
    return given, clients


def spell(name: str, value: str) -> Any:
    """Return the network as a lease writes it."""
    if name == "ip":
        return ip_address(value)
    if name == "mac":
        return PARSERS[Mac](value)
    return PARSERS[Octets](value).hex(":") if name in ("duid", "client_id") else value
