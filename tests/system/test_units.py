"""The units of deploy/systemd: tight, without a fault, and what they allow is enough for the processes."""

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from system import peers, plan
from system.clients.udhcpc import Udhcpc
from system.confined import allowed, groups, settings_of
from system.namespaces import Namespace, Network
from system.server import AWAIT_READY

from ipam_core.db.embedded.programs import Account
from ipam_core.settings import Settings

FOLDER = Path(__file__).parents[2] / "deploy" / "systemd"
UNITS = sorted(FOLDER.glob("*.service"))
CONFINED = Path(__file__).with_name("confined.py")
IPAM = [sys.executable, "-P", "-m", "api.cli"]
EXPOSURE = 3.0
# That of the tests' PostgreSQL, whose socket is open to it alone; 0: our own, without root's rights there is no other.
ACCOUNT = Account.find(Settings().postgres_user).uid if os.geteuid() == 0 else 0
READY_SECONDS = 30

pytestmark = [pytest.mark.peers, pytest.mark.peer("systemd-analyze"), pytest.mark.peer("namespaces")]


def analyze(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [peers.program("systemd-analyze"), *words]
    rights = None if str(command[0]).startswith("/usr") else peers.environment()
    return subprocess.run(command, env=rights, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_exposes_little(unit: Path) -> None:
    told = analyze("security", "--offline=true", unit).stdout
    found = re.search(r"Overall exposure level for \S+: (\S+)", told)
    assert found, told
    assert float(found[1]) < EXPOSURE


def test_systemd_finds_no_fault_in_them() -> None:
    """But for the program, which is installed elsewhere."""
    told = analyze("verify", *UNITS, FOLDER / "ipam.target")
    faults = [line for line in told.stderr.splitlines() if "/opt/ipam/bin/ipam is not executable" not in line]
    assert faults == []


def test_processes_of_one_host_have_a_health_address_each() -> None:
    lines = [line for unit in UNITS for line in settings_of(unit).get("Environment", [])]
    addresses = [line for line in lines if line.startswith("IPAM_HEALTH_LISTEN=")]
    assert len(addresses) == len(set(addresses)) == len(UNITS) - 1


class Service:
    """A command in a namespace under what its unit allows; READY is what it told systemd."""

    def __init__(self, unit: str, namespace: Namespace, state: Path, **settings: str) -> None:
        self.unit = FOLDER / f"ipam-{unit}.service"
        self.namespace = namespace
        self.state = state
        self.log = state / "log"
        told = dict(line.split("=", 1) for line in settings_of(self.unit).get("Environment", []))
        named = {f"IPAM_{name.upper()}": value for name, value in settings.items()}
        self.health = told.get("IPAM_HEALTH_LISTEN", "127.0.0.1:8081")
        self.environment = {"PATH": peers.SEARCH_PATH, "HOME": str(state), **told, **named}

    def start(self) -> str:
        """Until its health address says that it is ready; what it told systemd."""
        shutil.chown(self.state, ACCOUNT)
        calls = self.state / "calls"
        known = groups(analyze("syscall-filter").stdout)
        calls.write_text("\n".join(allowed(settings_of(self.unit)["SystemCallFilter"], known)))
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
            systemd.bind(str(self.state / "notify"))
            (self.state / "notify").chmod(0o777)
            systemd.settimeout(READY_SECONDS)
            self.run(calls, NOTIFY_SOCKET=str(self.state / "notify"))
            told = systemd.recv(100).decode()
        asking = [sys.executable, "-c", AWAIT_READY, f"http://{self.health}/readyz", str(READY_SECONDS)]
        self.namespace.run(*asking, within=READY_SECONDS + 5)
        return told

    def run(self, calls: Path, **more: str) -> None:
        command = settings_of(self.unit)["ExecStart"][0].split()[3:]
        confined = [sys.executable, "-P", CONFINED, self.unit, calls, self.state, str(ACCOUNT)]
        env = self.environment | {"IPAM_DATA_DIR": str(self.state), **more}
        self.namespace.start(*confined, *IPAM, *command, log=self.log, env=env)


@pytest.fixture
def state(data_dir: Path) -> Iterator[Path]:
    """A folder that the service's account may write, as StateDirectory would be."""
    data_dir.mkdir(mode=0o755)
    yield data_dir
    print((data_dir / "log").read_text(errors="replace"))


def test_a_dhcp_server_under_its_unit_serves(
    network: Network, database: str, state: Path, tmp_path: Path
) -> None:
    """Port 67 and an interface at layer 2, by no more than the unit's capabilities; a client renews by unicast."""
    plan.write(database)
    server, client = network.namespace("server"), network.namespace("client")
    network.join(server, "s0", client, "c0")
    server.address("s0", f"{plan.ROUTER}/24")
    service = Service("dhcp", server, state, database_url=database, dhcp4_interfaces="s0")
    assert service.start() == "READY=1"
    udhcpc = Udhcpc(client, "c0", tmp_path / "client")
    assert plan.POOL[0] <= udhcpc.obtain().address.ip <= plan.POOL[1]
    udhcpc.renew()
    assert rights(server) == {"CapEff": "0000000000002400", "NoNewPrivs": "1", "Seccomp": "2"}


def rights(namespace: Namespace) -> dict[str, str]:
    """Of the process that was started there; 0x2400 is CAP_NET_BIND_SERVICE and CAP_NET_RAW."""
    text = Path(f"/proc/{namespace.started[0].pid}/status").read_text()
    lines = dict(line.split(":\t", 1) for line in text.splitlines())
    return {name: lines[name].strip() for name in ("CapEff", "NoNewPrivs", "Seccomp")}


@pytest.mark.parametrize("unit", ["api", "dns", "worker", "up"])
def test_the_others_under_their_units_are_ready(
    unit: str, network: Network, database: str, state: Path
) -> None:
    """`ipam up` makes a PostgreSQL of its own there."""
    settings = {} if unit == "up" else {"database_url": database}
    service = Service(unit, network.namespace(unit), state, **settings)
    assert service.start() == "READY=1"
    assert rights(service.namespace)["Seccomp"] == "2"
