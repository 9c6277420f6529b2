"""The report as one page of HTML: nothing from elsewhere, no scripts, and a policy that lets a browser load nothing.

The page is built as a tree, so that whatever the source says is text in it and never markup.
"""

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator
from xml.etree.ElementTree import Element, SubElement, tostring

from api.cli.importing.rehearsal import OUTCOMES, Rehearsal
from api.cli.importing.report_data import Report
from api.cli.importing.telling import HEADINGS, plural
from api.importers.leases.account import LeaseFile
from api.importers.plan import Plan, Planned, Warned

STYLE = """
:root { color-scheme: light dark }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
h2 { margin-top: 2.2rem; border-bottom: 1px solid #8886 }
table { border-collapse: collapse; width: 100% }
caption { text-align: left; font-weight: 600; padding: .8rem 0 .3rem }
th, td { text-align: left; vertical-align: top; padding: .25rem .7rem .25rem 0; border-bottom: 1px solid #8883 }
td { unicode-bidi: isolate; overflow-wrap: anywhere }
td.number, th.number { text-align: right; white-space: nowrap; overflow-wrap: normal; width: 1% }
code { background: #8882; padding: .1em .3em; overflow-wrap: anywhere }
li { margin: .4rem 0 }
.over { font-weight: 600 }
@media print { body { max-width: none; margin: 0 } tr { break-inside: avoid } }
"""
DIGEST = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY = f"default-src 'none'; style-src 'sha256-{DIGEST}'; base-uri 'none'; form-action 'none'"
Row = Iterable[object]


def page(report: Report) -> bytes:
    html = Element("html", lang="en")
    head(html, f"Cutover of {report.file}")
    body = SubElement(html, "body")
    say(body, "h1", f"Cutover of {report.file}")
    summary(body, report)
    warnings(body, report.plan)
    objects(body, report.plan.objects)
    for leases in report.plan.leases or ():
        leased(body, leases)
    if report.rehearsal:
        rehearsed(body, report.rehearsal)
    say(body, "h2", "Cutover steps")
    listed = SubElement(body, "ol")
    for step in report.steps:
        say_with_commands(listed, "li", step)
    text = tostring(html, encoding="unicode", method="html")
    return f"<!DOCTYPE html>\n{text}\n".encode("utf-8", "replace")


def head(html: Element, title: str) -> None:
    found = SubElement(html, "head")
    SubElement(found, "meta", charset="utf-8")
    SubElement(found, "meta", {"http-equiv": "Content-Security-Policy", "content": POLICY})
    SubElement(found, "meta", name="viewport", content="width=device-width")
    say(found, "title", title)
    SubElement(found, "style").text = STYLE


def say(parent: Element, tag: str, text: object, class_: str = "") -> Element:
    made = SubElement(parent, tag, {"class": class_} if class_ else {})
    made.text = printable(str(text))
    return made


def say_with_commands(parent: Element, tag: str, text: str) -> None:
    """Print text with commands between backticks."""
    plain, *rest = text.split("`")
    made = say(parent, tag, plain)
    for at, part in enumerate(rest):
        if at % 2 == 0:
            last = say(made, "code", part)
        else:
            last.tail = printable(part)


def printable(text: str) -> str:
    """Return a control character of the source is shown as one that is none."""
    return "".join(each if each.isprintable() or each in "\n\t" else "\ufffd" for each in text)


def table(parent: Element, caption: str, names: tuple[str, ...], rows: Iterable[Row]) -> None:
    """Print a table; columns of numbers and lines are aligned to the right."""
    made = SubElement(parent, "table")
    say(made, "caption", caption)
    classes = ["number" if name in ("line", "count") else "" for name in names]
    line = SubElement(SubElement(made, "thead"), "tr")
    for name, class_ in zip(names, classes, strict=True):
        say(line, "th", name, class_).set("scope", "col")
    body = SubElement(made, "tbody")
    for row in rows:
        line = SubElement(body, "tr")
        for cell, class_ in zip(row, classes, strict=True):
            say(line, "td", cell, class_)


def summary(body: Element, report: Report) -> None:
    plan, read, warned = report.plan, report.plan.statements.read, report.plan.statements.warned
    say(body, "p", f"Read as {plan.format} on {report.at}; SHA-256 of its text {plan.source}.")
    say(body, "p", f"{read + warned} statements: {read} imported, {warned} not imported.")
    say(body, "h2", "Objects to create")
    counted = [(count, plural(family, count)) for family, count in report.counts.items()]
    table(body, "In order of creation", ("count", "objects"), counted)
    say(body, "p", managed(report), "over" if is_over(report) else "")


def managed(report: Report) -> str:
    told = f"{report.managed_ips} reservations and assignments count toward the managed address limit."
    if report.managed_limit is None:
        return f"{told} No server was asked for its limit; the default is 1,000."
    if not report.managed_limit.limit:
        return f"{told} The server has no limit."
    left = report.managed_limit.left
    over = f" {report.managed_ips - left} do not fit." if is_over(report) else ""
    return f"{told} The server's limit is {report.managed_limit.limit}; {left} are free.{over}"


def is_over(report: Report) -> bool:
    found = report.managed_limit
    return bool(found and found.limit and report.managed_ips > found.left)


def warnings(body: Element, plan: Plan) -> None:
    say(body, "h2", "Not imported, or changed")
    if not plan.warnings:
        say(body, "p", "Nothing: each statement of the source became an object.")
    for reason, heading in HEADINGS.items():
        found: list[Warned] = [each for each in plan.warnings if each.reason == reason]
        if found:
            rows = ((each.line, each.what, each.why) for each in found)
            table(body, f"{heading[0].upper()}{heading[1:]}: {len(found)}", ("line", "what", "why"), rows)


def objects(body: Element, planned: list[Planned]) -> None:
    say(body, "h2", "Objects by statement")
    by_ref = {each.ref: each for each in planned}
    rows = (
        (
            f"{each.file}:{each.line}" if each.file else each.line,
            each.what,
            by_ref[each.inside].what if each.inside else "",
            json.dumps(each.fields, ensure_ascii=False),
        )
        for each in planned
    )
    table(body, f"{len(planned)} objects", ("line", "object", "in", "fields"), rows)


def leased(body: Element, leases: LeaseFile) -> None:
    say(body, "h2", f"Leases of {leases.file}")
    say(body, "p", f"Read as {leases.format}; active as of {leases.at}.")
    rows = ((each.count, each.why, each.lines) for each in leases.outcomes)
    table(body, f"{leases.entries} leases", ("count", "outcome", "lines"), rows)


def rehearsed(body: Element, rehearsal: Rehearsal) -> None:
    say(body, "h2", "Rehearsal")
    counted = [
        (count, OUTCOMES.get(outcome, outcome)) for outcome, count in rehearsal.summary.items() if count
    ]
    table(body, f"{len(rehearsal.clients)} clients of the capture", ("count", "outcome"), counted)
    names = ("client", "outcome", "what", "there", "here")
    table(body, "Clients with a different answer", names, differing(rehearsal))


def differing(rehearsal: Rehearsal) -> Iterator[Row]:
    for client in rehearsal.clients:
        if client.outcome == "same":
            continue
        outcome = client.outcome.replace("_", " ")
        why = client.meaning or client.note or ""
        if not client.differences:
            yield client.name, outcome, why, "", ""
        for one in client.differences:
            yield client.name, outcome, one.field, one.theirs or "none", one.ours or "none"
