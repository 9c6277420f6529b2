"""Objects held against the model's own rules, as the server will hold them, before anything is sent."""

from collections.abc import Mapping
from ipaddress import ip_network
from typing import Any

from ipam_core.dhcp import kinds, registry
from ipam_core.dhcp.conditions import flatten
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.errors import ValidationError
from ipam_core.model import decoding
from ipam_core.model.client_class import check_class
from ipam_core.model.families import FAMILIES
from ipam_core.model.ranges import check_pool, check_range
from ipam_core.model.reservation import check_everywhere, check_reservation
from ipam_core.model.subnet import check_subnet, usable
from ipam_core.model.values import Network

PLACES = {"subnets": {"prefix_id": "here"}}
NEEDED = {
    "prefixes": ("cidr",),
    "subnets": ("cidr",),
    "pools": ("start_ip", "end_ip", "prefix", "delegated_length", "class"),
    "excludes": ("start_ip", "end_ip"),
    "options": ("code", "payload", "family"),
    "option-definitions": ("code", "name", "kind", "family"),
    "client-classes": ("name", "match"),
    "assignments": ("ip", "hostname"),
    "reservations": ("ip",),
}


class Judge:
    """Checker that knows the option definitions that the plan itself makes."""

    def __init__(self) -> None:
        self.definitions: list[OptionDef] = []

    def needed(self, family: str) -> tuple[str, ...]:
        """Return fields without which an object is another one, or none."""
        return NEEDED.get(family, ())

    def check(self, family: str, fields: Mapping[str, Any], inside: Mapping[str, Any]) -> None:
        """Raise ValidationError, whose field is one of these."""
        said = {name: value for name, value in fields.items() if name != "class"} | PLACES.get(family, {})
        command: Any = decoding.command(said, FAMILIES[family].new)
        cidr = ip_network(inside["cidr"]) if "cidr" in inside else None
        check_alone(family, command, cidr)
        if family == "option-definitions":
            self.define(fields)
        elif family == "options":
            self.check_option(command)

    def define(self, fields: Mapping[str, Any]) -> None:
        row: dict[str, Any] = {"family": 4, "array": False, "vendor_space": None, **fields}
        made = registry.definition_from(row | {"is_array": row["array"]})
        if reason := registry.why_unstorable(made.family, made.code):
            raise ValidationError("code", reason)
        if registry.lookup(made.family, made.code) and made.space is None:
            raise ValidationError("code", f"{made.code} is a standard option, which has its layout")
        self.definitions.append(made)

    def check_option(self, command: Any) -> None:
        family = command.family or 4
        if reason := registry.why_unstorable(family, command.code):
            raise ValidationError("code", reason)
        definition = registry.resolve(family, command.code, command.vendor_class, self.definitions)
        kinds.canonical(definition, command.payload)


def check_alone(family: str, command: Any, cidr: Network | None) -> None:
    """Check an object as far as that depends on its own fields and the subnet that contains it. Raises ValidationError
    as the server does."""
    if family == "subnets":
        check_subnet(command)
    elif family == "reservations":
        check_reservation(command, cidr) if cidr else check_everywhere(command)
    elif family == "client-classes":
        check_class(command)
        if command.match is not None:
            flatten(command.match)
    elif family == "pools" and cidr:
        check_pool(command, cidr)
    elif family == "excludes" and cidr:
        check_range(command, cidr)
    elif family == "assignments" and cidr and command.ip and not usable(command.ip, cidr):
        raise ValidationError("ip", f"{command.ip} is not an address of a host in {cidr}")
