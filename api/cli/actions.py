"""What can be done with an object beside the four verbs, and what it has below it that is no family."""

from typing import NamedTuple

import click

from api.cli.connection import speaking
from api.cli.fields import pairs
from api.cli.lists import filters_option, found_one, given, moment_of, narrowing
from api.cli.names import Names, item_path
from api.cli.tables import Listing, Style, json_option, show_one, styled
from api.client import Client
from ipam_core.model.families import Family


class Action(NamedTuple):
    """`switches` are fields of the body."""

    name: str
    help: str
    switches: tuple[str, ...] = ()


ACTIONS = {
    "dns-servers": (Action("test", "Try whether it would take updates; changes nothing there."),),
    "dns-zones": (
        Action("reconcile", "Compare it at its server with what leases mean, and repair it.", ("dry_run",)),
    ),
}


class Below(NamedTuple):
    """A list below an object."""

    name: str
    help: str
    columns: tuple[str, ...]


LISTS = {
    "client-classes": (
        Below(
            "values", "List the values that clients bring to a template.", ("name", "packets", "last_seen_at")
        ),
    ),
}


def actions_of(family: Family) -> list[click.Command]:
    actions = [action_command(family, action) for action in ACTIONS.get(family.name, ())]
    return [*actions, *(below_command(family, below) for below in LISTS.get(family.name, ()))]


def action_command(family: Family, action: Action) -> click.Command:
    @click.command(action.name, help=action.help)
    @click.argument("name")
    @json_option
    @speaking
    def run(name: str, client: Client, as_json: bool, **options: str | bool | None) -> None:
        switches = {switch: True for switch in action.switches if options.pop(switch)}
        names = Names(client)
        found = found_one(names, family, name, options)
        show_one(client.post_once(item_path(family, found["id"], action.name), switches), as_json, names)

    run.params += narrowing(family)
    for switch in action.switches:
        run.params.append(click.Option([f"--{switch.replace('_', '-')}"], is_flag=True))
    return run


def below_command(family: Family, below: Below) -> click.Command:
    @click.command(below.name, help=below.help)
    @click.argument("name")
    @filters_option
    @styled
    @speaking
    def run(name: str, told: tuple[str, ...], client: Client, style: Style, **narrow: str | None) -> None:
        names = Names(client)
        found = found_one(names, family, name, narrow)
        query = pairs(told)
        if "since" in query:
            query["since"] = moment_of("since", query["since"])
        rows = client.items(item_path(family, found["id"], below.name), **given(query))
        Listing(style, below.columns, (), names).show(rows)

    run.params += narrowing(family)
    return run
