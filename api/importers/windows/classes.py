"""User and vendor classes, policies and filters as client classes."""

from collections.abc import Iterable

from api.importers.conditions import CannotSay
from api.importers.lines import lose
from api.importers.plan import Fields, Planned, Planner, Reason
from api.importers.windows import policies
from api.importers.windows.identities import colons, octets
from api.importers.windows.model import Class, Filter, Policy
from ipam_core.dhcp.conditions import MOST_LEAVES

IS_DHCPV4: Fields = {"option": 53, "exists": True}


class Classes:
    """Classes of the server by name; and those that the plan makes, in their order."""

    def __init__(self, planner: Planner, every: Iterable[Class]) -> None:
        self.planner = planner
        self.every = list(every)
        self.named = {each.name.lower(): each for each in self.every}
        self.used: set[str] = set()
        self.made: dict[str, Planned] = {}

    def data(self, name: str) -> str | None:
        """Return the octets of a class, in hexadecimal; None: there is no such class."""
        found = self.named.get(name.lower())
        if found is None:
            return None
        self.used.add(name.lower())
        return octets(found.data)

    def text(self, name: str) -> str | None:
        """Return the octets as text, where they are one."""
        data = self.data(name)
        try:
            text = bytes.fromhex(data or "").decode("ascii").rstrip("\0")
        except UnicodeDecodeError:
            return None
        return text if text.isprintable() and text else None

    def tell_unused(self) -> None:
        for each in self.every:
            if each.name.lower() not in self.used:
                why = "no option or policy of the file is for it"
                lose(self.planner, each.source, "dropped", f"class {each.name}", why)

    # --- classes of the plan

    def add(self, line: int, name: str, fields: Fields) -> Planned | None:
        """Add a class; the earlier ones go first, and an existing one is taken. One that is there is taken."""
        if name not in self.made:
            made = self.planner.add(
                "client-classes", line, {"name": name, "priority": len(self.made) + 1} | fields
            )
            if made is None:
                return None
            self.made[name] = made
        return self.made[name]

    def of_users(self, line: int, name: str) -> Planned | None:
        """Return the clients of a user class."""
        text = self.text(name)
        return self.add(line, f"user class {name}", {"user_class": text}) if text else None

    def of_policy(self, policy: Policy, scope: str, boot: Fields) -> Planned | None:
        """Raise CannotSay. Policies of several scopes may bear one name. `boot`: what its clients boot from."""
        tree, cards = policies.tree_of(policy, self.data)
        name = f"{policy.name} ({scope or 'all scopes'})" if policy.name in self.made else policy.name
        line = policy.source.line
        if len(cards) == 1 and tree == {"class": policies.card_class(cards[0])}:
            return self.add(line, name, {"mac_prefix": colons(cards[0])} | boot)
        for each in cards:
            self.card(line, each)
        return self.add(line, name, {"match": tree} | boot)

    def card(self, line: int, prefix: str) -> str:
        name = policies.card_class(prefix)
        self.add(line, name, {"mac_prefix": colons(prefix)})
        return name

    # --- filters

    def filters(self, every: list[Filter], allow: bool, enforced: bool) -> None:
        listed = [each for each in every if each.allow is allow]
        if not enforced:
            for each in listed:
                self.lose(each, "dropped", f"the list {'allow' if allow else 'deny'} is not enforced")
            return
        known = [(each, prefix) for each in listed if (prefix := self.prefix(each))]
        if allow:
            self.allow(known)
        else:
            self.deny(known)

    def prefix(self, filter_: Filter) -> str | None:
        try:
            return policies.card_prefix(filter_.mac)
        except CannotSay as reason:
            self.lose(filter_, "manual", str(reason))
            return None

    def lose(self, filter_: Filter, reason: Reason, why: str) -> None:
        lose(self.planner, filter_.source, reason, f"filter {filter_.mac}", why)

    def deny(self, known: list[tuple[Filter, str]]) -> None:
        for each, prefix in known:
            fields = {"mac_prefix": colons(prefix), "deny": True, "description": each.description or None}
            self.add(each.source.line, f"denied {colons(prefix)}", fields)

    def allow(self, known: list[tuple[Filter, str]]) -> None:
        """Allow the clients of the list and deny others. DHCPv6 has no filters. DHCPv6 has no filters."""
        if not known:
            return
        if len(known) >= MOST_LEAVES:
            for each, _ in known:
                why = f"conditions name fewer than {MOST_LEAVES} cards: give unknown clients no pool instead"
                self.lose(each, "manual", why)
            return
        named = [{"class": self.card(each.source.line, prefix)} for each, prefix in known]
        tree = {"all": [IS_DHCPV4, {"not": {"any": named}}]}
        self.add(known[0][0].source.line, "not allowed", {"match": tree, "deny": True})
