"""The file that `ipam import --plan` writes: a plan in which each object also has its operation of POST /bulk, and the
key by which a server may already have the object. The console and scripts use both without knowing the families.

`$ref` in an operation or a key is the id of another object of the plan, and `$tenant` that of the tenant.
"""

from collections.abc import Iterator
from ipaddress import ip_network
from itertools import chain
from typing import Any

import msgspec

from api.cli.site.comparing import Place, create_path, where
from api.cli.site.shapes import Shape, shape
from api.cli.site.spelling import Around, spelt
from api.importers.judging import PLACES, Judge
from api.importers.plan import Fields, Plan, Planned, is_managed
from ipam_core.model.families import FAMILIES
from ipam_core.model.values import Network

VERSION = 1
"""Raised when a reader of older files would misread a new one."""
TENANT = "$tenant"


class Entry(Planned, kw_only=True):
    """An object as the file has it. `label`: what messages call it. `managed`: whether it counts toward the managed
    address limit."""

    label: str
    managed: bool
    key: Fields
    operation: Fields


def encoded(plan: Plan) -> bytes:
    """Return the file's content."""
    writer = Writer(plan)
    members = {"version": VERSION} | {name: getattr(plan, name) for name in plan.__struct_fields__}
    members["objects"] = [writer.entry(each) for each in plan.objects]
    if plan.there:
        members["there"] = [writer.entry(each) for each in plan.there]
    said = {name: value for name, value in members.items() if value is not msgspec.UNSET}
    return msgspec.json.format(msgspec.json.encode(said), indent=1) + b"\n"


class Writer:
    """Writer of the entries of one plan."""

    def __init__(self, plan: Plan) -> None:
        objects = list(chain(plan.there or (), plan.objects))
        self.by_ref = {each.ref: each for each in objects}
        self.classes = {each.fields["name"]: each.ref for each in objects if each.family == "client-classes"}
        self.judge = Judge()
        for each in objects:
            if each.family == "option-definitions":
                self.judge.define(each.fields)

    def entry(self, planned: Planned) -> Entry:
        above = self.by_ref[planned.inside] if planned.inside else None
        of = shape("global-options" if planned.family == "options" and above is None else planned.family)
        fields = self.fields(planned, of)
        place = Place({}, above.family if above else "", f"${planned.inside}" if above else TENANT, "")
        operation = {
            "op": "create",
            "path": create_path(of, place),
            "body": dict(self.body(planned, of, fields)) | where(of, place),
            "ref": planned.ref,
        }
        return Entry(
            **{name: getattr(planned, name) for name in Planned.__struct_fields__},
            label=planned.what,
            managed=is_managed(planned),
            key=key(of, fields, place),
            operation=operation,
        )

    def fields(self, planned: Planned, of: Shape) -> Fields:
        """Return the fields as the server shows them, with their defaults."""
        said = {name: value for name, value in planned.fields.items() if name != "class"}
        network = self.network(planned)
        around = Around(network.version if network else 4, None, self.judge.definitions, network)
        return spelt(of, said | PLACES.get(planned.family, {}), around)

    def network(self, planned: Planned) -> Network | None:
        """Return the subnet around an object, if any."""
        while planned.family != "subnets":
            if planned.inside is None:
                return None
            planned = self.by_ref[planned.inside]
        return ip_network(planned.fields["cidr"])

    def body(self, planned: Planned, of: Shape, fields: Fields) -> Iterator[tuple[str, Any]]:
        """Yield the fields that the plan names, in terms of the API. A class that the plan lacks remains a reference to
        nothing, which readers report."""
        for name, value in planned.fields.items():
            field = of.fields[name]
            if field.refers is None:
                yield field.api_name, fields[name]
            elif value is not None:
                yield field.api_name, f"${self.classes.get(value, value)}"


def key(of: Shape, fields: Fields, place: Place) -> Fields:
    """Return the fields of the API by which an object of the server is this one."""
    places = {
        FAMILIES[name].key: place.reference if name == place.family else None for name in of.family.above
    }
    if of.family.name == "assignments":
        places = where(of, place)
    if of.family.name == "global-options":
        places = dict.fromkeys(each.key for each in FAMILIES["options"].parents)
    return places | {name: fields[name] for name in of.keys[0]}
