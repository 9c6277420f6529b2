"""`ipam replay --plan`: what the clients of a capture would get from a plan that is nowhere yet."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Any

import pytest
from importers.accounting import SOURCES
from oracle import packets as say
from oracle.options4 import ACK
from ports import free_port
from replay import test_replay6 as six
from replay.captures import ETHERNET, framed, pcap, udp, written
from replay.test_replay import (
    MAC,
    OTHER,
    THEIRS,
    THIRD,
    Replayed,
    asked,
    exchange,
    relayed,
    reply,
    run,
)

from api.importers import formats
from api.importers.leases.pinning import pin
from api.importers.plan import Plan
from dhcp_fast.bench.servers.kea import PSQL_VARIABLES, Kea
from dhcp_fast.replay import plan_file
from dhcp_fast.replay.command import EVERYBODY, ReplayOptions, rehearse
from dhcp_fast.replay.comparison import Compared
from dhcp_fast.replay.conversations import Conversations
from dhcp_fast.replay.plan_file import PlanFileError
from ipam_core.db.connect import connect
from ipam_core.db.embedded.programs import bundled
from ipam_core.settings import Settings

KEA = {
    "subnet4": [
        {
            "id": 1,
            "subnet": "10.5.0.0/24",
            "valid-lifetime": 600,
            "option-data": [
                {"name": "routers", "data": "10.5.0.1"},
                {"name": "domain-name-servers", "data": "10.5.0.53"},
            ],
            "reservations": [
                {"hw-address": MAC, "ip-address": "10.5.0.20"},
                {"hw-address": OTHER, "ip-address": "10.5.0.21"},
            ],
        }
    ]
}


async def made(dsn: str, plan: Plan, folder: Path) -> None:
    path = written(folder, plan.encoded(), "plan.json")
    connection = await connect(dsn)
    try:
        await plan_file.make(connection, plan_file.read(path), path)
    finally:
        await connection.close()


async def replayed(dsn: str, plan: Plan, folder: Path, frames: Iterable[bytes]) -> dict[str, Compared]:
    await made(dsn, plan, folder)
    path = written(folder, pcap(frames))
    conversations = Conversations()
    conversations.read(path)
    settings = Settings(database_url=dsn, trusted_relays=EVERYBODY)
    return Replayed(await rehearse(settings, ReplayOptions(path), conversations)).found  # type: ignore[arg-type]


def planned(folder: Path, kea: dict[str, Any]) -> Plan:
    return formats.read(written(folder, json.dumps({"Dhcp4": kea}).encode(), "kea.json"))


def served() -> list[bytes]:
    return [
        frame
        for mac, host in ((MAC, 20), (OTHER, 21), (THIRD, None))
        for frame in (
            exchange(mac, reply(ACK, mac, f"10.5.0.{host}")) if host else [asked(relayed(say.discover(mac)))]
        )
    ]


async def test_a_plan_gives_what_its_source_gave(database: str, tmp_path: Path) -> None:
    found = await replayed(database, planned(tmp_path, KEA), tmp_path, served())
    assert {mac: each.outcome for mac, each in found.items()} == {
        MAC: "same",
        OTHER: "same",
        THIRD: "both_silent",
    }


def another_address(subnet: dict[str, Any]) -> None:
    subnet["reservations"][0]["ip-address"] = "10.5.0.30"


def another_resolver(subnet: dict[str, Any]) -> None:
    subnet["option-data"][1]["data"] = "10.5.0.54"


def a_pool(subnet: dict[str, Any]) -> None:
    subnet["pools"] = [{"pool": "10.5.0.100 - 10.5.0.100"}]


def nobody(subnet: dict[str, Any]) -> None:
    del subnet["reservations"]


SAME = ("same", {})
SILENT = ("both_silent", {})
CHANGES: dict[Callable[[dict[str, Any]], None], dict[str, Any]] = {
    another_address: {MAC: ("differs", {"address": ("10.5.0.20", "10.5.0.30")}), OTHER: SAME, THIRD: SILENT},
    another_resolver: {
        MAC: ("differs", {"DNS": ("10.5.0.53", "10.5.0.54")}),
        OTHER: ("differs", {"DNS": ("10.5.0.53", "10.5.0.54")}),
        THIRD: SILENT,
    },
    a_pool: {MAC: SAME, OTHER: SAME, THIRD: ("they_were_silent", {})},
    nobody: {MAC: ("we_are_silent", {}), OTHER: ("we_are_silent", {}), THIRD: SILENT},
}


@pytest.mark.parametrize("change", CHANGES)
async def test_a_changed_plan_shows_exactly_the_change(
    database: str, tmp_path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    kea = json.loads(json.dumps(KEA))
    change(kea["subnet4"][0])
    found = await replayed(database, planned(tmp_path, kea), tmp_path, served())
    told = {
        mac: (each.outcome, {one.field: (one.theirs, one.ours) for one in each.differences})
        for mac, each in found.items()
    }
    assert told == CHANGES[change]


KEA6 = """{"Dhcp6": {"subnet6": [{"id": 1, "subnet": "2001:db8:5::/64", "valid-lifetime": 800,
 "preferred-lifetime": 500, "option-data": [{"name": "dns-servers", "data": "2001:db8::53"}],
 "reservations": [{"duid": "%s", "ip-addresses": ["2001:db8:5::20"]},
 {"duid": "%s", "ip-addresses": ["2001:db8:5::22"]}]
}]}}"""


async def test_dhcpv6(database: str, tmp_path: Path) -> None:
    """One client keeps its address, another is planned for another one."""
    source = KEA6 % (six.CLIENT.hex(":"), six.OTHER.hex(":"))
    plan = formats.read(written(tmp_path, source.encode(), "kea6.json"))
    frames = [*six.exchange(six.CLIENT, "2001:db8:5::20"), *six.exchange(six.OTHER, "2001:db8:5::21", 9)]
    await made(database, plan, tmp_path)
    path = written(tmp_path, pcap(frames))
    conversations = Conversations()
    conversations.read(path)
    settings = Settings(database_url=database, trusted_relays=EVERYBODY)
    same, other = await rehearse(settings, ReplayOptions(path), conversations)
    assert (same.outcome, same.differences) == ("same", [])
    assert [(one.field, one.theirs, one.ours) for one in other.differences] == [
        ("address", "2001:db8:5::21", "2001:db8:5::22")
    ]


@pytest.mark.parametrize("name", ["kea4", "kea6", "isc4", "isc6"])
async def test_all_that_a_plan_may_hold_is_made(database: str, tmp_path: Path, name: str) -> None:
    (source,) = (each for each in SOURCES.glob(f"{name}.*") if not each.name.endswith(".plan.json"))
    plan = formats.read(source)
    await made(database, plan, tmp_path)
    connection = await connect(database)
    tables = {"options": "dhcp_option", "prefixes": "prefix", "client-classes": "client_class"}
    for family, count in plan.counts().items():
        table = tables.get(family, family.removesuffix("s").replace("-", "_"))
        assert await connection.fetchval(f"select count(*) from {table}") == count, family
    await connection.close()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "is not a plan of ipam import --plan: Expected `object`"),
        ('{"objects": [', "is not a plan of ipam import --plan"),
        ('{"objects": [{"ref": "a", "family": "pools", "line": 3, "fields": {}}]}', r"a \(line 3\): "),
        (
            '{"objects": [{"ref": "a", "family": "x", "line": 3, "fields": {}}]}',
            "names 'x', which does not exist",
        ),
        (
            '{"objects": [{"ref": "a", "family": "prefixes", "line": 1, "fields": {"cidr": "10.0.0.0/8"}},'
            '{"ref": "b", "family": "prefixes", "line": 2, "fields": {"cidr": "10.0.0.0/9"}}]}',
            "overlap",
        ),
        (
            '{"objects": [{"ref": "a", "family": "prefixes", "line": 1, "inside": "z", "fields": {}}]}',
            "names 'z', which does not exist",
        ),
    ],
)
async def test_what_is_no_plan_is_refused(database: str, tmp_path: Path, text: str, reason: str) -> None:
    path = written(tmp_path, text.encode(), "plan.json")
    connection = await connect(database)
    with pytest.raises(PlanFileError, match=reason) as caught:
        await plan_file.make(connection, plan_file.read(path), path)
    assert str(caught.value).startswith(str(path))
    assert await connection.fetchval("select count(*) from prefix") == 0
    await connection.close()


@pytest.mark.long
async def test_subnets_of_the_server_contain_objects_of_a_table(database: str, tmp_path: Path) -> None:
    """The plan names them, because the rehearsal has no server to ask."""
    table = written(tmp_path, f"ip,mac\n10.5.0.20,{MAC}\n".encode(), "table.csv")
    await made(database, formats.read(table, there=lambda: [IPv4Network("10.5.0.0/24")]), tmp_path)
    connection = await connect(database)
    assert (
        await connection.fetchval("select count(*) from reservation join subnet on subnet.no = subnet_no")
        == 1
    )
    await connection.close()


async def test_the_command_needs_no_database(tmp_path: Path) -> None:
    path = written(tmp_path, pcap(served()))
    plan = written(tmp_path, planned(tmp_path, KEA).encoded(), "plan.json")
    done = await asyncio.to_thread(
        run, "postgresql://nobody@127.0.0.1:1/none", path, "--plan", str(plan), "--json"
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)["summary"]
    assert {outcome: count for outcome, count in summary.items() if count} == {"same": 2, "both_silent": 1}


@pytest.mark.peer("kea")
async def test_a_capture_of_kea_and_the_plan_of_its_files(database: str, tmp_path: Path) -> None:
    """Debian's Kea leases addresses to three clients; its configuration, and its leases pinned, give each the same."""
    frames = await asyncio.to_thread(kea_frames, tmp_path, [MAC, OTHER, THIRD])
    plan = formats.read(tmp_path / "kea-dhcp4.json")
    told = pin(plan, tmp_path / "leases.csv", datetime.now(UTC))
    assert {each.why: each.count for each in told.outcomes} == {"made into reservations": 3}
    found = await replayed(database, plan, tmp_path, frames)
    assert {mac: (each.outcome, each.differences) for mac, each in found.items()} == {
        mac: ("same", []) for mac in (MAC, OTHER, THIRD)
    }


@pytest.mark.long
@pytest.mark.peer("kea")
def test_the_leases_of_keas_database(postgres_dsn: str, tmp_path: Path) -> None:
    """Three leases of Debian's Kea as pg_dump writes them, in each of its ways."""
    dumps: list[str] = []

    def dump(kea: Kea) -> None:
        assert kea.database is not None
        for ways in ([], ["--inserts"], ["--rows-per-insert=2"], ["--column-inserts"]):
            dumps.append(pg_dump(kea.database.own, *ways))

    kea_frames(tmp_path, [MAC, OTHER, THIRD], postgres_dsn, dump)
    assert len(dumps) == 4
    for text in dumps:
        plan = formats.read(tmp_path / "kea-dhcp4.json")
        told = pin(plan, written(tmp_path, text.encode(), "dump.sql"), datetime.now(UTC))
        assert {each.why: each.count for each in told.outcomes} == {"made into reservations": 3}
        assert {each.fields["mac"] for each in plan.objects if each.file} == {MAC, OTHER, THIRD}


def pg_dump(target: dict[str, str], *ways: str) -> str:
    environment = {PSQL_VARIABLES[key]: value for key, value in target.items()}
    done = subprocess.run(
        [bundled().client("pg_dump"), *ways], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def kea_frames(
    folder: Path, macs: list[str], dsn: str | None = None, at_the_end: Callable[[Kea], None] = lambda _: None
) -> list[bytes]:
    """What a relay sees: each client asks for an address, and takes what it is offered. `at_the_end`: Kea runs."""
    frames: list[bytes] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as relay:
        relay.bind(("127.0.0.1", 0))
        relay.settimeout(5)
        with Kea(folder, "postgresql" if dsn else "memfile", dsn=dsn, port=free_port()) as kea:

            def ask(packet: say.Packet) -> bytes:
                packet = packet.with_relay("127.0.0.1").asking(1, 3, 6, 15, 42, 51).relay_port()
                relay.sendto(packet.bytes(), (kea.address, kea.port))
                answer = relay.recv(2048)
                frames.extend([asked(packet), framed(udp(answer, (THEIRS, 67)), ETHERNET)])
                return answer

            for mac in macs:
                offered = IPv4Address(ask(say.discover(mac))[16:20])
                assert offered in IPv4Network("10.64.0.0/10")
                ask(say.request_selecting(mac, offered, kea.address))
            at_the_end(kea)
    return frames
