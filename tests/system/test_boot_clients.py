"""PXE, HTTP boot, iPXE and Windows on real wires: direct, behind dhcrelay, behind dnsmasq, behind two relay hops.

The packets are oracle/boot_clients.py's, sent as firmware sends them: from no address, by broadcast, on layer 2. Each
client goes from DISCOVER to ACK; the oracle judges every reply, and the row must be the client's. What each is told in
detail is tests/engine/test_boot_clients.py's.
"""

import sys
from collections.abc import Iterator
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from oracle import packets as say
from oracle.boot_clients import ARM64, BIOS, HTTP, IPXE, MAC, WINDOWS, X64, X64_EBC
from oracle.message4 import Message, parse_reply
from oracle.options4 import ACK, OFFER, Malformed
from oracle.packets import Packet
from oracle.replies4 import check_reply
from system import plan, relays, sites
from system.conftest import TRUSTED, running
from system.namespaces import Network
from system.sites import Site

pytestmark = pytest.mark.peer("namespaces")
STATION = Path(__file__).with_name("station.py")
TFTP, WEB = "192.0.2.7", "http://192.0.2.8"
CLASS = """
insert into client_class (id, tenant_no, name, priority, vendor_class, user_class, boot_file)
select gen_random_uuid(), no, $1::text, $2::integer, $3::text, $4::text, $5::text from tenant"""
CLASSES = (
    ("ipxe", 10, None, "iPXE", f"{WEB}/menu.ipxe"),
    ("x64", 20, "PXEClient:Arch:00007", None, "ipxe.efi"),
    ("x64-ebc", 20, "PXEClient:Arch:00009", None, "ipxe.efi"),
    ("arm64", 20, "PXEClient:Arch:00011", None, "ipxe-arm64.efi"),
    ("http", 20, "HTTPClient:Arch:00016", None, f"{WEB}/ipxe.efi"),
)
FILES: dict[str, tuple[Packet, str]] = {
    "PXE BIOS": (BIOS, "undionly.kpxe"),
    "UEFI x64, 7": (X64, "ipxe.efi"),
    "UEFI x64, 9": (X64_EBC, "ipxe.efi"),
    "UEFI arm64, 11": (ARM64, "ipxe-arm64.efi"),
    "HTTP boot, 16": (HTTP, f"{WEB}/ipxe.efi"),
    "iPXE": (IPXE, f"{WEB}/menu.ipxe"),
    "Windows": (WINDOWS, "undionly.kpxe"),
}
WIRES = {
    "direct": None,
    "behind dhcrelay": (relays.dhcrelay,),
    "behind dnsmasq": (relays.dnsmasq,),
    "behind two hops": (relays.dhcrelay, relays.dnsmasq),
}


@pytest.fixture(
    params=[
        pytest.param(name, marks=[pytest.mark.peer(r.__name__) for r in hops or ()])
        for name, hops in WIRES.items()
    ]
)
def lab(request: pytest.FixtureRequest, network: Network, database: str, tmp_path: Path) -> Iterator[Site]:
    hops = WIRES[request.param]
    fields = {"next_server": TFTP, "boot_file": "undionly.kpxe"}
    plan.write(database, trusted_relay=TRUSTED if hops else None, **fields)
    for values in CLASSES:
        plan.change(database, CLASS, *values)
    if hops is None:
        yield from running(sites.direct(network, database, tmp_path))
    elif len(hops) == 1:
        yield from running(sites.behind(network, database, tmp_path, *hops))
    else:
        yield from running(sites.behind_two(network, database, tmp_path, *hops))


def ask(site: Site, packet: Packet) -> Message:
    """The lawful reply to a packet from the client's wire."""
    data = packet.bytes()
    told = site.client.run(sys.executable, "-I", STATION, "c0", say.hardware(MAC).hex(), data.hex())
    way, text = told.split()
    reply = parse_reply(bytes.fromhex(text))
    assert not isinstance(reply, Malformed), reply
    if site.relay is None:  # what relays add to the packet on its way is not known here
        assert check_reply(data, bytes.fromhex(text)) == []
    assert (way == "broadcast") == reply.broadcast
    return reply


def test_each_boots_from_what_is_meant_for_it(lab: Site) -> None:
    """One machine: all of them have one address, because the MAC comes before the client id (decisions)."""
    lab.client.ip("link", "set", "c0", "address", MAC)
    addresses = set()
    for name, (discover, file) in FILES.items():
        offer = ask(lab, discover)
        assert (offer.message_type, offer.file.rstrip(b"\0").decode()) == (OFFER, file), name
        server_id = offer.address(54)
        assert server_id == lab.server_id
        ack = ask(lab, request_of(discover, offer.yiaddr, server_id))
        assert (ack.message_type, ack.yiaddr, ack.file) == (ACK, offer.yiaddr, offer.file), name
        addresses.add(ack.yiaddr)
    (address,) = addresses
    row = plan.lease(lab.database, address)
    assert (row["state"], row["hw_address"]) == ("a", say.hardware(MAC))
    assert row["relay"] == (str(plan.ROUTER) if lab.relay else None)


def request_of(discover: Packet, address: IPv4Address, server_id: IPv4Address) -> Packet:
    """The same client's REQUEST: its options behind those of RFC 2131 table 5."""
    request = say.request_selecting(MAC, address, server_id).field(
        flags=dict(discover.header).get("flags", 0)
    )
    for code, value in discover.options[1:]:
        request = request.option(code, value)
    return request
