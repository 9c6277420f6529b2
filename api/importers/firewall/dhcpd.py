"""ISC dhcpd as pfSense and older OPNsense have it: an element an interface, whose network is that of the interface."""

from ipaddress import IPv6Address, IPv6Network

from api.importers.firewall.network import Interface, Interfaces, Subnets, relative
from api.importers.firewall.options import OptionReader, number
from api.importers.options import Option
from api.importers.plan import Fields, Planned, Planner
from api.importers.xml_source import Element
from ipam_core.model.values import parse_mac

TIMES = {"defaultleasetime": "lease_time_seconds", "maxleasetime": "max_lease_time_seconds"}
USUAL: Fields = {"lease_time_seconds": 7200, "max_lease_time_seconds": 86400}
BOOT = {"nextserver": "next_server", "filename": "boot_file"}
KNOWN = "known clients"
ROUTERS = 3
IGNORED_IDS = ("ignoreclientuids", "ignoreuids")  # pfSense, OPNsense
ADDRESS = {4: "ipaddr", 6: "ipaddrv6"}


class Dhcpd:
    """One family."""

    def __init__(
        self, planner: Planner, subnets: Subnets, interfaces: Interfaces, options: OptionReader, version: int
    ) -> None:
        self.planner = planner
        self.subnets = subnets
        self.interfaces = interfaces
        self.options = options
        self.version = version

    def read(self, section: Element) -> None:
        for name, element in section.named():
            interface = self.interfaces.of(name, self.version)
            if interface is None:
                element.tell()
                why = "has no address of its own in the file, so that no network is known: nothing in it is made"
                self.planner.warn(element.line, "manual", f"interface {name}", why)
                continue
            self.interface(name, element, interface)

    def interface(self, name: str, element: Element, interface: Interface) -> None:
        network = interface.network
        fields = {"name": name, "dhcp_enabled": element.is_set("enable")} | USUAL | self.times(element)
        options = self.options.read(element, self.version)
        if self.version == 4:
            fields |= self.of_version4(element, interface)
        if (6 if self.version == 4 else 23) not in options:
            why = "names itself as DNS server where none is said: give the option"
            self.planner.warn(element.line, "manual", f"interface {name}", why)
        subnet = self.subnets.make(network, element.line, fields, options)
        if subnet is None:
            element.tell()
            return
        class_ = self.known(element)
        self.range(element, subnet, interface, class_, {})
        for pool in element.elements("pool"):
            own = self.known(pool) or class_
            self.range(pool, subnet, interface, own, self.options.read(pool, self.version))
        self.delegation(element, subnet)
        for each in element.elements("staticmap"):
            self.reservation(each, subnet, interface)

    def of_version4(self, element: Element, interface: Interface) -> Fields:
        router = element.text("gateway") or str(interface.ip)
        fields: Fields = {"gateway": None if router == "none" else router}
        fields["authoritative"] = "disableauthoritative" not in element.flags
        ignored = [element.is_set(name) for name in IGNORED_IDS]
        fields["match_client_id"] = not any(ignored)
        if element.is_set("netboot"):
            fields |= {ours: element.text(name) for name, ours in BOOT.items()}
        return fields

    def times(self, element: Element) -> Fields:
        found = {}
        for name, ours in TIMES.items():
            said = element.text(name)
            if (seconds := number(said)) is not None:
                found[ours] = seconds
            elif said is not None:
                self.planner.warn(element.line_of(name), "dropped", f"{name} {said}", "is no number")
        return found

    def known(self, element: Element) -> str | None:
        """Return the class of clients that have a reservation, where no others get an address."""
        if not element.is_set("denyunknown"):
            return None
        if not any(each.family == "client-classes" for each in self.planner.plan.objects):
            self.planner.add("client-classes", element.line, {"name": KNOWN, "known": True})
        return KNOWN

    # --- ranges

    def range(
        self,
        element: Element,
        subnet: Planned,
        interface: Interface,
        class_: str | None,
        options: dict[int, Option],
    ) -> None:
        for each in element.elements("range"):
            ends = [each.text(name) or "" for name in ("from", "to")]
            try:
                start, end = (relative(text, interface.network) for text in ends)
            except ValueError:
                self.planner.warn(
                    each.line, "dropped", f"range {' - '.join(ends)}", "is no range of addresses"
                )
                continue
            fields = {"start_ip": start, "end_ip": end, "class": class_}
            pool = self.planner.add("pools", each.line, fields, subnet)
            if pool:
                self.subnets.place(options, pool)

    def delegation(self, element: Element, subnet: Planned) -> None:
        """Read a delegation from one prefix to another, each of one length."""
        for each in element.elements("prefixrange"):
            first, last, length = (each.text(name) or "" for name in ("from", "to", "prefixlength"))
            try:
                fields = common(first, last, int(length))
            except ValueError:
                self.planner.warn(
                    each.line, "dropped", f"prefixes {first} - {last}", "are no range of prefixes"
                )
                continue
            self.planner.add("pools", each.line, fields, subnet)

    # --- clients

    def reservation(self, element: Element, subnet: Planned, interface: Interface) -> None:
        address = element.text(ADDRESS[self.version])
        what = f"staticmap {address or element.get('hostname') or ''}".strip()
        fields: Fields = {
            "ip": None,
            "hostname": element.text("hostname"),
            "description": element.text("descr"),
        }
        try:
            fields["ip"] = relative(address, interface.network) if address else None
            fields |= identity(element)
        except ValueError as reason:
            element.tell()
            self.planner.warn(element.line, "dropped", what, str(reason))
            return
        made = self.planner.add("reservations", element.line, fields, subnet)
        options = self.options.read(element, self.version)
        router = element.text("gateway")
        if router and router != "none":
            options[ROUTERS] = Option(element.line, {"code": ROUTERS, "payload": {"addresses": [router]}})
        if made:
            self.subnets.place(options, made)


def identity(element: Element) -> Fields:
    """Return the identity; a client id is text there."""
    mac, cid, duid = (element.text(name) for name in ("mac", "cid", "duid"))
    found: Fields = {"mac": parse_mac(mac) if mac else None, "duid": duid}
    return found | {"client_id": cid.encode().hex() if cid else None}


def common(first: str, last: str, length: int) -> Fields:
    """Return the shortest prefix that holds both ends."""
    start, end = int(IPv6Address(first)), int(IPv6Address(last)) | ((1 << (128 - length)) - 1)
    most = 128 - (start ^ end).bit_length()
    return {"prefix": str(IPv6Network((start, most))), "delegated_length": length}
