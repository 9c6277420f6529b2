"""Five clients on links that change under the server: it exists late, is made anew, gets a second
address, moves into a bridge, becomes a VLAN and a macvlan. After each change every client gets a lease anew and
renews it.

dhclient, udhcpc, dhcpcd, systemd-networkd, and iPXE's packets; DHCPv6's are in tests/system6/test_link_lab6.py.
"""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from oracle import packets as say
from oracle.boot_clients import IPXE, MAC
from oracle.message4 import Message, parse_reply
from oracle.options4 import ACK
from oracle.packets import Packet
from system import plan
from system.clients import CLIENTS, Client, Networkd
from system.lab import NAMES, Lab
from system.namespaces import Namespace, Network
from system.server import DhcpServer

pytestmark = [pytest.mark.peer("namespaces"), *(pytest.mark.peer(kind.program) for kind in CLIENTS)]

STATION = Path(__file__).with_name("station.py")
ADDRESS = f"{plan.ROUTER}/24"
ELSEWHERE = "198.18.0.1/30"


def late(lab: Lab) -> str:
    lab.plug()
    return "s0"


def made_anew(lab: Lab) -> str:
    lab.unplug()
    lab.plug()
    return "s0"


def second_address(lab: Lab) -> str:
    """The clients' subnet is that of the second one."""
    lab.unplug()
    lab.plug([ELSEWHERE, ADDRESS])
    return "s0"


def bridged(lab: Lab) -> str:
    lab.bridge()
    return "br0"


def of_a_vlan(lab: Lab) -> str:
    lab.unbridge()
    lab.tag()
    return "s0.5"


def plain_again(lab: Lab) -> str:
    lab.untag()
    return "s0"


def of_a_macvlan(lab: Lab) -> str:
    lab.macvlan()
    return "mv0"


CHANGES: tuple[Callable[[Lab], str], ...] = (
    late,
    made_anew,
    second_address,
    bridged,
    of_a_vlan,
    plain_again,
    of_a_macvlan,
)  # fmt: skip


@contextmanager
def serving(lab: Lab, database: str, folder: Path) -> Iterator[DhcpServer]:
    server = DhcpServer(lab.host, database, folder, dhcp4_interfaces=",".join(NAMES))
    server.start()
    try:
        yield server
    finally:
        server.stop()
        for log in sorted(folder.rglob("*.log")):
            print(f"--- {log.relative_to(folder)}\n{log.read_text(errors='replace')[-6000:]}")


def test_five_clients_on_links_that_change(network: Network, database: str, tmp_path: Path) -> None:
    plan.write(database)
    lab = Lab(network, tmp_path, len(CLIENTS) + 1, (ADDRESS,))
    *spaces, firmware = lab.clients
    clients = [
        kind(space, "c0", tmp_path / kind.program) for kind, space in zip(CLIENTS, spaces, strict=True)
    ]
    works = [lambda client=client: lives(client) for client in clients] + [lambda: boots(firmware)]
    with serving(lab, database, tmp_path) as server, ThreadPoolExecutor(len(works)) as threads:
        for change in CHANGES:
            lab.await_served(server, change(lab))
            for done in [threads.submit(work) for work in works]:
                done.result()


def lives(client: Client) -> None:
    """From nothing to a lease that it has renewed. networkd asks again only after a minute where a renewal was lost, as
    on a loaded machine; its own are elsewhere (test_real_clients.py)."""
    lease = client.obtain()
    plan.assert_served(lease, plan.ROUTER)
    if not isinstance(client, Networkd):
        assert client.renew().address == lease.address
    client.lose_power()


def boots(space: Namespace) -> None:
    offer = answered(space, IPXE)
    ack = answered(space, say.request_selecting(MAC, offer.yiaddr, plan.ROUTER))
    assert (ack.message_type, ack.yiaddr) == (ACK, offer.yiaddr)


def answered(space: Namespace, packet: Packet) -> Message:
    told = "c0", say.hardware(MAC).hex(), packet.bytes().hex()
    said = space.run(sys.executable, STATION, *told)
    reply = parse_reply(bytes.fromhex(said.split()[1]))
    assert isinstance(reply, Message)
    assert str(reply.address(54)) == str(plan.ROUTER)
    return reply
