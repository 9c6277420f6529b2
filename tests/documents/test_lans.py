"""The tutorials first-lan.md and relayed-vlans.md: their blocks run, and readers see what the text says."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from documents import blocks
from documents.machine import IPAM, Machine, machine, serving
from system.namespaces import Network

pytestmark = [pytest.mark.peer("namespaces"), pytest.mark.peer("dig"), pytest.mark.long]
TUTORIALS = blocks.ROOT / "docs" / "tutorials"
DIRECT = (TUTORIALS / "first-lan.md").read_text()
RELAYED = (TUTORIALS / "relayed-vlans.md").read_text()


@pytest.fixture
def relayed(network: Network, database: str, tmp_path: Path) -> Iterator[Machine]:
    with machine(network, database, tmp_path) as made:
        yield made


def test_a_client_on_the_link_gets_an_address(network: Network, database: str, tmp_path: Path) -> None:
    """The first block gives the interface its address, then the server starts; the client is on another machine."""
    server, client = network.namespace("server"), network.namespace("client")
    network.join(server, "eth1", client, "eth0")
    address, *rest = blocks.to_run(DIRECT)
    server.run("bash", "-ec", address.text)
    (shown,) = [at for at, block in enumerate(rest) if block.text.startswith("ipam leases")]
    with serving(server, database, tmp_path, dhcp4_interfaces="eth1") as made:
        made.follow(rest[:shown])
        probed = client.run(*IPAM, "probe", "--interface", "eth0", env=made.environment)
        assert "10.40.10.1" in probed
        assert "domain-name-servers (6): 9.9.9.9" in probed
        said = made.follow(rest[shown:])
    (lease,) = [line for line in said.splitlines() if " active" in line]
    assert "10.40.10.1" in lease
    assert "10.40.10.20" in said


def test_the_vlans_give_what_the_tutorial_says(relayed: Machine) -> None:
    said = relayed.follow(blocks.to_run(RELAYED))
    probes = [text.splitlines() for text in said.split("address  ")[1:]]
    told = [
        {line[:19].strip(): line[19:].strip() for line in lines if line[18:19] == " "} for lines in probes
    ]
    assert [found.get("boot file") for found in told[:7]] == [
        None, None, None, "undionly.kpxe", "ipxe.efi", "http://10.40.1.5/ipxe.efi", "http://10.40.1.5/menu.ipxe",
    ]  # fmt: skip
    assert "10.40.10.20" in probes[1][0]
    assert (told[2]["lease time"], told[3]["next server"]) == ("1 hour", "10.40.1.5")
    assert "domain-name-servers (6): 9.9.9.9" in said
    assert "vendor-class-identifier (60): HTTPClient" in said
    (refused,) = [block.text for block in blocks.blocks_of(RELAYED) if block.text.startswith("No answer")]
    assert set(refused.splitlines()) <= set(said.splitlines())
    assert "the server would offer 10.40.10.22" in said
    assert "end_ip 10.40.10.199 -> 10.40.10.219" in said
    assert "end_ip: 10.40.10.219" in (relayed.folder / "now.yaml").read_text()
