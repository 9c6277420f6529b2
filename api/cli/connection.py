"""What the commands that speak HTTP share: server and token, tables or JSON, errors that end the command."""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import click
import msgspec
from rich.console import Console
from rich.table import Table

from api.cli.progress import Counting
from api.client import Client
from ipam_core import settings

# An address that goes on in the next line reads as another one; ids give way.
UNBROKEN = ("cidr", "ip", "start_ip", "end_ip", "gateway", "mac", "remote_address")

F = TypeVar("F", bound=Callable[..., Any])


def connected(command: F) -> F:
    """Options --url, --token and --json of a command; it gets `client` and `as_json`."""
    command = click.option("--json", "as_json", is_flag=True, help="JSON instead of a table.")(command)
    command = click.option("--token", help="API token; else IPAM_API_TOKEN.")(command)
    return click.option("--url", help="The API's address with /api/v1; else IPAM_API_URL.")(command)


def connect(url: str | None, token: str | None) -> Client:
    chosen = settings.client()
    return Client(url or chosen.api_url, token or chosen.api_token, sleep=wait, ca=chosen.api_ca)


def wait(seconds: float) -> None:
    """A pause that people would notice is explained to them."""
    if seconds >= 2:
        click.echo(f"ipam: the server asks to wait {seconds:.0f} s (limit of requests, or busy)", err=True)
    time.sleep(seconds)


def show(items: Iterable[Any], columns: Sequence[str], as_json: bool) -> None:
    """JSON is a line an object, as the pages arrive; a table comes when all are there."""
    if as_json:
        for item in items:
            click.echo(msgspec.json.encode(item))
        return
    rows = [msgspec.to_builtins(item) for item in waiting(items)]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column in UNBROKEN)
    for row in rows:
        table.add_row(*(text(row.get(column)) for column in columns))
    console().print(table)


def waiting(items: Iterable[Any]) -> Iterable[Any]:
    """On a terminal, says how many have come while more are awaited."""
    with Counting("Reading") as progress:
        for item in items:
            progress.advance()
            yield item


def console() -> Console:
    """As wide as the terminal; what goes into a pipe is never folded."""
    found = Console()
    return found if found.is_terminal else Console(width=1000)


def show_one(item: Any, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.encode(item))
        return
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in msgspec.to_builtins(item).items():
        table.add_row(name, text(value))
    console().print(table)


def text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def read_fields(pairs: Iterable[str]) -> dict[str, Any]:
    """name=value; a value that is JSON is taken as such, anything else as text."""
    fields = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator or not name:
            raise click.UsageError(f"{pair!r} is not name=value")
        try:
            fields[name] = msgspec.json.decode(value)
        except msgspec.DecodeError:
            fields[name] = value
    return fields
