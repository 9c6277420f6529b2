"""Objects from the command line: `ipam get`, `create`, `update` and `delete`, each with a command a family, and the
same verbs below the family's own name (`ipam subnets list`), with what else can be done with one."""

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from ipaddress import ip_network
from typing import Any
from urllib.parse import urlencode

import click

from api.cli.actions import actions_of
from api.cli.bare import NEXT, is_address, paired, spread
from api.cli.connection import speaking
from api.cli.fields import judged, lists_of, once_each, read_fields
from api.cli.groups import ByFamily, OfFamily
from api.cli.help import FieldsCommand
from api.cli.impact import rehearse, tell_rehearsal
from api.cli.lists import (
    filters_option,
    found_one,
    given,
    joined,
    limit_option,
    list_command,
    list_objects,
    narrowing,
    scoped,
)
from api.cli.names import Names, NoSuchName, SeveralOfThatName, item_path, spelling, tenant_option
from api.cli.option_fields import bodies, changes, creation, options_among, performed, with_stored_code
from api.cli.outcomes import delete_all, effects, effects_of_new, impact_of, tell_changed, tell_made
from api.cli.payloads import REPEATED, expanded, family_of, is_option, with_code
from api.cli.placing import address_in, parents_family, place_around, with_subnet
from api.cli.sections import MEANINGS
from api.cli.shapes import fields_of
from api.cli.showing import show_object
from api.cli.tables import Style, json_option, styled
from api.cli.titles import option_key
from api.cli.words import likely
from api.client import Client
from ipam_core.model.base import Command
from ipam_core.model.families import FAMILIES, Family, with_article
from ipam_core.model.ids import parse_id

WITHOUT_ITEMS = ("lease-events", "events")
# The servers make them, and yet they can be deleted.
DELETED = ("nodes",)

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
    """Return whether clients make one."""
    try:
        return bool(family.new)
    except AttributeError:
        return False


def is_deleted(family: Family) -> bool:
    return is_written(family) or family.name in DELETED


def group_of(family: Family) -> OfFamily:
    """Return the group of a family, `ipam subnets`."""
    group = OfFamily(
        family.name,
        help=f"{MEANINGS.get(family.name, family.name)}. Without a command, list them; filters are in `ipam "
        f"{family.name} list --help`. A name alone shows that {family.label}.",
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
    group.named = get_command(family)
    return group


# --- a verb for one family


def get_command(family: Family) -> click.Command:
    """Return `show` where a name is given, else `list`, as scripts have it."""
    listing = list_command(family)

    @click.command(family.name, help=f"Show one by name or id, or list {family.many}.")
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
        names = Names(client)
        if name is None:
            list_objects(client, family, style, joined(filters, told), limit)
        elif subnet := subnet_of_list(names, family, name, filters):
            list_objects(client, family, style, joined(filters | {"subnet_id": subnet}, told), limit)
        else:
            show_named(names, family, name, filters, style)

    run.params += [each for each in listing.params if each.name not in {own.name for own in run.params}]
    return run


def show_named(names: Names, family: Family, name: str, filters: Mapping[str, Any], style: Style) -> None:
    """Show an object. What is no object may be a misspelled command of the family."""
    group = (click.get_current_context().parent or click.get_current_context()).command
    try:
        show_object(names, family, found_one(names, family, name, filters, around=True), style)
    except NoSuchName as error:
        if isinstance(group, OfFamily):
            error.where += likely(name, group.commands)
        raise


def subnet_of_list(names: Names, family: Family, name: str, filters: Mapping[str, Any]) -> str | None:
    """Return the id of the subnet of this name, if the family is of subnets and has no object that is called so."""
    if "subnet_id" not in family.filters or parse_id(name):
        return None
    try:
        if family.names and found_one(names, family, name, filters, around=True):
            return None
    except SeveralOfThatName:
        return None
    except NoSuchName:
        pass
    try:
        return names.id(FAMILIES["subnets"], name)
    except NoSuchName:
        return None


def show_command(family: Family) -> click.Command:
    @click.command(family.name, help=f"Show {with_article(family.label)}, by name or id.")
    @click.argument("name")
    @styled
    @speaking
    def run(name: str, client: Client, style: Style, **narrow: str | None) -> None:
        names = Names(client)
        show_object(names, family, found_one(names, family, name, narrow, around=True), style)

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
        told, options = options_among(family, told, {*fields_of(model), *places})
        body = new_fields(names, family, model, told)
        option_bodies = bodies(options, family_of(body)) if options else []
        place = family.create_path(body)
        path = with_query(place, given_flags(flags))
        more = "" if as_json else effects_of_new(client, family, place, body)
        with judged(model, {name: value for name, value in body.items() if name not in places}):
            if option_bodies:
                answer = performed(client, creation(path, family, body, option_bodies), key=key)
                made = answer["results"][0]["body"]
            else:
                made = client.post_once(path, body, key)
            tell_made(family, made, set(body), as_json, names, more)

    run.params += flag_options(family)
    return run


FLAGS = {"move_records": "Move records that this zone would hide into the zone that would answer for them."}


def flag_options(family: Family) -> list[click.Parameter]:
    """Return options for what the query of a family's creates and changes permits."""
    return [
        click.Option([f"--{flag.replace('_', '-')}"], is_flag=True, help=FLAGS[flag])
        for flag in family.write_flags
    ]


def with_query(path: str, query: Mapping[str, str]) -> str:
    return f"{path}?{urlencode(query)}" if query else path


def given_flags(flags: Mapping[str, bool]) -> dict[str, str]:
    return {name: "true" for name, is_set in flags.items() if is_set}


def places_of(family: Family) -> dict[str, Family]:
    """Return the options that name the place of a new object, by their keys: its parents, and the tenant of families
    that need none."""
    places = (*family.parents, *((FAMILIES["tenants"],) if family.alone else ()))
    return {place.key: place for place in places}


def new_fields(names: Names, family: Family, model: type[Command], told: tuple[str, ...]) -> dict[str, Any]:
    """Return what is posted, with the parent that says where. Raises click's usage error where that lacks."""
    parents = [parent.key for parent in family.parents]
    told = tuple(of_one_host(family, word) for word in told)
    own = {*fields_of(model), *places_of(family)}
    told = with_subnet(names, family, told, own)
    body = names.resolve(
        typed(told, model, own, lambda spelt: parents_family(names, family, spelt)), own, there=False
    )
    placed = any(map(body.get, parents)) or place_around(names, family, model, body)
    if not placed and not body.get("subnet_id") and "ip" not in body and wants_next(told):
        raise click.UsageError("the next free address needs a subnet, such as subnet=lab")
    if parents and not placed and not family.alone:
        needed = "=... or ".join(key.removesuffix("_id") for key in parents)
        address = address_in(body)
        reason = f", because no {family.parents[0].label} contains {address}" if address else ""
        raise click.UsageError(f"{needed}=... is required{reason}")
    if not placed and body.get("ip") and family.name == "reservations":
        raise click.UsageError(f"no subnet contains {body['ip']}")
    if names.tenant_id and not placed and "tenant_id" in own:
        body.setdefault("tenant_id", names.tenant_id)
    return body


def wants_next(told: tuple[str, ...]) -> bool:
    """Return whether the words ask for the next free address."""
    return any(word == NEXT[0] or (word.removeprefix("ip=") in NEXT and "=" in word) for word in told)


def of_one_host(family: Family, word: str) -> str:
    """Return the address of a relay agent as its network."""
    if family.name != "trusted-relays" or not is_address(word.removeprefix("cidr=")):
        return word
    return f"cidr={ip_network(word.removeprefix('cidr='))}"


def typed(
    told: tuple[str, ...],
    model: type[Command],
    own: AbstractSet[str] = frozenset(),
    placed: Callable[[Mapping[str, str]], int | None] = lambda _: None,
) -> dict[str, Any]:
    """Return the fields by the names that the API knows: `subnet=` is `subnet_id=`. `own`: those, if not the model's
    alone. `placed`: the address family of what an option is created in."""
    fields = fields_of(model)
    known = own or set(fields)
    lists = lists_of(fields) | REPEATED
    spelt = spread(once_each(paired(told, known), lists, lambda name: spelling(name, known)), known)
    if spelt.get("ip") in NEXT:
        del spelt["ip"]
    if not is_option(fields):
        return read_fields(spelt, model)
    spelt = with_code(spelt, known)
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
        before = found_exactly(names, family, name, narrow)
        id_ = str(before["id"])
        path = item_path(family, id_)
        told, options = options_among(family, told, set(fields_of(model)))
        told = with_stored_code(names, family, id_, told)
        values = {field: None if value == "null" else value for field, value in typed(told, model).items()}
        body = names.resolve(values, set(fields_of(model)), there=False)
        with judged(model, body, whole=False):
            if options:
                option_bodies = bodies(options, family_of(before))
                operations = changes(client, family, id_, body, option_bodies)
                impact = performed(client, operations, dry_run).get("impact", {}) if operations else {}
            elif dry_run:
                impact = rehearse(client, "PATCH", path, body, query)
            if dry_run:
                tell_rehearsal(impact, f"{name} would be changed", as_json)
            elif options:
                more = "".join(
                    f"; {FAMILIES['options'].label} {' '.join(option_key(each))}"
                    for each in option_bodies
                    if operations
                )
                tell_changed(family, before, names.get(family, id_), as_json, names, more)
            else:
                more = "" if as_json else effects(client, family, path, body, query)
                tell_changed(family, before, client.request("PATCH", path, body, query), as_json, names, more)

    run.params += [*narrowing(family), *flag_options(family)]
    return run


def delete_command(family: Family) -> click.Command:
    @click.command(family.name, help=f"Delete {family.many}, by name or id.")
    @click.argument("each", nargs=-1, required=True, metavar="NAME...")
    @click.option("--cascade", is_flag=True, help="Also delete the objects below. Asks on a terminal.")
    @click.option(
        "--yes", is_flag=True, help="With --cascade: do not ask. Without a terminal nothing is asked."
    )
    @dry_run_option
    @json_option
    @speaking
    def run(
        each: tuple[str, ...],
        cascade: bool,
        yes: bool,
        dry_run: bool,
        client: Client,
        as_json: bool,
        **narrow: str | None,
    ) -> None:
        names = Names(client)
        items = [found_exactly(names, family, name, narrow) for name in each]
        if not dry_run:
            delete_all(client, family, items, cascade, yes, as_json)
            return
        for name, item in zip(each, items, strict=True):
            tell_rehearsal(impact_of(client, family, item, cascade), f"{name} would be deleted", as_json)

    run.params += narrowing(family)
    return run


def found_exactly(names: Names, family: Family, name: str, narrow: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object of this name. An address does not name the network around it, because that is changed."""
    family, scope = scoped(family, narrow)
    return names.find(family, name, names.resolve(given(scope), set(family.filters)))


VERBS = {
    "get": ByFamily("get", get_command, any_family, "Show an object, or list all of a family."),
    "create": ByFamily("create", create_command, is_written, "Create an object."),
    "update": ByFamily("update", update_command, is_written, "Update an object."),
    "patch": ByFamily("patch", update_command, is_written, "Same as update."),
    "delete": ByFamily("delete", delete_command, is_deleted, "Delete objects."),
}


def __getattr__(name: str) -> click.Group:
    """Return a verb, or the group of a family, by its name in Python: entry points load attributes."""
    if name in VERBS:
        return VERBS[name]
    family = FAMILIES.get(name.replace("_", "-"))
    if family is None:
        raise AttributeError(name)
    return group_of(family)
