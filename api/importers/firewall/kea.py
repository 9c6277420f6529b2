"""OPNsense's Kea: subnets by their id, to which reservations and pools of prefixes refer."""

from api.importers.firewall.network import Interfaces, Network, Subnets, network_of
from api.importers.firewall.options import OptionReader, number
from api.importers.options import Option
from api.importers.plan import Fields, Planned, Planner
from api.importers.xml_source import Element
from ipam_core.dhcp import registry

USUAL_LIFETIME = 4000
COLLECTED = ("routers", "domain-name-servers", "ntp-servers")
FIELDS = {"next_server": "next_server", "description": "description"}


class Kea:
    """One family."""

    def __init__(
        self, planner: Planner, subnets: Subnets, interfaces: Interfaces, options: OptionReader, version: int
    ) -> None:
        self.planner = planner
        self.subnets = subnets
        self.interfaces = interfaces
        self.options = options
        self.version = version
        self.by_id: dict[str, Planned] = {}

    def read(self, section: Element) -> None:
        general = section.element("general")
        enabled, lifetime = general.is_set("enabled"), general.text("valid_lifetime")
        usual: Fields = {"dhcp_enabled": enabled, "lease_time_seconds": number(lifetime) or USUAL_LIFETIME}
        for element in section.element("subnets").elements(f"subnet{self.version}"):
            self.subnet(element, usual)
        for element in section.element("pd_pools").elements("pd_pool"):
            self.delegation(element)
        for element in section.element("reservations").elements("reservation"):
            self.reservation(element)

    def lose(self, element: Element, what: str, why: str) -> None:
        element.tell()
        self.planner.warn(element.line, "dropped", what, why)

    def subnet(self, element: Element, usual: Fields) -> None:
        network = network_of(element.text("subnet"))
        if network is None or network.version != self.version:
            self.lose(element, f"subnet {element.get('subnet')}", "is no network: nothing in it is made")
            return
        fields = usual | {ours: element.text(name) for name, ours in FIELDS.items()}
        lifetime = number(element.text("valid_lifetime"))
        fields |= {"lease_time_seconds": lifetime} if lifetime else {}
        if self.version == 4:
            fields["match_client_id"] = element.text("match-client-id") != "0"
            fields["authoritative"] = False
        made = self.subnets.make(network, element.line, fields, self.options_of(element, network))
        if made is None:
            element.tell()
            return
        self.by_id[element.attributes.get("uuid", "")] = made
        for text in (element.text("pools") or "").replace(",", "\n").split("\n"):
            if text.strip():
                start, end = ends(text.strip())
                self.planner.add("pools", element.line_of("pools"), {"start_ip": start, "end_ip": end}, made)

    def options_of(self, element: Element, network: Network | None) -> dict[int, Option]:
        data = element.element("option_data")
        found: dict[int, Option] = {}
        for name in list(data):
            definition = registry.by_name(self.version, name.replace("_", "-"))
            text = data.text(name) if definition else None
            if definition and text:
                self.options.put(found, data.line_of(name), self.version, definition.code, text)
        interface = self.interfaces.inside(network) if network else None
        if interface and element.is_set("option_data_autocollect"):
            for name in COLLECTED:
                definition = registry.by_name(self.version, name)
                if definition and definition.code not in found:
                    self.options.put(found, element.line, self.version, definition.code, str(interface.ip))
        return found

    def delegation(self, element: Element) -> None:
        subnet = self.by_id.get(element.text("subnet") or "")
        prefix, length, delegated = (element.text(name) for name in ("prefix", "prefix_len", "delegated_len"))
        if subnet is None:
            self.lose(element, f"pd_pool {prefix}", "is of no subnet of the file")
            return
        fields = {"prefix": f"{prefix}/{length}", "delegated_length": number(delegated)}
        self.planner.add("pools", element.line, fields, subnet)

    def reservation(self, element: Element) -> None:
        subnet, address = self.by_id.get(element.text("subnet") or ""), element.text("ip_address")
        if subnet is None:
            self.lose(element, f"reservation {address}", "is of no subnet of the file")
            return
        fields: Fields = {"ip": address, "mac": element.text("hw_address"), "duid": element.text("duid")}
        fields |= {"client_id": element.text("client_id"), "hostname": element.text("hostname")}
        fields["description"] = element.text("description")
        made = self.planner.add("reservations", element.line, fields, subnet)
        options = self.options_of(element, None)
        if made:
            self.subnets.place(options, made)


def ends(text: str) -> tuple[str, str]:
    network = network_of(text) if "/" in text else None
    if network:
        return str(network[0]), str(network[-1])
    start, _, end = text.partition("-")
    return start.strip(), end.strip() or start.strip()
