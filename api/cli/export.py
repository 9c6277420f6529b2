"""`ipam export`: the server's plan as a site file; applied, it changes nothing."""

from typing import TextIO

import click
import msgspec

from api.cli.connection import connect
from api.cli.site.exporting import Export, write
from api.cli.site.schema import schema
from api.cli.site.stored import Server

BESIDE = "site.schema.json"


@click.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(["yaml", "schema"]),
    default="yaml",
    show_default=True,
    help=f"yaml: the plan. schema: what a site file may hold, for editors, kept as {BESIDE} beside it.",
)
@click.option("-o", "--output", type=click.File("w"), default="-", help="A file; else standard output.")
@click.option("--url", help="The API's address with /api/v1; else IPAM_API_URL.")
@click.option("--token", help="API token; else IPAM_API_TOKEN.")
def export(form: str, output: TextIO, url: str | None, token: str | None) -> None:
    """Write the plan as a file that `ipam apply` takes. Secrets are not in it."""
    if form == "schema":
        output.write(msgspec.json.format(msgspec.json.encode(schema()), indent=1).decode() + "\n")
        return
    with connect(url, token) as client:
        document = Export(Server(client)).document()
    write(document, BESIDE, output)
