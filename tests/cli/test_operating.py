"""The commands of docs/how-to/install.md, backup.md and upgrade.md run on a host without systemd and sudo: a schema,
a token, the steps of an upgrade, a backup, and its restore on another host.
"""

import shlex
import subprocess
from pathlib import Path

from cli.serving import IPAM
from documents.blocks import blocks_of

ROOT = Path(__file__).parents[2]
HOST = f"""
sudo() {{ if [ "$1" = -u ]; then shift 2; fi; "$@"; }}
systemctl() {{ echo "$@" >>systemctl; }}
ipam() {{ {shlex.join(IPAM)} "$@"; }}
"""


def commands(page: str) -> list[str]:
    text = (ROOT / "docs" / "how-to" / page).read_text()
    return [block.text for block in blocks_of(text) if block.kind == "sh" and block.mark is None]


def run(block: str, folder: Path) -> str:
    """Its standard output; paths of a host lie in `folder`."""
    script = block.replace("/etc/ipam", str(folder)).replace("/var/lib/ipam", str(folder))
    ran = subprocess.run(
        ["bash", "-ec", HOST + script], cwd=folder, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, block + ran.stdout + ran.stderr
    return ran.stdout


def test_their_commands_run(database: str, empty_database: str, tmp_path: Path) -> None:
    """In order: migrated, a token, upgraded, a backup; and that on another host, where nothing is."""
    (migrate, token), (before, after) = commands("install.md"), commands("upgrade.md")
    backup, restore = commands("backup.md")
    settings = tmp_path / "ipam.toml"
    settings.write_text(f'database_url = "{database}"\ndata_dir = "{tmp_path}"\n')
    assert run(migrate, tmp_path) == "nothing to apply\n"
    enabled = (tmp_path / "systemctl").read_text().split()[2:]
    units = {path.name.removesuffix(".service") for path in (ROOT / "deploy/systemd").glob("ipam*.[st]*")}
    assert set(enabled) <= units
    assert run(token, tmp_path).startswith("ipam_")
    assert [run(step, tmp_path) for step in (before, after)] == ["nothing to apply\n"] * 2
    assert "schema " in run(backup, tmp_path)
    settings.write_text(f'database_url = "{empty_database}"\ndata_dir = "{tmp_path}"\n')
    assert run(restore, tmp_path).startswith("restored ")
