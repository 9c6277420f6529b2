"""`ipam explain relay=10.0.0.1 mac=02:00:00:00:00:01`: what the DHCP server would do with a client, and why."""

import click

from api.cli.connection import speaking
from api.cli.fields import judged, pairs, read_fields
from api.cli.help import FieldsCommand
from api.cli.tables import json_option, show_one
from api.client import Client
from ipam_core.model.explain import Question
from ipam_core.model.explain6 import Question6

OF_DHCPV6 = "link_address"


@click.command(cls=FieldsCommand, model=Question)
@click.argument("fields", nargs=-1, required=True, metavar="NAME=VALUE...")
@json_option
@speaking
def explain(fields: tuple[str, ...], client: Client, as_json: bool) -> None:
    """Say what a client would get and why; the fields are those of POST /dhcp/explain, or, where link_address is
    one of them, of POST /dhcp6/explain."""
    told = pairs(fields)
    is_dhcpv6 = OF_DHCPV6 in told
    path, model = ("/dhcp6/explain", Question6) if is_dhcpv6 else ("/dhcp/explain", Question)
    question = read_fields(told, model)
    with judged(model, question):
        show_one(client.request("POST", path, question), as_json)
