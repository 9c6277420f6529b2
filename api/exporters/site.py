"""One tenant's part of a site file's document: other servers know no tenants."""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Any

from api.exporters.said import LISTS, Losses, Said
from ipam_core.dhcp import registry
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.errors import IpamError
from ipam_core.model.families import CUTOVER

NO_COUNTERPART = tuple(name for name, family in LISTS.items() if family not in (*CUTOVER, "tenants"))


@dataclass(eq=False)
class ChoiceError(IpamError):
    """{option} is needed: {reason}"""

    option: str
    reason: str


@dataclass
class Site:
    """`family`: 4 or 6. Objects of the other one are in another file. `server_duid`: that of our DHCPv6 servers, where
    it is known."""

    family: int
    lists: Mapping[str, Any]
    server_duid: bytes | None = None

    def all(self, name: str) -> list[Said]:
        return [Said(LISTS[name], each) for each in self.lists.get(name) or ()]

    def subnets(self, prefix: Said) -> list[Said]:
        return [
            Said("subnets", each)
            for each in prefix.fields.get("subnets") or ()
            if ip_network(each["cidr"]).version == self.family
        ]

    def prefixes(self) -> list[Said]:
        return [
            each for each in self.all("prefixes") if ip_network(each.fields["cidr"]).version == self.family
        ]

    def definitions(self) -> list[OptionDef]:
        usual = {"family": 4, "array": False, "vendor_space": None}
        rows = [usual | dict(each.fields) for each in self.all("option_definitions")]
        return [registry.definition_from(row | {"is_array": row["array"]}) for row in rows]


def of_tenant(
    document: Mapping[str, Any], name: str | None, family: int | None, server_duid: bytes | None = None
) -> Site:
    """Return the default tenant's where no name is given. Raises ChoiceError."""
    tenants = document.get("tenants") or []
    entry = next((each for each in tenants if each["name"] == name), None)
    if name is not None and entry is None and tenants_named(document):
        raise ChoiceError("--tenant", f"there is no {name}; there are {', '.join(tenants_named(document))}")
    lists = document if name is None else entry or document
    return Site(family or only_family(lists), lists, server_duid)


def tenants_named(document: Mapping[str, Any]) -> list[str]:
    return [each["name"] for each in document.get("tenants") or ()]


def only_family(lists: Mapping[str, Any]) -> int:
    found = {ip_network(each["cidr"]).version for each in lists.get("prefixes") or ()}
    if len(found) == 2:
        raise ChoiceError("--family", "the plan has subnets of both: 4 or 6")
    return found.pop() if found else 4


def tell_others(document: Mapping[str, Any], site: Site, losses: Losses) -> None:
    """Report objects that no DHCP server takes, and the other tenants."""
    for name in NO_COUNTERPART:
        for each in site.all(name):
            losses.whole(each, f"has no counterpart in {losses.server}")
    for entry in document.get("tenants") or ():
        if entry is not site.lists and any(entry.get(name) for name in LISTS):
            losses.tell(f"tenants {entry['name']}", f"is not in this file: --tenant {entry['name']}")
