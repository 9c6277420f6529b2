"""The order of a run and what it costs: by the tables, and in runs of pytest's own with two processes."""

import re
from pathlib import Path

import pytest
from harness import order

pytest_plugins = ["pytester"]

CONFTEST = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from harness import order
from harness.costs import Costs

def pytest_configure(config):
    config.pluginmanager.register(Costs(), "costs")

def pytest_collection_modifyitems(items):
    order.sort(items)

def pytest_xdist_make_scheduler(config, log):
    return order.ByUnits(config, log)
"""
# Says which process made the fixture of its module, and computes half a second below a child of its own.
SHARED = """
import os, subprocess, sys
import pytest

@pytest.fixture(scope="module")
def shared():
    with open("made", "a") as log:
        log.write(f"{os.path.basename(__file__)} {os.getpid()}\\n")
    burn = "import time\\nwhile time.process_time() < 0.5: pass"
    subprocess.run([sys.executable, "-c", burn], check=True)

@pytest.mark.parametrize("number", range(12))
def test_it(shared, number):
    pass
"""


def test_the_longest_of_both_tables_by_turns_then_the_others() -> None:
    units = ["tests/api/test_a.py", "tests/rest/test_b.py", "tests/chaos/test_c.py", "tests/chaos/test_d.py"]
    first = [order.unit(f"{order.APART[0]}::test_{name}") for name in "xy"]
    wanted = [units[2], first[0], units[3], first[1], units[1], units[0]]
    assert order.ordered([*units, *first]) == wanted


def test_what_the_tables_name_is_there() -> None:
    root = Path(__file__).parents[1]
    names = (*order.WAITING, *order.COMPUTING, *order.APART)
    assert all((root / name.partition("::")[0]).exists() for name in names)


def test_what_holds_for_a_folder_holds_for_its_dhcpv6() -> None:
    root = Path(__file__).parents[1]
    for table in (order.WAITING, order.COMPUTING):
        both = {
            f"{name[:-1]}6/" for name in table if name.endswith("/") and (root / f"{name[:-1]}6").exists()
        }
        assert both
        assert both <= set(table)


def test_a_file_is_one_processes_and_its_children_are_counted(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeini("[pytest]\naddopts = --import-mode=importlib")
    pytester.makeconftest(CONFTEST)
    files = {f"test_{name}": SHARED for name in "abc"}
    pytester.makepyfile(**files)
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "xdist", "-n", "2")
    done.assert_outcomes(passed=36)
    made = [line.split() for line in (pytester.path / "made").read_text().splitlines()]
    assert sorted(file for file, _ in made) == ["test_a.py", "test_b.py", "test_c.py"]
    assert len({process for _, process in made}) == 2
    told = re.findall(r"^ *([0-9.]+) +([0-9.]+) +12  (test_.\.py)$", done.stdout.str(), re.MULTILINE)
    assert {file for _, _, file in told} == {"test_a.py", "test_b.py", "test_c.py"}
    assert all(float(processor) >= 0.5 for processor, _, _ in told)
