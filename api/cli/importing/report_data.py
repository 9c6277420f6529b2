"""The data of the report of a cutover, which report.py fills and report_page.py shows."""

import msgspec

from api.cli.importing.making import Limit
from api.cli.importing.rehearsal import Rehearsal
from api.importers.plan import Plan


class Report(msgspec.Struct, frozen=True):
    """`managed_limit`: the server's limit (0: none) and what it manages; null where no server was asked. `rehearsal`:
    null where none was given."""

    file: str
    at: str
    plan: Plan
    counts: dict[str, int]
    managed_ips: int
    managed_limit: Limit | None
    rehearsal: Rehearsal | None
    steps: list[str]
