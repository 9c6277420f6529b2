"""A DHCP server of Windows as a plan.

What the server gives to its scopes is written into each subnet, and so reaches no others. Addresses of a policy are a
pool of its class, and no longer of the scope's.
"""

from collections.abc import Iterable
from ipaddress import ip_address, ip_network

from api.importers.clashes import rest_of, settle
from api.importers.conditions import CannotSay
from api.importers.lines import Source, lose
from api.importers.options import BOOT, Option, into_fields
from api.importers.plan import Fields, Plan, Planned, Planner, Reason
from api.importers.windows.classes import Classes
from api.importers.windows.identities import colons, identity, octets
from api.importers.windows.model import BOOTP, Policy, Reservation, Scope, Server, Span, Value
from api.importers.windows.options import OptionReader
from ipam_core.errors import ValidationError
from ipam_core.model.lifetimes import of_others
from ipam_core.model.values import parse_hostname

LEASE_TIME = 51
DEFAULTS: dict[int, Fields] = {4: {"match_client_id": True}, 6: {}}
LEASE_SECONDS = 8 * 86400
"""Those of Windows, where they are not ours."""


class Making:
    """One plan of the servers of both families."""

    def __init__(self, format_: str) -> None:
        self.planner = Planner(format_)

    def server(self, server: Server) -> None:
        OneServer(self.planner, server).whole()

    def finish(self) -> Plan:
        settle(self.planner)
        return self.planner.finish()


class OneServer:
    """Server of one family."""

    def __init__(self, planner: Planner, server: Server) -> None:
        self.planner = planner
        self.server = server
        self.family = server.family
        self.classes = Classes(planner, server.classes)
        self.options = OptionReader(planner, server.family, self.classes)

    def whole(self) -> None:
        self.options.define(self.server.definitions)
        for scope in self.server.scopes:
            self.scope(scope)
        for policy in sorted(self.server.policies, key=lambda each: each.order):
            if self.in_force(policy):
                self.class_of(policy, "", with_options=True)
        self.of_users(self.server.options, None)
        for name in ("allow", "deny"):
            enforced = self.server.lists.get(name, False)
            self.classes.filters(self.server.filters, name == "allow", enforced)
        if not self.server.scopes:
            self.without_scopes()
        self.classes.tell_unused()

    def without_scopes(self) -> None:
        for each in everybodys(self.server.options):
            self.lose(each.source, "dropped", f"option {each.code}", "there is no scope that it is for")

    def lose(self, source: Source, reason: Reason, what: str, why: str) -> None:
        lose(self.planner, source, reason, what, why)

    def make(
        self, family: str, source: Source, fields: Fields, inside: Planned | None = None
    ) -> Planned | None:
        made = self.planner.add(family, source.line, fields, inside)
        if made is None:
            source.tell()
        return made

    # --- scopes

    def scope(self, scope: Scope) -> None:
        values = merged(self.server.options, scope.options)
        fields = DEFAULTS[self.family] | {
            "cidr": scope.cidr,
            "name": scope.name or None,
            "description": scope.description or None,
            "dhcp_enabled": scope.enabled,
            "ping_check": self.server.ping_check or None,
        }
        fields |= scope.times
        options = self.options.standard(values)
        if self.family == 4:
            self.lease_time(options, fields, scope)
            options = into_fields(options, fields)
        prefix = self.planner.add("prefixes", scope.source.line, {"cidr": scope.cidr})
        subnet = prefix and self.planner.add("subnets", scope.source.line, fields, prefix)
        if subnet is None:
            self.lose(scope.source, "dropped", f"scope {scope.cidr}", "is not made, and nothing in it")
            return
        self.place([*options.values(), *self.options.vendor_options(values)], subnet)
        self.contents(scope, subnet)

    def lease_time(self, options: dict[int, Option], fields: Fields, scope: Scope) -> None:
        """Set the lease time: the duration of the scope, which option 51 repeats or replaces."""
        option = options.pop(LEASE_TIME, None)
        told = option.fields["payload"].get("value") if option else None
        ours = fields.setdefault(
            "lease_time_seconds", of_others(told) if isinstance(told, int) else LEASE_SECONDS
        )
        if (
            option
            and isinstance(told, int)
            and ours != of_others(told)
            and any(each.code == LEASE_TIME for each in scope.options)
        ):
            why = f"is {told} s, but the duration of the scope is {ours} s, which is used"
            self.planner.warn(option.line, "approximated", f"option 51 of {scope.cidr}", why)

    def contents(self, scope: Scope, subnet: Planned) -> None:
        if scope.superscope:
            why = f"is in the superscope {scope.superscope}: if both networks are on one link, set shared_network"
            self.planner.warn(scope.source.line, "manual", f"scope {scope.cidr}", why)
        for span in scope.excluded:
            self.make("excludes", span.source, ends(span), subnet)
        taken = self.policies(scope, subnet)
        for span in scope.ranges:
            self.pools(span, taken, subnet)
        if self.family == 6:
            network = ip_network(scope.cidr)
            whole = {"start_ip": str(network[1]), "end_ip": str(network[-1])}
            self.make("pools", scope.source, whole, subnet)
        for each in scope.reservations:
            self.reservation(each, subnet)
        self.of_users(scope.options, scope)

    def pools(self, span: Span, taken: list[Span], subnet: Planned) -> None:
        """Make the pools that policies leave of a range. One that is none is the model's to refuse."""
        try:
            first, last = numbers(span)
            holes = sorted(numbers(each) for each in taken)
        except ValueError:
            self.make("pools", span.source, ends(span), subnet)
            return
        kind = type(ip_address(span.start))
        pieces = list(rest_of((first, last), holes)) if first <= last else [(first, last)]
        for start, end in pieces:
            fields = {"start_ip": str(kind(start)), "end_ip": str(kind(end))}
            self.make("pools", span.source, fields, subnet)

    def place(self, options: Iterable[Option], inside: Planned) -> None:
        for each in options:
            self.planner.add("options", each.line, each.fields, inside)

    def give(self, values: list[Value], inside: Planned) -> None:
        """Give boot options to reservations and pools, which have no fields for the files to boot from."""
        boot: Fields = {}
        rest = self.options.standard(values)
        if self.family == 4:
            rest = into_fields(rest, boot, boot_only=True)
        for name, value in boot.items():
            why = f"{name} {value} is of a subnet or a class: make a class for it, and give the class"
            self.planner.warn(inside.line, "manual", inside.what, why)
        self.place([*rest.values(), *self.options.vendor_options(values)], inside)

    # --- for some clients only

    def policies(self, scope: Scope, subnet: Planned) -> list[Span]:
        """Return the addresses that are given to clients of policies alone."""
        taken: list[Span] = []
        for policy in sorted(scope.policies, key=lambda each: each.order):
            if not self.in_force(policy, scope.policies_active):
                continue
            taken += policy.ranges
            alone = not policy.ranges and len(self.server.scopes) == 1
            if not policy.ranges and not alone:
                why = "has no addresses, and a class is in all subnets: give its options where you want them"
                self.lose(policy.source, "manual", f"policy {policy.name}", why)
                continue
            class_ = self.class_of(policy, scope.cidr, with_options=alone)
            pools = [
                self.make("pools", each.source, ends(each) | {"class": class_.fields["name"]}, subnet)
                for each in policy.ranges
                if class_
            ]
            for pool in filter(None, pools):
                self.give(policy.options, pool)
                self.tell_order(policy)
        return taken

    def tell_order(self, policy: Policy) -> None:
        """Report the order: there a scope's policies go before the server's; here a class's options go before a
        pool's."""
        own = {each.code for each in policy.options} - BOOT.keys()
        for other in self.server.policies:
            both = sorted(own & {each.code for each in other.options})
            if both and other.enabled and self.server.policies_active:
                codes = ", ".join(map(str, both))
                why = f"option {codes} of the server's policy {other.name} goes before it for clients of both"
                self.planner.warn(policy.source.line, "approximated", f"policy {policy.name}", why)

    def in_force(self, policy: Policy, active: bool = True) -> bool:
        active = policy.enabled and active and self.server.policies_active
        if not active:
            self.lose(policy.source, "dropped", f"policy {policy.name}", "is switched off")
        return active

    def class_of(self, policy: Policy, scope: str, with_options: bool) -> Planned | None:
        """Return None where conditions cannot say whom it is for."""
        values = policy.options if with_options else []
        boot: Fields = {}
        rest = into_fields(self.options.standard(values), boot, boot_only=True)
        try:
            made = self.classes.of_policy(policy, scope, boot)
            reason = "there can be no such class"
        except (CannotSay, ValidationError) as error:
            made, reason = None, str(error)
        if made is None:
            addresses = "; its addresses are given to nobody" if policy.ranges else ""
            why = f"its clients cannot be selected by conditions ({reason}){addresses}"
            self.lose(policy.source, "manual", f"policy {policy.name}", why)
        else:
            self.place([*rest.values(), *self.options.vendor_options(values)], made)
        return made

    def tell_options(self, values: Iterable[Value], where: str) -> None:
        for each in values:
            why = f"{where}: give it where you want it"
            self.lose(each.source, "manual", f"option {each.code}", why)

    def of_users(self, values: list[Value], scope: Scope | None) -> None:
        """Set options for a user class: those of the whole server are its class's."""
        wanted: dict[str, list[Value]] = {}
        for each in values:
            if each.user.lower() == BOOTP:
                self.lose(each.source, "dropped", f"option {each.code} of {each.user}", "BOOTP is not served")
            elif each.user:
                wanted.setdefault(each.user, []).append(each)
        for name, some in wanted.items():
            line = some[0].source.line
            alone = scope is None or len(self.server.scopes) == 1
            made = self.classes.of_users(line, name) if self.family == 4 and alone else None
            if made:
                self.give(some, made)
            else:
                self.tell_options(some, f"the user class {name} is in all subnets, or has no text form")

    # --- reservations

    def reservation(self, wanted: Reservation, subnet: Planned) -> None:
        what = f"reservation {wanted.ip}"
        fields = {"ip": wanted.ip} | named(wanted) | self.client(wanted)
        if wanted.type == "Bootp":
            self.planner.warn(wanted.source.line, "approximated", what, "not for BOOTP, but for DHCP")
        if wanted.iaid:
            why = f"is for its client, whatever the identity association (here {wanted.iaid})"
            self.planner.warn(wanted.source.line, "approximated", what, why)
        made = self.make("reservations", wanted.source, fields, subnet)
        if made:
            self.give(wanted.options, made)

    def client(self, wanted: Reservation) -> Fields:
        """Return the client; a text that is no octets is returned as it is, for the model to refuse."""
        if self.family == 6:
            found = octets(wanted.client)
            return {"duid": colons(found) if found else wanted.client or None}
        return identity(wanted.client) or {"mac": wanted.client or None}


def named(wanted: Reservation) -> Fields:
    """Return the name; one that no host can have goes before the description."""
    try:
        return {"hostname": parse_hostname(wanted.name), "description": wanted.description or None}
    except ValueError:
        return {"description": ": ".join(filter(None, (wanted.name, wanted.description))) or None}


def merged(around: Iterable[Value], own: Iterable[Value]) -> list[Value]:
    """Return the merged settings: those of a scope go before those of its server."""
    found = {(each.vendor.lower(), each.code): each for each in (*everybodys(around), *everybodys(own))}
    return list(found.values())


def everybodys(values: Iterable[Value]) -> list[Value]:
    return [each for each in values if not each.user]


def ends(span: Span) -> Fields:
    return {"start_ip": span.start, "end_ip": span.end}


def numbers(span: Span) -> tuple[int, int]:
    """Raise ValueError."""
    return int(ip_address(span.start)), int(ip_address(span.end))
