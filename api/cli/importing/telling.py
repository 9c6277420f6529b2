"""A plan in words: how much of what, and what was not taken over, gathered where one reason holds for many lines."""

from collections.abc import Iterator

from api.cli.site.steps import Step
from api.cli.site.telling import difference
from api.importers.leases.account import LeaseFile
from api.importers.plan import Plan, Warned
from ipam_core.model.families import FAMILIES
from ipam_core.printing import say

HEADINGS = {
    "dropped": "dropped",
    "approximated": "imported with changes",
    "manual": "manual steps",
}
SHOWN_LINES = 5


def tell_plan(plan: Plan, file: str, to_stderr: bool = False) -> None:
    """Print the plan's summary, to standard error where the plan itself goes to standard output."""
    counts = ", ".join(f"{count} {plural(family, count)}" for family, count in plan.counts().items())
    ips = plan.managed_ips()
    told = f"{counts or 'nothing to create'}; {ips} managed {'address' if ips == 1 else 'addresses'}"
    say(f"{file} ({plan.format}): {told}", err=to_stderr)
    read, warned = plan.statements.read, plan.statements.warned
    say(f"{read + warned} statements: {read} imported, {warned} not imported", err=to_stderr)
    for reason, heading in HEADINGS.items():
        groups = list(grouped([each for each in plan.warnings if each.reason == reason]))
        if groups:
            say(f"{heading}:", err=to_stderr)
        for line in groups:
            say(f"  {line}", err=to_stderr)
    for file_ in plan.leases or ():
        tell_leases(file_, to_stderr)


def tell_leases(leases: LeaseFile, to_stderr: bool) -> None:
    say(f"{leases.file} ({leases.format}), as of {leases.at}: {leases.entries} leases", err=to_stderr)
    for each in leases.outcomes:
        shown = each.lines.split(", ")
        more = f" and {len(shown) - SHOWN_LINES} more" if len(shown) > SHOWN_LINES else ""
        lines = ", ".join(shown[:SHOWN_LINES])
        say(f"  {each.count} {each.why} (line {lines}{more})", err=to_stderr)


def plural(family: str, count: int) -> str:
    return FAMILIES[family].label if count == 1 else FAMILIES[family].many


def grouped(warnings: list[Warned]) -> Iterator[str]:
    """Yield a line for each subject and reason, with the lines of the file."""
    found: dict[tuple[str, str], list[int]] = {}
    for each in warnings:
        found.setdefault((each.what, each.why), []).append(each.line)
    for (what, why), lines in found.items():
        shown = ", ".join(map(str, lines[:SHOWN_LINES]))
        more = f" and {len(lines) - SHOWN_LINES} more" if len(lines) > SHOWN_LINES else ""
        yield f"line{'s' if len(lines) > 1 else ''} {shown}{more}: {what}: {why}"


def tell_differences(steps: list[Step], file: str) -> None:
    """Print objects that exist and differ from the plan."""
    for step in steps:
        changes = "; ".join(f"{name} {difference(each)}" for name, each in step.fields.items())
        say(f"= {file}:{step.line}: {step.what} exists already and is kept as it is: {changes}")
