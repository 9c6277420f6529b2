"""`ipam history CLIENT`: the lease events of an address, MAC, DUID or host name."""

import click

from api.cli.connection import speaking
from api.cli.lists import limit_option, list_objects
from api.cli.lookup import Asked, asked_of
from api.cli.moments import EXAMPLES
from api.cli.names import first_label, is_called
from api.cli.tables import Style, styled
from api.client import Client
from ipam_core.model.families import FAMILIES
from ipam_core.model.values import parse_address

EVENTS = FAMILIES["lease-events"]


@click.command()
@click.argument("client_", metavar="ADDRESS|MAC|DUID|NAME", required=False)
@click.option("--since", metavar="WHEN", help=f"From this time on: {EXAMPLES}.")
@click.option("--until", metavar="WHEN", help="Before this time.")
@limit_option
@styled
@speaking
def history(
    client_: str | None, since: str | None, until: str | None, limit: int | None, client: Client, style: Style
) -> None:
    """List the lease events of an address or a client, newest first: granted, renewed, released, expired."""
    asked = None if client_ is None else asked_for(client_)
    told = {"since": since, "until": until} | ({asked.filter: asked.value} if asked else {})
    query = {name: value for name, value in told.items() if value}
    label = first_label(asked.value) if asked and asked.filter == "hostname" else ""
    if asked is None or not label or has_events(client, asked.value):
        list_objects(client, EVENTS, style, query, limit)
        return
    whole = asked.value
    list_objects(
        client, EVENTS, style, query | {"hostname": label}, limit, lambda event: is_called(event, whole)
    )


def has_events(client: Client, hostname: str) -> bool:
    return bool(client.request("GET", "/lease-events", query={"hostname": hostname, "limit": "1"})["items"])


def asked_for(client: str) -> Asked:
    """Return the filter of an address or of a client."""
    try:
        return Asked("ip", str(parse_address(client)))
    except ValueError:
        return asked_of(client)
