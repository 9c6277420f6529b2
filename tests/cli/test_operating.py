"""docs/how-to/operating.md: its commands are run on a host without systemd and sudo, its links lead somewhere, and the
settings that it names are there.
"""

import re
import shlex
import subprocess
from pathlib import Path

from cli.serving import IPAM

from ipam_core.settings import READERS

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "how-to" / "operating.md").read_text()
BLOCKS = re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL)
HOST = f"""
sudo() {{ if [ "$1" = -u ]; then shift 2; fi; "$@"; }}
systemctl() {{ echo "$@" >>systemctl; }}
ipam() {{ {shlex.join(IPAM)} "$@"; }}
"""


def run(block: str, folder: Path) -> str:
    """Its standard output; paths of a host lie in `folder`."""
    told = block.replace("/etc/ipam", str(folder)).replace("/var/lib/ipam", str(folder))
    ran = subprocess.run(
        ["bash", "-ec", HOST + told], cwd=folder, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, block + ran.stdout + ran.stderr
    return ran.stdout


def test_its_commands_run(database: str, empty_database: str, tmp_path: Path) -> None:
    """In order: migrated, a token, a backup; and that on another host, where nothing is."""
    migrate, token, backup, restore = BLOCKS
    settings = tmp_path / "ipam.toml"
    settings.write_text(f'database_url = "{database}"\ndata_dir = "{tmp_path}"\n')
    assert run(migrate, tmp_path) == "nothing to apply\n"
    enabled = (tmp_path / "systemctl").read_text().split()[2:]
    units = {path.name.removesuffix(".service") for path in (ROOT / "deploy/systemd").glob("ipam*.[st]*")}
    assert set(enabled) <= units
    assert run(token, tmp_path).startswith("ipam_")
    assert "schema " in run(backup, tmp_path)
    settings.write_text(f'database_url = "{empty_database}"\ndata_dir = "{tmp_path}"\n')
    assert run(restore, tmp_path).startswith("restored ")


def test_its_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", GUIDE):
        assert (ROOT / "docs" / "how-to" / target).exists(), target


def test_the_settings_that_it_names_are_there() -> None:
    named = set(re.findall(r"`((?:api|dhcp4?|dns|database|trusted|lease|stopped|rate)_[a-z_]+)[`\s]", GUIDE))
    assert named - {"database_away"} <= set(READERS)
