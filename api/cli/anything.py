"""`ipam show NAME`: an object of any family by what it is called."""

from collections.abc import Iterator
from typing import Any

import click

from api.cli.connection import speaking
from api.cli.names import Names, NoSuchName, SeveralOfThatName, label_of
from api.cli.showing import show_object
from api.cli.tables import Style, styled
from api.client import ApiError, Client
from ipam_core.model.families import FAMILIES, Family, words
from ipam_core.model.ids import parse_id

SEARCHED = words(
    "subnets prefixes pools reservations assignments client-classes leases dns-zones dns-servers nodes tenants tokens"
)
"""Families in the order in which a name is looked for."""


@click.command("show")
@click.argument("name")
@styled
@speaking
def anything(name: str, client: Client, style: Style) -> None:
    """Show the object of this name, address or CIDR, of whatever family."""
    names = Names(client)
    found = [*objects_of(names, name)]
    if not found:
        raise NoSuchName("object", name, ". Find it with: ipam search " + name)
    if len(found) > 1:
        told = ", ".join(f"ipam {family.name} show {label_of(item)}" for family, item in found)
        raise SeveralOfThatName("objects", repr(name), told, "use one of these commands")
    show_object(names, *found[0], style)


def objects_of(names: Names, name: str) -> Iterator[tuple[Family, dict[str, Any]]]:
    """Yield the object that each family has under this name."""
    for family in map(FAMILIES.__getitem__, SEARCHED):
        try:
            yield family, names.get(family, name) if parse_id(name) else names.find(family, name)
        except NoSuchName:
            continue
        except ApiError as error:
            if error.status not in (403, 404):
                raise
