"""`--costs`: what each folder and file of tests cost, in seconds of processor time and of wall time.

Processor time is that of pytest and of all processes below it: PostgreSQL, servers, compilers. Under xdist each worker
tells its own; the run's one PostgreSQL then stands below the controlling process, in a line of its own. A fixture that
several tests share is paid by the first and the last of them.
"""

import os
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

TICKS = os.sysconf("SC_CLK_TCK")
UTIME = 11  # of /proc/PID/stat behind the name: user, system, and both of children that have ended
SHOWN = 40


def processor_seconds(pid: int) -> float:
    """Of one process and of its children that have ended; 0 when it is gone itself."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[UTIME : UTIME + 4])) / TICKS


def of_all_below(pid: int) -> float:
    below = psutil.Process(pid).children(recursive=True)
    return processor_seconds(pid) + sum(processor_seconds(child.pid) for child in below)


class Costs:
    """Registered in every process of the run; `files` are their processor seconds, wall seconds and tests."""

    def __init__(self) -> None:
        self.files: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0])
        self.workers = 0.0

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        begun = of_all_below(os.getpid()), time.monotonic()
        try:
            return (yield)
        finally:
            spent = of_all_below(os.getpid()) - begun[0], time.monotonic() - begun[1], 1
            self.add(item.nodeid.partition("::")[0], spent)

    def add(self, file: str, spent: Any) -> None:
        self.files[file] = [have + more for have, more in zip(self.files[file], spent, strict=True)]

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["costs"] = dict(self.files), of_all_below(os.getpid())

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        files, spent = getattr(node, "workeroutput", {}).get("costs", ({}, 0.0))
        self.workers += spent
        for file, more in files.items():
            self.add(file, more)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        folders = Costs()
        for file, spent in self.files.items():
            folders.add("/".join(file.split("/")[:2]), spent)
        line = terminalreporter.write_line
        line("processor s    wall s   tests")
        for table in (folders.files, self.files):
            for name, (cpu, wall, tests) in sorted(table.items(), key=lambda row: -row[1][0])[:SHOWN]:
                line(f"{cpu:11.1f} {wall:9.1f} {tests:7.0f}  {name}")
        line(f"{of_all_below(os.getpid()):11.1f}  all processes; {self.workers:.1f} of them the workers'")
