"""What `--second-try` does with tests that fail: in a run of pytest's own, with and without xdist."""

from pathlib import Path

import pytest
from harness.second_try import FOLDERS

pytest_plugins = ["pytester"]

CONFTEST = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from harness.second_try import NAME, SecondTry

def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(SecondTry([]), NAME)
"""
# Fails when it runs for the first time, and says which process ran it.
RACE = """
from pathlib import Path

def test_race(request):
    ran = Path(__file__).with_suffix(".ran")
    with ran.open("a") as log:
        log.write("x")
    assert ran.read_text() != "x"

def test_sound():
    pass
"""
BROKEN = "def test_broken():\n    print('said by it')\n    assert False\n"
PARALLEL = [(), ("-p", "xdist", "-n", "1")]


def test_what_holds_for_a_folder_holds_for_its_dhcpv6() -> None:
    root = Path(__file__).parents[1]
    both = [f"{folder[:-1]}6/" for folder in FOLDERS if (root / f"{folder[:-1]}6").exists()]
    assert both
    assert set(both) <= set(FOLDERS)


@pytest.fixture(params=PARALLEL, ids=["alone", "xdist"])
def run(request: pytest.FixtureRequest, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # a start takes half a second then

    def with_tests(**files: str) -> pytest.RunResult:
        pytester.makeini("[pytest]\naddopts = --import-mode=importlib")
        pytester.makeconftest(CONFTEST)
        for name, text in files.items():
            folder = pytester.path / "tests" / name
            folder.mkdir(parents=True)
            (folder / f"test_{name}.py").write_text(text)
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *request.param)

    return with_tests


def test_a_race_of_a_process_test_is_named_and_the_run_passes(run) -> None:
    result = run(system=RACE)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "passed at the second try: tests/system/test_system.py::test_race: *!= 'x'* | *test_system.py:8: Asser*"
        ]
    )
    result.stdout.fnmatch_lines(["*1 passed, 1 passed at the second try*"])
    assert "1 failed" not in result.stdout.str()


def test_what_fails_twice_has_failed_and_shows_both_outputs(run, pytester: pytest.Pytester) -> None:
    result = run(system=RACE, outage=BROKEN)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*- Second try -*", "*said by it*"])
    result.stdout.fnmatch_lines(["passed at the second try: tests/system/test_system.py::test_race: *"])
    assert "second try: tests/outage" not in result.stdout.str()


def test_other_tests_get_no_second_try(run, pytester: pytest.Pytester) -> None:
    result = run(unit=RACE)
    assert result.ret == 1
    assert (pytester.path / "tests/unit/test_unit.ran").read_text() == "x"
    assert "second try" not in result.stdout.str()


def test_a_fixture_that_fails_once_counts_too(run) -> None:
    setup = RACE.replace("def test_race(request)", "@pytest.fixture\ndef started()").replace(
        "from pathlib", "import pytest\nfrom pathlib"
    )
    result = run(console=setup + "\ndef test_served(started):\n    pass\n")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["passed at the second try: tests/console/test_console.py::test_served: *"])


def test_many_failures_are_no_races(run, pytester: pytest.Pytester) -> None:
    many = RACE.replace(
        "def test_race(request)", "@pytest.mark.parametrize('n', range(11))\ndef test_race(n)"
    )
    many = many.replace('!= "x"', '== ""')
    result = run(chaos="import pytest\n" + many)
    assert result.ret == 1
    assert (pytester.path / "tests/chaos/test_chaos.ran").read_text() == "x" * 11
