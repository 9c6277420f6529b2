"""`ipam netbox import` and `export`: prefixes from a NetBox and to it, in as many requests as it takes.

NetBox's token comes from a file or from standard input, never from the arguments, which everybody on the host can read.
"""

from collections.abc import Iterator
from typing import Any, TextIO

import click
import msgspec
from rich.table import Table

from api.cli.cells import text
from api.cli.connection import connect, connected
from api.cli.fields import judged, lists_of, once_each, read_fields
from api.cli.progress import Counting
from api.cli.shapes import fields_of
from api.cli.tables import console
from api.client import Client
from ipam_core.model.netbox import NetBoxCommand, NetBoxExport, NetBoxImport
from ipam_core.printing import say

WAYS: dict[str, type[NetBoxCommand]] = {"import": NetBoxImport, "export": NetBoxExport}
SIGNS = {"created": "+", "skipped": "=", "errors": "!"}


@click.group()
def netbox() -> None:
    """Import prefixes from NetBox, or export them to it."""


@netbox.command("import")
@click.argument("netbox_url", metavar="NETBOX_URL")
@click.argument("fields", nargs=-1, metavar="[NAME=VALUE]...")
@click.option(
    "--netbox-token-file",
    "file",
    type=click.File(),
    required=True,
    help="File with the token of NetBox; - reads standard input.",
)
@click.option("--dry-run", is_flag=True, help="Show which prefixes would be created. Create nothing.")
@connected
def import_(**told: Any) -> None:
    """Create the prefixes of a NetBox that are missing here. The fields are those of POST /netbox/import."""
    perform("import", **told)


@netbox.command("export")
@click.argument("netbox_url", metavar="NETBOX_URL")
@click.argument("fields", nargs=-1, metavar="[NAME=VALUE]...")
@click.option(
    "--netbox-token-file",
    "file",
    type=click.File(),
    required=True,
    help="File with the token of NetBox; - reads standard input.",
)
@click.option("--dry-run", is_flag=True, help="Show which prefixes would be created. Create nothing.")
@connected
def export(**told: Any) -> None:
    """Create prefixes in a NetBox that are missing there. The fields are those of POST /netbox/export."""
    perform("export", **told)


def perform(
    way: str,
    netbox_url: str,
    fields: tuple[str, ...],
    file: TextIO,
    dry_run: bool,
    url: str | None,
    token: str | None,
    as_json: bool,
) -> None:
    model = WAYS[way]
    body = read_fields(once_each(fields, lists_of(fields_of(model))), model)
    body |= {"url": netbox_url, "token": file.read().strip(), "dry_run": dry_run}
    results: list[dict[str, Any]] = []
    try:
        looking = Counting("Comparing prefixes")
        with connect(url, token) as client, judged(model, body), looking as progress:
            for result in parts(client, f"/netbox/{way}", body):
                results.append(result)
                progress.advance(f"Compared {sum(each['looked_at'] for each in results)} prefixes")
    finally:
        tell(results, as_json)  # objects that were made before a failure remain
    if any(result["errors"] for result in results):
        raise click.exceptions.Exit(1)


def parts(client: Client, path: str, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Request after request, until there are no more prefixes or NetBox does not go on."""
    cursor = body.get("cursor")
    while True:
        result = client.request("POST", path, body | ({"cursor": cursor} if cursor else {}))
        yield result
        cursor = result["next_cursor"]
        if cursor is None or any(each["cidr"] is None for each in result["errors"]):
            return


def tell(results: list[dict[str, Any]], as_json: bool) -> None:
    if not results:
        return
    rows = [(kind, each) for result in results for kind in SIGNS for each in result[kind]]
    if as_json:
        for kind, each in rows:
            say(msgspec.json.encode({"result": kind} | each))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    table.add_column("cidr", no_wrap=True)
    table.add_column("detail", overflow="fold")
    for kind, each in rows:
        table.add_row(SIGNS[kind], text(each["cidr"]), text(each.get("detail", each.get("description"))))
    console().print(table)
    say(summary(results), err=True)


def summary(results: list[dict[str, Any]]) -> str:
    count = {kind: sum(len(result[kind]) for result in results) for kind in SIGNS}
    verb = "to create" if results[0]["dry_run"] else "created"
    said = f"{count['created']} {verb}, {count['skipped']} skipped, {count['errors']} errors"
    cursor = results[-1]["next_cursor"]
    return f"{said}; continue with cursor={cursor}" if cursor else said
