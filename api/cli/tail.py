"""`ipam tail`: what happens to leases, live; after a break it goes on where it was."""

import time
from itertools import islice
from typing import Any

import click
import msgspec

from api.cli.cells import subject, text
from api.cli.connection import speaking
from api.cli.lists import given, moment_of
from api.cli.names import LABELS, Names, tenant_option
from api.cli.tables import json_option
from api.client import Client
from ipam_core.model.families import FAMILIES
from ipam_core.model.values import parse_address, parse_mac
from ipam_core.printing import say

Event = dict[str, Any]


@click.command()
@click.option(
    "--type",
    "type_",
    default="lease.*",
    show_default=True,
    metavar="TYPES",
    help="Event types, or all of a group.",
)
@click.option("--since", metavar="WHEN", help="Start at this time: 10 minutes ago, 14:03. Default: now.")
@click.option("--subnet", metavar="NAME", help="Only events of this subnet.")
@click.option("--ip", metavar="ADDRESS", help="Only events of this address.")
@click.option("--mac", help="Only events of this MAC address.")
@click.option("--hostname", help="Only host names that begin with this text.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="End after N events.")
@tenant_option
@json_option
@speaking
def tail(
    type_: str,
    since: str | None,
    limit: int | None,
    tenant: str | None,
    client: Client,
    as_json: bool,
    **filters: str | None,
) -> None:
    """Show lease events as they happen, until Ctrl-C. --type '*' shows all events."""
    names = Names(client, tenant)
    wanted = read_filters(names, given(filters))
    query = {"type": type_} | given({"tenant_id": names.tenant_id})
    if since:
        query["since"] = moment_of("since", since)
    client.sleep = time.sleep  # without the progress line; `on_break` reports the reason
    events = map(msgspec.to_builtins, client.follow(on_break=tell_break, **query))
    try:
        for event in islice((event for event in events if matches(event, wanted)), limit):
            say(msgspec.json.encode(event) if as_json else line_of(event))
    except KeyboardInterrupt:
        return


def read_filters(names: Names, told: dict[str, str]) -> dict[str, str]:
    """Read filters, spelled as in events. Raises click's usage error."""
    found = dict(told)
    for name, parse in (("ip", parse_address), ("mac", parse_mac)):
        if name in found:
            try:
                found[name] = str(parse(found[name]))
            except ValueError as error:
                raise click.UsageError(f"--{name}: {error}") from None
    if "subnet" in found:
        found["subnet_id"] = names.reference(FAMILIES["subnets"], found.pop("subnet"))
    return found


def matches(event: Event, wanted: dict[str, str]) -> bool:
    data = event["data"]
    exact = all(data.get(name) == value for name, value in wanted.items() if name != "hostname")
    begins = str(data.get("hostname") or "").lower().startswith(wanted.get("hostname", "").lower())
    return exact and begins


def line_of(event: Event) -> str:
    """Return the line of an event: time, type and subject."""
    data = event["data"]
    about = [data.get(name) for name in ("ip", "mac", "duid", "hostname")]
    told = [text(each) for each in about if each] or [text(subject(event, LABELS))]
    return " ".join([text(event["timestamp"], "timestamp"), f"{event['type']:<16}", *told])


def tell_break(reason: str, seconds: float) -> None:
    say(f"ipam: {reason}; reconnecting in {seconds:.0f} s", err=True)
