"""`ipam replay`: each client of a capture, what it got there and what the current configuration would give it."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from engine.serving import mac_of, octets
from engine.site import Site, Subnet, add
from oracle import packets as say
from oracle.options4 import ACK, INFORM, NAK, OFFER
from oracle.packets import Packet
from ports import free_port
from replay.captures import ETHERNET, framed, pcap, udp, written

from dhcp_fast.bench.servers import bench_plan
from dhcp_fast.bench.servers.kea import Kea
from dhcp_fast.replay.command import ReplayOptions, rehearse
from dhcp_fast.replay.comparison import Compared
from dhcp_fast.replay.conversations import Conversations
from ipam_core.db.connect import connect
from ipam_core.settings import Settings

MAC, OTHER, THIRD = mac_of(1), mac_of(2), mac_of(3)
RELAY, THEIRS = IPv4Address("10.5.0.1"), "192.0.2.1"
MASK, ROUTER, DNS = b"\xff\xff\xff\x00", IPv4Address("10.5.0.1").packed, IPv4Address("10.5.0.53").packed
COMMAND = [sys.executable, "-P", "-m", "api.cli", "replay"]


@pytest.fixture
async def connection(database: str) -> AsyncIterator[asyncpg.Connection]:
    session = await connect(database)
    yield session
    await session.close()


@pytest.fixture
async def site(connection: asyncpg.Connection) -> Site:
    made = await Site.create(connection)
    await connection.execute("insert into trusted_relay (id, cidr) values (gen_random_uuid(), '10.0.0.0/8')")
    return made


@pytest.fixture
async def subnet(site: Site) -> Subnet:
    """10.5.0.0/24, gateway .1, pool .100 to .199, ten minutes, DNS .53."""
    made = await site.subnet(5)
    await made.pool(100, 199)
    await made.option(6, {"addresses": ["10.5.0.53"]})
    return made


def asked(packet: Packet) -> bytes:
    return framed(udp(packet.bytes()), ETHERNET)


def relayed(packet: Packet) -> Packet:
    return packet.with_relay(RELAY)


def reply(kind: int, mac: str, address: Any, **header: Any) -> Packet:
    """What a foreign server says: as ours would, but for what a test changes."""
    given = say.message(kind, mac, op=2, yiaddr=IPv4Address(address), **header).server_id(THEIRS)
    return given.lease_time(600).option(1, MASK).option(3, ROUTER).option(6, DNS)


def answered(packet: Packet) -> bytes:
    return framed(udp(packet.bytes(), (THEIRS, 67), ("10.5.0.1", 67)), ETHERNET)


class Replayed:
    """What came of the frames."""

    def __init__(self, found: list[Compared]) -> None:
        self.found = {client.mac: client for client in found}

    def __getitem__(self, mac: str) -> Compared:
        return self.found[mac]


async def replayed(dsn: str, folder: Path, frames: Iterable[bytes], **fields: Any) -> Replayed:
    path = written(folder, pcap(frames))
    conversations = Conversations()
    conversations.read(path)
    return Replayed(await rehearse(Settings(database_url=dsn), ReplayOptions(path, **fields), conversations))


def exchange(mac: str, ack: Packet, discover: Packet | None = None) -> list[bytes]:
    asking = relayed(discover or say.discover(mac).asking(1, 3, 6))
    return [asked(asking), answered(relayed(ack))]


async def test_a_client_that_gets_the_same(database: str, subnet: Subnet, tmp_path: Path) -> None:
    """Its reservation was carried over; who serves it is no difference."""
    await subnet.reserve(20, mac=MAC)
    found = await replayed(database, tmp_path, exchange(MAC, reply(ACK, MAC, "10.5.0.20")))
    assert found[MAC].outcome == "same"
    assert found[MAC].theirs is not None
    assert found[MAC].theirs["address"] == "10.5.0.20"
    assert found[MAC].theirs.items() <= (found[MAC].ours or {}).items()
    assert found[MAC].relay == str(RELAY)


async def test_two_clients_of_one_reservation(database: str, subnet: Subnet, tmp_path: Path) -> None:
    """A line's new machine takes the reserved address over from its former one, of which no row tells."""
    await subnet.reserve(20, circuit_id=b"port7")
    frames: list[bytes] = []
    for mac in (MAC, OTHER):
        discover = say.discover(mac).asking(1, 3, 6).circuit("port7")
        frames += exchange(mac, reply(ACK, mac, "10.5.0.20"), discover)
    found = await replayed(database, tmp_path, frames)
    assert [(found[mac].ours or {}).get("address") for mac in (MAC, OTHER)] == ["10.5.0.20"] * 2


async def test_each_difference_is_shown(database: str, site: Site, subnet: Subnet, tmp_path: Path) -> None:
    await subnet.reserve(20, mac=MAC)
    await subnet.set(boot_file="new.efi", lease_time_seconds=1200)
    theirs = reply(ACK, MAC, "10.5.0.21", file=b"old.efi", siaddr=IPv4Address("10.5.0.9"))
    theirs = theirs.option(6, IPv4Address("9.9.9.9").packed).option(15, "old.example")
    found = (await replayed(database, tmp_path, exchange(MAC, theirs)))[MAC]
    assert found.outcome == "differs"
    told = {one.field: (one.theirs, one.ours) for one in found.differences}
    assert told == {
        "address": ("10.5.0.21", "10.5.0.20"),
        "lease time": ("10 minutes", "20 minutes"),
        "DNS": ("9.9.9.9", "10.5.0.53"),
        "next server": ("10.5.0.9", None),
        "boot file": ("old.efi", "new.efi"),
        "domain-name (15)": ("old.example", None),
    }


async def test_options_in_overloaded_fields_are_read(database: str, subnet: Subnet, tmp_path: Path) -> None:
    """RFC 2132 section 9.3: other servers put options into `file` and `sname`."""
    await subnet.reserve(20, mac=MAC)
    theirs = reply(ACK, MAC, "10.5.0.20", file=b"\x0f\x03abc\xff").option(52, b"\x01")
    (one,) = (await replayed(database, tmp_path, exchange(MAC, theirs)))[MAC].differences
    assert (one.field, one.theirs, one.ours) == ("domain-name (15)", "abc", None)


async def test_nobody_is_shown_an_address_of_another(database: str, site: Site, tmp_path: Path) -> None:
    """Three clients, two addresses: the third is told so, and no offer is taken back for it."""
    subnet = await site.subnet(5)
    await subnet.pool(100, 101)
    frames = [
        frame
        for number, mac in enumerate((MAC, OTHER, THIRD))
        for frame in exchange(mac, reply(ACK, mac, f"10.5.0.{150 + number}"))
    ]
    found = await replayed(database, tmp_path, frames)
    given = {found[mac].ours["address"] for mac in (MAC, OTHER)}  # type: ignore[index]
    assert given == {"10.5.0.100", "10.5.0.101"}
    assert (found[THIRD].outcome, found[THIRD].drop_reason) == ("we_are_silent", "exhausted")
    assert await site.count("lease") == await site.count("lease_event") == 0


async def test_a_renewal_is_rehearsed_as_a_new_beginning(
    database: str, subnet: Subnet, tmp_path: Path
) -> None:
    """Specification 1.6: live leases are not imported."""
    await subnet.reserve(20, mac=MAC)
    renewal = relayed(say.request_rebinding(MAC, "10.5.0.150").asking(1, 3, 6))
    found = (
        await replayed(database, tmp_path, [asked(renewal), answered(relayed(reply(ACK, MAC, "10.5.0.150")))])
    )[MAC]
    assert found.outcome == "differs"
    assert found.note is not None
    assert "not imported" in found.note
    assert found.ours["address"] == "10.5.0.20"  # type: ignore[index]


async def test_a_renewal_by_unicast_is_of_the_network_of_its_address(
    database: str, subnet: Subnet, tmp_path: Path
) -> None:
    frames = [
        asked(say.request_renewing(MAC, "10.5.0.150").asking(1, 3, 6)),
        answered(reply(ACK, MAC, "10.5.0.150", ciaddr=IPv4Address("10.5.0.150"))),
    ]
    found = (await replayed(database, tmp_path, frames))[MAC]
    assert found.relay is None
    assert IPv4Address(found.ours["address"]) in subnet.network  # type: ignore[index]


async def test_a_lease_that_is_known_is_renewed(
    database: str, site: Site, subnet: Subnet, tmp_path: Path
) -> None:
    await site.put_lease("10.5.0.150", octets(MAC), subnet.no)
    renewal = relayed(say.request_rebinding(MAC, "10.5.0.150").asking(1, 3, 6))
    frames = [asked(renewal), answered(relayed(reply(ACK, MAC, "10.5.0.150")))]
    found = (await replayed(database, tmp_path, frames))[MAC]
    assert (found.outcome, found.note) == ("same", "its lease exists here and is renewed")


async def test_who_is_not_answered_is_told_why(database: str, subnet: Subnet, tmp_path: Path) -> None:
    stranger = say.discover(OTHER).with_relay("192.0.2.9")
    frames = [*exchange(MAC, reply(NAK, MAC, "0.0.0.0")), asked(stranger)]
    found = await replayed(database, tmp_path, frames)
    assert (found[MAC].outcome, found[MAC].theirs) == ("they_were_silent", None)
    assert (found[OTHER].outcome, found[OTHER].drop_reason) == ("both_silent", "untrusted_relay")
    assert found[OTHER].meaning == "the relay is not among the trusted relays"


async def test_an_offer_without_a_request_counts(database: str, subnet: Subnet, tmp_path: Path) -> None:
    await subnet.reserve(20, mac=MAC)
    assert (await replayed(database, tmp_path, exchange(MAC, reply(OFFER, MAC, "10.5.0.20"))))[
        MAC
    ].outcome == "same"


async def test_an_inform_is_answered_with_parameters(database: str, subnet: Subnet, tmp_path: Path) -> None:
    theirs = say.message(ACK, MAC, op=2, ciaddr=IPv4Address("10.5.0.30")).server_id(THEIRS)
    theirs = theirs.option(1, MASK).option(3, ROUTER).option(6, DNS)
    asking = say.message(INFORM, MAC, ciaddr=IPv4Address("10.5.0.30")).asking(1, 3, 6)
    found = (await replayed(database, tmp_path, [asked(relayed(asking)), answered(relayed(theirs))]))[MAC]
    assert found.outcome == "same"
    assert "address" not in (found.ours or {})


async def test_a_client_on_a_wire_is_placed_by_its_address_or_by_the_operator(
    database: str, subnet: Subnet, tmp_path: Path
) -> None:
    """As a capture on the old server's own interface has them."""
    frames = [
        asked(say.discover(MAC).asking(1, 3, 6)),
        answered(reply(ACK, MAC, "10.5.0.150")),
        asked(say.discover(OTHER)),
    ]
    found = await replayed(database, tmp_path, frames)
    assert found[MAC].ours is not None
    assert "--network" in str(found[OTHER].note)
    found = await replayed(database, tmp_path, frames, network=IPv4Network("10.5.0.0/24"))
    assert found[OTHER].ours is not None


async def test_both_sides_of_a_relay_are_one_client(database: str, subnet: Subnet, tmp_path: Path) -> None:
    frames = [asked(say.discover(MAC)), *exchange(MAC, reply(ACK, MAC, "10.5.0.150"))]
    found = await replayed(database, tmp_path, frames)
    assert list(found.found) == [MAC]


async def test_what_is_reserved_in_all_subnets_of_the_tenant(
    database: str, site: Site, tmp_path: Path
) -> None:
    """Name and options come with the client, the address from the pool; who else asks gets neither."""
    subnet = await site.subnet(5)
    await subnet.pool(150, 151)
    no = await add(site.connection, "reservation", tenant_no=site.tenant_no, mac=MAC, hostname="printer")
    await site.option(6, {"addresses": ["10.5.0.53"]}, reservation_no=no)
    frames = [
        frame
        for mac, host in ((MAC, 150), (OTHER, 151))
        for frame in exchange(mac, reply(ACK, mac, f"10.5.0.{host}").option(12, "printer"), asking_name(mac))
    ]
    found = await replayed(database, tmp_path, frames)
    told = {
        mac: {one.field: (one.theirs, one.ours) for one in found[mac].differences} for mac in (MAC, OTHER)
    }
    for mac in (MAC, OTHER):
        told[mac].pop("address", None)
    assert told == {
        MAC: {},
        OTHER: {"DNS": ("10.5.0.53", None), "host-name (12)": ("printer", None)},
    }


def asking_name(mac: str) -> Packet:
    return say.discover(mac).asking(1, 3, 6, 12)


# --- the command


def run(dsn: str, path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"IPAM_DATABASE_URL": dsn, "PATH": "/usr/bin:/bin", "HOME": str(path.parent)}
    return subprocess.run(
        [*COMMAND, str(path), *arguments],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=False,
    )


async def test_the_command(database: str, subnet: Subnet, tmp_path: Path) -> None:
    await subnet.reserve(20, mac=MAC)
    same, other = exchange(MAC, reply(ACK, MAC, "10.5.0.20")), exchange(OTHER, reply(ACK, OTHER, "10.5.0.21"))
    path = written(tmp_path, pcap(same))
    done = await asyncio.to_thread(run, database, path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("1 get the same\n")
    path = written(tmp_path, pcap(same + other))
    done = await asyncio.to_thread(run, database, path, "--json")
    assert done.returncode == 3
    report = json.loads(done.stdout)
    assert report["summary"] == {
        "same": 1,
        "differs": 1,
        "we_are_silent": 0,
        "they_were_silent": 0,
        "both_silent": 0,
    }
    assert [client["mac"] for client in report["clients"]] == [MAC, OTHER]
    done = await asyncio.to_thread(run, database, path, "--only-different")
    assert MAC not in done.stdout
    assert f"{OTHER} through relay {RELAY}: differs" in done.stdout


async def test_the_command_refuses_in_one_line(database: str, tmp_path: Path) -> None:
    path = written(tmp_path, pcap([b"\0" * 60])[:-1])
    done = await asyncio.to_thread(run, database, path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"ipam: {path}, packet 1: the file ends inside it\n"
    path = written(tmp_path, pcap([]))
    done = await asyncio.to_thread(run, "postgresql://nobody@127.0.0.1:1/none", path)
    assert done.stderr.startswith("ipam: the database is not available")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.peer("kea")
async def test_a_capture_of_kea(database: str, tmp_path: Path) -> None:
    """Debian's Kea serves two clients of the benchmark's plan; ours, with the same plan, gives the same but for what
    the address plans say, and both see each other's address taken."""
    await bench_plan.insert(database)
    frames = await asyncio.to_thread(kea_frames, tmp_path)
    found = await replayed(database, tmp_path, frames)
    for mac in (MAC, OTHER):
        assert found[mac].outcome in ("same", "differs"), found[mac]
        assert {one.field for one in found[mac].differences} <= {"address"}
    assert found[MAC].ours["address"] != found[OTHER].ours["address"]  # type: ignore[index]


def kea_frames(folder: Path) -> list[bytes]:
    frames: list[bytes] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as relay:
        relay.bind(("127.0.0.1", 0))
        relay.settimeout(5)
        with Kea(folder, "memfile", port=free_port()) as kea:
            for mac in (MAC, OTHER):
                asking = say.discover(mac).with_relay("127.0.0.1").asking(1, 3, 6, 15, 42, 51).relay_port()
                relay.sendto(asking.bytes(), (kea.address, kea.port))
                frames += [asked(asking), framed(udp(relay.recv(2048), (THEIRS, 67)), ETHERNET)]
    return frames
