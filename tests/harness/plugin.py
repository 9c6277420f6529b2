"""Hooks, options and the summary line of the tests; tests/conftest.py loads this plug-in by its name.

The modules beside this one contain what the hooks call. The options are listed in tests/README.md.
"""

import gc
from pathlib import Path
from typing import Any

import pytest

from harness import examples, order, selection
from harness.costs import Costs

# How long the long tests are. The defaults are what `make test` has time for.
LENGTHS: tuple[tuple[str, type, float | None, str], ...] = (
    ("--fuzz-count", int, 5_000, "mutated packets that the codec is tried with"),
    ("--campaign", int, None, "mutated packets through to the database, 2,000"),
    ("--campaign-seed", int, 0, "another number, other packets"),
    ("--extremes", int, 8, "values that each filter of each list is given, of 68"),
    ("--schemathesis-seconds", int, 30, "how long schemathesis asks the API"),
    ("--scenario-leases", int, 400, "leases that a scenario of the load generator begins with"),
    ("--cutover-clients", int, 60, "clients that another DHCP server and ours are asked by, a test"),
    ("--competitions", int, 2, "pools, of each allocation, for which three servers compete"),
    ("--failovers", int, 2, "primaries of Patroni's cluster that are killed and frozen, one after the other"),
    ("--hostile-seconds", float, 60.0, "how long hostile clients and servers go on beside others"),
    ("--chaos-seconds", float, 8.0, "how long several servers live under faults, a test"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    for name, kind, default, help_text in LENGTHS:
        parser.addoption(name, type=kind, default=default, help=help_text)
    parser.addoption("--run-folder", help="that of a run under way, whose PostgreSQL serves these tests too")
    parser.addoption("--costs", action="store_true", help="say what each folder, file and test function cost")


def pytest_configure(config: pytest.Config) -> None:
    examples.fuzz_count = config.getoption("--fuzz-count")
    if config.getoption("--costs"):
        config.pluginmanager.register(Costs(), "costs")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """True: leave out; None: as pytest decides."""
    tests = Path(__file__).parents[1]
    inside = collection_path != tests and collection_path.is_relative_to(tests)
    if not inside or not (collection_path.is_dir() or collection_path.match("test_*.py")):
        return None
    return None if selection.wanted(collection_path, tests.parent, config.option.markexpr) else True


@pytest.hookimpl(tryfirst=True)  # before -m looks at the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith(selection.FAULTS):
            item.add_marker(pytest.mark.long)
    order.sort(items)


def pytest_collection_finish() -> None:
    """What was loaded to here stays: without this the garbage collector looks at all of it again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> order.ByUnits:
    return order.ByUnits(config, log)


@pytest.fixture(scope="session")
def fuzz_count(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--fuzz-count"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One closing line for all tests that were skipped because a peer could not be had."""
    said = [report.longrepr for report in terminalreporter.stats.get("skipped", [])]
    reasons = [where_and_why[2] for where_and_why in said if isinstance(where_and_why, tuple)]
    peers = sorted({reason.partition("missing peer: ")[2] for reason in reasons} - {""})
    if peers:
        terminalreporter.write_line(f"skipped for want of a peer: {'; '.join(peers)}")
