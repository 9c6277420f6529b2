"""Objects from the command line: `ipam get`, `create`, `patch`, `delete`, and `ipam subnets list` for every family."""

from collections.abc import Iterable
from typing import Any, NamedTuple
from urllib.parse import quote

import click

from api.cli.connection import connect, connected, read_fields, show, show_one
from api.client import Client
from ipam_core.model.families import LISTED, Family
from ipam_core.model.ids import parse_id

FAMILY = click.Choice(sorted(LISTED))
IDS = {family.key for family in LISTED.values()}

filters_option = click.option(
    "--filter", "pairs", multiple=True, metavar="NAME=VALUE", help="May be repeated."
)


@click.command()
@click.argument("family", type=FAMILY)
@click.argument("id_", metavar="[ID]", required=False)
@filters_option
@connected
def get(
    family: str, id_: str | None, pairs: tuple[str, ...], url: str | None, token: str | None, as_json: bool
) -> None:
    """Show an object, or all of a FAMILY that the filters let pass."""
    with connect(url, token) as client:
        if id_ is not None:
            show_one(client.get(family, id_), as_json)
        else:
            show(client.list(family, **plain(pairs)), LISTED[family].columns, as_json)


def plain(pairs: Iterable[str]) -> dict[str, str]:
    """The filters by name, several of one name as a list. Raises click's usage error on what is no NAME=VALUE: a list
    without its filter would look like an answer."""
    for pair in pairs:
        if not pair.partition("=")[1]:
            raise click.UsageError(f"--filter {pair}: expected NAME=VALUE")
    found: dict[str, str] = {}
    for name, value in (pair.split("=", 1) for pair in pairs):
        found[name] = f"{found[name]},{value}" if name in found else value
    return found


@click.command()
@click.argument("family", type=FAMILY)
@click.argument("fields", nargs=-1, metavar="NAME=VALUE...")
@click.option("--key", help="Idempotency-Key: the same key never makes a second object.")
@connected
def create(
    family: str, fields: tuple[str, ...], key: str | None, url: str | None, token: str | None, as_json: bool
) -> None:
    """Create an object of a FAMILY; values that are JSON are taken as JSON."""
    told = read_fields(fields)
    above = [parent.key for parent in LISTED[family].parents]
    if above and not LISTED[family].alone and not any(map(told.get, above)):
        raise click.UsageError(f"{'=... or '.join(above)}=... is needed")
    with connect(url, token) as client:
        if told.get("tenant_id"):
            told["tenant_id"] = find_tenant(client, str(told["tenant_id"]))
        show_one(client.post_once(LISTED[family].create_path(told), told, key), as_json)


def find_tenant(client: Client, text: str) -> str:
    """The id of a tenant that is given by id or by name."""
    if parse_id(text):
        return text
    for found in client.items("/tenants", name=text):
        return str(found["id"])
    raise click.UsageError(f"tenant_id: there is no tenant whose id or name is {text!r}")


@click.command()
@click.argument("family", type=FAMILY)
@click.argument("id_", metavar="ID")
@click.argument("fields", nargs=-1, required=True, metavar="NAME=VALUE...")
@connected
def patch(
    family: str, id_: str, fields: tuple[str, ...], url: str | None, token: str | None, as_json: bool
) -> None:
    """Change fields of an object; NAME=null clears one."""
    with connect(url, token) as client:
        show_one(client.update(family, id_, **read_fields(fields)), as_json)


@click.command()
@click.argument("family", type=FAMILY)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--cascade", is_flag=True, help="Delete what stands below too.")
@connected
def delete(
    family: str, ids: tuple[str, ...], cascade: bool, url: str | None, token: str | None, as_json: bool
) -> None:
    """Delete objects of a FAMILY."""
    with connect(url, token) as client:
        for id_ in ids:
            client.delete(family, id_, cascade)
            if not as_json:
                click.echo(f"deleted {id_}", err=True)


def group_of(family: Family) -> click.Group:
    """`ipam subnets`: the family by its own name."""
    group = click.Group(family.name, help=f"The {family.name.replace('-', ' ')} of a server.")

    @group.command("list", help=f"List {family.name.replace('-', ' ')}.")
    @filters_option
    @connected
    def list_(
        pairs: tuple[str, ...], url: str | None, token: str | None, as_json: bool, **filters: Any
    ) -> None:
        with connect(url, token) as client:
            told = [f"{name}={value}" for name, value in filters.items() if value is not None]
            show(client.list(family.name, **plain((*told, *pairs))), family.columns, as_json)

    for name in family.filters:
        # To the API an id that was never given matches nothing; somebody who types a name here should hear of it.
        kind = click.UUID if name in IDS else None
        option = click.Option([f"--{name.replace('_', '-')}"], type=kind, help=f"Only with this {name}.")
        list_.params.insert(0, option)
    for action in ACTIONS.get(family.name, ()):
        group.add_command(command_of(family, action))
    for listing in LISTINGS.get(family.name, ()):
        group.add_command(listing_of(family, listing))
    return group


class Action(NamedTuple):
    """What can be done with an object beside the four verbs; `switches` are fields of the body."""

    name: str
    help: str
    switches: tuple[str, ...] = ()


ACTIONS = {
    "dns-servers": (Action("test", "Try whether it would take updates; changes nothing there."),),
    "dns-zones": (
        Action("reconcile", "Compare it at its server with what leases mean, and repair it.", ("dry_run",)),
    ),
}


class Listing(NamedTuple):
    """What an object has below it that is no family."""

    name: str
    help: str
    columns: tuple[str, ...]


LISTINGS = {
    "client-classes": (
        Listing(
            "values", "List the values that clients bring to a template.", ("name", "packets", "last_seen_at")
        ),
    ),
}


def listing_of(family: Family, listing: Listing) -> click.Command:
    @click.command(listing.name, help=listing.help)
    @click.argument("id_", metavar="ID")
    @filters_option
    @connected
    def run(id_: str, pairs: tuple[str, ...], url: str | None, token: str | None, as_json: bool) -> None:
        with connect(url, token) as client:
            path = f"/{family.name}/{quote(id_, safe='')}/{listing.name}"
            show(client.items(path, **plain(pairs)), listing.columns, as_json)

    return run


def command_of(family: Family, action: Action) -> click.Command:
    @click.command(action.name, help=action.help)
    @click.argument("id_", metavar="ID")
    @connected
    def run(id_: str, url: str | None, token: str | None, as_json: bool, **switches: bool) -> None:
        with connect(url, token) as client:
            path = f"/{family.name}/{quote(id_, safe='')}/{action.name}"
            show_one(client.post_once(path, {name: on for name, on in switches.items() if on}), as_json)

    for name in action.switches:
        run.params.append(click.Option([f"--{name.replace('_', '-')}"], is_flag=True))
    return run


def __getattr__(name: str) -> click.Group:
    """The group of a family by its name in Python: entry points load attributes."""
    family = LISTED.get(name.replace("_", "-"))
    if family is None:
        raise AttributeError(name)
    return group_of(family)
