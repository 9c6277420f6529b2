"""`ipam replay` of DHCPv6: each client of a capture, what it got there and what it would get now."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable
from ipaddress import IPv6Address, IPv6Network
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from engine.site import add
from engine6.serving6 import duid
from engine6.site6 import Site6, Subnet6, association_key
from oracle import packets as say4
from oracle import packets6 as say
from oracle.message6 import ADVERTISE, RELAY_REPL, REPLY, build, enclose
from oracle.options6 import (
    CLIENT_ID,
    IA_NA,
    IA_PD,
    SERVER_ID,
    IdentityAssociation,
    Lease,
    Status,
    encode_ia,
    encode_status,
)
from oracle.packets6 import Packet
from replay.captures import ETHERNET, framed, pcap, udp, udp6, written

from dhcp_fast.replay.command import ReplayOptions, rehearse
from dhcp_fast.replay.comparison6 import Compared6
from dhcp_fast.replay.conversations import Conversations
from ipam_core.db.connect import connect
from ipam_core.settings import Settings

CLIENT, OTHER, THIRD = duid(1), duid(2), duid(3)
LINK, RELAY, THEIRS = "2001:db8:5::1", ("2001:db8:5::1", 547), ("2001:db8:9::1", 547)
THEIR_DUID = bytes.fromhex("000100011234567802000000aaaa")
DNS = 23, IPv6Address("2001:db8::53").packed
COMMAND = [sys.executable, "-P", "-m", "api.cli", "replay"]


@pytest.fixture
async def connection(database: str) -> AsyncIterator[asyncpg.Connection]:
    session = await connect(database)
    yield session
    await session.close()


@pytest.fixture
async def site(connection: asyncpg.Connection) -> Site6:
    made = await Site6.create(connection)
    await connection.execute(
        "insert into trusted_relay (id, cidr) values (gen_random_uuid(), '2001:db8:5::/64')"
    )
    return made


@pytest.fixture
async def subnet(site: Site6) -> Subnet6:
    """2001:db8:5::/64 with 256 addresses, 800 seconds; prefixes of /56; DNS 2001:db8::53."""
    made = await site.subnet(5)
    await made.pool(0x100, 0x1FF)
    await made.delegation_pool("2001:db8:f00::/48", 56)
    await made.option(23, {"addresses": ["2001:db8::53"]})
    return made


# --- what stands in the capture


def given(kind: int, address: str, *, valid: int = 800, iaid: int = 1) -> IdentityAssociation:
    """As ours gives it, with the usual times of such a lease."""
    network = IPv6Network(address)
    preferred = valid * 5 // 8
    lease = Lease(network.network_address, network.prefixlen, preferred, valid)
    return IdentityAssociation(kind, iaid, preferred // 2, preferred * 4 // 5, (lease,), ())


def refused(kind: int) -> IdentityAssociation:
    return IdentityAssociation(kind, 1, 0, 0, (), ((13, encode_status(Status(2))),))


def answer(asked: Packet, kind: int, *associations: IdentityAssociation, dns: bool = True) -> bytes:
    """What a foreign server says to it, through its relays; a frame."""
    client = [(code, data) for code, data in asked.options if code == CLIENT_ID]
    options = [*client, (SERVER_ID, THEIR_DUID), *([DNS] if dns else [])]
    options += [(ia.code, encode_ia(ia)) for ia in associations]
    data = build(kind, asked.transaction_id, options)
    for envelope in asked.envelopes:
        data = enclose(data, envelope, RELAY_REPL)
    ends = (THEIRS, RELAY) if asked.envelopes else (THEIRS, ("fe80::1", 546))
    return framed(udp6(data, *ends), ETHERNET)


def ask(packet: Packet) -> bytes:
    return framed(udp6(packet.bytes(), *((RELAY, THEIRS) if packet.envelopes else ())), ETHERNET)


def solicit(client: bytes, number: int = 1) -> Packet:
    """Through the relay of the subnet, for an address."""
    return say.solicit(client).ia_na(1).asking(23).xid(number).through(LINK)


def exchange(client: bytes, address: str, number: int = 1) -> list[bytes]:
    request = say.request(client, THEIR_DUID).ia_na(1, address).asking(23).xid(number + 0x1000).through(LINK)
    lease = given(IA_NA, address)
    asked = solicit(client, number)
    return [ask(asked), answer(asked, ADVERTISE, lease), ask(request), answer(request, REPLY, lease)]


class Replayed:
    """What came of the frames, by DUID."""

    def __init__(self, found: list[Any]) -> None:
        self.found: dict[str, Compared6] = {client.duid: client for client in found}

    def __getitem__(self, client: bytes) -> Compared6:
        return self.found[f"LL {client.hex(':')}"]


async def replayed(dsn: str, folder: Path, frames: Iterable[bytes], **fields: Any) -> Replayed:
    path = written(folder, pcap(frames))
    conversations = Conversations()
    conversations.read(path)
    return Replayed(await rehearse(Settings(database_url=dsn), ReplayOptions(path, **fields), conversations))


# --- what is told of it


async def test_what_is_reserved_in_all_subnets_of_the_tenant(
    database: str, site: Site6, subnet: Subnet6, tmp_path: Path
) -> None:
    """Its options come with the client, the address from the pool."""
    no = await add(site.connection, "reservation", tenant_no=site.tenant_no, duid=CLIENT, hostname="printer")
    await site.option(23, {"addresses": ["2001:db8::54"]}, reservation_no=no)
    frames = exchange(CLIENT, "2001:db8:5::100", 1) + exchange(OTHER, "2001:db8:5::101", 2)
    found = await replayed(database, tmp_path, frames)
    told = {who: {one.field: one.ours for one in found[who].differences} for who in (CLIENT, OTHER)}
    assert ["2001:db8::54" in fields.values() for fields in told.values()] == [True, False]
    assert (len(told[CLIENT].keys() - {"address"}), len(told[OTHER].keys() - {"address"})) == (1, 0), told


async def test_a_client_that_gets_the_same(database: str, subnet: Subnet6, tmp_path: Path) -> None:
    """Its reservation was carried over; who serves it is no difference."""
    await subnet.reserve(0x20, duid=CLIENT)
    found = (await replayed(database, tmp_path, exchange(CLIENT, "2001:db8:5::20")))[CLIENT]
    assert found.outcome == "same", found.differences
    assert found.theirs == found.ours
    assert found.theirs is not None
    assert found.theirs["address"] == "2001:db8:5::20"
    assert found.theirs["dns-servers (23)"] == "2001:db8::53"
    assert found.link == LINK


async def test_each_difference_is_shown(database: str, site: Site6, subnet: Subnet6, tmp_path: Path) -> None:
    await subnet.reserve(0x20, duid=CLIENT)
    await subnet.set(lease_time_seconds=1600)
    asked = solicit(CLIENT)
    frames = [ask(asked), answer(asked, ADVERTISE, given(IA_NA, "2001:db8:5::21"), dns=False)]
    found = (await replayed(database, tmp_path, frames))[CLIENT]
    assert found.outcome == "differs"
    assert {one.field: (one.theirs, one.ours) for one in found.differences} == {
        "address": ("2001:db8:5::21", "2001:db8:5::20"),
        "address valid for": ("13 minutes 20 seconds", "26 minutes 40 seconds"),
        "address preferred for": ("8 minutes 20 seconds", "16 minutes 40 seconds"),
        "T1 of address": ("4 minutes 10 seconds", "8 minutes 20 seconds"),
        "T2 of address": ("6 minutes 40 seconds", "13 minutes 20 seconds"),
        "dns-servers (23)": (None, "2001:db8::53"),
    }


async def test_addresses_and_prefixes_of_one_client(
    database: str, subnet: Subnet6, site: Site6, tmp_path: Path
) -> None:
    await subnet.reserve_prefix("2001:db8:f00:100::/56", duid=CLIENT)
    asked = say.solicit(CLIENT).ia_na(1).ia_pd(1).asking(23).through(LINK)
    theirs = given(IA_NA, "2001:db8:5::150"), given(IA_PD, "2001:db8:f00:100::/56")
    found = (await replayed(database, tmp_path, [ask(asked), answer(asked, ADVERTISE, *theirs)]))[CLIENT]
    assert {one.field for one in found.differences} <= {"address"}
    assert (found.ours or {})["prefix"] == "2001:db8:f00:100::/56"


async def test_nobody_is_shown_a_lease_of_another(database: str, site: Site6, tmp_path: Path) -> None:
    """Three clients, two addresses: the third is told so, and no offer is taken back for it."""
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x101)
    frames = [
        frame
        for number, client in enumerate((CLIENT, OTHER, THIRD))
        for frame in exchange(client, f"2001:db8:5::15{number}", number)
    ]
    found = await replayed(database, tmp_path, frames)
    shown = {(found[client].ours or {})["address"] for client in (CLIENT, OTHER)}
    assert shown == {"2001:db8:5::100", "2001:db8:5::101"}
    assert (found[THIRD].outcome, found[THIRD].ours) == ("we_are_silent", None)
    assert await site.count("lease") == await site.count("lease_event") == 0


async def test_nobody_is_shown_a_lease_of_another_in_a_pool_without_a_bitmap(
    database: str, site: Site6, tmp_path: Path
) -> None:
    """Nothing is offered there: what one client is shown is held all the same."""
    subnet = await site.subnet(5)
    await subnet.whole_pool()
    frames = exchange(CLIENT, "2001:db8:5::150")
    taken = ((await replayed(database, tmp_path, frames))[CLIENT].ours or {})["address"]
    asks_for_it = ask(say.solicit(THIRD).ia_na(1, taken).through(LINK))
    alone = await replayed(database, tmp_path, [asks_for_it])
    behind = await replayed(database, tmp_path, [*frames, asks_for_it])
    assert (alone[THIRD].ours or {})["address"] == taken
    assert (behind[THIRD].ours or {})["address"] != taken


@pytest.mark.parametrize("reserved", [False, True])
async def test_a_renewal_is_rehearsed_as_a_new_beginning(
    reserved: bool, database: str, subnet: Subnet6, tmp_path: Path
) -> None:
    """Specification 1.6: live leases are not imported, so it is not the one that the client renews but by chance."""
    if reserved:
        await subnet.reserve(0x20, duid=CLIENT)
    renew = say.renew(CLIENT, THEIR_DUID).ia_na(1, "2001:db8:5::150").asking(23).through(LINK)
    frames = [ask(renew), answer(renew, REPLY, given(IA_NA, "2001:db8:5::150"))]
    found = (await replayed(database, tmp_path, frames))[CLIENT]
    assert "not imported" in str(found.note)
    shown = IPv6Address((found.ours or {})["address"])
    assert shown == IPv6Address("2001:db8:5::20") if reserved else shown in subnet.network


@pytest.mark.parametrize("rebinding", [False, True])
async def test_a_lease_that_is_known_is_renewed(
    rebinding: bool, database: str, site: Site6, subnet: Subnet6, tmp_path: Path
) -> None:
    await site.put_lease("2001:db8:5::150", association_key(IA_NA, 1, CLIENT), subnet.no)
    renew = say.rebind(CLIENT) if rebinding else say.renew(CLIENT, THEIR_DUID)
    renew = renew.ia_na(1, "2001:db8:5::150").asking(23).through(LINK)
    frames = [ask(renew), answer(renew, REPLY, given(IA_NA, "2001:db8:5::150"))]
    found = (await replayed(database, tmp_path, frames))[CLIENT]
    assert (found.outcome, found.note) == ("same", "its lease exists here and is renewed"), found.differences


async def test_a_request_alone_is_asked_for_by_a_solicit(
    database: str, subnet: Subnet6, tmp_path: Path
) -> None:
    await subnet.reserve(0x20, duid=CLIENT)
    _, _, request, reply = exchange(CLIENT, "2001:db8:5::20")
    found = (await replayed(database, tmp_path, [request, reply]))[CLIENT]
    assert (found.outcome, found.note) == ("same", "its SOLICIT is not in the capture; one was added")


async def test_who_is_not_answered_is_told_why(database: str, subnet: Subnet6, tmp_path: Path) -> None:
    asked = solicit(CLIENT)
    stranger = framed(udp6(solicit(OTHER).bytes(), ("2001:db8:77::1", 547), THEIRS), ETHERNET)
    frames = [ask(asked), answer(asked, ADVERTISE, refused(IA_NA)), stranger]
    found = await replayed(database, tmp_path, frames)
    assert (found[CLIENT].outcome, found[CLIENT].theirs) == ("they_were_silent", None)
    assert (found[OTHER].outcome, found[OTHER].drop_reason) == ("both_silent", "untrusted_relay")


async def test_an_information_request_is_answered_with_options(
    database: str, subnet: Subnet6, tmp_path: Path
) -> None:
    """Also of a client that does not say who it is."""
    for client in (CLIENT, None):
        asked = say.information_request(client).asking(23).through(LINK)
        found = await replayed(database, tmp_path, [ask(asked), answer(asked, REPLY)])
        (one,) = found.found.values()
        assert (one.outcome, one.ours) == ("same", {"dns-servers (23)": "2001:db8::53"}), one
        assert (one.duid is None) == (client is None)


async def test_what_ends_a_lease_and_its_answer_say_nothing(
    database: str, subnet: Subnet6, tmp_path: Path
) -> None:
    release = say.release(CLIENT, THEIR_DUID).ia_na(1, "2001:db8:5::150").xid(0x77).through(LINK)
    path = written(tmp_path, pcap([ask(release), answer(release, REPLY)]))
    conversations = Conversations()
    conversations.read(path)
    assert conversations.ipv6.whole() == []
    assert conversations.counts == {"packets": 2, "others": 2}


async def test_a_client_on_a_wire_is_placed_by_its_address_or_by_the_operator(
    database: str, subnet: Subnet6, tmp_path: Path
) -> None:
    """As a capture on the old server's own interface has them."""
    asked = say.solicit(CLIENT).ia_na(1).asking(23)
    frames = [
        ask(asked),
        answer(asked, ADVERTISE, given(IA_NA, "2001:db8:5::150")),
        ask(say.solicit(OTHER).ia_na(1)),
    ]
    found = await replayed(database, tmp_path, frames)
    assert IPv6Address((found[CLIENT].ours or {})["address"]) in subnet.network
    assert found[CLIENT].link is None
    assert "--network" in str(found[OTHER].note)
    found = await replayed(database, tmp_path, frames, network=IPv6Network("2001:db8:5::/64"))
    assert found[OTHER].ours is not None


async def test_both_sides_of_a_relay_are_one_client(database: str, subnet: Subnet6, tmp_path: Path) -> None:
    frames = [ask(say.solicit(CLIENT).ia_na(1)), *exchange(CLIENT, "2001:db8:5::150")]
    found = await replayed(database, tmp_path, frames)
    assert len(found.found) == 1


async def test_nested_relays_are_kept(database: str, subnet: Subnet6, tmp_path: Path) -> None:
    """The inner one says the link, and the interface by which a reservation knows its line."""
    await subnet.reserve(0x20, circuit_id=b"ge-1")
    asked = say.solicit(CLIENT).ia_na(1).through(LINK).at_interface("ge-1").through("::")
    found = await replayed(
        database, tmp_path, [ask(asked), answer(asked, ADVERTISE, given(IA_NA, "2001:db8:5::20"))]
    )
    assert (found[CLIENT].ours or {})["address"] == "2001:db8:5::20"


async def test_the_command_shows_both_families(database: str, subnet: Subnet6, tmp_path: Path) -> None:
    await subnet.reserve(0x20, duid=CLIENT)
    frames = [
        *exchange(CLIENT, "2001:db8:5::20"),
        *exchange(OTHER, "2001:db8:5::21", 9),
        framed(udp(say4.discover("02:00:00:00:00:09").bytes()), ETHERNET),
    ]
    path = written(tmp_path, pcap(frames))
    done = await asyncio.to_thread(run, database, path, "--json")
    assert done.returncode == 3, done.stderr
    report = json.loads(done.stdout)
    assert report["summary"] == {
        "same": 1,
        "differs": 1,
        "we_are_silent": 0,
        "they_were_silent": 0,
        "both_silent": 1,
    }
    assert [client.get("duid") for client in report["clients"]] == [
        None,
        f"LL {CLIENT.hex(':')}",
        f"LL {OTHER.hex(':')}",
    ]
    done = await asyncio.to_thread(run, database, path, "--only-different", "--network", "2001:db8:5::/64")
    assert f"LL {OTHER.hex(':')} on link {LINK}: differs" in done.stdout
    assert CLIENT.hex(":") not in done.stdout


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
