"""schemathesis speaks to the served API as docs/openapi.json allows and forbids: every check, real PostgreSQL.

Bounded and seeded; SCHEMATHESIS_SECONDS makes it longer. What breaks the schema must be refused, and every answer
must be one that the document has. Data that fits the schema may still meet rules between fields, which no schema
can say (a gateway outside its subnet, an overlap), so the refusals for those are expected of good data too.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli.serving import serving

ROOT = Path(__file__).parents[2]
SECONDS = int(os.environ.get("SCHEMATHESIS_SECONDS", "35"))
CONFIG = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", 304, 402, 403, 404, 409, 412, 413, 422, 503%s]

[checks.negative_data_rejection]
# 412 is right where If-Match fails: it is looked at before the body.
expected-statuses = [400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 503]
"""


# They end the token that asks, when its id comes back from a list; they are asked by themselves.
OWN_TOKEN = ("rotate_token", "update_token", "delete_token")
AVOID = [word for name in OWN_TOKEN for word in ("--exclude-operation-id", name)]
ALONE = [word for name in OWN_TOKEN for word in ("--include-operation-id", name)]


@pytest.mark.parametrize(
    ("chosen", "also", "seconds"),
    [(AVOID, "", SECONDS), (ALONE, ", 401", SECONDS // 6)],
    ids=["all", "tokens"],
)
def test_the_api_is_as_its_document_says(
    database: str, tmp_path: Path, chosen: list[str], also: str, seconds: int
) -> None:
    (tmp_path / "schemathesis.toml").write_text(CONFIG % also)
    with serving(database, tmp_path) as served:
        ran = subprocess.run(
            [
                *(
                    sys.executable,
                    "-m",
                    "schemathesis.cli",
                    "run",
                    str(ROOT / "docs" / "openapi.json"),
                    *chosen,
                ),
                *(
                    "--url",
                    served.url.removesuffix("/api/v1"),
                    "--header",
                    f"Authorization: Bearer {served.token}",
                ),
                *("--checks", "all", "--phases", "examples,coverage,fuzzing"),
                *("--seed", "1", "--generation-database", "none", "--max-time", str(seconds)),
                *("--suppress-health-check", "all", "--no-color"),
            ],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
    assert ran.returncode == 0, ran.stdout[-100000:] + ran.stderr[-2000:]
