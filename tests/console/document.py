"""The operations of docs/openapi.json, and what the console's folders say of them."""

import json
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "api" / "console" / "src"
SCREENS = SOURCES / "screens"
METHODS = ("get", "post", "patch", "delete", "put")


@cache
def operations() -> dict[tuple[str, str], str]:
    """The operation ids by method and path."""
    document = json.loads((ROOT / "docs" / "openapi.json").read_text())
    return {
        (method.upper(), path): told["operationId"]
        for path, item in document["paths"].items()
        for method, told in item.items()
        if method in METHODS
    }


@cache
def patterns() -> list[tuple[str, re.Pattern[str], str]]:
    """Paths without parameters first: /tokens/self is not the token "self"."""
    ordered = sorted(operations().items(), key=lambda entry: entry[0][1].count("{"))
    return [(method, re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), id_) for (method, path), id_ in ordered]


def operation_of(method: str, path: str) -> str | None:
    for known, pattern, id_ in patterns():
        if method == known and pattern.fullmatch(path):
            return id_
    return None


def screens() -> dict[str, dict[str, str]]:
    """Of each screen's folder and the frame around them: its operations, and where each is."""
    told = [SOURCES / "frame" / "operations.json", *sorted(SCREENS.glob("*/operations.json"))]
    return {path.parent.name: json.loads(path.read_text()) for path in told}


def without_screen() -> dict[str, str]:
    """Operations that no screen has, with the reason."""
    told: dict[str, str] = json.loads((SCREENS / "without_screen.json").read_text())
    return told
