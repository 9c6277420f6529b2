"""Export of a server as a site file that changes nothing when it is applied: only values that differ from the default
are written.

Secrets are not in it, and nothing that follows leases.
"""

from collections.abc import Iterator
from typing import IO, Any

import yaml

from api.cli.site.shapes import TENANT, Shape, shapes_in
from api.cli.site.spelling import IPV4, Fields
from api.cli.site.stored import GLOBAL, Server, Stored

WIDTH = 120


class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]  # C only where PyYAML has it
    """A writer of the values that answers of the API contain."""


Dumper.add_multi_representer(dict, Dumper.represent_dict)


class Export:
    """Reader of a server that writes it as a file."""

    def __init__(self, server: Server) -> None:
        self.server = server

    def document(self) -> Fields:
        tenants = self.server.tenants()
        default = next((each for each in tenants if each.row["is_default"]), tenants[0])
        self.server.know(default.row)
        found = dict(self.lists(default, at_top=True))
        entries = [self.tenant(each, each is default) for each in tenants]
        entries = [each for each in entries if each is not None]
        return ({TENANT: entries} if entries else {}) | found

    def tenant(self, tenant: Stored, is_default: bool) -> Fields | None:
        """Return the default tenant's objects stand at the top of the file, but for those that would be for all
        there."""
        self.server.know(tenant.row)
        own = own_fields(tenant, IPV4)
        below = dict(self.lists(tenant, at_top=False, only=GLOBAL if is_default else ()))
        plain = is_default and not below and set(own) == {"name"}
        return None if plain else own | below

    def lists(self, tenant: Stored, at_top: bool, only: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
        for name, shape in shapes_in(TENANT).items():
            if only and shape.family.name not in only:
                continue
            of_nobody = at_top and shape.family.name in GLOBAL
            entries = [
                self.entry(each, IPV4)
                for each in self.server.of_tenant(shape, None if of_nobody else tenant.row)
            ]
            if entries:
                yield name, entries

    def entry(self, stored: Stored, version: int) -> Fields:
        own = own_fields(stored, version)
        if stored.shape.family.name == "subnets":
            version = 6 if ":" in stored.fields["cidr"] else IPV4
        for name, shape in shapes_in(stored.shape.family.name).items():
            entries = [self.entry(each, version) for each in self.server.below(shape, stored)]
            if entries:
                own[name] = entries
        return own


def own_fields(stored: Stored, version: int) -> Fields:
    """Return those that are not the default, and a reservation's address even where it has none."""
    defaults = {name: field.default for name, field in stored.shape.fields.items()}
    if is_option(stored.shape):
        defaults["family"] = version
    return {name: value for name, value in stored.fields.items() if value != defaults[name]}


def is_option(shape: Shape) -> bool:
    return shape.family.shape.endswith(".Option")


def write(document: Fields, schema: str, to: IO[str]) -> None:
    to.write(f"# yaml-language-server: $schema={schema}\n")
    if document:
        yaml.dump(document, to, Dumper, sort_keys=False, allow_unicode=True, width=WIDTH)
