"""Files and folders without a test that `-m` selects are not imported: `make peers` and `make long` would otherwise
import every file in each of their processes.

The marks that the tests of a file may have are read from its text and from that of its folder's conftest.py. All tests
have those of `pytestmark`. An expression with words other than these marks selects every file.
"""

import re
from functools import cache
from itertools import chain, combinations
from pathlib import Path

MARKS = frozenset(("peers", "long"))
EXPRESSION = re.compile(r"(?:\b(?:and|or|not|peers|long)\b|[() ])+")
# Marked by the tests' own conftest.py: servers that are stopped, killed and cut off wait a good deal.
FAULTS = ("tests/chaos/", "tests/outage/")
OF_A_TEST = re.compile(r"\bmark\.(peers|long)\b")
OF_THE_FILE = re.compile(r"^pytestmark = .*", re.MULTILINE)


def wanted(path: Path, root: Path, expression: str) -> bool:
    """Return whether the expression may select a test in this file or folder."""
    if not expression or not EXPRESSION.fullmatch(expression):
        return True
    files = sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
    return any(holds(expression, marks) for file in files for marks in possible(file, root))


@cache
def possible(file: Path, root: Path) -> frozenset[frozenset[str]]:
    """Return the sets of marks that a test of the file may have."""
    text = file.read_text()
    always = set(OF_A_TEST.findall(" ".join(OF_THE_FILE.findall(text))))
    if file.relative_to(root).as_posix().startswith(FAULTS):
        always.add("long")
    beside = file.with_name("conftest.py")
    said = set(OF_A_TEST.findall(text + (beside.read_text() if beside.exists() else "")))
    sometimes = sorted(said - always)
    sets = chain.from_iterable(combinations(sometimes, size) for size in range(len(sometimes) + 1))
    return frozenset(frozenset((*always, *chosen)) for chosen in sets)


@cache
def holds(expression: str, marks: frozenset[str]) -> bool:
    return bool(eval(expression, {"__builtins__": {}}, {name: name in marks for name in MARKS}))
