"""OPNsense's dnsmasq: ranges of interfaces, and hosts, which have a reservation if a card is said, else an address."""

from ipaddress import ip_network

from api.importers.firewall.network import Interfaces, Network, Subnets, relative
from api.importers.firewall.options import OptionReader, number
from api.importers.options import Option
from api.importers.plan import Fields, Planned, Planner
from api.importers.xml_source import Element

USUAL_LEASE = {4: 3600, 6: 86400}


class Dnsmasq:
    """Both families."""

    def __init__(
        self, planner: Planner, subnets: Subnets, interfaces: Interfaces, options: OptionReader
    ) -> None:
        self.planner = planner
        self.subnets = subnets
        self.interfaces = interfaces
        self.options = options

    def read(self, section: Element) -> None:
        enabled = section.is_set("enable")
        options = [each for each in section.elements("dhcp_options") if self.is_plain(each)]
        for element in section.elements("dhcp_ranges"):
            self.range(element, enabled, options)
        for element in section.elements("hosts"):
            self.host(element)

    def is_plain(self, element: Element) -> bool:
        """Return whether it is for all clients of an interface."""
        if "tag" not in element and "set_tag" not in element and element.text("type") in (None, "set"):
            return True
        element.tell()
        why = "is for clients with a tag: make a class with a condition"
        self.planner.warn(element.line, "manual", f"option {element.get('option')}", why)
        return False

    def lose(self, element: Element, what: str, why: str) -> None:
        element.tell()
        self.planner.warn(element.line, "dropped", what, why)

    def range(self, element: Element, enabled: bool, options: list[Element]) -> None:
        start, end, name = (element.text(each) or "" for each in ("start_addr", "end_addr", "interface"))
        what = f"range {start} - {end}"
        version = 6 if ":" in start else 4
        network = self.network(element, start, name, version)
        if network is None:
            self.lose(element, what, "no network is known for it: say its mask, or the interface's address")
            return
        lease = number(element.text("lease_time"))
        fields: Fields = {"dhcp_enabled": enabled, "description": element.text("description")}
        fields["lease_time_seconds"] = lease or USUAL_LEASE[version]
        fields |= {"match_client_id": True} if version == 4 else {}
        subnet = self.subnets.made.get(network)
        if subnet is None:
            subnet = self.subnets.make(network, element.line, fields, self.options_of(options, name, version))
        if subnet is None:
            element.tell()
            return
        try:
            pool = {"start_ip": relative(start, network), "end_ip": relative(end or start, network)}
        except ValueError:
            self.lose(element, what, "is no range of addresses")
            return
        self.planner.add("pools", element.line, pool, subnet)

    def network(self, element: Element, start: str, name: str, version: int) -> Network | None:
        interface = self.interfaces.of(name, version)
        mask = (
            element.text("subnet_mask") or element.text("prefix_len")
            if version == 4
            else element.text("prefix_len")
        )
        if interface is not None and (not mask or start.startswith("::")):
            return interface.network
        try:
            return ip_network(f"{start}/{mask}", strict=False) if mask else None
        except ValueError:
            return None

    def options_of(self, elements: list[Element], name: str, version: int) -> dict[int, Option]:
        found: dict[int, Option] = {}
        for each in elements:
            code, text = number(each.text("option" if version == 4 else "option6")), each.text("value") or ""
            if (each.text("interface") or name) == name and code:
                self.options.put(found, each.line, version, code, text)
                if each.is_set("force") and code in found:
                    found[code].fields["always_send"] = True
        return found

    def host(self, element: Element) -> None:
        name, card = element.text("host"), element.text("hwaddr")
        domain, identifier = element.text("domain"), element.text("client_id")
        addresses = [each.strip() for each in (element.text("ip") or "").split(",") if each.strip()]
        what = f"host {name or card}"
        for address in addresses:
            subnet = self.subnets.networks.of_text(address)
            if subnet is None:
                self.planner.warn(element.line, "dropped", what, f"{address} lies in no network of the file")
                continue
            self.keep(element, subnet, address, (name, domain), card, identifier)
        if not addresses:
            self.lose(element, what, "has no address")

    def keep(
        self,
        element: Element,
        subnet: Planned,
        address: str,
        names: tuple[str | None, str | None],
        card: str | None,
        identifier: str | None,
    ) -> None:
        name = names[0]
        full = f"{name}.{names[1]}" if name and names[1] else name
        fields: Fields = {"ip": address, "description": element.text("descr")}
        if card or identifier:
            cards = (card or "").split(",")
            for each in cards[1:]:
                why = f"{each} is one more of its cards"
                self.planner.warn(element.line_of("hwaddr"), "manual", f"host {name}", why)
            octets = (identifier or "").removeprefix("id:").replace(":", "")
            fields |= {"mac": cards[0] or None, "client_id": octets or None, "hostname": name}
            self.planner.add("reservations", element.line, fields, subnet)
        else:
            self.planner.add("assignments", element.line, fields | {"hostname": full}, subnet)
