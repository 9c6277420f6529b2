"""`--costs`: what each folder, file and test function cost, in seconds of processor time and of wall time.

Processor time is that of pytest and of all processes below it: PostgreSQL, servers, compilers. Under xdist each worker
tells its own; the run's one PostgreSQL then stands below the controlling process, in a line of its own. A fixture that
several tests share is paid by the first and the last of them.
"""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

TICKS = os.sysconf("SC_CLK_TCK")
UTIME = 11  # of /proc/PID/stat behind the name: user, system, and both of children that have ended
SHOWN = 60


def processor_seconds(pid: int) -> float:
    """Of one process and of its children that have ended; 0 when it is gone itself."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[UTIME : UTIME + 4])) / TICKS


def children(pid: int) -> Iterator[int]:
    """List the children of each thread. The kernel keeps these lists; looking through all processes of a busy machine
    would cost more than a short test."""
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            yield from map(int, thread.read_text().split())


def of_all_below(pid: int) -> float:
    return processor_seconds(pid) + sum(map(of_all_below, children(pid)))


Table = dict[str, list[float]]  # processor seconds, wall seconds and number of tests, by name


def add(table: Table, name: str, spent: Sequence[float]) -> None:
    have = table.setdefault(name, [0.0, 0.0, 0])
    table[name] = [one + more for one, more in zip(have, spent, strict=True)]


def tables(tests: Table) -> Iterator[Table]:
    """Sum up by folder, by file and by test function."""
    for name_of in (folder_of, file_of, function_of):
        found: Table = {}
        for test, spent in tests.items():
            add(found, name_of(test), spent)
        yield found


def folder_of(test: str) -> str:
    return "/".join(file_of(test).split("/")[:2])


def file_of(test: str) -> str:
    return test.partition("::")[0]


def function_of(test: str) -> str:
    return test.partition("[")[0]


class Costs:
    """Registered in every process of the run."""

    def __init__(self) -> None:
        self.tests: Table = {}
        self.workers = 0.0

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        begun = of_all_below(os.getpid()), time.monotonic()
        try:
            return (yield)
        finally:
            spent = of_all_below(os.getpid()) - begun[0], time.monotonic() - begun[1], 1
            add(self.tests, item.nodeid, spent)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["costs"] = self.tests, of_all_below(os.getpid())

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        tests, spent = getattr(node, "workeroutput", {}).get("costs", ({}, 0.0))
        self.workers += spent
        for test, more in tests.items():
            add(self.tests, test, more)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        line = terminalreporter.write_line
        line("processor s    wall s   tests")
        for table in tables(self.tests):
            for name, (cpu, wall, tests) in sorted(table.items(), key=lambda row: -row[1][0])[:SHOWN]:
                line(f"{cpu:11.1f} {wall:9.1f} {tests:7.0f}  {name}")
        line(f"{of_all_below(os.getpid()):11.1f}  all processes; {self.workers:.1f} of them the workers'")
