"""`--second-try`: a process test that failed is tried once more by itself, and the run's closing lines name it.

Tests of processes, namespaces and browsers run beside others here and can lose a race there that a server would not.
The second try comes after all tests, alone, in a pytest of its own. That it passed is a finding: its race is to be
mended. A test that fails twice has failed, and its second output stands below the first. Many failures are no races:
nothing is tried again then.
"""

import subprocess
import sys
from collections.abc import Collection

import pytest

FOLDERS = (
    "tests/system/",
    "tests/system6/",
    "tests/outage/",
    "tests/chaos/",
    "tests/console/",
    "tests/bench/",
    "tests/engine/",
    "tests/engine6/",
    "tests/workers/test_process.py",
)
NAME = "second-try"  # of the plug-in; without it the second try, which fails too, would try again for ever
MOST = 10
SECONDS = 600.0
LONGEST = 600  # characters of a complaint
LINES = 4  # of what the judge of a trial lists the first faults stand in the second to fourth
PASSED = "passed at the second try"


class SecondTry:
    """Registered in the process that reports, under xdist the controlling one; `options` are handed on."""

    def __init__(self, options: list[str]) -> None:
        self.options = options
        self.passed: dict[str, str] = {}  # each with what it failed of

    @pytest.hookimpl(trylast=True)  # xdist has ended its workers by then
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        reporter = session.config.pluginmanager.getplugin("terminalreporter")
        if exitstatus != pytest.ExitCode.TESTS_FAILED or reporter is None:
            return
        failed = failures(reporter.stats)
        for test in failed if len(failed) <= MOST else ():
            output = self.output_of_failure(session.config, test)
            if output is None:
                self.passed[test] = complaint(failed[test][0])
            else:
                failed[test][-1].sections.append(("Second try", output))
        forget(failed, reporter.stats, self.passed)
        if not (reporter.stats.get("failed") or reporter.stats.get("error")):
            session.exitstatus = pytest.ExitCode.OK

    def output_of_failure(self, config: pytest.Config, test: str) -> str | None:
        """None: it passed."""
        without = ("-p", "no:xdist", "-p", f"no:{NAME}")
        command = [sys.executable, "-m", "pytest", "-q", *without, *self.options, test]
        try:
            tried = subprocess.run(
                command, cwd=config.rootpath, timeout=SECONDS, capture_output=True, text=True, check=False
            )
        except subprocess.TimeoutExpired:
            return f"not ended after {SECONDS:.0f} s"
        return tried.stdout + tried.stderr if tried.returncode else None

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for test, complaint in self.passed.items():
            terminalreporter.write_line(f"{PASSED}: {test}: {complaint}", red=True)


Stats = dict[str, list[pytest.TestReport]]


def failures(stats: Stats) -> dict[str, list[pytest.TestReport]]:
    """The process tests that failed, each with its reports: of its call, its setup and its teardown."""
    found: dict[str, list[pytest.TestReport]] = {}
    for report in [*stats.get("failed", []), *stats.get("error", [])]:
        if report.nodeid.startswith(FOLDERS) and "::" in report.nodeid:
            found.setdefault(report.nodeid, []).append(report)
    return found


def complaint(report: pytest.TestReport) -> str:
    """The first lines that pytest marks as an error, and its last line: where."""
    lines = report.longreprtext.rstrip().splitlines()
    said = [line[1:].strip() for line in lines if line.startswith("E ")]
    return " | ".join([*said[:LINES], *lines[-1:]])[:LONGEST]


def forget(failed: dict[str, list[pytest.TestReport]], stats: Stats, passed: Collection[str]) -> None:
    """Count those that passed no more as failed, but under a name of their own."""
    for outcome in ("failed", "error"):
        stats[outcome] = [report for report in stats.get(outcome, []) if report.nodeid not in passed]
    if passed:
        stats[PASSED] = [failed[test][0] for test in passed]
