"""Boot loaders and Windows as they really ask, and what each must be told.

Their packets are those of oracle/boot_clients.py, here through the tests' relay; on real wires and behind real relays
in tests/system/test_boot_clients.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import IPv4Address
from typing import Any

import pytest
from engine.serving import Relay, Servers, octets
from engine.site import Site, Subnet
from oracle import packets as say
from oracle.boot_clients import (
    ARM64,
    BIOS,
    HTTP,
    INFORM_ASKS,
    IPXE,
    MAC,
    UUID,
    WINDOWS,
    WINDOWS_ASKS,
    X64,
    X64_EBC,
)
from oracle.options4 import routes
from oracle.packets import Packet

pytestmark = pytest.mark.shared_server

TFTP, WEB = "10.5.0.7", "10.5.0.8"


@dataclass
class Expected:
    """What the reply must hold; `absent` and `options` are besides the boot server and file."""

    file: bytes
    server: str = TFTP
    options: dict[int, bytes] = field(default_factory=dict)
    absent: tuple[int, ...] = ()


@pytest.fixture
async def lab(site: Site, servers: Servers) -> Relay:
    """Classes by architecture, iPXE first, as operators set them up for chain loading."""
    subnet = await site.subnet(5, next_server=TFTP, boot_file="undionly.kpxe")
    await subnet.pool(100, 199)
    tftp: dict[str, Any] = {"next_server": TFTP, "priority": 20}
    ipxe = await site.client_class(
        "ipxe", user_class="iPXE", priority=10, next_server=WEB, boot_file=f"http://{WEB}/menu.ipxe"
    )
    await site.option(175, {"hex": "b00101"}, class_no=ipxe, always_send=True)
    for architecture in ("00007", "00009"):
        vendor = f"PXEClient:Arch:{architecture}"
        await site.client_class(f"x64-{architecture}", vendor_class=vendor, boot_file="ipxe.efi", **tftp)
    await site.client_class("arm64", vendor_class="PXEClient:Arch:00011", boot_file="ipxe-arm64.efi", **tftp)
    await site.client_class(
        "http", vendor_class="HTTPClient:Arch:00016", next_server=WEB, boot_file=f"http://{WEB}/ipxe.efi"
    )
    await subnet.option(43, {"suboptions": [{"code": 6, "hex": "08"}]}, vendor_class="PXEClient")
    return servers.relay(await servers.start(), subnet.relay)


MENU = f"http://{WEB}/menu.ipxe".encode()
CLIENTS: list[tuple[str, Packet, Expected]] = [
    (
        "PXE BIOS, architecture 0",
        BIOS,
        Expected(b"undionly.kpxe", options={43: b"\x06\x01\x08"}, absent=(60,)),
    ),
    ("UEFI x64, architecture 7", X64, Expected(b"ipxe.efi", options={43: b"\x06\x01\x08"}, absent=(60, 175))),
    ("UEFI x64, architecture 9", X64_EBC, Expected(b"ipxe.efi", absent=(60,))),
    ("UEFI arm64, architecture 11", ARM64, Expected(b"ipxe-arm64.efi", absent=(60,))),
    (
        "HTTP boot x64, architecture 16",
        HTTP,
        Expected(f"http://{WEB}/ipxe.efi".encode(), WEB, {60: b"HTTPClient"}, absent=(43,)),
    ),
    ("iPXE in the second round", IPXE, Expected(MENU, WEB, {175: b"\xb0\x01\x01"}, absent=(60,))),
    (
        "iPXE, its user class as RFC 3004 has it",
        IPXE.user_class("iPXE"),
        Expected(MENU, WEB, {175: b"\xb0\x01\x01"}, absent=(60,)),
    ),
]


@pytest.mark.parametrize(("name", "client", "expected"), CLIENTS, ids=[row[0] for row in CLIENTS])
async def test_what_a_boot_loader_is_told(name: str, client: Packet, expected: Expected, lab: Relay) -> None:
    """In OFFER and ACK alike; RFC 4578 2.3: the machine identifier comes back (the oracle sees to its octets)."""
    offer = await lab.offer(client)
    for reply in (offer, await lab.select(MAC, offer, client)):
        assert reply.siaddr == IPv4Address(expected.server)
        assert reply.file.rstrip(b"\0") == expected.file
        assert reply.options[67] == expected.file
        assert reply.options[97] == b"\0" + UUID
        assert {code: reply.options[code] for code in expected.options} == expected.options
        assert not set(expected.absent) & set(reply.options)


async def test_loader_installer_and_system_have_one_address(lab: Relay) -> None:
    """MAC first, so that a PXE loader, an installer and the system get one address (decisions: Reservations)."""
    addresses = set()
    for client in (BIOS, IPXE, WINDOWS):
        addresses.add((await lab.lease(MAC, client)).yiaddr)
    assert len(addresses) == 1


async def test_a_stored_option_60_counts(site: Site, servers: Servers) -> None:
    """What operators of other servers store for HTTP boot is what is sent; PXEClient too, for who wants a boot server
    looked for (PXE 2.1)."""
    subnet = await site.subnet(5)
    await subnet.pool(100, 199)
    for name in ("HTTPClient", "PXEClient"):
        no = await site.client_class(name, vendor_class=name, boot_file="http://10.5.0.8/loader.efi")
        await site.option(60, {"string": f"{name}:lab"}, class_no=no)
    relay = servers.relay(await servers.start(), subnet.relay)
    assert (await relay.offer(HTTP)).options[60] == b"HTTPClient:lab"
    assert (await relay.offer(X64)).options[60] == b"PXEClient:lab"


async def test_a_boot_file_too_long_for_the_header(site: Site, servers: Servers) -> None:
    """RFC 2132 9.5: option 67 then, to a client that did not ask for it too."""
    url = f"http://{WEB}/" + "a" * 150
    subnet = await site.subnet(5, boot_file=url)
    await subnet.pool(100, 199)
    relay = servers.relay(await servers.start(), subnet.relay)
    for client in (HTTP, HTTP.asking(1, 3)):
        offer = await relay.offer(client)
        assert (offer.options[67], offer.options[60]) == (url.encode(), b"HTTPClient")
        assert not any(offer.file)


async def test_firmware_of_a_class_that_is_denied(site: Site, servers: Servers) -> None:
    subnet = await site.subnet(5)
    await subnet.pool(100, 199)
    await site.client_class("bios", vendor_class="PXEClient:Arch:00000", deny=True)
    relay = servers.relay(await servers.start(), subnet.relay)
    await relay.unanswered(BIOS)
    await relay.offer(X64)


async def test_class_pools(site: Site, servers: Servers) -> None:
    """One with a class serves that class only and is tried first, others serve everybody (decisions: Classes)."""
    subnet = await site.subnet(5)
    virtual = await site.client_class("virtual", mac_prefix=octets("52:54:00"))
    private = await site.client_class("private", locally_administered=True, priority=50)
    await subnet.pool(10, 19)
    await subnet.pool(100, 109, class_no=virtual)
    await subnet.pool(200, 209, class_no=private)
    relay = servers.relay(await servers.start(), subnet.relay)
    ranges = {"00:16:3e:00:00:01": (10, 19), "52:54:00:00:00:01": (100, 109), "02:16:3e:00:00:01": (200, 209)}
    for mac, (first, last) in ranges.items():
        assert subnet.address(first) <= (await relay.offer(say.discover(mac))).yiaddr <= subnet.address(last)
    await relay.nak(say.request_selecting("00:16:3e:00:00:01", subnet.address(105), "127.0.0.1"))


# --- Windows


@pytest.fixture
async def office(site: Site, servers: Servers) -> tuple[Subnet, Relay]:
    subnet = await site.subnet(5, ddns_enabled=True, ddns_domain="corp.test")
    await subnet.pool(100, 199)
    route = [{"destination": "10.9.0.0/16", "router": "10.5.0.254"}]
    for code, payload in {
        6: {"addresses": ["10.5.0.2"]},
        15: {"string": "corp.test"},
        44: {"addresses": ["10.5.0.3"]},
        46: {"value": 8},
        119: {"names": ["corp.test", "lab.corp.test"]},
        121: {"routes": route},
        249: {"routes": route},
        252: {"string": "http://wpad.corp.test/wpad.dat"},
    }.items():
        await subnet.option(code, payload)
    await subnet.option(43, {"suboptions": [{"code": 1, "hex": "00000002"}]}, vendor_class="MSFT")
    return subnet, servers.relay(await servers.start(), subnet.relay)


async def test_windows(office: tuple[Subnet, Relay], site: Site) -> None:
    """Its list in its order; 43 by its vendor class; its name by option 81 in the REQUEST (MS-DHCPE 3.1.5)."""
    _, relay = office
    offer = await relay.offer(WINDOWS)
    asked = [code for code in offer.options if code in WINDOWS_ASKS]
    assert asked == [1, 3, 6, 15, 43, 44, 46, 119, 121, 249, 252]
    assert offer.options[43] == bytes.fromhex("010400000002")
    assert routes(offer.options[249]) == routes(offer.options[121])
    ack = await relay.select(MAC, offer, WINDOWS.option(81, b"\0\0\0DESKTOP-4F2K9QX"))
    assert ack.options[81] == b"\0\xff\xffDESKTOP-4F2K9QX.corp.test."  # complete (RFC 4702 2.3.1)
    assert (await site.lease(ack.yiaddr))["hostname"] == "DESKTOP-4F2K9QX.corp.test"


async def test_windows_asks_for_more_afterwards(office: tuple[Subnet, Relay]) -> None:
    """RFC 2131 4.3.5: DHCPINFORM for the proxy's address, 252; parameters and no lease."""
    subnet, relay = office
    inform = say.inform(MAC, subnet.address(150)).client_id(b"\1" + octets(MAC))
    ack = await relay.ack(inform.hostname("DESKTOP-4F2K9QX").vendor("MSFT 5.0").asking(*INFORM_ASKS))
    assert ack.options[252] == b"http://wpad.corp.test/wpad.dat"
    assert not {51, 58, 59, 81} & set(ack.options)
