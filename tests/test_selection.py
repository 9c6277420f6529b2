"""What is left out by the words of -m: of files in a tree of their own, and in a run of pytest's own."""

from pathlib import Path

import pytest
from harness import selection

pytest_plugins = ["pytester"]

ALL = ("plain", "of_peers", "some_long", "both", "tests/chaos/test_fault", "tests/shown/test_page")
TEXTS = {
    "plain": "def test_it(): pass",
    "of_peers": "pytestmark = [pytest.mark.peers, pytest.mark.peer('nsd')]",
    "some_long": "@pytest.mark.long\ndef test_it(): pass",
    "both": "pytestmark = pytest.mark.long\n@pytest.mark.peers\ndef test_it(): pass",
    "tests/chaos/test_fault": "def test_it(): pass",
    "tests/shown/test_page": "def test_it(): pass",
    "tests/shown/conftest": "item.add_marker(pytest.mark.peers)",
}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in TEXTS.items():
        path = (tmp_path / name).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("expression", "left_out"),
    [
        ("", set()),
        ("not long and not peers", {"of_peers", "both", "tests/chaos/test_fault"}),
        ("peers", {"plain", "some_long", "tests/chaos/test_fault"}),
        ("long and not peers", {"plain", "of_peers", "tests/shown/test_page"}),
        ("peers or other", set()),
    ],
)
def test_a_file_that_cannot_have_what_is_wanted_is_left_out(
    files: Path, expression: str, left_out: set[str]
) -> None:
    found = {name for name in ALL if not selection.wanted(files / f"{name}.py", files, expression)}
    assert found == left_out


def test_a_folder_is_wanted_for_any_of_its_files(files: Path) -> None:
    assert selection.wanted(files / "tests", files, "long")
    assert not selection.wanted(files / "tests/shown", files, "long")
    assert selection.wanted(files / "tests/shown", files, "peers")


CONFTEST = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
from harness import selection

def pytest_configure(config):
    for mark in selection.MARKS:
        config.addinivalue_line("markers", mark)

def pytest_ignore_collect(collection_path, config):
    here = Path(__file__).parent
    if collection_path == here or not selection.wanted(collection_path, here, config.option.markexpr):
        return None if collection_path == here else True
"""


def test_what_nobody_wants_is_not_imported(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    broken = "import pytest\npytestmark = pytest.mark.peers\nraise ImportError('it was imported')"
    mixed = "import pytest\n@pytest.mark.long\ndef test_long(): pass\ndef test_short(): pass"
    pytester.makepyfile(test_broken=broken, test_mixed=mixed)
    pytester.runpytest_subprocess("-m", "long and not peers").assert_outcomes(passed=1, deselected=1)
    pytester.runpytest_subprocess("-m", "peers").assert_outcomes(errors=1)
