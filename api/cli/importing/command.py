"""`ipam import FILE`: the configuration of another DHCP server read here, and made through the API."""

from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click

from api.cli.connection import connect, url_and_token
from api.cli.impact import tell_impact
from api.cli.importing.entries import steps_of, subnets_there
from api.cli.importing.making import Importing, check_cap, limit_of
from api.cli.importing.plan_file import encoded
from api.cli.importing.record import Record, RecordError
from api.cli.importing.rehearsal import read as read_rehearsal
from api.cli.importing.report import SUFFIXES, report_of
from api.cli.importing.report import write as write_report
from api.cli.importing.report_data import Report
from api.cli.importing.telling import tell_differences, tell_plan
from api.cli.moments import EXAMPLES, span
from api.cli.progress import Counting
from api.cli.site.making import Making
from api.cli.site.steps import Step
from api.cli.site.stored import Server
from api.client import Client
from api.importers import formats
from api.importers.formats import TABLE
from api.importers.leases.pinning import pin
from api.importers.plan import Plan
from api.importers.table.columns import columns_from
from api.importers.table.reader import There
from ipam_core.printing import say

RECORD = ".made"


def read_moment(_: click.Context, __: click.Parameter, text: str | None) -> datetime:
    try:
        return span(text).begin if text else datetime.now(UTC)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def read_reports(_: click.Context, __: click.Parameter, paths: tuple[Path, ...]) -> tuple[Path, ...]:
    for path in paths:
        if path.suffix not in SUFFIXES:
            raise click.BadParameter(f"{path} must end in {' or '.join(SUFFIXES)}")
    return paths


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--format",
    "form",
    type=click.Choice(sorted(formats.FORMATS)),
    help="Format of the file. Default: detected from its content.",
)
@click.option(
    "--map",
    "map_",
    multiple=True,
    help="Columns of a table, as ip=Address,mac=HW, or a file with a line for each. A second = sets a value for all "
    "rows: network==192.0.2.0/24. Default: common column names.",
)
@click.option(
    "--plan",
    "plan_file",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="Write the plan to this file as JSON; - is standard output.",
)
@click.option(
    "--pin-active-leases",
    "lease_files",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    multiple=True,
    help="Create reservations from the active leases in this file. May be repeated.",
)
@click.option(
    "--at", callback=read_moment, help=f"Time at which a lease must be active: {EXAMPLES}. [default: now]"
)
@click.option(
    "--report",
    "reports",
    type=click.Path(path_type=Path, dir_okay=False),
    multiple=True,
    callback=read_reports,
    help="Write the cutover report to FILE.html or FILE.json. May be repeated.",
)
@click.option(
    "--rehearsal",
    "rehearsed",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Output of `ipam replay --plan --json`, to include in the report.",
)
@click.option("--dry-run", is_flag=True, help="Let the server check the objects, and create nothing.")
@click.option(
    "--apply",
    "apply_",
    is_flag=True,
    help="Create missing objects. If interrupted, run it again to create the rest.",
)
@click.option("--undo", is_flag=True, help="Delete exactly the objects that --apply created.")
@click.option("--tenant", help="Name of the tenant. Default: the default tenant.")
@click.option(
    "--record",
    type=click.Path(path_type=Path, dir_okay=False),
    help=f"File in which --apply records the objects it creates, for --undo. Default: FILE{RECORD}.",
)
@url_and_token
def import_(
    file: Path,
    form: str | None,
    map_: tuple[str, ...],
    plan_file: str | None,
    lease_files: tuple[Path, ...],
    at: datetime,
    reports: tuple[Path, ...],
    rehearsed: Path | None,
    dry_run: bool,
    apply_: bool,
    undo: bool,
    tenant: str | None,
    record: Path | None,
    url: str | None,
    token: str | None,
) -> None:
    """Import the configuration of another DHCP server. Without an option, report what can be imported."""
    if dry_run + apply_ + undo > 1:
        raise click.UsageError("use only one of --dry-run, --apply and --undo")
    record = record or file.with_name(file.name + RECORD)
    if rehearsed and not reports:
        raise click.UsageError("--rehearsal needs --report")
    if undo:
        with connect(url, token) as client:
            take_back(client, record, str(file))
        return
    rehearsal = read_rehearsal(rehearsed) if rehearsed else None
    if columns_are_useless(form, map_):
        raise click.UsageError(f"--map needs --format {TABLE}")

    def planned(there: There | None) -> Plan:
        plan = formats.read(file, form, columns_from(map_), there)
        for each in lease_files:
            pin(plan, each, at)
        tell_plan(plan, str(file), to_stderr=plan_file == "-")
        if plan_file is not None:
            write(plan, plan_file)
        return plan

    if not (dry_run or apply_):
        write_reports(report_of(planned(None), str(file), None, rehearsal), reports)
        return
    with connect(url, token) as client:
        plan = planned(partial(subnets_there, client, tenant))
        if reports:
            write_reports(report_of(plan, str(file), limit_of(client), rehearsal), reports)
        send(client, plan, str(file), tenant, None if dry_run else record)
    refuse_silence(plan)


def columns_are_useless(form: str | None, columns: tuple[str, ...]) -> bool:
    return bool(columns) and form not in (None, TABLE)


def refuse_silence(plan: Plan) -> None:
    """Exit with status 1 if rows of a table are missing from the plan, or if it has no object at all."""
    missing = plan.statements.warned if plan.format == TABLE else 0
    if missing:
        say(f"ipam: {missing} of {plan.statements.read + missing} rows were not imported", err=True)
    elif not plan.objects:
        say("ipam: the file has nothing to import", err=True)
    if missing or not plan.objects:
        click.get_current_context().exit(1)


def write_reports(report: Report, reports: tuple[Path, ...]) -> None:
    for path in reports:
        write_report(report, path)


def write(plan: Plan, name: str) -> None:
    try:
        with click.open_file(name, "wb") as file:
            file.write(encoded(plan))
    except OSError as error:
        raise click.FileError(name, error.strerror) from None


def send(client: Client, plan: Plan, file: str, tenant: str | None, record: Path | None) -> None:
    """Send the plan; without a record it is only rehearsed."""
    importing = Importing(client, Record(record, client.url), file) if record else None
    if importing and (told := importing.settle_open()):
        say(f"ipam: {told}", err=True)
    steps = steps_of(Server(client), plan, file, tenant)
    missing = [each for each in steps if each.change == "create"]
    tell_differences([each for each in steps if each.change == "update"], file)
    check_cap(client, missing)
    if importing:
        make(importing, missing)
    else:
        rehearse(client, file, missing)


def make(importing: Importing, missing: list[Step]) -> None:
    with Counting("Creating", len(missing)) as progress:
        importing.on_done = lambda count: progress.advance(by=count)
        importing.perform(missing)
    recorded = f", and recorded in {importing.record.path} for --undo" if missing else ""
    say(f"{len(missing)} created{recorded}")


def rehearse(client: Client, file: str, missing: list[Step]) -> None:
    impact, checked = Making(client, file).rehearse(missing)
    if impact is not None:
        tell_impact(impact, as_json=False)
    say(f"{len(missing)} to create; the server checked {checked} of them")


def take_back(client: Client, path: Path, file: str) -> None:
    if not path.exists():
        raise RecordError(
            str(path), "does not exist, so there is nothing to undo: name the record with --record"
        )
    importing = Importing(client, Record(path, client.url), file)
    importing.settle_open()
    with Counting("Removing", len(importing.record.made)) as progress:
        importing.on_done = lambda count: progress.advance(by=count)
        count = importing.undo()
    say(f"{count} removed")
