"""`ipam export`: the server's plan as a site file, which changes nothing when it is applied; as the configuration of
another DHCP server; or as tables."""

from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import click
import msgspec

from api.cli.connection import connect, url_and_token
from api.cli.server_duid import PATH
from api.cli.site import credential_urls
from api.cli.site.exporting import Export, write
from api.cli.site.schema import schema
from api.cli.site.stored import Server
from api.client import Client
from api.exporters import formats
from ipam_core.printing import say

BESIDE = "site.schema.json"
LEFT_OUT = "left out: secrets, tokens, leases, and DNS records that the servers write"


@click.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(["yaml", "schema", *formats.SERVERS, *formats.FOLDERS]),
    default="yaml",
    show_default=True,
    help=f"yaml: a site file. schema: JSON Schema of site files for editors; save it as {BESIDE} beside the file. "
    "kea, isc: configuration of that server. csv, netbox: a folder of tables.",
)
@click.option("--tenant", help="Tenant whose plan is exported for kea or isc. Default: the default tenant.")
@click.option("--family", type=click.Choice(["4", "6"]), help="Address family of the kea or isc server.")
@click.option(
    "-o",
    "--output",
    default="-",
    metavar="PATH",
    help="File, or folder for csv and netbox. Default: standard output.",
)
@url_and_token
def export(
    form: str, tenant: str | None, family: str | None, output: str, url: str | None, token: str | None
) -> None:
    """Export the plan as a site file for `ipam apply`, or for another DHCP server. Secrets are left out."""
    if form in formats.FOLDERS and output == "-":
        raise click.UsageError(f"--format {form} writes several files: name a folder with -o FOLDER")
    if form == "schema":
        with click.open_file(output, "w") as to:
            to.write(msgspec.json.format(msgspec.json.encode(schema()), indent=1).decode() + "\n")
        return
    with connect(url, token) as client:
        document = Export(Server(client)).document()
        told = credential_urls.leave_out(document, client, is_site_file=form == "yaml")
        duid = server_duid(client) if form in formats.SERVERS else None
    if form in formats.FOLDERS:
        write_tables(
            formats.FOLDERS[form](document), Path(output), [LEFT_OUT, *told] if form == "csv" else []
        )
        return
    with click.open_file(output, "w") as to:
        if form == "yaml":
            write(document, BESIDE, to)
            tell(told)
        else:
            write_server(document, form, tenant, int(family) if family else None, duid, to)


def server_duid(client: Client) -> bytes:
    return bytes.fromhex(client.request("GET", PATH)["duid"].replace(":", ""))


def write_server(
    document: Mapping[str, Any],
    form: str,
    tenant: str | None,
    family: int | None,
    duid: bytes | None,
    to: IO[str],
) -> None:
    """Write a server's files, and list what is not in them."""
    text, lost = formats.written(document, form, tenant, family, duid)
    to.write(text)
    for each in lost:
        say(f"{each.what}: {each.why}", err=True)
    if lost:
        say(f"{len(lost)} objects are missing from the file or differ in it", err=True)


def write_tables(files: Mapping[str, str], folder: Path, told: list[str]) -> None:
    """Write the files, and report their names. `told`: what tables do not contain."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text)
    except OSError as error:
        raise click.FileError(str(folder), error.strerror or "") from None
    say(", ".join(files) or "nothing to write", err=True)
    tell(told)


def tell(told: list[str]) -> None:
    for each in told:
        say(each, err=True)
