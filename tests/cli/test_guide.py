"""docs/api.md is run: its file is written, and each of its shell blocks must succeed in a shell, in order."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from cli.serving import IPAM, serving

GUIDE = Path(__file__).parents[2] / "docs" / "api.md"
BLOCK = re.compile(r"```(sh|yaml)\n(.*?)```", re.DOTALL)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not here")
def test_every_example_runs(database: str, tmp_path: Path) -> None:
    blocks = BLOCK.findall(GUIDE.read_text())
    (tmp_path / "site.yaml").write_text(next(text for kind, text in blocks if kind == "yaml"))
    scripts = [text for kind, text in blocks if kind == "sh" and "export" not in text]
    curl = 'curl() { command curl --fail-with-body "$@"; }\n'
    ours = f'ipam() {{ {shlex.join(IPAM)} "$@"; }}\n'
    with serving(database, tmp_path) as served:
        environment = os.environ | {"IPAM_API_URL": served.url, "IPAM_API_TOKEN": served.token}
        said = ""
        for script in scripts:
            ran = subprocess.run(
                ["bash", "-ec", curl + ours + script],
                env=environment,
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
            )
            assert ran.returncode == 0, script + ran.stdout + ran.stderr
            said += ran.stdout
    assert "10.20.0.0/16" in said
    assert "10.30.0.0/16" in said
    assert "+ subnets 10.40.1.0/24" in said
    assert '"outcome":"dropped","drop_reason":"untrusted_relay"' in said
