"""docs/reference/api.md and docs/reference/site-file.md are run: the file of each is written, and each of their shell
blocks must succeed in a shell, in order. `curl` is the one beside this file, so that nothing is missing anywhere; it
knows the options that the guides use and no other."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from cli.serving import IPAM, serving

DOCS = Path(__file__).parents[2] / "docs"
CURL = Path(__file__).with_name("curl.py")
BLOCK = re.compile(r"```(sh|yaml)\n(.*?)```", re.DOTALL)


@pytest.mark.long
def test_every_example_runs(database: str, tmp_path: Path) -> None:
    guides = [
        BLOCK.findall((DOCS / name).read_text()) for name in ("reference/api.md", "reference/site-file.md")
    ]
    curl = f'curl() {{ {shlex.join([sys.executable, str(CURL)])} "$@"; }}\n'
    ours = f'ipam() {{ {shlex.join(IPAM)} "$@"; }}\n'
    with serving(database, tmp_path) as served:
        environment = os.environ | {"IPAM_API_URL": served.url, "IPAM_API_TOKEN": served.token}
        said = ""
        for kind, script in (block for guide in guides for block in guide):
            if kind == "yaml":
                (tmp_path / "site.yaml").write_text(script)
                continue
            if "ipam_live_" in script:
                continue
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
    assert "+ dns-records www A 10.60.1.80" in said
    assert "yaml-language-server" in (tmp_path / "exported.yaml").read_text()
    assert "10.20.0.0/16" in said
    assert '"cidr":"10.20.0.0/24"' in said
    assert '{"items":[{"ip":"10.20.0.1"},{"ip":"10.20.0.2"},{"ip":"10.20.0.3"}]' in said
    assert "\n10.30.0.4\n10.30.0.5\n10.30.0.6\n" in said
    assert "lease_time_seconds" in said
    assert "pxe-uefi" in said
    assert '"index":2,"status":201' in said
    assert "id,created_at,updated_at,subnet_id,ip,prefix,excluded_prefix,mac" in said
    assert "10.30.0.0/16" in said
    assert "+ subnets 10.40.1.0/24" in said
    assert '"outcome":"dropped","drop_reason":"untrusted_relay"' in said
