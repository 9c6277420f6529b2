"""A server's own addresses on a real link are leased to nobody, and follow the kernel (decisions: Never leased)."""

import json
import subprocess
import sys
import time
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from oracle import packets as say
from oracle.message4 import Message, parse_reply
from system import peers, plan, sites
from system.conftest import running
from system.namespaces import Network
from system.sites import Site

pytestmark = pytest.mark.peer("namespaces")

STATION = Path(__file__).with_name("station.py")
# The server is 192.0.2.1, its VIP 192.0.2.3; the gateway is somebody else.
POOL = """
update subnet set gateway = '192.0.2.254', fence = fence + 1;
update pool set start_ip = '192.0.2.1', end_ip = '192.0.2.4'
"""


@pytest.fixture(params=[1, 2], ids=["one process", "two workers"])
def lan(request: pytest.FixtureRequest, network: Network, database: str, tmp_path: Path) -> Site:
    plan.write(database)
    for statement in POOL.split(";"):
        plan.change(database, statement)
    made = sites.direct(network, database, tmp_path)
    made.server.environment["IPAM_DHCP_WORKERS"] = str(request.param)
    made.server.namespace.address("lo", "192.0.2.3/32")
    return made


def offered(site: Site, client: int, wanted: str, seconds: float = 8.0) -> IPv4Address | None:
    """What a client that asks for an address is offered on the wire."""
    mac = bytes([2, 0, 0, 0, 11, client])
    told = [
        *(str(STATION), "c0", mac.hex(), say.discover(mac).requesting(wanted).bytes().hex()),
        str(seconds),
    ]
    done = subprocess.run(
        site.client.command(sys.executable, *told),
        env=peers.environment(),
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    if done.returncode:
        assert done.returncode == 1, done.stderr
        return None
    reply = parse_reply(bytes.fromhex(done.stdout.split()[1]))
    assert isinstance(reply, Message)
    return reply.yiaddr


def test_its_own_addresses_are_leased_to_nobody(lan: Site) -> None:
    """The interface's, one on lo, and one that is added while the server runs."""
    for site in running(lan):
        for client, own in enumerate(("192.0.2.1", "192.0.2.3") * 2):
            assert offered(site, client, own) in (IPv4Address("192.0.2.2"), IPv4Address("192.0.2.4"))
        site.server.namespace.address("s0", "192.0.2.4/24")
        await_in_use(site, ["192.0.2.1", "192.0.2.3", "192.0.2.4"])
        for client in range(4, 7):
            assert offered(site, client, "192.0.2.4") == IPv4Address("192.0.2.2")


def await_in_use(site: Site, wanted: list[str]) -> None:
    text = "select jsonb_agg(host(address) order by address)::text as found from addresses_in_pools(null)"

    async def read(connection: object) -> list[str]:
        row = await connection.fetchrow(text)  # type: ignore[attr-defined]
        return list(json.loads(row["found"] or "[]"))

    deadline = time.monotonic() + plan.WAIT_SECONDS
    while (found := plan.connected(site.database, read)) != wanted:
        assert time.monotonic() < deadline, f"never {wanted}: {found}"
        time.sleep(0.1)
