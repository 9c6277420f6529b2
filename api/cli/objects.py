"""Objects from the command line: `ipam get`, `create`, `update` and `delete`, each with a command a family, and the
same verbs below the family's own name (`ipam subnets list`), with what else can be done with one."""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any
from urllib.parse import urlencode

import click

from api.cli.actions import actions_of
from api.cli.connection import speaking
from api.cli.fields import judged, likely, pairs, read_fields
from api.cli.help import FieldsCommand
from api.cli.lists import (
    filters_option,
    found_one,
    given,
    joined,
    limit_option,
    list_command,
    list_objects,
    narrowing,
)
from api.cli.names import Names, NoSuchName, item_path, spelling, tenant_option
from api.cli.payloads import expanded, family_of, is_option
from api.cli.shapes import fields_of
from api.cli.site.telling import tell_impact
from api.cli.tables import Style, json_option, show_one, styled
from api.client import Client
from ipam_core.model.base import Command
from ipam_core.model.families import FAMILIES, Family, with_article

WITHOUT_ITEMS = ("lease-events", "events")
# The servers make them, and yet they can be deleted.
DELETED = ("nodes",)

Make = Callable[[Family], click.Command]
Fits = Callable[[Family], bool]

dry_run_option = click.option(
    "--dry-run",
    is_flag=True,
    help="Show which leases, reservations and records would be affected. Change nothing.",
)
key_option = click.option(
    "--key", help="Idempotency key: repeating a request with the same key creates no second object."
)


def any_family(_: Family) -> bool:
    return True


def has_items(family: Family) -> bool:
    return family.name not in WITHOUT_ITEMS


def is_written(family: Family) -> bool:
    """Whether clients make one."""
    try:
        return bool(family.new)
    except AttributeError:
        return False


def is_deleted(family: Family) -> bool:
    return is_written(family) or family.name in DELETED


class ByFamily(click.Group):
    """A verb, with a command for each family that it fits; each is made when it is asked for."""

    def __init__(self, name: str, make: Make, fits: Fits, help_: str) -> None:
        super().__init__(name, help=help_, subcommand_metavar="FAMILY [ARGS]...")
        self.make, self.fits = make, fits

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(name for name, family in FAMILIES.items() if self.fits(family))

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002 - likewise
        family = FAMILIES.get(name)
        return self.make(family) if family and self.fits(family) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args[0] not in known and not args[0].startswith("-"):
            ctx.fail(f"cannot {self.name} {args[0]!r}: there is no such family{likely(args[0], known)}")
        return super().resolve_command(ctx, args)


class OfFamily(click.Group):
    """A family by its own name; with nothing but options it is listed."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = bool(args) and args[0].partition("=")[0] in ("--help", "--config")
        listed = not args or (args[0].startswith("-") and not own)
        if not ctx.resilient_parsing:  # which is that of completion
            if listed:
                args = ["list", *args]
            elif args[0].startswith("--config") and len(args) == (1 if "=" in args[0] else 2):
                args = [*args, "list"]
        return super().parse_args(ctx, args)


def group_of(family: Family) -> click.Group:
    """`ipam subnets`."""
    group = OfFamily(
        family.name, help=f"List and manage {family.name.replace('-', ' ')}; without a command, list them."
    )
    group.add_command(list_command(family))
    for name, make, fits in (
        ("show", show_command, has_items),
        ("create", create_command, is_written),
        ("update", update_command, is_written),
        ("delete", delete_command, is_deleted),
    ):
        if fits(family):
            group.add_command(make(family), name)
    for command in actions_of(family):
        group.add_command(command)
    return group


# --- a verb for one family


def get_command(family: Family) -> click.Command:
    """`show` where a name is given, else `list`, as scripts have it."""
    listing = list_command(family)

    @click.command(family.name, help=f"Show one by name or id, or list {family.name.replace('-', ' ')}.")
    @click.argument("name", required=False)
    @filters_option
    @limit_option
    @styled
    @speaking
    def run(
        name: str | None,
        told: tuple[str, ...],
        limit: int | None,
        client: Client,
        style: Style,
        **filters: str | None,
    ) -> None:
        if name is None:
            list_objects(client, family, style, joined(filters, told), limit)
        else:
            names = Names(client)
            show_one(found_one(names, family, name, filters, around=True), style.as_json, names)

    run.params += [each for each in listing.params if each.name not in {own.name for own in run.params}]
    return run


def show_command(family: Family) -> click.Command:
    @click.command(family.name, help=f"Show {with_article(family.label)}, by name or id.")
    @click.argument("name")
    @json_option
    @speaking
    def run(name: str, client: Client, as_json: bool, **narrow: str | None) -> None:
        names = Names(client)
        show_one(found_one(names, family, name, narrow, around=True), as_json, names)

    run.params += narrowing(family)
    return run


def create_command(family: Family) -> click.Command:
    model, places = family.new, places_of(family)

    @click.command(
        family.name,
        cls=FieldsCommand,
        model=model,
        places=places,
        one_needed=len(family.above) > 1,
        help=f"Create {with_article(family.label)}.",
    )
    @click.argument("told", nargs=-1, metavar="FIELD=VALUE...")
    @key_option
    @tenant_option
    @json_option
    @speaking
    def run(
        told: tuple[str, ...],
        key: str | None,
        tenant: str | None,
        client: Client,
        as_json: bool,
        **flags: bool,
    ) -> None:
        names = Names(client, tenant)
        body = new_fields(names, family, model, told)
        path = with_query(family.create_path(body), given_flags(flags))
        with judged(model, {name: value for name, value in body.items() if name not in places}):
            show_one(client.post_once(path, body, key), as_json, names)

    run.params += flag_options(family)
    return run


FLAGS = {"move_records": "Move records that this zone would hide into the zone that would answer for them."}


def flag_options(family: Family) -> list[click.Parameter]:
    """Options for what the query of a family's creates and changes permits."""
    return [
        click.Option([f"--{flag.replace('_', '-')}"], is_flag=True, help=FLAGS[flag])
        for flag in family.write_flags
    ]


def with_query(path: str, query: Mapping[str, str]) -> str:
    return f"{path}?{urlencode(query)}" if query else path


def given_flags(flags: Mapping[str, bool]) -> dict[str, str]:
    return {name: "true" for name, is_set in flags.items() if is_set}


def places_of(family: Family) -> dict[str, Family]:
    """By their keys what may say where one is made: its parents, and the tenant of what needs none of them."""
    places = (*family.parents, *((FAMILIES["tenants"],) if family.alone else ()))
    return {place.key: place for place in places}


def new_fields(names: Names, family: Family, model: type[Command], told: tuple[str, ...]) -> dict[str, Any]:
    """What is posted, with the parent that says where. Raises click's usage error where that lacks."""
    parents = [parent.key for parent in family.parents]
    own = {*fields_of(model), *places_of(family)}
    body = names.resolve(
        typed(told, model, own, lambda spelt: parents_family(names, family, spelt)), own, there=False
    )
    placed = any(map(body.get, parents)) or place_around(names, family, model, body)
    if parents and not placed and not family.alone:
        needed = "=... or ".join(key.removesuffix("_id") for key in parents)
        raise click.UsageError(f"{needed}=... is required")
    if names.tenant_id and not placed and "tenant_id" in own:
        body.setdefault("tenant_id", names.tenant_id)
    return body


def place_around(names: Names, family: Family, model: type[Command], body: dict[str, Any]) -> bool:
    """Fill in the prefix or subnet that contains the new object's address. Return whether there is one."""
    address = next((str(body[name]) for name in ADDRESSES if body.get(name)), None)
    prefix = FAMILIES["prefixes"]
    parents = (prefix,) if prefix.key in fields_of(model) else family.parents
    for parent in parents:
        if address and "contains" in parent.filters and parent.key not in body:
            try:
                found = names.find(parent, address.partition("/")[0], around=True)
            except NoSuchName:
                return False
            body[parent.key] = found["id"]
            return True
    return False


ADDRESSES = ("cidr", "start_ip", "ip")
"""Fields that tell where an object lies."""


def parents_family(names: Names, family: Family, spelt: Mapping[str, str]) -> int | None:
    """Return the address family of the object in which a named option is created."""
    for parent in family.parents:
        if spelt.get(parent.key):
            return family_of(names.find(parent, spelt[parent.key], around=True))
    return None


def typed(
    told: tuple[str, ...],
    model: type[Command],
    own: AbstractSet[str] = frozenset(),
    placed: Callable[[Mapping[str, str]], int | None] = lambda _: None,
) -> dict[str, Any]:
    """Fields by the names that the API knows: `subnet=` is `subnet_id=`. `own`: those, if not the model's alone.
    `placed`: the address family of what an option is created in."""
    spelt = {spelling(name, own or set(fields_of(model))): value for name, value in pairs(told).items()}
    if not is_option(fields_of(model)):
        return read_fields(spelt, model)
    named = "family" not in spelt and not spelt.get("code", "0").isdecimal()
    return read_fields(expanded(spelt, placed(spelt) if named else None), model)


def update_command(family: Family) -> click.Command:
    model = family.patch

    @click.command(
        family.name,
        cls=FieldsCommand,
        model=model,
        needed=False,
        help=f"Update fields of {with_article(family.label)}. FIELD=null clears a field.",
    )
    @click.argument("name")
    @click.argument("told", nargs=-1, required=True, metavar="FIELD=VALUE...")
    @dry_run_option
    @json_option
    @speaking
    def run(
        name: str,
        told: tuple[str, ...],
        dry_run: bool,
        client: Client,
        as_json: bool,
        **narrow: Any,
    ) -> None:
        names = Names(client)
        query = given_flags({flag: narrow.pop(flag) for flag in family.write_flags})
        id_ = found_id(names, family, name, narrow)
        path = item_path(family, id_)
        values = {field: None if value == "null" else value for field, value in typed(told, model).items()}
        body = names.resolve(values, set(fields_of(model)), there=False)
        with judged(model, body, whole=False):
            if dry_run:
                impact = rehearse(client, "PATCH", path, body, query)
                tell_rehearsal(impact, f"{name} would be changed", as_json)
            else:
                show_one(client.request("PATCH", path, body, query), as_json, names)

    run.params += [*narrowing(family), *flag_options(family)]
    return run


def delete_command(family: Family) -> click.Command:
    @click.command(family.name, help=f"Delete {family.name.replace('-', ' ')}, by name or id.")
    @click.argument("each", nargs=-1, required=True, metavar="NAME...")
    @click.option("--cascade", is_flag=True, help="Also delete the objects below.")
    @dry_run_option
    @json_option
    @speaking
    def run(
        each: tuple[str, ...],
        cascade: bool,
        dry_run: bool,
        client: Client,
        as_json: bool,
        **narrow: str | None,
    ) -> None:
        names = Names(client)
        for name, id_ in [(name, found_id(names, family, name, narrow)) for name in each]:
            if dry_run:
                query = given_flags({"cascade": cascade})
                impact = rehearse(client, "DELETE", item_path(family, id_), query=query)
                tell_rehearsal(impact, f"{name} would be deleted", as_json)
                continue
            client.delete(family.items.name, id_, cascade)
            if not as_json:
                click.echo(f"deleted {name}", err=True)

    run.params += narrowing(family)
    return run


def rehearse(
    client: Client,
    method: str,
    path: str,
    body: dict[str, Any] | None = None,
    query: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The impact that a change or a deletion of an object would have; nothing happens. Raises as it would."""
    answer: dict[str, Any] = client.request(method, path, body, {"dry_run": "true", **(query or {})})[
        "impact"
    ]
    return answer


def tell_rehearsal(impact: dict[str, Any], what: str, as_json: bool) -> None:
    tell_impact(impact, as_json)
    if not as_json:
        suffer = any(each["count"] for each in impact.values())
        click.echo(what if suffer else f"{what}; no lease, reservation or record would be affected", err=True)


def found_id(names: Names, family: Family, name: str, narrow: dict[str, str | None]) -> str:
    """Exactly as it is called: an address does not name the network around it where that is changed."""
    return names.id(family, name, names.resolve(given(narrow), set(family.filters)))


VERBS = {
    "get": ByFamily("get", get_command, any_family, "Show an object, or list all of a family."),
    "create": ByFamily("create", create_command, is_written, "Create an object."),
    "update": ByFamily("update", update_command, is_written, "Update an object."),
    "patch": ByFamily("patch", update_command, is_written, "Same as update."),
    "delete": ByFamily("delete", delete_command, is_deleted, "Delete objects."),
}


def __getattr__(name: str) -> click.Group:
    """A verb, or the group of a family, by its name in Python: entry points load attributes."""
    if name in VERBS:
        return VERBS[name]
    family = FAMILIES.get(name.replace("_", "-"))
    if family is None:
        raise AttributeError(name)
    return group_of(family)
