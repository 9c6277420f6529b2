"""Fields in the one spelling that the server shows, whatever notation the file has: what is equal must look equal.

The types of a command's fields say how its values are read and written. What no type tells, names of DNS and payloads
of options, is spelt by the functions of which the server makes use too.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_network
from typing import Any

from msgspec import UNSET, Struct, to_builtins

from api.cli.site.shapes import Shape
from api.importers.judging import check_alone
from ipam_core.dhcp import kinds, registry
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.dns.names import domain_text, mailbox, owner_name, suffix_names, zone_name
from ipam_core.dns.rdata import record_data, record_type
from ipam_core.model import decoding
from ipam_core.model.values import Network, encode_value, text_or_octets

Fields = dict[str, Any]
IPV4 = 4


@dataclass(frozen=True)
class Around:
    """Surroundings of an entry, as far as its values depend on them. `tenant`: its name, None for the default one.
    `network`: of the subnet. `is_broken`: the entry or its subnet is wrong, so they are not compared. `zone`: name of
    the DNS zone; None: there is none, or it is wrong."""

    version: int = IPV4
    zone: str | None = None
    definitions: Sequence[OptionDef] = ()
    network: Network | None = None
    is_broken: bool = False
    tenant: str | None = None

    def inside(self, shape: Shape, fields: Mapping[str, Any] | None, said: Mapping[str, Any]) -> "Around":
        """Return the surroundings of objects below an entry. `fields`: None if they are wrong; `said`: as written."""
        if shape.family.name == "subnets":
            network = ip_network(fields["cidr"]) if fields else None
            version = network.version if network else 6 if ":" in str(said.get("cidr")) else IPV4
            return replace(self, version=version, network=network, is_broken=network is None)
        if shape.family.name == "dns-zones":
            return replace(self, zone=fields["name"] if fields else None)
        return self


def spelt(shape: Shape, said: Mapping[str, Any], around: Around) -> Fields:
    """Return all fields of an entry in file terms, with their defaults. `said`: in API terms, with the fields that the
    API requires in addition. Raises ValidationError on a field by the API's name."""
    command = decoding.command(said, shape.command)
    if not around.is_broken:
        check_alone(shape.family.items.name, command, around.network)
    fields = {}
    for field in shape.fields.values():
        value = getattr(command, field.api_name)
        if value is not UNSET:
            fields[field.name] = shown(value, field.is_text)
    return CANONICAL.get(shape.family.name, as_it_is)(fields, around)


def shown(value: Any, is_text: bool) -> Any:
    if isinstance(value, tuple | list):
        return [shown(each, is_text) for each in value]
    if isinstance(value, Struct):
        return to_builtins(value)
    if is_text and isinstance(value, bytes):
        return text_or_octets(value)
    return encode_value(value)


def as_it_is(fields: Fields, _around: Around) -> Fields:
    return fields


def option(fields: Fields, around: Around) -> Fields:
    family = fields["family"] or around.version
    definition = registry.resolve(family, fields["code"], fields["vendor_class"], around.definitions)
    return fields | {"family": family, "payload": kinds.canonical(definition, fields["payload"])}


def tenant(fields: Fields, _around: Around) -> Fields:
    return fields | {"dns_suffixes": suffix_names(fields["dns_suffixes"]), "limits": fields["limits"] or {}}


def zone(fields: Fields, _around: Around) -> Fields:
    mname, rname = fields["mname"], fields["rname"]
    return fields | {
        "name": zone_name(fields["name"]),
        "mname": None if mname is None else domain_text("mname", mname),
        "rname": None if rname is None else mailbox(rname),
    }


def record(fields: Fields, around: Around) -> Fields:
    kind = record_type(fields["type"])
    if around.zone is None:  # the zone is reported
        return fields
    data = record_data(kind, fields["data"], around.zone)
    return fields | {"name": owner_name(fields["name"], around.zone), "type": kind, "data": data}


CANONICAL: dict[str, Callable[[Fields, Around], Fields]] = {
    "options": option,
    "global-options": option,
    "tenants": tenant,
    "dns-zones": zone,
    "dns-records": record,
}
