"""schemathesis speaks to the served API as docs/openapi.json allows and forbids: every check, real PostgreSQL.

Bounded and seeded; --schemathesis-seconds makes it longer. What breaks the schema must be refused; what keeps it must
be taken, or refused by the plan's state (404, 409, 412) or by a rule between fields (422), and those rules are listed
in schemathesis_hooks.py. The stateful phase follows the document's links: what was made must be found, what was
deleted must not.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from cli.serving import Served, serving

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.long

HOOKS = "rest.schemathesis_hooks"
CONFIG = """
[checks.positive_data_acceptance]
# 429: an eleventh test of one webhook or notification.
expected-statuses = ["2xx", 304, 404, 409, 412, 422, 429%s]

[checks.negative_data_rejection]
# 404, 409 and 412 are right where the path, the key or If-Match fails: they are looked at before the body.
expected-statuses = [400, 404, 405, 409, 412, 415, 422%s]

# The document's own links, not guessed ones.
[phases.stateful]
inference = { algorithms = [] }
max-steps = 12
"""

# They end the token that asks, when its id comes back from a list; they are asked by themselves.
OWN_TOKEN = ("rotate_token", "update_token", "delete_token")
AVOID = [word for name in OWN_TOKEN for word in ("--exclude-operation-id", name)]
ALONE = [word for name in OWN_TOKEN for word in ("--include-operation-id", name)]

# Nothing leads on from them, or nothing is there that leads to them: the other phases ask them.
NOTHING_MADE = [
    "--exclude-path-regex",
    "/(bulk|dhcp|leases|lease-events|ddns-updates|nodes|audit|search|dashboard|netbox|openapi|deliveries|subnets$)",
]


def run(
    served: Served, folder: Path, phases: str, chosen: list[str], seconds: int, also: str = "", seed: int = 1
) -> None:
    """Fails as schemathesis does, with what it says."""
    (folder / "schemathesis.toml").write_text(CONFIG % (also, also))
    command = [sys.executable, "-m", "schemathesis.cli", "run", str(ROOT / "docs" / "openapi.json"), *chosen]
    command += ["--url", served.url.removesuffix("/api/v1")]
    command += ["--header", f"Authorization: Bearer {served.token}", "--checks", "all", "--phases", phases]
    command += ["--seed", str(seed), "--generation-database", "none", "--max-time", str(seconds)]
    command += ["--suppress-health-check", "all", "--no-color"]
    command += ["--report", "har", "--report-har-path", str(folder / "exchanges.har")]
    environment = os.environ | {"SCHEMATHESIS_HOOKS": HOOKS, "PYTHONPATH": str(ROOT / "tests")}
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-100000:] + ran.stderr[-2000:]


@pytest.fixture
def seconds(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--schemathesis-seconds"))


@pytest.mark.parametrize(
    ("chosen", "also", "part"), [(AVOID, "", 2), (ALONE, ", 401", 10)], ids=["all", "tokens"]
)
def test_the_api_is_as_its_document_says(
    database: str, tmp_path: Path, chosen: list[str], also: str, part: int, seconds: int
) -> None:
    with serving(database, tmp_path, managed_address_limit="0") as served:
        run(served, tmp_path, "examples,coverage,fuzzing", chosen, seconds // part, also)


def test_what_was_made_is_found_and_what_was_deleted_is_not(
    database: str, tmp_path: Path, seconds: int
) -> None:
    """A busy machine walks less far in the same time, so it may go on with other seeds."""
    made, gone = 0, 0
    with serving(database, tmp_path, managed_address_limit="0") as served:
        for seed in range(1, 9):
            chosen = ["--mode", "positive", *NOTHING_MADE]
            run(served, tmp_path, "stateful", chosen, seconds * 2 // 5, seed=seed)
            found, missed = walked(exchanges(tmp_path / "exchanges.har"))
            made, gone = made + found, gone + missed
            if made and gone:
                break
    assert made, "no object was read after it was made"
    assert gone, "no object was looked for after it was deleted"


def walked(steps: list[tuple[str, str, int]]) -> tuple[int, int]:
    """How many objects were found, and how many were missed after they had been deleted."""
    found = sum(
        method == "GET" and status in (200, 304) and path.count("/") == 4 for method, path, status in steps
    )
    ended: set[str] = set()
    missed = 0
    for method, path, status in steps:
        missed += method == "GET" and status == 404 and path in ended
        if method == "DELETE" and status == 204:
            ended.add(path)
    return found, missed


def exchanges(har: Path) -> list[tuple[str, str, int]]:
    """Method, path and status of each, in their order."""
    entries: list[dict[str, Any]] = json.loads(har.read_text())["log"]["entries"]
    return [
        (e["request"]["method"], urlsplit(e["request"]["url"]).path, e["response"]["status"]) for e in entries
    ]
