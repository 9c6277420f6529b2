"""The guides name what is there: the index has each document, and the first guide's options are such as are taken."""

import re
import shlex
from pathlib import Path

import msgspec
import pytest
import yaml

from api.cli.payloads import expanded
from ipam_core.dhcp import kinds, registry

DOCS = Path(__file__).parents[2] / "docs"
LINK = re.compile(r"\]\(([^)#:]+)\)")
BUILT = DOCS / "openapi-ipam.json"
"""Made by the build and not kept with the documents."""
OPTION = re.compile(r"^\| [^|]+ \| `(\{code: .*?\})` \| `(code=.*)` \|$", re.MULTILINE)


def test_the_index_has_each_document_and_nothing_else() -> None:
    linked = set(LINK.findall((DOCS / "README.md").read_text()))
    assert {link for link in linked if not link.startswith("..")} == {
        str(path.relative_to(DOCS))
        for path in DOCS.rglob("*")
        if path.is_file() and path.suffix not in (".png", ".svg") and path not in (DOCS / "README.md", BUILT)
    }
    assert all((DOCS / link).exists() for link in linked)


@pytest.mark.parametrize(("text", "typed"), OPTION.findall((DOCS / "tutorials/relayed-vlans.md").read_text()))
def test_an_option_of_the_first_guide_is_one_that_is_taken(text: str, typed: str) -> None:
    """On the command line as in the file."""
    told = yaml.safe_load(text)
    assert registry.storable(4, told["code"])
    assert kinds.encode(registry.resolve(4, told["code"]), told["payload"])
    words = expanded(dict(word.split("=", 1) for word in shlex.split(typed)))
    assert (int(words["code"]), msgspec.json.decode(words["payload"])) == (told["code"], told["payload"])
