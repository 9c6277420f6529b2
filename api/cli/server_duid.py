"""`ipam server-duid`: the DUID under which the DHCPv6 servers answer, and how a site that moves here keeps its own."""

import click

from api.cli.connection import speaking
from api.cli.tables import json_option, show_one
from api.client import Client

PATH = "/server-duid"


@click.group("server-duid")
def server_duid() -> None:
    """Show or set the DUID of the DHCPv6 servers."""


@server_duid.command()
@json_option
@speaking
def show(client: Client, as_json: bool) -> None:
    """Print the DUID, and whether it was set or derived."""
    show_one(client.request("GET", PATH), as_json)


@server_duid.command("set")
@click.argument("duid")
@click.option(
    "--force", is_flag=True, help="Change it even while clients have leases. They get no answer until T2."
)
@json_option
@speaking
def set_(duid: str, client: Client, force: bool, as_json: bool) -> None:
    """Set the DUID of the servers, in hex; after a cutover, that of the old server."""
    change(client, duid, force, as_json)


@server_duid.command()
@click.option(
    "--force", is_flag=True, help="Change it even while clients have leases. They get no answer until T2."
)
@json_option
@speaking
def reset(client: Client, force: bool, as_json: bool) -> None:
    """Reset the DUID to the one that is derived from the database's key."""
    change(client, None, force, as_json)


def change(client: Client, duid: str | None, force: bool, as_json: bool) -> None:
    show_one(client.request("PATCH", PATH + ("?force=true" if force else ""), {"duid": duid}), as_json)
