"""A site file on the wire: what it says is what a client and a boot loader get, and an edit reaches them at once."""

from collections.abc import Iterator
from ipaddress import IPv4Interface
from pathlib import Path

import pytest
from cli.serving import Served, serving
from click.testing import CliRunner
from oracle.boot_clients import BIOS, IPXE, MAC
from system import plan, sites
from system.clients import Udhcpc
from system.conftest import running
from system.namespaces import Network
from system.sites import Site
from system.test_boot_clients import ask

from api.cli import main

pytestmark = [pytest.mark.peer("namespaces"), pytest.mark.peer("udhcpc"), pytest.mark.long]
TEXT = f"""
client_classes: [{{name: ipxe, user_class: iPXE, boot_file: "http://192.0.2.8/menu.ipxe"}}]
global_options: [{{code: 15, payload: {{string: example.test}}}}]
prefixes:
  - cidr: 192.0.2.0/24
    subnets:
      - cidr: 192.0.2.0/24
        gateway: 192.0.2.1
        next_server: 192.0.2.7
        boot_file: undionly.kpxe
        pools: [{{start_ip: 192.0.2.100, end_ip: 192.0.2.199}}]
        reservations: [{{ip: 192.0.2.42, mac: {plan.RESERVED_MAC}, hostname: printer}}]
"""


@pytest.fixture
def served(database: str, tmp_path: Path) -> Iterator[Served]:
    folder = tmp_path / "api"
    folder.mkdir()
    with serving(database, folder) as running_api:
        yield running_api


@pytest.fixture
def direct(served: Served, network: Network, database: str, tmp_path: Path) -> Iterator[Site]:
    apply(served, tmp_path, TEXT)
    yield from running(sites.direct(network, database, tmp_path))


def apply(served: Served, folder: Path, text: str) -> None:
    (folder / "site.yaml").write_text(text)
    told = {"IPAM_API_URL": served.url, "IPAM_API_TOKEN": served.token}
    ran = CliRunner().invoke(main, ["apply", "-f", str(folder / "site.yaml"), "--prune"], env=told)
    assert ran.exit_code == 0, ran.output


def test_clients_get_what_the_file_says(direct: Site, served: Served) -> None:
    direct.client.ip("link", "set", "c0", "address", MAC)
    assert ask(direct, BIOS).file.rstrip(b"\0") == b"undionly.kpxe"
    assert ask(direct, IPXE).file.rstrip(b"\0") == b"http://192.0.2.8/menu.ipxe"
    direct.client.ip("link", "set", "c0", "address", plan.RESERVED_MAC)
    client = Udhcpc(direct.client, "c0", direct.folder / "client")
    lease = client.obtain()
    assert (lease.address, lease.domain) == (plan.RESERVED, "example.test")
    client.release()
    apply(served, direct.folder, TEXT.replace("192.0.2.42", "192.0.2.43"))
    assert client.obtain().address == IPv4Interface("192.0.2.43/24")
