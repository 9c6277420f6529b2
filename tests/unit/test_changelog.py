"""The changelog describes the version that is built, or the one that this development follows."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHANGELOG = ROOT / "CHANGELOG.md"


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:3])


def test_the_newest_release_is_this_version_or_the_one_before() -> None:
    """Right after a release, pyproject.toml has the number of the next one with .dev0."""
    released = re.findall(r"^## (\S+)(?: - (\S+))?$", CHANGELOG.read_text("utf-8"), re.MULTILINE)
    built = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert released[0] == ("Unreleased", "")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", released[1][1])
    if built.endswith(".dev0"):
        assert numbers(released[1][0]) < numbers(built)
    else:
        assert released[1][0] == built
