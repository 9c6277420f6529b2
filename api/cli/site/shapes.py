"""Lists and fields of a site file. All follows from the families and their commands: what is added to a model is in the
file at once, and a family that hangs on a tenant too.

A field that names an object by its id bears that object's name in the file: `class_id` is `class`, `ddns_dns_server_id`
is `ddns_dns_server`.
"""

from functools import cache
from typing import Any, NamedTuple, get_args

import msgspec
from msgspec import NODEFAULT, UNSET

from api.cli.shapes import LISTS
from api.cli.titles import option_key, span
from ipam_core.model import credential_url
from ipam_core.model.base import Command
from ipam_core.model.families import FAMILIES, IN_FILES, Family
from ipam_core.model.values import TextOrOctets

TOP = ""
TENANT = "tenants"
PREFIX = "prefixes"
SUBNET = "subnets"
DEFINITIONS = "option-definitions"
OWN = IN_FILES
"""Families that a file may contain."""
INSIDE = {SUBNET: PREFIX, "assignments": SUBNET}
"""Families whose commands name what they stand in; of the others the path does."""
REFERRED = ("client-classes", "dns-servers")
"""Fields of others name these."""
FIRST = (TENANT, DEFINITIONS, *REFERRED)
"""What others stand on: made before them, and deleted after them."""
PLACES = {FAMILIES[name].key for name in (TENANT, PREFIX, SUBNET)}
"""Fields that say where an object stands; in the file it simply stands there."""

KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "prefixes": (("cidr",),),
    "subnets": (("cidr",),),
    "pools": (("start_ip", "end_ip", "prefix"), ("name",), ("start_ip",), ("end_ip",)),
    "excludes": (("start_ip", "end_ip"), ("start_ip",), ("end_ip",)),
    "reservations": (
        ("mac", "duid", "client_id", "circuit_id", "remote_id", "subscriber_id"),
        *((name,) for name in ("mac", "duid", "client_id", "circuit_id", "remote_id", "subscriber_id", "ip")),
    ),
    "options": (("family", "code", "vendor_class"),),
    "global-options": (("family", "code", "vendor_class"),),
    "option-definitions": (("family", "code", "vendor_space"),),
    "assignments": (("ip",), ("hostname",)),
    "trusted-relays": (("cidr",),),
    "dns-records": (("name", "type", "data"), ("name", "type")),
    "webhooks": (("url",),),
}
"""By which an entry of the file is an object of the server, tried in this order; of the others it is the name."""


class Field(NamedTuple):
    """`name` is the file's, `api_name` the API's. `default`: of JSON; UNSET: what is left out stays as it is. `hidden`:
    no answer shows it. `refers`: the family whose names it holds. `credential`: exports leave it out or shorten it
    (credential_urls.py)."""

    name: str
    api_name: str
    default: Any
    required: bool
    hidden: bool
    refers: Family | None
    is_text: bool
    credential: bool


class Shape(NamedTuple):
    """A list of the file: its name there, its family, and the fields of its entries by name."""

    name: str
    family: Family
    command: type[Command]
    fields: dict[str, Field]

    @property
    def keys(self) -> tuple[tuple[str, ...], ...]:
        return KEYS.get(self.family.name, (("name",),))

    @property
    def is_marked(self) -> bool:
        """Whether an object can say by which file it was made."""
        return "description" in self.fields

    @property
    def credentials(self) -> set[str]:
        """Names of the fields that are credentials and shown to admins."""
        return {name for name, field in self.fields.items() if field.credential}

    def field_of(self, api_name: str) -> str:
        """Return the file's name of a field."""
        return next((each.name for each in self.fields.values() if each.api_name == api_name), api_name)

    def label(self, entry: dict[str, Any], version: int = 4) -> str:
        """Return the family of an entry and its key, for messages: options ntp-servers (42). `version`: address family
        of an option whose entry contains none."""
        return " ".join([self.family.name, *self.key_of(entry, version)])

    def around(self, entry: dict[str, Any]) -> str:
        """Return what an entry is called by what stands in it; empty where those are told apart without that."""
        return "" if self.family.name == PREFIX else " ".join([self.family.label, *self.key_of(entry)])

    def key_of(self, entry: dict[str, Any], version: int = 4) -> list[str]:
        if "payload" in self.fields:
            return option_key(entry, version)
        if entry.get("start_ip") and entry.get("end_ip"):
            return [span(str(entry["start_ip"]), str(entry["end_ip"]))]
        found: list[str] = []
        for names in self.keys:
            found = found or [
                self.spoken(name, entry[name]) for name in names if entry.get(name) not in (None, "")
            ]
        return found

    def spoken(self, name: str, value: Any) -> str:
        """Return a value of the key as outputs show it."""
        is_hidden = self.fields[name].credential and isinstance(value, str)
        return str(credential_url.concealed(name, value) if is_hidden else value)


@cache
def shape(family_name: str) -> Shape:
    family = FAMILIES[family_name]
    command = family.new
    # Fields that the service changes by itself are in no file, because the file would revert them.
    left_out = {*PLACES, *family.model.untagged}
    fields = [field(family, info) for info in msgspec.structs.fields(command) if info.name not in left_out]
    name = (family.below or family.name).replace("-", "_")
    return Shape(name, family, command, {each.name: each for each in fields})


@cache
def shapes_in(level: str) -> dict[str, Shape]:
    """Return the lists below an entry of a family, or at the top of the file, by name; what others refer to first."""
    found = [family.name for family in OWN if level in levels_of(family)]
    found.sort(key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
    return {each.name: each for each in map(shape, found)}


def levels_of(family: Family) -> tuple[str, ...]:
    """Return the levels below which it may be in the file."""
    if family.name == TENANT:
        return (TOP,)
    if family.name in INSIDE:
        return (INSIDE[family.name],)
    return (*family.above, *(() if family.above and not family.alone else (TOP, TENANT)))


def field(family: Family, info: msgspec.structs.FieldInfo) -> Field:
    name, refers = reference(info.name)
    return Field(
        name=name,
        api_name=info.name,
        default=default_of(info),
        required=info.required,
        hidden=info.name not in family.model.__struct_fields__,
        refers=refers,
        is_text=mentions(info.type, TextOrOctets),
        credential=info.name in credential_url.OF.get(family.singular, ()),
    )


def reference(api_name: str) -> tuple[str, Family | None]:
    """Return the file's name of a field, and what family it refers to."""
    if api_name in LISTS:
        name, refers = LISTS[api_name]
        return name, FAMILIES[refers]
    for family in OWN:
        if api_name == family.key or api_name.endswith(f"_{family.key}"):
            return api_name.removesuffix("_id"), family
    return api_name, None


def default_of(info: msgspec.structs.FieldInfo) -> Any:
    """Return the default as JSON has it."""
    default = info.default if info.default_factory is NODEFAULT else info.default_factory()
    if default is NODEFAULT or default is UNSET:
        return UNSET
    return msgspec.json.decode(msgspec.json.encode(default))


def mentions(kind: Any, wanted: Any) -> bool:
    return kind is wanted or any(mentions(each, wanted) for each in get_args(kind))
