"""`ipam export`: the server's plan as a site file, which changes nothing when it is applied, or as the configuration of
another DHCP server."""

from typing import Any, TextIO

import click
import msgspec

from api.cli.connection import connect
from api.cli.site.exporting import Export, write
from api.cli.site.schema import schema
from api.cli.site.stored import Server
from api.exporters import formats
from api.exporters.said import Lost

BESIDE = "site.schema.json"


@click.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(["yaml", "schema", *formats.SERVERS]),
    default="yaml",
    show_default=True,
    help=f"yaml: the plan. schema: what a site file may hold, for editors, kept as {BESIDE} beside it. Else the "
    "configuration of another server.",
)
@click.option("--tenant", help="Whose plan another server gets; else the default tenant's.")
@click.option("--family", type=click.Choice(["4", "6"]), help="Of which family another server is.")
@click.option("-o", "--output", type=click.File("w"), default="-", help="A file; else standard output.")
@click.option("--url", help="The API's address with /api/v1; else IPAM_API_URL.")
@click.option("--token", help="API token; else IPAM_API_TOKEN.")
def export(
    form: str, tenant: str | None, family: str | None, output: TextIO, url: str | None, token: str | None
) -> None:
    """Write the plan as a file that `ipam apply` takes, or another DHCP server. Secrets are not in it."""
    if form == "schema":
        output.write(msgspec.json.format(msgspec.json.encode(schema()), indent=1).decode() + "\n")
        return
    with connect(url, token) as client:
        document = Export(Server(client)).document()
    if form == "yaml":
        write(document, BESIDE, output)
    else:
        write_server(document, form, tenant, int(family) if family else None, output)


def write_server(
    document: dict[str, Any], form: str, tenant: str | None, family: int | None, output: TextIO
) -> None:
    text, lost = formats.written(document, form, tenant, family)
    output.write(text)
    for each in lost:
        tell(each)
    if lost:
        click.echo(f"{len(lost)} not in the file, or not as they are here", err=True)


def tell(lost: Lost) -> None:
    click.echo(f"{lost.what}: {lost.why}", err=True)
