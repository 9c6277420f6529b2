"""The report of a cutover: what was read, what becomes of each statement, what the rehearsal showed, and the steps of
the day; as JSON, or as one page of HTML (report_page.py)."""

from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from api.cli.importing.making import Limit
from api.cli.importing.rehearsal import Rehearsal
from api.cli.importing.report_data import Report
from api.cli.importing.report_page import page
from api.cli.importing.steps_of_the_day import steps
from api.importers.plan import Plan
from ipam_core.model.values import rfc3339

SUFFIXES = (".html", ".json")


def report_of(plan: Plan, file: str, managed_limit: Limit | None, rehearsal: Rehearsal | None) -> Report:
    at = rfc3339(datetime.now(UTC))
    return Report(
        file,
        at,
        plan,
        plan.counts(),
        plan.managed_ips(),
        managed_limit,
        rehearsal,
        steps(plan, file, rehearsal),
    )


def write(report: Report, path: Path) -> None:
    data = (
        page(report) if path.suffix == ".html" else msgspec.json.format(msgspec.json.encode(report)) + b"\n"
    )
    try:
        path.write_bytes(data)
    except OSError as error:
        raise click.FileError(str(path), error.strerror) from None
