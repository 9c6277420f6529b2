"""The container file: what runs is not root, and reports whether it is ready. tests/deploy/test_image.py builds it."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINES = (ROOT / "deploy/Containerfile").read_text().replace("\\\n", " ").splitlines()
STAGES = "\n".join(LINES).split("\nFROM ")


def test_the_last_stage_runs_as_an_account_with_a_number() -> None:
    (user,) = re.findall(r"^USER (\S+)$", STAGES[-1], re.MULTILINE)
    assert int(user.split(":")[0]) > 0
    assert f"--uid {user.split(':')[0]} " in STAGES[-1]


def test_it_reports_whether_it_is_ready_and_starts_everything() -> None:
    assert re.search(r'^HEALTHCHECK .* CMD \["healthcheck"\]$', STAGES[-1], re.MULTILINE)
    assert "/readyz" in (ROOT / "deploy/healthcheck").read_text()
    assert LINES[-2:] == ['ENTRYPOINT ["ipam"]', 'CMD ["up", "--standard-ports"]']


def test_no_name_is_looked_up_in_files_that_a_small_image_lacks() -> None:
    """/etc/protocols and /etc/services are of Debian's package netbase."""
    search = [
        "git",
        "-c",
        f"safe.directory={ROOT}",
        "grep",
        "--extended-regexp",
        "--name-only",
        "get(proto|serv)by",
    ]
    places = ["api", "ipam_core", "dhcp_fast"]
    done = subprocess.run([*search, "--", *places], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == ""
