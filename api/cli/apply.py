"""`ipam apply -f site.yaml`: makes the server's plan as the file says, in one transaction; twice is as once."""

from pathlib import Path
from typing import Any

import click
import msgspec
import yaml
from rich.console import Console

from api.cli.connection import connect, connected
from api.cli.progress import Counting
from api.cli.site_changes import Site, Step, count_entries
from api.client import Client
from api.client.errors import ApiError
from ipam_core.errors import ValidationError

MOST = 1000
SIGNS = {"+": "create", "~": "update", "-": "delete", "=": "none"}


@click.command()
@click.option(
    "-f", "--file", "path", required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False)
)
@click.option(
    "--dry-run", is_flag=True, help="Show the difference; the server checks it and changes nothing."
)
@click.option("--prune", is_flag=True, help="Delete pools and options that the file does not have, too.")
@connected
def apply(path: Path, dry_run: bool, prune: bool, url: str | None, token: str | None, as_json: bool) -> None:
    """Make the plan as a YAML file says: create, change, and delete what the file made before."""
    document = read(path)
    with connect(url, token) as client:
        with Counting("Comparing", count_entries(document)) as progress:
            steps = Site(client, document, prune, progress.advance).steps()
        changes = [step for step in steps if step.operation]
        with Console(stderr=True).status(f"{'Checking' if dry_run else 'Making'} {len(changes)} changes"):
            perform(client, changes, dry_run)
    tell(steps, dry_run, as_json)


def read(path: Path) -> Any:
    try:
        return yaml.safe_load(path.read_text("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValidationError(str(path), " ".join(str(error).split())) from None


def perform(client: Client, steps: list[Step], dry_run: bool) -> None:
    """One bulk request; a refusal names the object of the file that it is about."""
    operations = [step.operation for step in steps]
    if len(operations) > MOST:
        raise ValidationError("file", f"it needs {len(operations)} operations; one transaction takes {MOST}")
    if operations:
        try:
            client.post_once("/bulk", {"operations": operations, "dry_run": dry_run})
        except ApiError as error:
            index = (error.details or {}).get("index")
            if isinstance(index, int) and index < len(steps):
                error.message = f"{steps[index].what}: {error.message}"
            raise


def tell(steps: list[Step], dry_run: bool, as_json: bool) -> None:
    for step in steps:
        told = {"change": SIGNS[step.sign], "what": step.what, "operation": step.operation}
        click.echo(msgspec.json.encode(told) if as_json else f"{step.sign} {step.what}")
    if not as_json:
        count = sum(step.operation is not None for step in steps)
        click.echo(f"{count} {'to change' if dry_run else 'changed'}", err=True)
