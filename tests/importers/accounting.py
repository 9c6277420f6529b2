"""What every converter promises: each statement counts, and no input ends in a traceback."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from api.importers.faults import SourceError
from api.importers.plan import Plan

SOURCES = Path(__file__).parent / "sources"


def source(name: str) -> str:
    return (SOURCES / name).read_text("utf-8")


def said(plan: Plan) -> object:
    """The plan without its lines, and how many statements it warns of."""
    return (
        [(each.ref, each.inside, each.fields) for each in plan.objects],
        plan.statements.warned,
        sorted((each.reason, each.what, each.why) for each in plan.warnings),
    )


def golden(name: str, plan: Plan) -> None:
    """The plan is the one that is kept beside the source; where it is none yet, it is written and the test fails."""
    path = SOURCES / f"{name}.plan.json"
    found = plan.encoded()
    if not path.exists():
        path.write_bytes(found)
        raise AssertionError(f"{path} is written: read it")
    assert json.loads(found) == json.loads(path.read_bytes())


def plan_or_fault(read: Callable[[str], Plan], text: str) -> Plan | None:
    """None where it is refused, with a line."""
    try:
        return read(text)
    except SourceError as refusal:
        fault = refusal
    assert fault.line >= 1
    assert fault.reason
    return None


def mutated(text: str, cuts: Iterator[tuple[int, int, str]]) -> str:
    """Parts of the text replaced by others."""
    for at, length, put in cuts:
        at %= max(len(text), 1)
        text = text[:at] + put + text[at + length :]
    return text


def lines_without_effect(read: Callable[[str], Plan], text: str) -> list[str]:
    """Lines that can be taken away, and the plan stays the same: no object and no warning comes from them."""
    lines = text.split("\n")
    whole = said(read(text))
    found = []
    for at, line in enumerate(lines):
        without = "\n".join([*lines[:at], "", *lines[at + 1 :]])
        try:
            if said(read(without)) == whole and line.strip():
                found.append(line)
        except SourceError:
            pass
    return found
