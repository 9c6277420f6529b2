"""`ipam apply site.yaml`: makes the server's plan as the file says; twice is as once."""

from pathlib import Path

import click

from api.cli.connection import connect, connected
from api.cli.impact import tell_impact
from api.cli.progress import Counting
from api.cli.site import telling
from api.cli.site.comparing import Comparison
from api.cli.site.faults import Fault, SiteError
from api.cli.site.making import Making
from api.cli.site.reading import SiteFile, read
from api.cli.site.sound import sound
from api.cli.site.steps import Step, changes_of
from api.cli.site.stored import Server
from api.client import ApiError, Client
from ipam_core.printing import say

CHANGED = 2


SITE_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command()
@click.argument("path", metavar="FILE", required=False, type=SITE_FILE)
@click.option("-f", "--file", "named", type=SITE_FILE, help="Site file, in place of FILE.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Show the differences and the leases, reservations and records that would be affected. Change nothing.",
)
@click.option("--prune", is_flag=True, help="Delete objects that are no longer in the file.")
@click.option(
    "--detailed-exitcode", is_flag=True, help="Exit with status 2 if anything changed, or would change."
)
@connected
def apply(
    path: Path | None,
    named: Path | None,
    dry_run: bool,
    prune: bool,
    detailed_exitcode: bool,
    url: str | None,
    token: str | None,
    as_json: bool,
) -> None:
    """Apply a site file (YAML): create missing objects and update those that differ."""
    if (path is None) == (named is None):
        raise click.UsageError("name one site file: ipam apply site.yaml")
    path = path or named
    assert path is not None
    with connect(url, token) as client:
        server = Server(client)
        site = read(path, server.definitions(), server.names_known)
        if site.faults:
            raise SiteError(site.path, sorted({*site.faults, *further_faults(client, server, site)}))
        with Counting("Comparing", sum(1 for _ in site.entries())) as progress:
            steps = Comparison(server, site, prune, progress.advance).steps()
        changes = changes_of(steps)
        for step in [
            each for each in steps if each.operation is None
        ]:  # a long apply reports the rest as it goes
            telling.tell(step, as_json)
        if dry_run:
            rehearse(client, site.path, changes, as_json)
        else:
            make(client, site.path, changes, as_json)
    if not as_json:
        say(telling.counted(changes, dry_run), err=True)
    if detailed_exitcode and changes:
        raise click.exceptions.Exit(CHANGED)


def further_faults(client: Client, server: Server, site: SiteFile) -> list[Fault]:
    """Return what the server refuses of the entries without faults; none if it cannot be asked."""
    found = sound(site, site.faults)
    if found is None:
        return []
    try:
        changes = changes_of(Comparison(server, found.site, prune=False).steps())
        Making(client, site.path, left_out=found.left_out).rehearse(changes)
    except SiteError as error:
        return [fault for fault in error.faults if fault.line and not fault.reason.startswith("there is no ")]
    except ApiError:
        return []
    return []


def rehearse(client: Client, file: str, changes: list[Step], as_json: bool) -> None:
    for step in changes:
        telling.tell(step, as_json)
    impact, checked = Making(client, file, telling.warn).rehearse(changes)
    if impact is not None:
        tell_impact(impact, as_json)
    if checked < len(changes):
        say(f"ipam: the server checked the first {checked}; the others depend on them", err=True)


def make(client: Client, file: str, changes: list[Step], as_json: bool) -> None:
    """Report of each request what it has made, when it has."""
    with Counting("Making", len(changes)) as progress:

        def done(made: list[Step]) -> None:
            progress.advance(by=len(made))
            for step in made:
                telling.tell(step, as_json)

        Making(client, file, telling.warn, done).perform(changes)
