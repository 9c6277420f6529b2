"""Comments and docstrings of Python, Cython and TypeScript are plain English, by the rules of `language.py`."""

from collections.abc import Iterator
from pathlib import Path

import language
import prose
import pytest

ROOT = Path(__file__).parents[2]

# Folders and files whose texts are checked; the goal is all of them.
CHECKED = (
    "api/__init__.py",
    "api/app.py",
    "api/client",
    "api/commands.py",
    "api/generators",
    "api/local_relays.py",
    "api/local_token.py",
    "api/local_zones.py",
    "api/openapi",
    "api/protocol.py",
    "api/routes",
    "api/server.py",
    "api/tls.py",
    "api/write_documents.py",
    "api/write_man.py",
    "benchmarks",
    "dhcp_fast",
    "ipam_core/__init__.py",
    "ipam_core/backup.py",
    "ipam_core/bootstrap_code.py",
    "ipam_core/build_info.py",
    "ipam_core/client_settings.py",
    "ipam_core/commands.py",
    "ipam_core/db",
    "ipam_core/dhcp",
    "ipam_core/dns",
    "ipam_core/event_reference.py",
    "ipam_core/faults.py",
    "ipam_core/host_labels.py",
    "ipam_core/outbound",
    "ipam_core/printing.py",
    "ipam_core/processes",
    "ipam_core/secrets.py",
    "ipam_core/setting_values.py",
    "ipam_core/settings.py",
    "ipam_core/settings_reference.py",
    "ipam_core/stoppable.py",
    "ipam_core/supplied_options.py",
    "ipam_core/untrusted_yaml.py",
)

# Packages from elsewhere, modules written from the API's document, and types written from the same.
GENERATED = {"node_modules", "modules", "dist"}

READERS = {
    ".py": prose.remarks,
    ".pyx": prose.remarks,
    ".pxd": prose.remarks,
    ".pyi": prose.remarks,
    ".ts": prose.slash_remarks,
    ".tsx": prose.slash_remarks,
}


def sources(place: Path) -> Iterator[Path]:
    paths = [place] if place.is_file() else sorted(place.rglob("*.*"))
    return (path for path in paths if path.suffix in READERS and not GENERATED & {*path.parts})


def faults_of(sentences: Iterator[prose.Sentence]) -> list[str]:
    return [
        f"{sentence}\n    {fault}"
        for sentence, _ in dict.fromkeys(sentences)
        for fault in language.faults(sentence)
    ]


@pytest.mark.parametrize("place", CHECKED)
def test_comments_are_plain_english(place: str) -> None:
    assert (ROOT / place).exists()
    texts = ((path, READERS[path.suffix](path.read_text("utf-8"))) for path in sources(ROOT / place))
    wrong = {path: found for path, text in texts if (found := faults_of(text))}
    assert not wrong, "\n\n".join(
        f"{path.relative_to(ROOT)}\n" + "\n".join(found) for path, found in wrong.items()
    )


PYTHON = '''"""Module: what it is."""

# What
# is left.
x = 1  # noqa: E501
y = """what it is"""  # Who asks.


def f():
    """Return it.

    first     who asks
    second    the rest
    """
'''


def test_comments_and_docstrings_are_found() -> None:
    """A string that is a value is no docstring; lines of a table are judged cell by cell."""
    assert {sentence for sentence, _ in prose.remarks(PYTHON)} == {
        "Module: what it is.",
        "What is left.",
        "Who asks.",
        "Return it.",
        "first",
        "who asks",
        "second",
        "the rest",
    }
    found = {*faults_of(prose.remarks(PYTHON))}
    assert len(found) == 4


def test_comments_of_typescript_are_found() -> None:
    text = """// What
// is left.
const a = "https://says"; // eslint-disable-line
/** Those that ask.
 * It says so. */
"""
    assert {sentence for sentence, _ in prose.slash_remarks(text)} == {
        "What is left.",
        "Those that ask.",
        "It says so.",
    }
