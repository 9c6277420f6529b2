"""`ipam search`, `ipam who ADDRESS` and `ipam where CLIENT`: what a text may mean, whose an address is or was, and
where a client is or was."""

import re
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any, NamedTuple

import click

from api.cli.connection import speaking
from api.cli.lists import limit_option
from api.cli.moments import Span, span
from api.cli.names import Names, first_label, is_called, refuse_broken_mac, tenant_option
from api.cli.place import place_of
from api.cli.tables import Listing, Style, styled
from api.client import Client
from ipam_core.model.values import parse_address, parse_hostname, parse_mac, parse_octets, rfc3339
from ipam_core.printing import say

Item = dict[str, Any]

HITS = ("type", "label", "match", "subnet")
HOLDERS = ("what", "mac", "duid", "hostname", "from", "until", "client_id", "circuit_id")
PLACES = ("what", "ip", "subnet", "relay", "circuit_id", "interface_id", "from", "until", "hostname")
MINUTE = re.compile(r"(?<![:\d])\d?\d:\d\d$")
"""A time without seconds, which means its whole minute, as tables show it."""
HELD = ("granted", "renewed", "registered")

at_option = click.option(
    "--at",
    metavar="WHEN",
    help="Answer for this time or day: yesterday, 2 hours ago, 2026-11-22, 2026-11-22 14:03.",
)


class Asked(NamedTuple):
    """Subject of a look-up: a filter of lists, and its value."""

    filter: str
    value: str


@click.command()
@click.argument("text", nargs=-1, required=True)
@limit_option
@styled
@speaking
def search(text: tuple[str, ...], limit: int | None, client: Client, style: Style) -> None:
    """Find objects and leases by address or its beginning, network, MAC, DUID or name."""
    listing = Listing(style, HITS, ("id", "subnet_id"), Names(client), limit=limit)
    listing.show(client.items("/search", q=" ".join(text)))


@click.command()
@click.argument("address")
@at_option
@tenant_option
@styled
@speaking
def who(address: str, at: str | None, tenant: str | None, client: Client, style: Style) -> None:
    """Show who has an ADDRESS: its lease, reservation or assignment. With --at, who had it then or on that day."""
    refuse_broken_mac(address)
    try:
        asked = Asked("ip", str(parse_address(address)))
    except ValueError as error:
        raise click.UsageError(f"ADDRESS: {error}") from None
    tell(client, style, asked, HOLDERS, at, tenant)


@click.command()
@click.argument("device", metavar="CLIENT")
@at_option
@tenant_option
@styled
@speaking
def where(device: str, at: str | None, tenant: str | None, client: Client, style: Style) -> None:
    """Show where a CLIENT is, by its MAC, DUID or host name: addresses, subnets and relays. With --at, where it was at
    that time."""
    tell(client, style, asked_of(device), PLACES, at, tenant)


def asked_of(device: str) -> Asked:
    """Return the filter of a client. Raises click's usage error for a malformed MAC address."""
    refuse_broken_mac(device)
    for name, parse in (("mac", parse_mac), ("duid", parse_octets)):
        try:
            parse(device)
        except ValueError:
            continue
        return Asked(name, device)
    return Asked("hostname", device)


def tell(
    client: Client, style: Style, asked: Asked, columns: tuple[str, ...], at: str | None, tenant: str | None
) -> None:
    names = Names(client, tenant)
    scope = {"tenant_id": names.tenant_id} if names.tenant_id else {}
    found = found_of(client, asked, at, scope)
    if found or style.as_json:
        Listing(style, columns, ("id", "tenant_id", "subnet_id", "state"), names).show(found)
    if asked.filter == "ip" and not at:
        if not any(map(is_held, found)):
            say(place_of(client, asked.value, scope, found), err=True)
    elif not found:
        say(f"nothing found for {asked.value}{f' at {at}' if at else ''}", err=True)


def found_of(client: Client, asked: Asked, at: str | None, scope: dict[str, str]) -> list[Item]:
    """Return what there is of it; of a name with a domain that nothing has, what is called by its first label."""
    found = list(then(client, asked, span_of(at), scope) if at else now(client, asked, scope))
    label = first_label(asked.value) if asked.filter == "hostname" else ""
    if found or not label:
        return found
    whole = found_of(client, Asked("hostname", label), at, scope)
    return [item for item in whole if is_called(item, asked.value)]


def is_held(item: Item) -> bool:
    """Return whether somebody has the address by it: a running lease, or what the plan says."""
    return item.get("ended_at") is None


def span_of(at: str) -> Span:
    try:
        found = span(at)
    except ValueError as error:
        raise click.UsageError(f"--at: {error}") from None
    if found.begin == found.end and MINUTE.search(at.strip()):
        return Span(found.begin, found.begin + timedelta(minutes=1))
    return found


def now(client: Client, asked: Asked, scope: dict[str, str]) -> Iterator[Item]:
    """Yield the leases, those that run first; then what the plan says."""
    query = {asked.filter: asked.value} | scope
    leases = sorted(client.items("/leases", **query), key=lambda lease: str(lease["state"]) != "active")
    for lease in leases:
        ended = "" if lease["state"] == "active" else f"{lease['state']} "
        yield {"what": f"{ended}lease"} | times(lease) | lease
    for family in ("reservations", "assignments"):
        if asked.filter == "hostname" and not is_hostname(asked.value):
            continue  # a client may send such a name, the plan never has one
        if asked.filter in ("ip", "hostname") or family == "reservations":
            for item in client.items(f"/{family}", **query):
                yield {"what": family.removesuffix("s")} | item


def is_hostname(text: str) -> bool:
    try:
        return bool(parse_hostname(text))
    except ValueError:
        return False


def then(client: Client, asked: Asked, when: Span, scope: dict[str, str]) -> Iterator[Item]:
    """Yield the leases in force at the moment, or in some part of the day, as they were told last; the oldest first."""
    query = {asked.filter: asked.value} | scope
    events = list(client.items("/lease-events", at=rfc3339(when.begin), **query))
    if when.end > when.begin:
        later = client.items("/lease-events", since=rfc3339(when.begin), until=rfc3339(when.end), **query)
        events = [event for event in later if event["event"] in HELD] + events
    for event in sorted(last_of_each(events), key=lambda event: str(event["granted_at"])):
        how = f"lease, {event['end']}" if event["end"] else "lease"
        yield {"what": how} | times(event) | event


def last_of_each(events: Iterable[Item]) -> list[Item]:
    """Return the newest event of each lease; they come newest first."""
    found: dict[tuple[Any, ...], Item] = {}
    for event in events:
        found.setdefault((event["lease_id"], event["granted_at"], event["mac"], event["duid"]), event)
    return list(found.values())


def times(item: Item) -> Item:
    """Return the times in which the client had or has the address, up to the actual end, else the promised one."""
    return {"from": item["granted_at"], "until": item["ended_at"] or item["expires_at"]}
