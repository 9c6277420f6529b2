"""Every claim of the threat model names a test that exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "explanation" / "threat-model.md"
ROW = re.compile(r"^\| (?P<claim>[^|]+) \| (?P<shown>[^|]+) \|$", re.MULTILINE)
NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
HEADINGS = {"Claim", "---"}


def rows() -> list[tuple[str, str]]:
    """Return claim and evidence of each row below the heading "What each actor can and cannot do"."""
    claims = PAGE.read_text().partition("## What each actor can and cannot do")[2].partition("\n## ")[0]
    found = [(row["claim"].strip(), row["shown"].strip()) for row in ROW.finditer(claims)]
    return [(claim, shown) for claim, shown in found if claim not in HEADINGS]


def test_there_are_claims_about_every_actor() -> None:
    text = PAGE.read_text()
    for actor in ("tenant admin", "operator", "viewer", "client on the LAN", "database account", "relay"):
        assert re.search(rf"^### .*{actor}", text, re.MULTILINE | re.IGNORECASE), actor
    assert len(rows()) > 40


@pytest.mark.parametrize(("claim", "shown"), rows())
def test_a_claim_names_tests_that_exist(claim: str, shown: str) -> None:
    named = NAMED.findall(shown)
    assert named, f"no test is named: {claim}"
    for file, name in named:
        assert (ROOT / file).exists(), file
        assert not name or name in functions(ROOT / file), f"{file}::{name}"


def functions(file: Path) -> set[str]:
    tree = ast.parse(file.read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
