"""The container file: what runs is not root, and reports whether it is ready. tests/deploy/test_image.py builds it."""

import re
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
