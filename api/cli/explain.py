"""`ipam explain relay=10.0.0.1 mac=02:00:00:00:00:01`: what the DHCP server would do with a client, and why."""

import click

from api.cli.connection import connect, connected, read_fields, show_one

OF_DHCPV6 = "link_address"


@click.command()
@click.argument("fields", nargs=-1, required=True, metavar="NAME=VALUE...")
@connected
def explain(fields: tuple[str, ...], url: str | None, token: str | None, as_json: bool) -> None:
    """Say what a client would get and why; the fields are those of POST /dhcp/explain, or, where link_address is
    one of them, of POST /dhcp6/explain."""
    question = read_fields(fields)
    path = "/dhcp6/explain" if OF_DHCPV6 in question else "/dhcp/explain"
    with connect(url, token) as client:
        show_one(client.request("POST", path, question), as_json)
