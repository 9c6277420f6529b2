"""Who a client is: its MAC, whatever it sends as client identifier, unless the subnet says otherwise.

A loader without client identifier, an installer with one of its own and systems with IAID and DUID (RFC 4361) follow
each other on one machine. What each sends is on record, and a declined address is kept from everybody.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from oracle.boot_clients import IPXE, X64
from oracle.message4 import parse_reply
from oracle.options4 import ACK, OFFER, Malformed
from oracle.packets import Packet
from system import plan, sites
from system.clients import CLIENTS, Client, Dhclient, Dhcpcd, Lease, Networkd, Udhcpc
from system.conftest import running
from system.namespaces import Network
from system.sites import Site

pytestmark = pytest.mark.peer("namespaces")
each_client = pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.peer(kind.program), id=kind.program) for kind in CLIENTS]
)
STATION = Path(__file__).with_name("station.py")
MAC = bytes.fromhex(plan.RESERVED_MAC.replace(":", ""))
NAME = "installer"
FQDN = "laptop.example.test"


@pytest.fixture
def by_client_id(network: Network, database: str, tmp_path: Path) -> Iterator[Site]:
    """A subnet where option 61 separates leases of one MAC."""
    plan.write(database, match_client_id=True)
    yield from running(sites.direct(network, database, tmp_path))


def machine(site: Site) -> Iterator[Client]:
    """What runs on one machine in its time: loader, installer, two systems; each is made when its time has come."""
    where, folder = site.client, site.folder
    yield Udhcpc(where, "c0", folder / "loader", more=("-C",))
    yield Dhclient(where, "c0", folder / "installer", client_id=NAME)
    yield Dhcpcd(where, "c0", folder / "system")
    yield Networkd(where, "c0", folder / "other")


def lives(site: Site, *, released: bool = True) -> list[tuple[Lease, bytes | None]]:
    """Each client's lease and the client identifier on record, one after the other."""
    found = []
    for client in machine(site):
        lease = client.obtain()
        found.append((lease, site.await_state(lease, "a")["client_id"]))
        if released:
            client.release()
            site.await_state(lease, "r")
        else:
            client.lose_power()
    return found


@pytest.mark.peer("dhclient")
@pytest.mark.peer("udhcpc")
@pytest.mark.peer("dhcpcd")
@pytest.mark.peer("networkd")
def test_loader_installer_and_systems_get_one_address(direct: Site) -> None:
    direct.client.ip("link", "set", "c0", "address", "02:00:00:00:00:77")
    found = lives(direct)
    assert len({lease.address for lease, _ in found}) == 1
    loader, installer, *systems = [client_id for _, client_id in found]
    assert loader is None
    assert installer == NAME.encode()
    for client_id in systems:
        assert client_id is not None
        assert client_id[0] == 255  # RFC 4361 section 6.1: type 255, IAID, DUID
    assert systems[0] != systems[1]


@pytest.mark.peer("dhclient")
@pytest.mark.peer("udhcpc")
@pytest.mark.peer("dhcpcd")
@pytest.mark.peer("networkd")
def test_client_identifiers_separate_them_where_the_subnet_says_so(by_client_id: Site) -> None:
    """The loader sends none: what it had is its MAC's, and may pass to the first that names itself. The leases of the
    others all run, for what somebody released may be given to the next."""
    by_client_id.client.ip("link", "set", "c0", "address", "02:00:00:00:00:77")
    _, *named = lives(by_client_id, released=False)
    assert len({client_id for _, client_id in named}) == 3
    assert len({lease.address for lease, _ in named}) == 3


@pytest.fixture(params=[False, True], ids=["by MAC", "by client id"])
def either(network: Network, database: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Site]:
    """A subnet of either kind."""
    plan.write(database, match_client_id=request.param)
    yield from running(sites.direct(network, database, tmp_path))


@pytest.mark.peer("dhclient")
@pytest.mark.peer("udhcpc")
@pytest.mark.peer("dhcpcd")
@pytest.mark.peer("networkd")
def test_a_reservation_follows_the_machine(either: Site) -> None:
    """ROM, iPXE with and without client identifier, loader, installer, systems. None of them gives the address back.
    Each has it at once, for the usual time, and the loader and the ROM again at the end."""
    either.client.ip("link", "set", "c0", "address", plan.RESERVED_MAC)
    for packet in FIRMWARE:
        boots(either, packet)
    found = [lease for lease, _ in lives(either, released=False)]
    again = Udhcpc(either.client, "c0", either.folder / "again", more=("-C",)).obtain()
    for lease in (*found, again):
        plan.assert_served(lease, either.server_id, plan.RESERVED.ip)
    assert either.await_state(again, "a")["client_id"] is None
    boots(either, FIRMWARE[0])


def of_card(discover: Packet, mac: bytes = MAC) -> Packet:
    return discover.field(chaddr=mac)


FIRMWARE = (of_card(X64), of_card(IPXE).without(61), of_card(IPXE).without(61).client_id(b"\1" + MAC))


def boots(site: Site, discover: Packet) -> None:
    """The firmware gets the reserved address, from DISCOVER to ACK, for the usual time."""
    request = discover.option(53, b"\3").option(50, plan.RESERVED.ip.packed).option(54, site.server_id.packed)
    for packet, kind in ((discover, OFFER), (request, ACK)):
        told = site.client.run(sys.executable, "-I", STATION, "c0", MAC.hex(), packet.bytes().hex())
        reply = parse_reply(bytes.fromhex(told.split()[1]))
        assert not isinstance(reply, Malformed), reply
        assert (reply.message_type, reply.yiaddr) == (kind, plan.RESERVED.ip)
        assert int.from_bytes(reply.options[51], "big") == plan.LEASE_SECONDS


@each_client
def test_a_reserved_client_is_told_address_and_name(direct: Site, kind: type[Client]) -> None:
    direct.client.ip("link", "set", "c0", "address", plan.RESERVED_MAC)
    lease = kind(direct.client, "c0", direct.folder / "client").obtain()
    plan.assert_served(lease, direct.server_id, plan.RESERVED.ip)
    assert lease.hostname == plan.RESERVED_NAME
    row = direct.await_state(lease, "a")
    assert (row["hw_address"], row["hostname"]) == (MAC, plan.RESERVED_NAME)


@pytest.mark.peer("udhcpc")
def test_the_name_of_the_client_fqdn_option_is_kept(direct: Site) -> None:
    """RFC 4702; a lease's row bears the name."""
    client = Udhcpc(direct.client, "c0", direct.folder / "client", more=("-F", FQDN))
    assert direct.await_state(client.obtain(), "a")["hostname"] == FQDN


@pytest.mark.peer("dhcpcd")
def test_dhcpcd_declines_what_somebody_else_answers_for(shared: Site) -> None:
    """It probes the wire before it uses an address; the declined one is quarantined, and it gets another."""
    squatter, quiet = shared.clients[:2]
    client = Dhcpcd(quiet, "c0", shared.folder / "quiet", arp=True)
    taken = first_choice(shared, client)
    squatter.address("c0", str(taken.address))
    lease = client.obtain()
    assert lease.address != taken.address
    shared.await_state(taken, "d")
    shared.await_state(lease, "a")


def first_choice(site: Site, cautious: Dhcpcd) -> Lease:
    """The address that this machine gets while nobody else uses it; asked for without waiting for the wire."""
    asking = Udhcpc(cautious.namespace, "c0", site.folder / "asking")
    lease = asking.obtain()
    asking.release()
    site.await_state(lease, "r")
    return lease
