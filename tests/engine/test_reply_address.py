"""Where a reply goes: RFC 2131 section 4.1 as a table, decided by the engine itself without socket or database. The
whole table is docs/reference/reply-address.md; tests/system/test_reply_table.py has it on real links.

One subnet, 127.64.0.0/16, on interface 7 and behind one relay; interface 8 leads to routers.
"""

from __future__ import annotations

import struct
from ipaddress import IPv4Address
from typing import Any

import pytest
from fuzz.engine import CLOCK, FIELDS, KEY, NETWORK, RELAY, SECOND, SUBNET, TENANT
from oracle import packets as say
from oracle.options4 import NAK
from oracle.packets import Packet

from dhcp_fast.engine.engine import Engine, boot_clock
from dhcp_fast.engine.explain import explain
from dhcp_fast.engine.lease_rows import RowReader
from dhcp_fast.plan.compile import SubnetView
from dhcp_fast.plan.tenant_view import TenantView

MAC = "02:00:00:00:00:01"
OURS = "192.0.2.67"
WIRE, ROUTED = 7, 8
HELD = IPv4Address(NETWORK + 100)
GATEWAY = IPv4Address(NETWORK + 1)
FOREIGN = IPv4Address("198.51.100.7")
GIADDR = IPv4Address(RELAY)
EVERYBODY = IPv4Address("255.255.255.255")
CLIENT, SERVER, RELAYS_OWN = 68, 67, 5000
GIVEN = "yiaddr"

DISCOVER = say.discover(MAC)
RENEWING = say.request_renewing(MAC, HELD)
REBOOTING = say.request_init_reboot(MAC, HELD)
WRONG_NET = say.request_init_reboot(MAC, FOREIGN)
SELECTING = say.request_selecting(MAC, HELD, OURS)
TAKEN = say.request_renewing(MAC, GATEWAY)  # inside the subnet, and in none of its pools
ROVING = say.request_renewing(MAC, FOREIGN)


@pytest.fixture
def engine() -> Engine:
    made = Engine(KEY)
    made.plan.set_relays([(RELAY, 0xFFFFFFFF, 0)], TENANT)
    made.put_subnet(SubnetView(TenantView(TENANT, []), KEY, FIELDS), [RELAY], [WIRE])
    now = boot_clock()
    made.set_clock(CLOCK, now, now)
    RowReader(made).feed(copied(MAC, HELD))
    return made


def copied(mac: str, address: IPv4Address, tenant: int = TENANT, subnet: int = SUBNET) -> bytes:
    """The client's lease as a COPY stream gives it (copy_tuples.pyx)."""
    hardware = bytes.fromhex(mac.replace(":", ""))
    times = (CLOCK - 60 * SECOND, CLOCK + 600 * SECOND, CLOCK + 610 * SECOND)
    fields = [
        *(struct.pack("!i", number) for number in (tenant, subnet)),
        bytes((2, 32, 0, 4)) + address.packed,
        b"a",
        *(struct.pack("!q", number) for number in (1, *times)),
        b"\1\1" + hardware,
        b"\0\1",
        hardware,
    ]
    absent = [b"\xff" * 4] * 7
    holds_none = b"\0\0\0\1\0" * 2  # neither a vendor class nor other options
    row = b"".join([*(struct.pack("!i", len(value)) + value for value in fields), *absent, holds_none])
    return b"PGCOPY\n\xff\r\n\0" + bytes(8) + struct.pack("!h", 20) + row + b"\xff\xff"


def relayed(packet: Packet) -> Packet:
    return packet.with_relay(GIADDR)


def udp(address: IPv4Address, port: int, interface: int = 0) -> tuple[Any, ...]:
    return "udp", address, port, interface, None


def frame(mac: str = MAC) -> tuple[Any, ...]:
    return "frame", GIVEN, CLIENT, WIRE, bytes.fromhex(mac.replace(":", ""))


OTHER_HARDWARE = DISCOVER.field(htype=6)
NO_HARDWARE = say.message(1, b"").client_id(b"\x00name").field(htype=32)

TABLE: list[tuple[str, Packet, int, int, tuple[Any, ...]]] = [
    # giaddr: to the relay's server port, whatever else is said
    ("giaddr", relayed(DISCOVER), ROUTED, SERVER, udp(GIADDR, SERVER)),
    ("giaddr and the broadcast flag", relayed(DISCOVER.broadcast()), ROUTED, SERVER, udp(GIADDR, SERVER)),
    ("giaddr and ciaddr", relayed(RENEWING), ROUTED, SERVER, udp(GIADDR, SERVER)),
    ("giaddr, a NAK", relayed(WRONG_NET), ROUTED, SERVER, udp(GIADDR, SERVER)),
    ("giaddr, an INFORM", relayed(say.inform(MAC, HELD)), ROUTED, SERVER, udp(GIADDR, SERVER)),
    ("giaddr, from another port", relayed(DISCOVER), ROUTED, RELAYS_OWN, udp(GIADDR, SERVER)),
    ("RFC 8357 5.2", relayed(DISCOVER).relay_port(), ROUTED, RELAYS_OWN, udp(GIADDR, RELAYS_OWN)),
    ("RFC 8357 5.2, a NAK", relayed(WRONG_NET).relay_port(), ROUTED, RELAYS_OWN, udp(GIADDR, RELAYS_OWN)),
    # ciaddr: unicast, the flag does not count
    ("ciaddr", RENEWING, ROUTED, CLIENT, udp(HELD, CLIENT)),
    ("ciaddr on the wire", RENEWING, WIRE, CLIENT, udp(HELD, CLIENT, WIRE)),
    ("ciaddr and the broadcast flag", RENEWING.broadcast(), WIRE, CLIENT, udp(HELD, CLIENT, WIRE)),
    ("4.3.5: INFORM", say.inform(MAC, HELD), WIRE, CLIENT, udp(HELD, CLIENT, WIRE)),
    ("4.3.5: INFORM and the flag", say.inform(MAC, HELD).broadcast(), WIRE, CLIENT, udp(HELD, CLIENT, WIRE)),
    # neither: broadcast where the client asks for it
    ("broadcast flag", DISCOVER.broadcast(), WIRE, CLIENT, udp(EVERYBODY, CLIENT, WIRE)),
    ("broadcast flag, an ACK", SELECTING.broadcast(), WIRE, CLIENT, udp(EVERYBODY, CLIENT, WIRE)),
    # neither, no flag: unicast to the hardware address and yiaddr, by a frame of our own
    ("an OFFER", DISCOVER, WIRE, CLIENT, frame()),
    ("an ACK", SELECTING, WIRE, CLIENT, frame()),
    ("an ACK to INIT-REBOOT", REBOOTING, WIRE, CLIENT, frame()),
    ("reserved bits of the flags", DISCOVER.field(flags=0x7FFF), WIRE, CLIENT, frame()),
    # what a frame cannot be made for is broadcast
    ("not Ethernet", OTHER_HARDWARE, WIRE, CLIENT, udp(EVERYBODY, CLIENT, WIRE)),
    ("RFC 4390 2.1: no hardware address", NO_HARDWARE, WIRE, CLIENT, udp(EVERYBODY, CLIENT, WIRE)),
    # NAKs without giaddr are broadcast
    ("a NAK", WRONG_NET, WIRE, CLIENT, udp(EVERYBODY, CLIENT, WIRE)),
    ("a NAK to a client with an address of elsewhere", ROVING, WIRE, CLIENT, udp(EVERYBODY, CLIENT, WIRE)),
    ("a NAK to where no broadcast of ours reaches", TAKEN, ROUTED, CLIENT, udp(GATEWAY, CLIENT)),
]


@pytest.mark.parametrize(
    ("why", "packet", "interface", "port", "expected"), TABLE, ids=[row[0] for row in TABLE]
)
def test_where_the_reply_goes(
    why: str, packet: Packet, interface: int, port: int, expected: tuple[Any, ...], engine: Engine
) -> None:
    found = explain(engine, packet.bytes(), int(IPv4Address(OURS)), interface, port)
    assert found["drop"] is None
    by, address, to_port, out, mac = found["sent"]
    given = IPv4Address(found["reply"][16:20])
    assert ("NAK" in why) == (found["reply"][242] == NAK)
    wanted = tuple(given if part == GIVEN else part for part in expected)
    assert (by, IPv4Address(address), to_port, out, mac) == wanted
    assert given != IPv4Address(0) or by == "udp"
