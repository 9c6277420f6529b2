"""A reservation by MAC follows the machine in DHCPv6, whatever DUID it sends: UEFI, iPXE, installer and systems.

Nobody gives the address back, and each has it at once; see system/test_client_identity.py for DHCPv4. The setting
`match_client_id` concerns option 61 alone, so it is on and changes nothing. On a wire without relay the server knows
the MAC by the link-local address, which the kernel makes of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest
from oracle import packets6 as say
from oracle.boot_clients import UUID
from oracle.packets6 import Packet
from system.namespaces import Network
from system.reply_lab import mac_of
from system6 import sites6
from system6.clients6 import Client6, Dhclient, Dhcpcd, Dibbler, Networkd
from system6.sites6 import LINK, Wire
from system6.test_reconfigure6 import Station, client_on

from ipam_core.db.connect import connect

pytestmark = pytest.mark.peer("namespaces")
RESERVED = LINK[0x42]
IA_NA = 3
LLT, ENTERPRISE, LL, OF_UUID = 1, 2, 3, 4  # kinds of DUIDs (RFC 8415 section 11)
CLIENTS: tuple[tuple[type[Client6], int | None], ...] = (
    (Dhclient, LLT),
    (Dhcpcd, None),  # of either kind, as the machine has a UUID
    (Networkd, ENTERPRISE),
    (Dibbler, LLT),
)
RESERVATION = """
insert into reservation (id, subnet_no, ip, mac)
select gen_random_uuid(), no, $1, $2::text::macaddr from subnet"""


@pytest.fixture
def machine(network: Network, database: str, tmp_path: Path) -> Iterator[Wire]:
    """The wire of a machine whose MAC has a reservation."""
    asyncio.run(sites6.plan(database, match_client_id=True))
    made = sites6.direct(network, database, tmp_path)
    asyncio.run(reserve(database, mac_of(made.client, "c0")))
    made.server.start()
    yield made
    made.server.stop()
    for log in sorted(tmp_path.rglob("*.log")):
        print(f"--- {log.relative_to(tmp_path)}\n{log.read_text(errors='replace')[-6000:]}")


async def reserve(dsn: str, mac: bytes) -> None:
    connection: asyncpg.Connection = await connect(dsn)
    try:
        await connection.execute(RESERVATION, RESERVED, mac.hex(":"))
    finally:
        await connection.close()


class Firmware(Station):
    """UEFI or iPXE: RFC 5970's architecture and network interface, PXE's vendor class."""

    def dress(self, packet: Packet) -> Packet:
        packet = packet.architecture(7).option(62, b"\1\3\x10")
        return packet.vendor_class(343, "PXEClient:Arch:00007:UNDI:003016").asking(59, 60, 23)


class Ipxe(Firmware):
    def dress(self, packet: Packet) -> Packet:
        return super().dress(packet).user_class("iPXE")


def boots(wire: Wire, kind: type[Firmware], duid: bytes, iaid: int) -> None:
    station = client_on(wire, kind)
    with station.socket:
        offer = station.ask(say.solicit(duid).ia_na(iaid))
        assert offer.server_id is not None
        (found,) = offer.associations[0].leases
        assert found.address == RESERVED
        reply = station.ask(say.request(duid, offer.server_id).ia_na(iaid, RESERVED))
        (lease,) = reply.associations[0].leases
        assert (lease.address, lease.valid) == (RESERVED, found.valid)


def firmware_boots(wire: Wire) -> None:
    mac = mac_of(wire.client, "c0")
    boots(wire, Firmware, b"\0\4" + UUID, 0)
    boots(wire, Ipxe, b"\0\4" + UUID, int.from_bytes(mac[2:], "big"))
    boots(wire, Ipxe, say.duid_ll(mac.hex(":")), int.from_bytes(mac[2:], "big"))


@pytest.mark.peer("dhclient")
@pytest.mark.peer("dhcpcd")
@pytest.mark.peer("networkd")
@pytest.mark.peer("dibbler")
def test_a_reservation_follows_the_machine(machine: Wire) -> None:
    firmware_boots(machine)
    known = {b"\0\4" + UUID, say.duid_ll(mac_of(machine.client, "c0").hex(":"))}
    for kind, form in CLIENTS:
        client = kind(machine.client, machine.folder / kind.program, (IA_NA,))
        client.start()
        row = machine.await_rows(
            lambda rows: rows[IA_NA]["duid"] not in known and rows[IA_NA]["state"] == "a", "leased"
        )[IA_NA]
        client.lose_power()
        assert row["address"] == RESERVED, kind.program
        assert form in (None, int.from_bytes(row["duid"][:2], "big"))
        known.add(row["duid"])
    firmware_boots(machine)
