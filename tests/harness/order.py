"""The order of a whole run under xdist: long files first, waiting beside computing ones, one file per process.

The tests of a file stay together, so each fixture of a module is made once per run. Tests of the files in APART share
nothing and take minutes; each of them runs wherever a process is free. The run begins with the longest files. Waiting
ones (servers that start, faults that last, time-outs) and computing ones alternate, so that four processes keep two
cores busy. It ends with short files, so that no process runs alone for long.

The tables contain what `--costs` reported when they were last updated, and need not be exact. Files in neither table
follow in pytest's own order.
"""

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

# Folders, files or tests, the longest first.
WAITING = (
    "tests/bench/test_scenarios.py",
    "tests/peers/test_patroni.py",
    "tests/chaos/test_campaign.py",
    "tests/console/test_requests.py",
    "tests/chaos/test_random.py",
    "tests/outage/test_other_servers.py",
    "tests/system/test_up.py",
    "tests/system/test_real_clients.py",
    "tests/chaos/",
    "tests/outage/",
    "tests/bench/",
    "tests/cli/",
    "tests/system/",
    "tests/system6/",
    "tests/rest/test_server.py",
    "tests/db/",
    "tests/peers/",
)
COMPUTING = (
    "tests/fuzz/test_sanitized.py::test_clean_under_the_sanitizers[servers]",
    "tests/console/test_screens.py",
    "tests/peers/test_ansible.py",
    "tests/system/test_package.py",
    "tests/console/test_pseudo.py",
    "tests/rest/test_schemathesis.py",
    "tests/fuzz/test_sanitized.py",
    "tests/rest/test_extremes.py",
    "tests/rest/test_loop.py",
    "tests/test_wheel.py",
    "tests/engine/test_decision_table.py",
    "tests/fuzz/",
    "tests/rest/",
    "tests/engine/",
    "tests/engine6/",
    "tests/wire/",
    "tests/console/",
)
APART = ("tests/fuzz/test_sanitized.py",)


def unit(nodeid: str) -> str:
    """Return what one process runs as a whole: the file, or a single test of APART."""
    file = nodeid.partition("::")[0]
    return nodeid if file in APART else file


def ordered(units: Iterable[str]) -> list[str]:
    units = list(dict.fromkeys(units))
    waiting, computing = by_table(units, WAITING), by_table(units, COMPUTING)
    by_turns = (name for pair in zip_longest(waiting, computing) for name in pair if name is not None)
    return list(dict.fromkeys([*by_turns, *units]))


def by_table(units: list[str], table: tuple[str, ...]) -> list[str]:
    """Return those that the table contains, in its order; the first entry that matches counts."""
    ranks = {name: next(places(name, table), None) for name in units}
    return sorted((name for name in units if ranks[name] is not None), key=lambda name: ranks[name] or 0)


def places(name: str, table: tuple[str, ...]) -> Iterator[int]:
    return (place for place, entry in enumerate(table) if name.startswith(entry))


def sort(items: list[pytest.Item]) -> None:
    """Sort the tests in that order, within a unit as pytest had them."""
    ranks = {name: rank for rank, name in enumerate(ordered(unit(item.nodeid) for item in items))}
    items.sort(key=lambda item: ranks[unit(item.nodeid)])


class ByUnits(LoadScopeScheduling):  # type: ignore[misc]  # xdist ships no types
    """Scheduler that gives the next unit to the process that has the least left."""

    def __init__(self, config: pytest.Config, log: Any) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return unit(nodeid)
