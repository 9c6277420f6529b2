"""`ipam probe --interface` on a real wire, without a relay between it and the server."""

import json
import subprocess
import sys
from typing import Any

import pytest
from system import peers, plan
from system.namespaces import Namespace
from system.sites import Site

pytestmark = pytest.mark.peer("namespaces")
PROBE = [sys.executable, "-P", "-m", "api.cli", "probe", "--json"]


def probed(client: Namespace, *more: str, bounds: tuple[str, ...] = ()) -> tuple[int, dict[str, Any]]:
    command = client.command(*bounds, *PROBE, *more)
    done = subprocess.run(
        command, capture_output=True, text=True, env=peers.environment(), timeout=20, check=False
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_a_client_on_the_servers_wire(direct: Site) -> None:
    """It gets what a client gets there, and gives it back; else it says what is the matter."""
    status, found = probed(direct.client, "--interface", "c0", "--mac", plan.RESERVED_MAC, "--release")
    assert (status, found["address"], found["server_id"]) == (0, str(plan.RESERVED.ip), str(plan.ROUTER))
    assert found["options"]["6"] == b"".join(address.packed for address in plan.DNS).hex()
    row = plan.await_lease(direct.database, plan.RESERVED.ip, lambda row: row.get("state") == "r", "released")
    assert row["relay"] is None

    status, found = probed(
        direct.client, "--interface", "c0", bounds=("setpriv", "--bounding-set", "-net_raw")
    )
    assert (status, found["outcome"]) == (4, "not_asked")
    assert "CAP_NET_RAW" in found["error"]

    status, found = probed(direct.server.namespace, "--server", "127.0.0.1:6767")
    assert (status, found["outcome"]) == (1, "no_answer")
    assert "Nothing listens on UDP port 6767 of 127.0.0.1" in found["advice"]
    assert "On this host something listens at 0.0.0.0:67" in found["advice"]

    direct.server.stop()
    status, found = probed(direct.client, "--interface", "c0")
    assert (status, found["outcome"]) == (1, "no_answer")
    assert found["error"] == "No answer to DISCOVER from anybody on c0"
    assert "the server needs the interface in dhcp4_interfaces" in found["advice"]
    assert "DHCP snooping" in found["advice"]

    direct.client.ip("link", "set", "c0", "down")
    status, found = probed(direct.client, "--interface", "c0")
    assert (status, found["error"]) == (
        4,
        "Nothing can be asked on c0: the interface is down: ip link set c0 up",
    )
