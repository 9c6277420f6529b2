"""A tenant's plan as dhcpd.conf of one family.

Ranges are split around excludes, assignments, reserved addresses and the gateway: dhcpd would give them. What dhcpd
cannot say is told by name.
"""

from ipaddress import ip_network

import msgspec

from api.exporters.holes import holes, pieces
from api.exporters.isc.classes import ClassWriter, boot, boot_options
from api.exporters.isc.options import OptionWriter
from api.exporters.isc.reasons import REASONS
from api.exporters.isc.text import block, quoted
from api.exporters.said import Losses, Said
from api.exporters.server_duid import parts
from api.exporters.site import Site
from api.importers.isc import server_id
from ipam_core.model.lifetimes import share
from ipam_core.model.subnet import NewSubnet
from ipam_core.model.values import colons, parse_mac, parse_octets

USUAL = {each.name: each.default for each in msgspec.structs.fields(NewSubnet)}
PREFERRED = 5 / 8
HARDWARE = {number: name for name, number in server_id.HARDWARE.items()}
SHARES = {"renew_time_seconds": (58, 0.5), "rebind_time_seconds": (59, 0.875)}


def write(site: Site) -> tuple[str, Losses]:
    losses = Losses("dhcpd", REASONS)
    return "\n".join(Isc(site, losses).lines()) + "\n", losses


class Isc:
    """One file."""

    def __init__(self, site: Site, losses: Losses) -> None:
        self.site = site
        self.family = site.family
        self.losses = losses
        self.options = OptionWriter(losses, site.family, site.definitions())
        self.classes = ClassWriter(losses, self.options)
        self.hosts: list[str] = []
        self.counted = 0

    def lines(self) -> list[str]:
        """Return definitions first, of what is found to be used by the rest."""
        body = self.options.all(self.site.all("global_options"))
        for said in self.site.all("option_definitions"):
            if said.fields.get("family", 4) == self.family:
                self.losses.whole(said, "is used as octets: dhcpd gets only their code")
        body += self.classes.all(self.site.all("client_classes"))
        body += self.networks()
        for said in self.site.all("reservations"):
            self.host(said, None)
        return [*self.server_duid(), *self.options.definitions(), *body, *self.hosts]

    def server_duid(self) -> list[str]:
        """Return our server DUID, so that clients continue with the server that they know."""
        if self.family == 4 or self.site.server_duid is None:
            return []
        found = parts(self.site.server_duid)
        hardware = HARDWARE.get(found.numbers.get("hardware", 0), "") if found else ""
        if found is None or not (hardware or found.type == "EN"):
            why = "has a type that dhcpd.conf cannot set: clients wait until they rebind"
            self.losses.tell(f"server-duid {self.site.server_duid.hex(':')}", why)
            return []
        numbers = [hardware if name == "hardware" else str(value) for name, value in found.numbers.items()]
        identifier = quoted(found.identifier) if found.type == "EN" else found.identifier.hex(":")
        return [f"server-duid {found.type} {' '.join(numbers)} {identifier};"]

    # --- subnets

    def networks(self) -> list[str]:
        found: list[str] = []
        shared: dict[str, list[str]] = {}
        for prefix in self.site.prefixes():
            for said in self.site.subnets(prefix):
                network = said.take("shared_network")
                (shared.setdefault(network, []) if network else found).extend(self.subnet(said))
            if prefix.take("cidr") not in [each["cidr"] for each in prefix.fields.get("subnets") or ()]:
                self.losses.tell(prefix.what, "dhcpd has subnets alone")
            self.losses.rest(prefix)
        for name, lines in shared.items():
            found += block(f"shared-network {quoted(name.encode())}", lines)
        return found

    def subnet(self, said: Said) -> list[str]:
        served = said.take("dhcp_enabled", True)
        network = ip_network(said.take("cidr"))
        of_version4 = f"subnet {network.network_address} netmask {network.netmask}"
        lines = self.settings(said) + boot(said, self.family) + boot_options(said, self.options)
        lines += self.own_options(said) + self.options.all(said.below("options"))
        if served:
            lines += self.ranges(said)
        for name in ("pools", "reservations") if not served else ():
            for each in said.below(name):
                self.losses.whole(each, "is in a subnet that is not served (dhcp_enabled false)")
        for each in said.below("excludes"):
            self.losses.whole(each, "is said by ranges that are split around it")
        for each in said.below("assignments"):
            self.losses.whole(each, "has no counterpart in dhcpd; no range gives its address")
        for each in said.below("reservations") if served else ():
            self.host(each, said)
        self.losses.rest(said)
        return block(of_version4 if self.family == 4 else f"subnet6 {network}", lines)

    def settings(self, said: Said) -> list[str]:
        lease = said.take("lease_time_seconds", USUAL["lease_time_seconds"])
        least, most = (said.take(f"{name}_lease_time_seconds", lease) for name in ("min", "max"))
        lines = [f"default-lease-time {lease};", f"min-lease-time {least};", f"max-lease-time {most};"]
        if self.family == 6:
            preferred = said.take("preferred_lifetime_seconds", share(lease, PREFERRED))
            rapid = ["option dhcp6.rapid-commit;"] if said.take("rapid_commit") else []
            return [*lines, f"preferred-lifetime {preferred};", *rapid]
        for name, (code, part) in SHARES.items():
            lines.append(self.options.line(code, {"value": said.take(name, share(lease, part))}))
        ignored = "false" if said.take("match_client_id", False) else "true"
        authoritative = "authoritative" if said.take("authoritative", True) else "not authoritative"
        return [*lines, f"ignore-client-uids {ignored};", f"{authoritative};"]

    def own_options(self, said: Said) -> list[str]:
        """Return fields of a subnet that are options there."""
        if self.family == 6:
            return []
        router, servers = said.take("gateway"), said.take("ntp_servers")
        codes = {each.get("code") for each in said.fields.get("options") or ()}
        values = {3: [router] if router else None, 42: servers}
        wanted = {code: each for code, each in values.items() if each and code not in codes}
        return [self.options.line(code, {"addresses": each}) for code, each in wanted.items()]

    # --- pools

    def ranges(self, said: Said) -> list[str]:
        left_out = holes(said.fields, reserved=True)
        lines: list[str] = []
        for pool in said.below("pools"):
            class_ = pool.take("class")
            if class_ and class_ not in self.classes.tests:
                self.losses.whole(pool, f"is for the class {class_}, which is left out")
                continue
            given = self.given(pool, left_out)
            options = self.options.all(pool.below("options"))
            allowed = [f"allow members of {quoted(class_.encode())};"] if class_ else []
            denied = [f"deny members of {quoted(each.encode())};" for each in self.classes.denied]
            if given:
                lines += block("pool" if self.family == 4 else "pool6", [*allowed, *denied, *options, *given])
            self.losses.rest(pool)
        return lines

    def given(self, pool: Said, left_out: list[tuple[int, int]]) -> list[str]:
        if pool.fields.get("prefix"):
            network, length = ip_network(pool.take("prefix")), pool.take("delegated_length")
            last = network.broadcast_address
            ends = ip_network((int(last), length), strict=False).network_address
            return [f"prefix6 {network.network_address} {ends} /{length};"]
        word = "range" if self.family == 4 else "range6"
        found = [f"{word} {start} {end};" for start, end in pieces(pool.fields, left_out)]
        for name in ("start_ip", "end_ip"):
            pool.take(name)
        if not found:
            self.losses.tell(
                pool.what, "has no address that is not excluded, assigned, reserved or the gateway's"
            )
        return found

    # --- hosts

    def host(self, said: Said, subnet: Said | None) -> None:
        """Write a host. Hosts are declared for the whole server; one without an address applies in all subnets."""
        identity = self.identity(said)
        address, prefix = said.take("ip"), said.take("prefix")
        if not identity or (address is None and prefix is None and subnet is not None):
            no_address = "without an address it would hold in all subnets"
            why = no_address if identity else "dhcpd knows no client by its identity"
            self.losses.whole(said, why)
            return
        version = "" if self.family == 4 else "6"
        lines = [identity, *([f"fixed-address{version} {address};"] if address else [])]
        lines += [f"fixed-prefix6 {prefix};"] if prefix else []
        name = said.take("hostname")
        if name and self.family == 4:
            lines.append(f"option host-name {quoted(name.encode())};")
        elif name:
            said.left["hostname"] = name
        lines += self.options.all(said.below("options"))
        self.losses.rest(said)
        self.counted += 1
        self.hosts += block(f"host {self.host_name(name)}", lines)

    def host_name(self, name: str | None) -> str:
        """Return the name of a declaration."""
        return f"{name}-{self.counted}" if name else f"host-{self.counted}"

    def identity(self, said: Said) -> str:
        """Return the first identity that dhcpd knows; further ones stay, and are reported."""
        if said.fields.get("duid") and self.family == 6:
            return f"host-identifier option dhcp6.client-id {octets(said.take('duid'))};"
        if said.fields.get("mac"):
            return f"hardware ethernet {parse_mac(said.take('mac'))};"
        if said.fields.get("client_id") and self.family == 4:
            return f"option dhcp-client-identifier {octets(said.take('client_id'))};"
        return ""


def octets(text: str) -> str:
    return colons(parse_octets(text))
