"""`ipam free`, `ipam next-subnet` and `ipam map`: what is free, the next free subnet, and what is used by what."""

import re
from collections.abc import Iterator
from typing import Any

import click
import msgspec

from api.cli.connection import speaking
from api.cli.fields import judged
from api.cli.help import FieldsCommand
from api.cli.moments import EXAMPLES, moment
from api.cli.names import Names, NoSuchName, item_path, tenant_option
from api.cli.objects import key_option, typed
from api.cli.outcomes import tell_made
from api.cli.shapes import fields_of
from api.cli.tables import Listing, Style, json_option, styled
from api.client import Client
from ipam_core.model.families import FAMILIES
from ipam_core.model.subnet import NextSubnet
from ipam_core.printing import say

SUBNETS, PREFIXES = FAMILIES["subnets"], FAMILIES["prefixes"]
RUNS = ("range", "addresses", "type", "name")
# Family of a run by its type. One request for the list returns the names of all.
OWNERS = {
    "pool": "pools",
    "exclude": "excludes",
    "reservation": "reservations",
    "assignment": "assignments",
    "lease": "leases",
    "subnet": "subnets",
}
CALLED = ("hostname", "name", "description", "mac", "duid", "cidr")


def read_at(_: click.Context, __: click.Parameter, text: str | None) -> str | None:
    try:
        return moment(text) if text else None
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


@click.command()
@click.argument("subnet")
@click.option(
    "--count", type=click.IntRange(1, 1000), default=1, show_default=True, help="Number of addresses."
)
@tenant_option
@json_option
@speaking
def free(subnet: str, count: int, tenant: str | None, client: Client, as_json: bool) -> None:
    """Print free addresses of a SUBNET, one per line, in the order in which reservations get them. None is reserved."""
    id_ = Names(client, tenant).reference(SUBNETS, subnet)
    found = client.request("GET", item_path(SUBNETS, id_, "free"), query={"count": count})["items"]
    for each in found:
        say(msgspec.json.encode(each) if as_json else each["ip"])
    if len(found) < count:
        say(f"only {len(found)} of {count} are free" if found else "no address is free", err=True)


@click.command("next-subnet", cls=FieldsCommand, model=NextSubnet, elsewhere=("prefix_length",))
@click.argument("prefix")
@click.argument("told", nargs=-1, metavar="[FIELD=VALUE]...")
@click.option(
    "--length", metavar="BITS", help="Prefix length of the new subnet: 24, /24, or /24 as an argument."
)
@key_option
@tenant_option
@json_option
@speaking
def next_subnet(
    prefix: str,
    told: tuple[str, ...],
    length: str | None,
    key: str | None,
    tenant: str | None,
    client: Client,
    as_json: bool,
) -> None:
    """Create a subnet of the given length in the lowest free range of a PREFIX."""
    names = Names(client, tenant)
    id_ = names.reference(PREFIXES, prefix)
    told, bits = with_length(told, length)
    own = typed(told, NextSubnet) | {"prefix_length": bits}
    body = names.resolve(own, set(fields_of(NextSubnet)), there=False)
    with judged(NextSubnet, body):
        made = client.post_once(item_path(PREFIXES, id_, "next-subnet"), body, key)
    tell_made(SUBNETS, made, set(body), as_json, names)


LENGTH = re.compile(r"/?([0-9]{1,3})")


def with_length(told: tuple[str, ...], length: str | None) -> tuple[tuple[str, ...], int]:
    """Return the fields, and the prefix length of the option or of an argument such as /24."""
    lengths = [word for word in told if LENGTH.fullmatch(word)]
    given = [*([] if length is None else [length]), *lengths]
    if not given:
        raise click.UsageError("give the prefix length of the new subnet, such as /24")
    if given[1:]:
        raise click.UsageError(f"the prefix length is given twice: {' and '.join(given)}. Give it once.")
    found = LENGTH.fullmatch(given[0])
    if found is None:
        raise click.UsageError(f"--length: {given[0]!r} is no prefix length. Use a number such as 24.")
    return tuple(word for word in told if word not in lengths), int(found[1])


@click.command("map")
@click.argument("network", metavar="SUBNET|PREFIX")
@click.option("--prefix", "as_prefix", is_flag=True, help="Use the prefix when a subnet has the same CIDR.")
@click.option(
    "--at", callback=read_at, help=f"Show the network at this time, if it is /20 or smaller: {EXAMPLES}."
)
@tenant_option
@styled
@speaking
def map_(
    network: str, as_prefix: bool, at: str | None, tenant: str | None, client: Client, style: Style
) -> None:
    """Show the use of each range of a network, from the first address to the last. With --at, its use at that time."""
    names = Names(client, tenant)
    family = PREFIXES
    try:
        id_ = names.reference(PREFIXES if as_prefix else SUBNETS, network)
        family = PREFIXES if as_prefix else SUBNETS
    except NoSuchName:
        if as_prefix:
            raise
        id_ = names.reference(PREFIXES, network)
    found = client.request("GET", item_path(family, id_, "map"), query={"at": at} if at else {})
    if found["blocks"]:
        Listing(style, tuple(found["blocks"][0])).show(found["blocks"])
        return
    above = {family.key: id_}
    nameless = {"lease"} if at else set[str]()  # the current client of an address may be another one
    runs = called(client, found["runs"], above, nameless)
    Listing(style, RUNS, ("start_ip", "end_ip", "id")).show(runs)


def called(
    client: Client, runs: list[dict[str, Any]], above: dict[str, str], nameless: set[str]
) -> Iterator[dict[str, Any]]:
    """Yield the runs with the names of their objects, and both ends as one."""
    kinds = {run["type"] for run in runs if run["id"]} - nameless
    listed = [client.items(f"/{OWNERS[kind]}", **above) for kind in sorted(kinds & set(OWNERS))]
    names = {item["id"]: name_of(item) for items in listed for item in items}
    for run in runs:
        ends = dict.fromkeys((run["start_ip"], run["end_ip"]))
        yield run | {"range": "-".join(ends), "name": names.get(run["id"])}


def name_of(item: dict[str, Any]) -> str | None:
    return next((str(item[name]) for name in CALLED if item.get(name)), None)
