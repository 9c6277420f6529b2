"""Addresses that have a name and are not given by DHCP: host-record and address."""

from ipaddress import ip_address

from api.importers.dnsmasq import reasons
from api.importers.dnsmasq.syntax import Statement
from api.importers.lines import lose
from api.importers.networks import Networks
from api.importers.plan import Planner


class Records:
    """`reserved`: addresses of which a reservation says more."""

    def __init__(self, planner: Planner, subnets: Networks) -> None:
        self.planner = planner
        self.subnets = subnets
        self.every: list[Statement] = []
        self.reserved: set[str] = set()

    def make(self) -> None:
        for each in self.every:
            self.record(each)

    def record(self, statement: Statement) -> None:
        """Read host-record=name,...,address; address=/name/address. Others are DNS's alone."""
        names, addresses = names_of(statement)
        placed = [(each, found) for each in addresses if (found := self.subnets.of_text(each))]
        if not names or not placed or len(placed) < len(addresses):
            reason, why = reasons.of(statement.name)
            lose(self.planner, statement, reason, statement.text, why)
            return
        for ip, subnet in placed:
            fields = {"ip": ip, "hostname": names[0]}
            if ip not in self.reserved and not self.planner.add(
                "assignments", statement.line, fields, subnet
            ):
                statement.tell()
        for name in names[1:]:
            why = f"is one more name of its address: {reasons.DNS}"
            self.planner.warn(statement.line, "manual", name, why)


def names_of(statement: Statement) -> tuple[list[str], list[str]]:
    words = statement.words
    if statement.name == "address":
        parts = words[0].split("/") if words else []
        names, rest = parts[1:-1], parts[-1:]
        return names, [each for each in rest if is_address(each)]
    return [each for each in words if not is_address(each) and not each.isdecimal()], list(
        filter(is_address, words)
    )


def is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
