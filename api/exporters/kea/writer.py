"""A tenant's plan as Kea's configuration of one family.

What Kea cannot say is told by name, and nothing is made wider than it was: what is for a class that no expression says
is left out. Kea has no excludes, so its pools are split around them, and around assignments and the gateway. Fields for
people stand in user-context, where an import finds them again.
"""

from ipaddress import ip_network

import msgspec

from api.exporters.holes import holes, pieces
from api.exporters.kea.classes import ClassWriter, boot, boot_options
from api.exporters.kea.context import context
from api.exporters.kea.options import OptionWriter
from api.exporters.kea.reasons import REASONS
from api.exporters.said import Fields, Losses, Said
from api.exporters.server_duid import parts
from api.exporters.site import Site
from api.importers.kea.context import SUBNET_ID
from api.importers.kea.reader import FLAGS, NUMBERS, TEXTS
from ipam_core.model.families import Level, objects
from ipam_core.model.lifetimes import share
from ipam_core.model.subnet import NewSubnet

USUAL = {each.name: each.default for each in msgspec.structs.fields(NewSubnet)}
IDENTITIES = {
    4: {"mac": "hw-address", "client_id": "client-id", "duid": "duid", "circuit_id": "circuit-id"},
    6: {"duid": "duid", "mac": "hw-address"},
}
"""In the order in which our servers look for them; Kea knows a client by one."""
SERVER_ID = {"hardware": "htype", "time": "time", "enterprise": "enterprise-id"}
GIVEN = ("ip", "prefix", "hostname", "class", "options")
AS_OPTIONS = {"gateway": 3, "ntp_servers": 42}
PREFERRED = 5 / 8
"""Of the lease, where a subnet of IPv6 does not say it."""


def write(site: Site) -> tuple[str, Losses]:
    losses = Losses("Kea", REASONS)
    document = Kea(site, losses).document()
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n", losses


class Kea:
    """One configuration."""

    def __init__(self, site: Site, losses: Losses) -> None:
        self.site = site
        self.family = site.family
        self.losses = losses
        self.options = OptionWriter(losses, site.family, site.definitions())
        self.classes = ClassWriter(losses, self.options)
        self.ids: set[int] = set()

    def document(self) -> Fields:
        server: Fields = {
            "interfaces-config": {"interfaces": ["*"]},
            "lease-database": {"type": "memfile"},
            "host-reservation-identifiers": list(IDENTITIES[self.family].values()),
        } | self.usual()
        server["option-def"] = self.options.definitions(self.site.all("option_definitions"))
        server["option-data"] = self.options.all(self.site.all("global_options"))
        server["client-classes"] = self.classes.all(
            self.site.all("client_classes"), narrower_codes(self.site)
        )
        server |= self.server_id()
        server |= self.networks()
        server |= self.everywhere()
        return {f"Dhcp{self.family}": {name: value for name, value in server.items() if value != []}}

    def usual(self) -> Fields:
        """Return our defaults where Kea has others."""
        lifetime = USUAL["lease_time_seconds"]
        if self.family == 6:
            return {"valid-lifetime": lifetime, "preferred-lifetime": int(lifetime * PREFERRED)}
        tee = {"calculate-tee-times": True, "t1-percent": 0.5, "t2-percent": 0.875}
        return {"valid-lifetime": lifetime, "match-client-id": False, "authoritative": True} | tee

    def server_id(self) -> Fields:
        """Return our server id, so that clients continue with the server that they know."""
        if self.family == 4 or self.site.server_duid is None:
            return {}
        found = parts(self.site.server_duid)
        if found is None:
            why = "has a type that Kea cannot set: clients wait until they rebind"
            self.losses.tell(f"server-duid {self.site.server_duid.hex(':')}", why)
            return {}
        numbers = {SERVER_ID[name]: value for name, value in found.numbers.items()}
        return {"server-id": {"type": found.type, **numbers, "identifier": found.identifier.hex()}}

    # --- subnets

    def networks(self) -> Fields:
        alone: list[Fields] = []
        shared: dict[str, Fields] = {}
        own = f"subnet{self.family}"
        for prefix in self.site.prefixes():
            for said in self.site.subnets(prefix):
                network = said.take("shared_network")
                place = shared.setdefault(network, {"name": network, own: []})[own] if network else alone
                place.append(self.subnet(said))
            self.tell_prefix(prefix)
        return {own: alone, "shared-networks": list(shared.values())}

    def tell_prefix(self, said: Said) -> None:
        cidr = said.take("cidr")
        if cidr not in [each["cidr"] for each in said.fields.get("subnets") or ()]:
            self.losses.tell(said.what, "Kea has subnets alone")
        self.losses.rest(said)

    def subnet(self, said: Said) -> Fields:
        served = bool(said.fields.get("dhcp_enabled", True))
        inside = self.contents(said) if served else {}
        options = boot_options(said, self.options) + self.own_options(said)
        made = {"id": self.number(said), "subnet": said.take("cidr")} | self.settings(said)
        made |= {"option-data": options + self.options.all(said.below("options"))} | inside
        made |= context(said)
        if not served:
            self.tell_contents(said)
        self.losses.rest(said)
        return {name: value for name, value in made.items() if value not in (None, [], {})}

    def number(self, said: Said) -> int:
        """Return Kea's number of it, if it once had one."""
        custom = said.take("custom") or {}
        wanted = custom.get(SUBNET_ID)
        rest = {name: value for name, value in custom.items() if name != SUBNET_ID}
        if rest:
            said.left["custom"] = rest
        free = next(each for each in range(1, len(self.ids) + 2) if each not in self.ids)
        number = wanted if isinstance(wanted, int) and wanted > 0 and wanted not in self.ids else free
        self.ids.add(number)
        return number

    def settings(self, said: Said) -> Fields:
        found = {theirs: said.take(ours) for theirs, ours in (NUMBERS | TEXTS | FLAGS).items()}
        relays = said.take("relay_addresses")
        found["relay"] = {"ip-addresses": relays} if relays else None
        if self.family == 4:
            return found | boot(said, 4)
        preferred = said.take("preferred_lifetime_seconds")
        lifetime = found["valid-lifetime"] or USUAL["lease_time_seconds"]
        found["preferred-lifetime"] = preferred or share(lifetime, PREFERRED)
        return found | {"rapid-commit": said.take("rapid_commit")}

    def own_options(self, said: Said) -> list[Fields]:
        """Return fields of a subnet that are options there."""
        if self.family == 6:
            return []
        router, servers = said.take("gateway"), said.take("ntp_servers")
        codes = {each.get("code") for each in said.fields.get("options") or ()}
        values = {3: [router] if router else None, 42: servers}
        said_so = {code: each for code, each in values.items() if each and code not in codes}
        return [
            made for code, each in said_so.items() for made in self.options.data(code, {"addresses": each})
        ]

    def contents(self, said: Said) -> Fields:
        left_out = holes(said.fields, reserved=False)
        pools = sorted(said.below("pools"), key=lambda each: not each.fields.get("class"))
        found: Fields = {"pools": [], "pd-pools": []}
        for pool in pools:
            made = self.pool(pool)
            if made is None:
                continue
            if pool.fields.get("prefix"):
                found["pd-pools"].append(delegation(pool) | made)
            else:
                ends = list(pieces(pool.fields, left_out))
                found["pools"] += [{"pool": f"{start} - {end}"} | made for start, end in ends]
                self.tell_pieces(pool, len(ends))
            self.losses.rest(pool)
        for each in said.below("excludes"):
            self.losses.whole(each, "is said by pools that are split around it")
        for each in said.below("assignments"):
            self.losses.whole(each, "has no counterpart in Kea; no pool gives its address")
        found["reservations"] = self.reservations(said.below("reservations"))
        return found

    def tell_contents(self, said: Said) -> None:
        for family in objects(Level.SUBNET):
            for each in said.below(family.name):
                self.losses.whole(each, "is in a subnet that is not served (dhcp_enabled false)")

    # --- pools and reservations

    def pool(self, said: Said) -> Fields | None:
        """Return the pool's settings beside its ends; None for one of a class that Kea does not have."""
        class_ = said.take("class")
        if class_ and class_ not in self.classes.names:
            self.losses.whole(said, f"is for the class {class_}, which is left out")
            return None
        options = self.options.all(said.below("options"))
        for name in ("start_ip", "end_ip"):
            said.take(name)
        made = {"client-class": class_, "option-data": options} | context(said)
        return {name: value for name, value in made.items() if value not in (None, [])}

    def tell_pieces(self, said: Said, count: int) -> None:
        if count == 0:
            self.losses.tell(said.what, "has no address that is not excluded, assigned or the gateway's")

    def reservations(self, entries: list[Said]) -> list[Fields]:
        return [made for each in entries if (made := self.reservation(each)) is not None]

    def reservation(self, said: Said) -> Fields | None:
        known = [name for name in IDENTITIES[self.family] if said.fields.get(name)]
        if not known:
            self.losses.whole(said, f"has no identity by which Kea knows clients of DHCPv{self.family}")
            return None
        if not any(said.fields.get(name) for name in GIVEN):
            self.losses.whole(said, "gives its client nothing, which Kea refuses")
            return None
        made: Fields = {IDENTITIES[self.family][known[0]]: identity(known[0], said.take(known[0]))}
        address, prefix = said.take("ip"), said.take("prefix")
        if self.family == 4:
            made["ip-address"] = address
        else:
            made |= {"ip-addresses": [address] if address else [], "prefixes": [prefix] if prefix else []}
        made["hostname"] = said.take("hostname")
        made["client-classes"] = self.class_of(said)
        made["option-data"] = self.options.all(said.below("options"))
        made |= context(said)
        for name in known[1:]:
            self.losses.tell(f"{said.what}: {name} {said.take(name)}", "Kea knows a client by one identity")
        self.losses.rest(said)
        return {name: value for name, value in made.items() if value not in (None, [])}

    def class_of(self, said: Said) -> list[str]:
        class_ = said.take("class")
        if class_ and class_ not in self.classes.names:
            self.losses.tell(f"{said.what}: class {class_}", "the class is left out")
            return []
        return [class_] if class_ else []

    def everywhere(self) -> Fields:
        """Return reservations of all subnets."""
        usable = [
            each
            for each in self.site.all("reservations")
            if any(map(each.fields.get, IDENTITIES[self.family]))
        ]
        made = self.reservations(usable)
        return (
            {"reservations": made, "reservations-global": True, "reservations-in-subnet": True}
            if made
            else {}
        )


def narrower_codes(site: Site) -> set[int]:
    """Return options that subnets and pools have: Kea lets them go before those of a class."""
    found: set[int] = set()
    for subnet in (each for prefix in site.prefixes() for each in site.subnets(prefix)):
        found |= {code for name, code in AS_OPTIONS.items() if subnet.fields.get(name)}
        for said in (subnet, *subnet.below("pools")):
            found |= {each.fields["code"] for each in said.below("options")}
    return found


def delegation(said: Said) -> Fields:
    network, excluded = ip_network(said.take("prefix")), said.take("excluded_prefix")
    made: Fields = {
        "prefix": str(network.network_address),
        "prefix-len": network.prefixlen,
        "delegated-len": said.take("delegated_length"),
    }
    if excluded:
        address, length = excluded.split("/")
        made |= {"excluded-prefix": address, "excluded-prefix-len": int(length)}
    return made


def identity(name: str, value: str) -> str:
    """Return the identity; a circuit id is text in quotes, or octets."""
    if name != "circuit_id" or value.startswith("0x"):
        return value.removeprefix("0x")
    return f"'{value}'" if "'" not in value else value.encode().hex()
