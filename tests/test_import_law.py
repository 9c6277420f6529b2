"""The import law inside the compiled packages, whose .pyx and .pxd import-linter cannot read.

* wire knows bytes only; alloc and io know no decision; engine and what it stands on know no SQL.
* nothing compiled knows asyncio: packets are decided without a loop.
* nothing in dhcp_fast knows api.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted(path for end in ("pyx", "pxd") for path in (ROOT / "dhcp_fast").rglob(f"*.{end}"))

EVERYWHERE = ("api", "asyncio", "uvloop")
SQL = (
    "asyncpg",
    "psycopg",
    "aiosql",
    "ipam_core.db",
    "ipam_core.services",
    "dhcp_fast.database.lease_writer",
)
FORBIDDEN = {
    "dhcp_fast.wire": (
        *SQL,
        "dhcp_fast.alloc",
        "dhcp_fast.engine",
        "dhcp_fast.io",
        "dhcp_fast.database.plan_reader",
    ),
    "dhcp_fast.alloc": (*SQL, "dhcp_fast.engine", "dhcp_fast.io"),
    "dhcp_fast.io": (*SQL, "dhcp_fast.engine"),
    "dhcp_fast.engine": SQL,
    "dhcp_fast.load": ("dhcp_fast.alloc", "dhcp_fast.engine", "dhcp_fast.database.plan_reader"),
}

IMPORT = re.compile(
    r"^\s*(?:from\s+(?P<package>[\w.]+)\s+c?import\s+(?P<names>.+)|c?import\s+(?P<modules>.+))$"
)


def imported(text: str, package: str) -> set[str]:
    """Every module that the lines name; `from a import b` may mean the module a.b."""
    found: set[str] = set()
    for line in text.splitlines():
        match = IMPORT.match(line.split("#", 1)[0].rstrip())
        if match is None:
            continue
        if match["modules"]:
            found |= {item.split(" as ")[0].strip() for item in match["modules"].split(",")}
        else:
            base = absolute(match["package"], package)
            found |= {base} | {
                f"{base}.{item.split(' as ')[0].strip(' (')}" for item in match["names"].split(",")
            }
    return found


def absolute(name: str, package: str) -> str:
    if not name.startswith("."):
        return name
    dots = len(name) - len(name.lstrip("."))
    above = package.split(".")[: len(package.split(".")) - dots + 1]
    return ".".join([*above, name.lstrip(".")]).rstrip(".")


def broken(modules: set[str], package: str) -> set[str]:
    banned = EVERYWHERE + FORBIDDEN.get(package, ())
    return {name for name in modules for ban in banned if name == ban or name.startswith(f"{ban}.")}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_compiled_sources_keep_the_law(path: Path) -> None:
    package = ".".join(path.relative_to(ROOT).parts[:-1])
    assert broken(imported(path.read_text("utf-8"), package), package) == set()


@pytest.mark.parametrize(
    "line",
    [
        "from dhcp_fast.engine.select cimport select",
        "from dhcp_fast cimport engine",
        "from ..engine.select cimport select",
        "cimport dhcp_fast.structures.bitmap as bitmap",
        "import asyncio",
        "    from ipam_core.db import connect  # late",
        "import api.app",
    ],
)
def test_the_law_sees_a_breach(line: str) -> None:
    assert broken(imported(line, "dhcp_fast.wire"), "dhcp_fast.wire")


def test_the_law_lets_pass_what_is_lawful() -> None:
    lines = (
        "from libc.stdint cimport uint8_t\nfrom dhcp_fast.wire.cursor cimport Cursor\nfrom . cimport codes"
    )
    assert broken(imported(lines, "dhcp_fast.wire"), "dhcp_fast.wire") == set()
