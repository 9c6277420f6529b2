"""A table as a plan: networks first, wherever they stand, then what lies in them.

A row is what its column `kind` says, else what it holds: an address with a client is a reservation, one with a name
alone an assignment, two addresses are a pool, a code and a value an option.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from ipaddress import IPv4Network, IPv6Network, ip_network

from api.importers.clashes import settle
from api.importers.faults import SourceError
from api.importers.lines import lines_of, lose
from api.importers.networks import Networks
from api.importers.options import Option, into_fields, payload_of
from api.importers.plan import Fields, Plan, Planned, Planner, Reason, ref_there
from api.importers.rows import Columns, Row, aliases_among, rows
from api.importers.table.columns import CONSTANT, USUAL, fields_of
from api.importers.windows.identities import identity, seconds
from ipam_core.dhcp import registry
from ipam_core.dhcp.kinds.definition import unknown
from ipam_core.model.csv_cells import unguarded
from ipam_core.model.families import CUTOVER, FAMILIES
from ipam_core.model.values import parse_hostname, parse_mac

SEPARATORS = ",;\t|"
KINDS = tuple(FAMILIES[name].singular for name in CUTOVER[CUTOVER.index("subnets") :])
RESOLVERS = {4: 6, 6: 23}
DOMAIN = 15
OF_NETWORK = ("gateway", "dns", "domain", "lease", "vlan")
NO_NETWORK = "lies in no network of the table"
MENDS = "name networks in a column, or for all rows by --map network==192.0.2.0/24 (a second = sets a value)"
UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


There = Callable[[], Iterable[IPv4Network | IPv6Network]]
"""Reads the subnets of the server."""


def read(text: str, said: Mapping[str, str] | None = None, there: There | None = None) -> Plan:
    """Return the plan of a table. `said`: columns by fields. `there`: None if no server is asked. Raises SourceError
    for a table without a header."""
    return Table(text, said or {}, there).whole()


class Table:
    """One file."""

    def __init__(self, text: str, said: Mapping[str, str], there: There | None = None) -> None:
        self.planner = Planner("csv")
        self.subnets = Networks()
        self.there = there
        self.others: Networks | None = None
        self.said_of: dict[str, dict[str, str]] = {}
        self.text = text
        self.constant = {name: each[1:].strip() for name, each in said.items() if each.startswith(CONSTANT)}
        start, header = next(((at, line) for at, line in self.lines() if not is_preamble(line)), (1, ""))
        self.header = start
        self.separator = max(SEPARATORS, key=header.count)
        names = next((cells for line, cells in rows(text, self.separator) if line >= start), [])
        if not header:
            raise SourceError(1, "is an empty table")
        self.names = fields_of([unguarded(each.strip().lstrip("\ufeff")) for each in names], said, start)
        if not {"ip", "network", "start"} & {*self.names, *self.constant}:
            why = f"has no column of addresses: choose one with --map ip=..., of {', '.join(names)}"
            raise SourceError(start, why)
        self.columns = Columns(self.names, USUAL)
        self.makers: dict[str, Callable[[Row], None]] = {
            "pool": lambda row: self.span(row, "pools"),
            "exclude": self.exclude,
            "reservation": self.reserve,
            "assignment": self.assign,
            "option": self.option,
        }

    def lines(self) -> Iterator[tuple[int, str]]:
        return enumerate(lines_of(self.text), 1)

    def rows(self, columns: Columns) -> Iterator[Row]:
        for line, cells in rows(self.text, self.separator):
            if line > self.header:
                row = columns.row(line, "", cells)
                row.cells = self.constant | row.cells
                row.kind = kind_of(row)
                yield row

    def whole(self) -> Plan:
        self.everywhere()
        for row in self.rows(Columns(self.names, self.names)):
            self.network(row)
        statements = self.planner.plan.statements
        for row in self.rows(self.columns):
            self.row(row)
            statements.warned += row.told
            statements.read += not row.told
        for name, unread in self.columns.unread.items():
            what = f"{name} (rows: {unread.rows})"
            self.planner.warn(
                unread.line, "dropped", what, "is not a known field: assign it with --map if it is one"
            )
        settle(self.planner)
        return self.planner.finish()

    def lose(self, row: Row, reason: Reason, why: str) -> None:
        what = next((row.said(name) for name in ("ip", "start", "network", "code") if row.said(name)), "")
        lose(self.planner, row, reason, f"{row.kind or 'row'} {what}".strip(), why)

    # --- networks

    def everywhere(self) -> None:
        """Make networks that the user names for all rows; each row is in the one that contains it."""
        if "mask" not in self.constant and "/" in self.constant.get("network", ""):
            for cidr in re.split(r"[;\s]+", self.constant.pop("network")):
                self.subnet(Row(self.header, "subnet", {"network": cidr}))

    def network(self, row: Row) -> None:
        """Make a subnet for a row with a whole network; of another kind it may name an existing network."""
        cidr = cidr_of(row)
        if "/" in cidr:
            self.subnet(row)

    def subnet(self, row: Row) -> None:
        try:
            network = ip_network(cidr_of(row))
        except ValueError as error:
            if row.kind == "subnet":
                return  # reported when the row is read
            self.planner.warn(row.line, "dropped", f"network {cidr_of(row)}", str(error))
            return
        if self.subnets.exactly(network):
            return
        lease, vlan = row.said("lease"), row.said("vlan")
        fields: Fields = {
            "cidr": str(network),
            "gateway": row.said("gateway") or None,
            "lease_time_seconds": lease_of(lease) or lease or None,
            "vlan_id": int(vlan) if re.fullmatch("[0-9]{1,4}", vlan) else vlan or None,
        }
        if row.kind == "subnet":
            fields |= {"name": row.said("hostname") or None, "description": row.said("description") or None}
        options = self.options_of(row, network.version)
        prefix = self.planner.add("prefixes", row.line, {"cidr": str(network)})
        made = prefix and self.planner.add("subnets", row.line, fields, prefix)
        if made:
            self.subnets.add(network, made)
            self.said_of[made.ref] = {name: row.said(name) for name in OF_NETWORK}
            self.place(options, made)

    def options_of(self, row: Row, version: int) -> list[Option]:
        found = []
        if row.said("dns"):
            payload: Fields = {"addresses": row.several("dns")}
            found.append(
                Option(row.line, {"code": RESOLVERS[version], "payload": payload, "family": version})
            )
        if row.said("domain") and version == 4:
            payload = {"string": row.said("domain")}
            found.append(Option(row.line, {"code": DOMAIN, "payload": payload, "family": version}))
        return found

    def place(self, options: list[Option], inside: Planned) -> None:
        for each in options:
            self.planner.add("options", each.line, each.fields, inside)

    # --- rows

    def subnet_of(self, row: Row, address: str) -> Planned | None:
        """Return the subnet of the table, or else of the server, that contains an address; None is reported. Fields of
        the network are those of the row that made it, or of the server."""
        subnet = self.subnets.of_text(address) or self.subnet_there(address)
        if subnet is None:
            where = f"{NO_NETWORK} and in no subnet of the server" if self.there else NO_NETWORK
            more = (
                MENDS if self.there else f"{MENDS}; --dry-run and --apply also use the subnets of the server"
            )
            self.lose(row, "dropped", f"{where}: {more}")
            return None
        said = self.said_of.get(subnet.ref)
        for name in OF_NETWORK:
            if row.said(name) and (said is None or row.said(name) != said[name]):
                source = f"and is taken from line {subnet.line}" if said else "which exists: change it there"
                why = f"is of the network {subnet.fields['cidr']}, {source}"
                self.planner.warn(row.line, "dropped", f"{name} {row.said(name)}", why)
        return subnet

    def subnet_there(self, address: str) -> Planned | None:
        """Return the subnet of the server that contains an address. The server is asked once, if at all."""
        if self.there is None:
            return None
        if self.others is None:
            self.others = Networks()
            for network in self.there():
                self.others.add(
                    network, Planned(ref="", family="subnets", line=0, fields={"cidr": str(network)})
                )
        found = self.others.of_text(address)
        if found is None:
            return None
        made = self.planner.by_ref.get(ref_there(found.fields["cidr"]))
        return made or self.planner.use(found.fields["cidr"])

    def row(self, row: Row) -> None:
        if row.kind == "subnet":
            self.check_subnet(row)
        elif row.kind in self.makers:
            self.makers[row.kind](row)
        elif row.said("kind"):
            self.lose(row, "dropped", f"kind {row.said('kind')} is none of {', '.join(KINDS)}")
        else:
            self.lose(
                row, "dropped", "has neither an address with a client or a name, nor a range, nor a network"
            )

    def check_subnet(self, row: Row) -> None:
        """Check that the subnet was made before, unless it cannot be, or the table has it twice."""
        try:
            made = self.subnets.exactly(ip_network(cidr_of(row)))
        except ValueError as error:
            self.lose(row, "dropped", str(error))
            return
        if made is None:
            row.tell()  # reports the model's refusal
        elif made.line != row.line:
            self.lose(row, "dropped", f"is there already, in line {made.line}")

    def span(self, row: Row, family: str) -> None:
        start = row.said("start") or row.said("ip")
        subnet = self.subnet_of(row, start)
        if subnet is None:
            return
        fields: Fields = {"start_ip": start, "end_ip": row.said("end") or start}
        if family == "pools":
            fields["name"] = row.said("hostname") or None
        else:
            fields["description"] = described(row)
        if not self.planner.add(family, row.line, fields, subnet):
            row.tell()

    def exclude(self, row: Row) -> None:
        self.span(row, "excludes")

    def reserve(self, row: Row) -> None:
        ip = row.said("ip")
        subnet = self.subnet_of(row, ip)
        fields = {"ip": ip} | client_of(row) | named(row)
        fields |= self.aliases(row, fields.get("hostname"))
        if subnet and not self.planner.add("reservations", row.line, fields, subnet):
            row.tell()

    def assign(self, row: Row) -> None:
        ip = row.said("ip")
        subnet = self.subnet_of(row, ip)
        fields = {"ip": ip, "hostname": row.said("hostname"), "description": row.said("description") or None}
        fields |= self.aliases(row, fields["hostname"] or None)
        if subnet and not self.planner.add("assignments", row.line, fields, subnet):
            row.tell()

    def aliases(self, row: Row, hostname: str | None) -> Fields:
        """Return the field if the row has any aliases."""
        texts = re.split(r"[,;\s]+", row.said("aliases"))
        aliases, others = aliases_among(filter(None, texts), hostname)
        if others:
            self.lose(row, "dropped", f"{', '.join(others)}: no aliases that the host can have")
        return {"aliases": aliases} if aliases else {}

    def option(self, row: Row) -> None:
        """Set an option of the network that its row names, by its address or whole."""
        subnet = self.subnet_of(row, row.said("network").partition("/")[0])
        code = row.said("code")
        if subnet is None:
            return
        if not re.fullmatch("[0-9]{1,5}", code):
            self.lose(row, "dropped", f"code {code} is none")
            return
        version = ip_network(subnet.fields["cidr"]).version
        definition = registry.lookup(version, int(code)) or unknown(version, int(code))
        payload = payload_of(
            definition, re.sub(r"\s*[;,]\s*|\s+(?=[0-9a-fA-F.:/]+$)", ",", row.said("value"))
        )
        if definition.kind in ("string", "ascii"):
            payload = {"string": row.said("value")}
        if payload is None:
            self.lose(row, "dropped", f"{row.said('value')!r} is not understood")
            return
        option = Option(row.line, {"code": int(code), "payload": payload, "family": version})
        is_ours = subnet.ref in self.said_of
        rest = self.settle_option(option, subnet) if version == 4 and is_ours else [option]
        self.place(rest, subnet)

    def settle_option(self, option: Option, subnet: Planned) -> list[Option]:
        """Settle an option: those that are fields of a subnet become these, if the model takes them."""
        fields = dict(subnet.fields)
        rest = into_fields({option.code: option}, fields)
        trial = Planned(ref="", family="subnets", line=option.line, fields=fields)
        if rest or (fault := self.planner.fault(trial, None)) is None:
            subnet.fields.update(fields)
        else:
            self.planner.warn(option.line, "dropped", f"option {option.code}", fault.reason)
        return list(rest.values())


def is_preamble(line: str) -> bool:
    """Return lines before the header that PowerShell and spreadsheets write."""
    return not line.strip() or line.lstrip("\ufeff").startswith(("#", "sep="))


def kind_of(row: Row) -> str:
    """Return the kind of a row as it names it, else by its contents; empty: it has none."""
    if row.said("kind"):
        return next((each for each in KINDS if each == row.said("kind").lower().removesuffix("s")), "")
    if row.said("code"):
        return "option"
    if row.said("ip"):
        client = any(row.said(name) for name in ("mac", "client", "duid"))
        return "reservation" if client else "assignment" if row.said("hostname") else ""
    return "pool" if row.said("start") else "subnet" if row.said("network") else ""


def cidr_of(row: Row) -> str:
    network, mask = row.said("network"), row.said("mask")
    return f"{network}/{mask}" if mask and "/" not in network else network


def lease_of(text: str) -> int | None:
    """Return the lease time of 3600, 12h, 8.00:00:00."""
    found = re.fullmatch(r"([0-9]{1,9})\s*([smhdw]?)", text.lower())
    return int(found[1]) * UNITS[found[2]] if found else seconds(text)


def client_of(row: Row) -> Fields:
    """Return the client; an id of six octets is a hardware address, as Windows has it."""
    found: Fields = {"mac": row.said("mac") or None, "duid": row.said("duid") or None}
    with suppress(ValueError):  # the model refuses a text that is no MAC address
        found["mac"] = parse_mac(row.said("mac"))
    if client := row.said("client"):
        found |= identity(client) or {"client_id": client}
    return found


def named(row: Row) -> Fields:
    """Return the name; one that no host can have goes before the description."""
    try:
        return {
            "hostname": parse_hostname(row.said("hostname")),
            "description": row.said("description") or None,
        }
    except ValueError:
        return {"description": described(row)}


def described(row: Row) -> str | None:
    return ": ".join(filter(None, (row.said("hostname"), row.said("description")))) or None
