"""docs/tutorials/first-lan.md is run: its site file is written, and its shell blocks must succeed, in one shell, on a
machine of its own where API and DHCP server listen where the guide has them."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from system import peers
from system.namespaces import Namespace, Network
from system.server import AWAIT_READY, READY_SECONDS

pytestmark = [pytest.mark.peer("namespaces"), pytest.mark.long]
GUIDE = Path(__file__).parents[2] / "docs" / "tutorials" / "first-lan.md"
BLOCK = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)
IPAM = [sys.executable, "-P", "-m", "api.cli"]
PARTS = {
    "dhcp": {"IPAM_DHCP4_LISTEN": "127.0.0.1:6767", "IPAM_HEALTH_LISTEN": "127.0.0.1:8081"},
    "api": {"IPAM_HEALTH_LISTEN": "127.0.0.1:8082", "IPAM_RATE_LIMIT": "0"},
}


@pytest.fixture
def environment(database: str, tmp_path: Path) -> dict[str, str]:
    told = {"IPAM_DATABASE_URL": database, "IPAM_DATA_DIR": str(tmp_path), "HOME": str(tmp_path)}
    return peers.environment() | told


@pytest.fixture
def machine(network: Network, environment: dict[str, str], tmp_path: Path) -> Iterator[Namespace]:
    made = network.namespace("server")
    for part, settings in PARTS.items():
        made.start(*IPAM, part, log=tmp_path / f"{part}.log", env=environment | settings, cwd=tmp_path)
    for settings in PARTS.values():
        url = f"http://{settings['IPAM_HEALTH_LISTEN']}/readyz"
        made.run(sys.executable, "-c", AWAIT_READY, url, str(READY_SECONDS), within=READY_SECONDS + 5)
    yield made
    for log in sorted(tmp_path.glob("*.log")):
        print(f"--- {log.name}\n{log.read_text(errors='replace')}")


@pytest.fixture
def said(machine: Namespace, environment: dict[str, str], tmp_path: Path) -> str:
    """What the whole guide says when it is followed."""
    blocks = BLOCK.findall(GUIDE.read_text())
    (site,) = [text for kind, text in blocks if kind == "yaml"]
    (tmp_path / "site.yaml").write_text(site)
    functions = {"ipam": IPAM, "ip": [str(peers.program("ip"))]}
    script = [f'{name}() {{ {shlex.join(command)} "$@"; }}' for name, command in functions.items()]
    script += [f"cd {tmp_path}", "set -x", *(text for kind, text in blocks if kind == "sh")]
    ran = subprocess.run(
        machine.command("bash", "-ec", "\n".join(script)),
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    return ran.stdout


def test_who_follows_the_guide_gets_what_it_says(said: str, tmp_path: Path) -> None:
    probes = [text.splitlines() for text in said.split("+ ipam probe ")[1:]]
    told = [
        {line[:19].strip(): line[19:].strip() for line in lines[1:] if line[18:19] == " "} for lines in probes
    ]
    assert [found.get("boot file") for found in told] == [
        None, None, None, "undionly.kpxe", "ipxe.efi", "http://10.40.1.5/ipxe.efi", "http://10.40.1.5/menu.ipxe", None,
    ]  # fmt: skip
    assert told[1]["address"] == "10.40.10.20"
    assert (told[2]["lease time"], told[3]["next server"]) == ("1 hour", "10.40.1.5")
    assert "domain-name-servers (6): 9.9.9.9" in said
    assert "vendor-class-identifier (60): HTTPClient" in said
    (refused,) = [text for _, text in BLOCK.findall(GUIDE.read_text()) if text.startswith("No answer")]
    assert set(refused.splitlines()) <= set(said.splitlines())
    assert "the server would offer 10.40.10.22" in said
    assert "end_ip 10.40.10.199 -> 10.40.10.219" in said
    assert "end_ip: 10.40.10.219" in (tmp_path / "now.yaml").read_text()
