"""Each module of the product is used by the product: one that only tests import is dead, and its tests keep it alive.

A module is used if another module of the product imports it (for types, too), or if it is loaded by name: a command of
`pyproject.toml` or of `PLACES`, or a program for `python -m`.
"""

import re
from pathlib import Path

from test_import_law import MODULES, ROOT, SOURCES, imports, module_of

from api.cli import PLACES

PROGRAM = re.compile(r'^if __name__ == "__main__":', re.M)
ENTRY_POINT = re.compile(r'^[\w-]+ = "([\w.]+):\w+"', re.M)


def test_every_module_is_used() -> None:
    others = used()
    assert [name for name in sorted(MODULES) if name not in others and not is_package(name)] == []


def test_setup_names_files_that_exist() -> None:
    """Files that are compiled with less optimization are named by hand, and a moved one would lose that silently."""
    named = re.findall(r'"(dhcp_fast/[\w/]+\.pyx)"', (ROOT / "setup.py").read_text("utf-8"))
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def used() -> set[str]:
    by_commands = {f"api.cli.{place.partition(':')[0]}" for place in PLACES.values()}
    by_commands |= set(ENTRY_POINT.findall((ROOT / "pyproject.toml").read_text("utf-8")))
    return by_commands | programs() | set().union(*imports().values())


def programs() -> set[str]:
    return {
        module_of(path)
        for path in SOURCES
        if path.stem == "__main__" or PROGRAM.search(path.read_text("utf-8"))
    }


def is_package(name: str) -> bool:
    return (ROOT / Path(*name.split(".")) / "__init__.py").exists()
