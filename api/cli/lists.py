"""`ipam FAMILY list`: its filters as options, with names for what they refer to and moments as people write them."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click
import msgspec

from api.cli.connection import speaking
from api.cli.fields import WORDS, pairs
from api.cli.filter_help import Meaning, any_of, choices_of, meaning
from api.cli.moments import moment
from api.cli.names import Names
from api.cli.shapes import called, referred
from api.cli.tables import Listing, Style, styled
from api.client import ApiError, Client
from ipam_core.model.families import FAMILIES, Family
from ipam_core.model.page import MAX_LIMIT

MOMENTS = frozenset({"at", "since", "until", "expires_before", "expires_after"})
# They are the connection's; --filter has them too.
TAKEN = frozenset({"url", "token"})
filters_option = click.option(
    "--filter", "told", multiple=True, metavar="NAME=VALUE", help="Any filter of the API. May be repeated."
)

limit_option = click.option("--limit", type=click.IntRange(1), metavar="N", help="Show the first N only.")
PAGING = ("limit", "cursor")


def list_command(family: Family) -> click.Command:
    @click.command("list", help=f"List {family.many}.")
    @filters_option
    @limit_option
    @styled
    @speaking
    def run(
        told: tuple[str, ...], limit: int | None, client: Client, style: Style, **filters: str | None
    ) -> None:
        list_objects(client, family, style, joined(filters, told), limit)

    run.params = [*filter_options(family, family.filters), *run.params]
    return run


def filter_options(family: Family, names: Iterable[str]) -> list[click.Parameter]:
    """Return the filters as options, `--subnet` for `subnet_id`, which is accepted too."""
    found: list[click.Parameter] = []
    for name in names:
        target = referred(name)
        spelt = [each for each in dict.fromkeys((called(name), name)) if each not in TAKEN]
        if not spelt:
            continue
        flags = [f"--{each.replace('_', '-')}" for each in spelt]
        told = Meaning("NAME", of_object(target)) if target else meaning(family.name, name)
        found.append(click.Option([*flags, name], help=told.text, metavar=told.value))
    return found


def of_object(target: Family) -> str:
    """Return the help of a filter that names another object."""
    ways = {"cidr": "CIDR", "ip": "address", "mac": "MAC address", "start_ip": "first address", "url": "URL"}
    named = dict.fromkeys(
        ways.get(name, "name") for name in target.names if name in {*ways, "name", "hostname"}
    )
    return f"Only objects of this {target.label}, by {', '.join(named)} or id."


def given(filters: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in filters.items() if value is not None}


def joined(filters: Mapping[str, str | None], told: Iterable[str]) -> dict[str, str]:
    """Return the filters of both kinds of options; what is given more than once is a list."""
    return pairs([*(f"{name}={value}" for name, value in given(filters).items()), *told])


def list_objects(
    client: Client,
    family: Family,
    style: Style,
    told: Mapping[str, str],
    limit: int | None = None,
    fits: Callable[[Mapping[str, Any]], bool] | None = None,
) -> None:
    """Read the pages of a list, no more of them than `limit` needs. `fits`: which objects are shown, if not all."""
    refuse_paging(told)
    names = Names(client)
    sorts = style.sort is not None and style.sort.removeprefix("-") in family.sorts
    known = [field.encode_name for field in msgspec.structs.fields(family.row_model)]
    listing = Listing(style, family.columns, known, names, sorted_=sorts, limit=limit)
    query = query_of(names, family, told) | ({"sort": style.sort} if sorts else {})
    if limit is not None and listing.sort is None and fits is None:
        query["limit"] = str(min(limit, MAX_LIMIT))
    try:
        listing.show(filter(fits, client.items(f"/{family.name}", **query)))
    except ApiError as error:
        if (error.details or {}).get("field") not in (None, *family.filters):
            error.advice = f"filters: {', '.join(family.filters)}"
        raise


def refuse_paging(told: Iterable[str]) -> None:
    """Raise click's usage error for what sets pages, whose size is the client's own: small ones meet the rate limit."""
    if paging := [name for name in PAGING if name in told]:
        raise click.UsageError(
            f"{paging[0]} is no filter: all pages are read. Use --limit N for the first N."
        )


def query_of(names: Names, family: Family, told: Mapping[str, str]) -> dict[str, str]:
    """Return the query as the API takes it. Raises click's usage error for what is no moment, and names' errors."""
    flags = {
        field.encode_name
        for field in msgspec.structs.fields(family.row_model)
        if field.type in (bool, bool | None)
    }
    found = names.resolve(told, set(family.filters))
    for name, value in found.items():
        if name in MOMENTS:
            found[name] = moment_of(name, value)
        elif name in flags:
            found[name] = flag_of(name, value)
        else:
            found[name] = chosen(family.name, name, value)
    return found


def flag_of(name: str, text: str) -> str:
    if text.lower() not in WORDS:
        raise click.UsageError(f"{name}: {text!r} is not valid. Use yes or no.")
    return str(WORDS[text.lower()]).lower()


def chosen(family: str, name: str, text: str) -> str:
    """Return the value of a filter. Raises click's usage error for what is none of its few values."""
    values = choices_of(family, name)
    if wrong := [each for each in text.split(",") if values and each not in values]:
        raise click.UsageError(f"{name}: {', '.join(map(repr, wrong))} is not valid. Use {any_of(values)}.")
    return text


def moment_of(name: str, text: str) -> str:
    try:
        return moment(text)
    except ValueError as error:
        raise click.UsageError(f"{name}: {error}") from None


def narrowing(family: Family) -> list[click.Parameter]:
    """Return options of a command about one object: among whose it is looked for."""
    found = filter_options(family, (name for name in family.filters if referred(name)))
    if family.name == "options":
        found.append(click.Option(["--global", EVERYWHERE], is_flag=True, help="The option of no scope."))
    return found


EVERYWHERE = "everywhere"


def scoped(family: Family, narrow: Mapping[str, Any]) -> tuple[Family, dict[str, Any]]:
    """Return the family and the filters with which an object is looked for: global options are a list of their own."""
    rest = {name: value for name, value in narrow.items() if name != EVERYWHERE}
    return (FAMILIES["global-options"] if narrow.get(EVERYWHERE) else family), rest


def found_one(
    names: Names, family: Family, name: str, narrow: Mapping[str, Any], around: bool = False
) -> dict[str, Any]:
    """Return the object of that name, among those that `narrow` lets pass."""
    family, narrow = scoped(family, narrow)
    scope = names.resolve(given(narrow), set(family.filters))
    return names.find(family, name, scope, around=around)
