"""The guides name what is there: the index has each document, and the first guide's options are such as are taken."""

import re
from pathlib import Path

import pytest
import yaml

from ipam_core.dhcp import kinds, registry

DOCS = Path(__file__).parents[2] / "docs"
LINK = re.compile(r"\]\(([^)#:]+)\)")
OPTION = re.compile(r"^\| [^|]+ \| `(\{code: .*?\})` \|", re.MULTILINE)


def test_the_index_has_each_document_and_nothing_else() -> None:
    linked = set(LINK.findall((DOCS / "README.md").read_text()))
    assert {link for link in linked if not link.startswith("..")} == {
        path.name for path in DOCS.iterdir() if path.name != "README.md"
    }
    assert all((DOCS / link).exists() for link in linked)


@pytest.mark.parametrize("text", OPTION.findall((DOCS / "first-lan.md").read_text()))
def test_an_option_of_the_first_guide_is_one_that_is_taken(text: str) -> None:
    told = yaml.safe_load(text)
    assert registry.storable(4, told["code"])
    assert kinds.encode(registry.resolve(4, told["code"]), told["payload"])
