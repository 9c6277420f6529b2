"""The changelog tells the version that is built."""

import re
from importlib import metadata
from pathlib import Path

CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"


def test_the_newest_release_is_this_version() -> None:
    released = re.findall(r"^## (\S+)(?: - (\S+))?$", CHANGELOG.read_text("utf-8"), re.MULTILINE)
    assert released[0] == ("Unreleased", "")
    assert released[1][0] == metadata.version("ipam")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", released[1][1])
