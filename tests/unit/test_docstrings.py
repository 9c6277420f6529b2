"""Docstrings begin in plain English: functions with an imperative verb, others with a noun phrase."""

from functools import cache
from itertools import product
from pathlib import Path

import docstrings
import pytest
from docstrings import Docstring

ROOT = Path(__file__).parents[2]
PACKAGES = ("api", "benchmarks", "dhcp_fast", "ipam_core")
GENERATED = {"node_modules", "modules"}
SHARE = 0.95

# Kinds whose docstrings still begin otherwise; the list only shrinks.
PENDING = {("api", "class"), ("api", "property"), ("ipam_core", "class"), ("ipam_core", "property")}
KINDS = ("function", "class", "module", "property")


@cache
def of_package(package: str) -> tuple[Docstring, ...]:
    paths = (path for suffix in ("py", "pyx", "pxd") for path in (ROOT / package).rglob(f"*.{suffix}"))
    # Docstrings of errors.py are messages (test_language.py).
    read = (path for path in paths if not GENERATED & {*path.parts} and path != ROOT / "ipam_core/errors.py")
    return tuple(each for path in read for each in docstrings.docstrings(path))


@pytest.mark.parametrize(
    ("package", "kind"), [each for each in product(PACKAGES, KINDS) if each not in PENDING]
)
def test_docstrings_begin_with_verb_or_noun(package: str, kind: str) -> None:
    """To add a verb, write it into `VERBS` of tests/docstrings.py."""
    found = [each for each in of_package(package) if each.kind == kind]
    assert len(found) > 5 or kind == "property"
    others = [each.text.partition("\n")[0] for each in found if not docstrings.is_plain(each)]
    assert len(others) <= (1 - SHARE) * len(found), "\n".join(others)


@pytest.mark.parametrize(
    ("kind", "text", "plain"),
    [
        ("function", "Return the lease of an address.", True),
        ("function", "The lease of an address.", False),
        ("function", "Returns the lease of an address.", False),
        ("function", "Of an address.", False),
        ("class", "Lease of an address.", True),
        ("class", "A lease.", True),
        ("class", "What an address has.", False),
        ("class", "One lease of an address.", False),
        ("property", "Lease of the address.", True),
        ("property", "Whether the address has a lease.", False),
        ("module", "Reads leases.", False),
        ("module", "Leases and their ends.", True),
        ("module", "How leases end.", False),
    ],
)
def test_openings(kind: str, text: str, plain: bool) -> None:
    assert docstrings.is_plain(Docstring(kind, text)) == plain


def test_docstrings_are_found() -> None:
    python = (
        '"""M."""\nclass A(ValueError):\n    """E."""\n'
        'class B:\n    """C."""\n    async def f(self):\n        """F."""\n'
    )
    assert {*docstrings.of_python(python)} == {
        Docstring("module", "M."),
        Docstring("class", "C."),
        Docstring("function", "F."),
    }
    cython = (
        '# cython: x\n"""M."""\n\ncdef struct S:\n    """C."""\n    int a\n\n\n'
        'cdef inline int f(\n    int a,\n) noexcept:\n    """F."""\n    return a\n\n\n'
        'cdef class K:\n    """D."""\n    def g(self):\n        """G."""\n'
    )
    assert [*docstrings.of_cython(cython)] == [
        Docstring("module", "M."),
        Docstring("class", "C."),
        Docstring("function", "F."),
        Docstring("class", "D."),
        Docstring("function", "G."),
    ]
