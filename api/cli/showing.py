"""`ipam show`: an object, how full it is, and how much it contains. What cannot be read of that is reported as such."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from api.cli.cells import text
from api.cli.names import Names, item_path
from api.cli.tables import Listing, Style, show_one
from api.client import ApiError, Client
from ipam_core.model.families import FAMILIES, Family, words
from ipam_core.model.page import MAX_LIMIT
from ipam_core.printing import say

Item = dict[str, Any]

USED = words("subnets pools prefixes")
"""Families of which the API reports how full an object is."""
COUNTED = {
    "tenants": words("prefixes subnets client-classes dns-zones"),
    "prefixes": words("subnets"),
    "subnets": words("excludes options"),
    "pools": words("options"),
    "reservations": words("options"),
    "client-classes": words("pools options reservations"),
    "dns-servers": words("dns-zones"),
    "dns-zones": words("dns-records"),
    "webhooks": words("deliveries"),
}
"""Of each family, those whose objects are counted in one of it."""
POOLS = FAMILIES["pools"]
POOL_COLUMNS = ("name", "start_ip", "end_ip", "prefix", "class", "used", "utilisation")
PARTS = ("leased", "reserved", "assigned", "excluded", "gateway", "in_use")


def show_object(names: Names, family: Family, item: Item, style: Style) -> None:
    """Print an object with what it contains; JSON is the object as the API returns it, `--columns` its fields alone."""
    if style.columns or style.as_csv:
        known = [field.encode_name for field in msgspec.structs.fields(family.model)]
        Listing(style, family.columns, known, names).show([item])
        return
    show_one(item, style.as_json, names)
    if style.as_json:
        return
    for line in contents(names.client, family, item):
        say(line)
    if family.name == "subnets":
        show_pools(names, item, style)


def contents(client: Client, family: Family, item: Item) -> Iterator[str]:
    """Yield lines: how full the object is, and how many objects of each family it contains."""
    if family.name in USED:
        yield readable(
            "use", lambda: use(client.request("GET", item_path(family, item["id"], "utilisation")))
        )
    for name in COUNTED.get(family.name, ()):
        yield readable(FAMILIES[name].many, lambda name=name: count(client, family, item, name))  # type: ignore[misc]  # mypy infers no default


def readable(title: str, read: Callable[[], str]) -> str:
    try:
        return f"{title}: {read()}"
    except ApiError as error:
        return f"{title}: could not be read: {error}"


def use(found: Item) -> str:
    """Return the share in use and its parts. A prefix is used by its subnets."""
    parts = [f"{found[name]:,} {name.replace('_', ' ')}" for name in PARTS if found[name]]
    told = ", ".join([*parts, f"{found['free']:,} free"])
    share = text(found["utilisation"], "utilisation")
    return (
        f"{share} of {found['total']:,}" + (" lie in subnets" if "allocated" in found else "") + f" ({told})"
    )


def count(client: Client, family: Family, item: Item, name: str) -> str:
    """Return how many objects of another family belong to this one, counted up to a page."""
    page = client.request("GET", f"/{name}", query={family.key: item["id"], "limit": str(MAX_LIMIT)})
    return f"{len(page['items']):,}" + (" or more" if page["next_cursor"] else "")


def show_pools(names: Names, subnet: Item, style: Style) -> None:
    try:
        pools = list(names.client.items("/pools", subnet_id=subnet["id"], sort="start_ip"))
    except ApiError as error:
        say(f"pools: could not be read: {error}")
        return
    if not pools:
        say("pools: none")
        return
    say()
    say("pools:")
    Listing(Style(wide=style.wide), POOL_COLUMNS, ("id",), names).show(pools)
