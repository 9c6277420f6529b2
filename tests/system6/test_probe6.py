"""`ipam probe -6 --interface` on a real wire: from port 546 to all servers."""

import asyncio
import json
import sys
from pathlib import Path

import pytest
from system import peers
from system.namespaces import Network
from system6 import sites6

pytestmark = pytest.mark.peer("namespaces")
PROBE = [sys.executable, "-P", "-m", "api.cli", "probe", "-6", "--json", "--interface", "c0"]


def test_a_client_on_the_servers_wire(network: Network, database: str, tmp_path: Path) -> None:
    asyncio.run(sites6.plan(database))
    wire = sites6.direct(network, database, tmp_path)
    wire.server.start()
    found = json.loads(wire.client.run(*PROBE, "--pd", env=peers.environment()))
    rows = wire.await_rows(lambda rows: set(rows) == {3, 25}, "both leased")
    assert {lease["association"] for lease in found["leases"]} == {"IA_NA", "IA_PD"}
    assert str(rows[3]["address"]) in {lease["address"] for lease in found["leases"]}
    assert {row["relay_text"] for row in rows.values()} == {None}
    wire.server.stop()
