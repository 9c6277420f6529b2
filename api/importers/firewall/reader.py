"""config.xml: the sections of DHCP; of all others only the interfaces are looked at."""

from api.importers.clashes import settle
from api.importers.faults import SourceError
from api.importers.firewall import reasons
from api.importers.firewall.dhcpd import Dhcpd
from api.importers.firewall.dnsmasq import Dnsmasq
from api.importers.firewall.kea import Kea
from api.importers.firewall.network import Interfaces, Subnets
from api.importers.firewall.options import OptionReader
from api.importers.plan import Plan, Planner
from api.importers.xml_source import Element, load

ROOTS = ("pfsense", "opnsense")


def read(text: str) -> Plan:
    """Raise SourceError, which names the line."""
    document = load(text)
    name = next((each for each in ROOTS if isinstance(document.get(each), Element)), None)
    if name is None:
        raise SourceError(1, f"is no config.xml: its root is neither {' nor '.join(ROOTS)}")
    return Firewall(name, document.element(name)).plan()


class Firewall:
    """`sections`: those whose elements count."""

    def __init__(self, name: str, root: Element) -> None:
        self.root = root
        self.planner = Planner(name)
        self.subnets = Subnets(self.planner)
        self.interfaces = Interfaces(root.element("interfaces"))
        self.options = OptionReader(self.planner, encoded=name == "pfsense")
        self.sections: list[Element] = []

    def plan(self) -> Plan:
        for version, name in ((4, "dhcpd"), (6, "dhcpdv6")):
            section = self.section(self.root, name)
            Dhcpd(self.planner, self.subnets, self.interfaces, self.options, version).read(section)
        modules = self.root.element("OPNsense")
        for version in (4, 6):
            section = self.section(modules.element("Kea"), f"dhcp{version}")
            Kea(self.planner, self.subnets, self.interfaces, self.options, version).read(section)
        dnsmasq = self.section(self.root, "dnsmasq")
        Dnsmasq(self.planner, self.subnets, self.interfaces, self.options).read(dnsmasq)
        return self.finish()

    def section(self, holder: Element, name: str) -> Element:
        found = holder.element(name)
        self.sections.append(found)
        return found

    def finish(self) -> Plan:
        settle(self.planner)
        for section in self.sections:
            for unread in section.unread():
                reason, why = reasons.of(unread.name)
                self.planner.warn(unread.line, reason, unread.name, why)
        plan = self.planner.finish()
        plan.statements.warned = sum(each.warned() for each in self.sections)
        plan.statements.read = sum(each.statements() for each in self.sections) - plan.statements.warned
        return plan
