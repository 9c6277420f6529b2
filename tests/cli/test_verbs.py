"""The verbs of the command line about leases and space: who, where, search, free, next-subnet, map, release, reserve,
tail. Leases are rows of the database, as the DHCP servers write them."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import Any

import psycopg
import pytest
from cli.serving import IPAM, Served, ipam

from ipam_core.model.values import rfc3339

NOON = datetime.now().astimezone().replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=1)
ANN, BOB = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")
LEASE = """
insert into lease (granted_at, renewed_at, expires_at, reuse_at, version, tenant_no, subnet_no, prefix_length, state,
                   address, client_key, hw_type, hw_address, client_id, hostname, relay, circuit_id)
select now(), now(), now() + interval '1 hour', now() + interval '1 hour', nextval('lease_version'), tenant_no, no, 32,
       'a', %(address)s, '\\x0101' || %(mac)s::bytea, 1, %(mac)s, '\\x01' || %(mac)s::bytea, %(name)s, '10.40.10.1',
       'eth0/7'
from subnet where cidr >> %(address)s::inet
"""
EVENT = """
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
                         ia_type, kind, state, address, client_key, hw_type, hw_address, client_id, hostname)
select %(at)s, pg_current_xact_id(), nextval('lease_version'), %(granted)s, %(at)s::timestamptz + interval '1 hour',
       %(at)s, tenant_no, no, 32, 0, %(kind)s, 'a', %(address)s, '\\x0101' || %(mac)s::bytea, 1, %(mac)s,
       '\\x01' || %(mac)s::bytea, %(name)s
from subnet where cidr >> %(address)s::inet
"""


@pytest.fixture
def database(module_database: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(module_database, autocommit=True) as connection:
        yield connection
        connection.execute("delete from lease")


@pytest.fixture
def site(served: Served) -> Served:
    """10.40.10.0/24 in 10.40.0.0/16, with a pool from .100 on, a printer and an exclude."""
    ipam(served, "create", "prefixes", "cidr=10.40.0.0/16")
    subnet = ("prefix=10.40.0.0/16", "cidr=10.40.10.0/24", "name=office", "gateway=10.40.10.1")
    ipam(served, "create", "subnets", *subnet)
    ipam(
        served,
        "create",
        "pools",
        "subnet=office",
        "name=desks",
        "start_ip=10.40.10.100",
        "end_ip=10.40.10.199",
    )
    ipam(served, "create", "excludes", "subnet=office", "start_ip=10.40.10.2", "end_ip=10.40.10.9")
    ipam(
        served,
        "create",
        "reservations",
        "subnet=office",
        "ip=10.40.10.20",
        "mac=2:0:0:0:0:9",
        "hostname=printer",
    )
    return served


def lease(database: psycopg.Connection[Any], address: str, mac: bytes, name: str) -> None:
    database.execute(LEASE, {"address": ip_address(address), "mac": mac, "name": name})


def event(
    database: psycopg.Connection[Any],
    at: datetime,
    kind: str,
    mac: bytes,
    name: str,
    granted: datetime | None = None,
    address: str = "10.40.10.100",
) -> None:
    """Of leases of an hour."""
    facts = {"at": at, "kind": kind, "mac": mac, "name": name, "granted": granted or at}
    database.execute(EVENT, facts | {"address": ip_address(address)})


def rows(served: Served, *arguments: str) -> list[list[str]]:
    return [line.split() for line in ipam(served, *arguments).stdout.splitlines()[1:]]


def test_who_has_an_address_and_where_a_client_is(site: Served, database: psycopg.Connection[Any]) -> None:
    lease(database, "10.40.10.100", ANN, "ann")
    (found,) = rows(site, "who", "10.40.10.100", "--columns", "what,mac,hostname")
    assert found == ["lease", "02:00:00:00:00:01", "ann"]
    (found,) = rows(site, "who", "10.40.10.20", "--columns", "what,mac,hostname")
    assert found == ["reservation", "02:00:00:00:00:09", "printer"]
    for name in ("0200.0000.0001", "ann"):
        (found,) = rows(site, "where", name, "--columns", "ip,subnet,relay,circuit_id")
        assert found == ["10.40.10.100", "10.40.10.0/24", "10.40.10.1", "eth0/7"]
    (found,) = rows(site, "where", "02:00:00:00:00:09", "--columns", "what,ip")
    assert found == ["reservation", "10.40.10.20"]
    for address, told in {
        "10.40.10.101": "10.40.10.101 is free in pool desks of subnet 10.40.10.0/24 office",
        "10.40.10.50": "10.40.10.50 is free, in no pool of subnet 10.40.10.0/24 office",
        "10.40.10.3": "10.40.10.3 is excluded from the pools of subnet 10.40.10.0/24 office",
        "10.40.99.1": "10.40.99.1 is in no subnet; prefix 10.40.0.0/16",
        "192.0.2.1": "192.0.2.1 is in no subnet and in no prefix",
    }.items():
        nobody = ipam(site, "who", address)
        assert nobody.stdout == ""
        assert nobody.stderr.startswith(told)
    assert "ADDRESS: must be an IPv4 or IPv6 address" in ipam(site, "who", "printer", status=2).stderr


def test_who_had_an_address_then(site: Served, database: psycopg.Connection[Any]) -> None:
    """Of a moment the one that held it; of a day all, each once."""
    event(database, NOON, "g", ANN, "ann")
    event(database, NOON + timedelta(minutes=30), "n", ANN, "ann", granted=NOON)
    event(database, NOON + timedelta(minutes=40), "r", ANN, "ann", granted=NOON)
    event(database, NOON + timedelta(minutes=50), "g", BOB, "bob")

    def holders(at: str) -> list[str]:
        return [row[0] for row in rows(site, "who", "10.40.10.100", "--at", at, "--columns", "hostname")]

    assert holders("yesterday 12:35") == ["ann"]
    assert holders(f"{NOON + timedelta(minutes=55):%Y-%m-%d %H:%M}") == ["bob"]
    assert holders("yesterday") == holders(f"{NOON:%Y-%m-%d}") == ["ann", "bob"]
    assert (
        "found for 10.40.10.100 at yesterday 11:00"
        in ipam(site, "who", "10.40.10.100", "--at", "yesterday 11:00").stderr
    )
    for at in ("yesterday", "yesterday 12:35"):  # the end that came, not the one that was promised
        released = ended(site, at)[0]
        assert released["what"] == "lease, released"
        assert released["until"] == rfc3339(NOON + timedelta(minutes=40))
    assert ended(site, "yesterday")[1]["what"] == "lease, expired"
    assert ended(site, "yesterday")[1]["until"] == rfc3339(NOON + timedelta(minutes=110))
    (found,) = rows(site, "where", "02-00-00-00-00-02", "--at", "yesterday", "--columns", "ip,subnet")
    assert found == ["10.40.10.100", "10.40.10.0/24"]
    listed = rows(
        site, "lease-events", "--ip", "10.40.10.100", "--at", "yesterday 12:35", "--columns", "event"
    )
    assert listed == [["renewed"]]
    shown = ipam(site, "lease-events", "--ip", "10.40.10.100", "--mac", "02:00:00:00:00:01").stdout
    assert re.findall(r"(granted|renewed|released) .* 12:40 \S+ released", shown) == [
        "released",
        "renewed",
        "granted",
    ]
    assert (
        "--at: must be a time such as" in ipam(site, "who", "10.40.10.100", "--at", "then", status=2).stderr
    )


def test_an_address_that_another_client_got_had_one_holder_at_a_time(
    site: Served, database: psycopg.Connection[Any]
) -> None:
    """A lease whose end nobody recorded ends with the next one's beginning; renewals prolong it."""
    address = "10.40.10.101"
    event(database, NOON, "g", ANN, "ann", address=address)
    event(database, NOON + timedelta(minutes=50), "n", ANN, "ann", granted=NOON, address=address)
    event(database, NOON + timedelta(minutes=80), "g", BOB, "bob", address=address)
    ann, bob = ended(site, "yesterday", address)
    assert (ann["what"], ann["until"]) == ("lease, replaced", rfc3339(NOON + timedelta(minutes=80)))
    assert bob["from"] == ann["until"]
    (renewed,) = ended(site, "yesterday 12:10", address)
    assert renewed["until"] == ann["until"]


def test_a_time_without_seconds_is_its_whole_minute(site: Served, database: psycopg.Connection[Any]) -> None:
    """As tables show it: a lease that began at 13:35:30 is shown with 13:35."""
    address = "10.40.10.102"
    event(database, NOON + timedelta(minutes=95, seconds=30), "g", BOB, "bob", address=address)
    assert [found["hostname"] for found in ended(site, "yesterday 13:35", address)] == ["bob"]
    assert ended(site, "yesterday 13:34", address) == []
    assert ended(site, "yesterday 13:35:10", address) == []


def ended(site: Served, at: str, address: str = "10.40.10.100") -> list[dict[str, Any]]:
    told = ipam(site, "who", address, "--at", at, "--json").stdout
    return [json.loads(line) for line in told.splitlines()]


def test_search(site: Served) -> None:
    found = rows(site, "search", "printer")
    assert [row[0] for row in found] == ["reservation"]
    assert found[0][-1] == "10.40.10.0/24"


def test_free_addresses_and_the_next_subnet(site: Served) -> None:
    assert ipam(site, "free", "10.40.10.0/24").stdout == "10.40.10.10\n"
    assert ipam(site, "free", "office", "--count", "2", "--json").stdout.split() == [
        '{"ip":"10.40.10.10"}',
        '{"ip":"10.40.10.11"}',
    ]
    asked = ("next-subnet", "10.40.0.0/16", "--length", "24", "name=attic", "--key", "attic", "--json")
    first, again = (json.loads(ipam(site, *asked).stdout) for _ in range(2))
    assert (first["cidr"], first["name"], first) == ("10.40.0.0/24", "attic", again)
    refused = ipam(site, "next-subnet", "10.40.0.0/16", "--length", "8", status=1).stderr
    assert "prefix_length: must be 16 to 32, because the prefix is 10.40.0.0/16" in refused


def test_maps(site: Served, database: psycopg.Connection[Any]) -> None:
    lease(database, "10.40.10.100", ANN, "ann")
    assert rows(site, "map", "office") == [
        ["10.40.10.0", "1", "network"],
        ["10.40.10.1", "1", "gateway"],
        ["10.40.10.2-10.40.10.9", "8", "exclude"],
        ["10.40.10.10-10.40.10.19", "10", "free"],
        ["10.40.10.20", "1", "reservation", "printer"],
        ["10.40.10.21-10.40.10.99", "79", "free"],
        ["10.40.10.100", "1", "lease", "ann"],
        ["10.40.10.101-10.40.10.199", "99", "pool", "desks"],
        ["10.40.10.200-10.40.10.254", "55", "free"],
        ["10.40.10.255", "1", "broadcast"],
    ]
    (_, subnet, _) = rows(site, "map", "10.40.0.0/16")
    assert subnet == ["10.40.10.0-10.40.10.255", "256", "subnet", "office"]
    assert "There is no prefix office" in ipam(site, "map", "--prefix", "office", status=1).stderr
    assert [row[2] for row in rows(site, "map", "office", "--at", "now")].count(
        "lease"
    ) == 0  # none in the history
    assert (
        "at: is before the subnet was created"
        in ipam(site, "map", "office", "--at", "2020-01-01", status=1).stderr
    )
    assert "must be a time" in ipam(site, "map", "office", "--at", "whenever", status=2).stderr


def test_leases_are_released_after_asking(site: Served, database: psycopg.Connection[Any]) -> None:
    for number, mac in ((100, ANN), (101, BOB)):
        lease(database, f"10.40.10.{number}", mac, f"client-{number}")
    refused = ipam(site, "release", "--subnet", "office", answer="n\n", status=1)
    assert "Release 2 leases?" in refused.stderr
    assert len(rows(site, "leases", "--state", "active")) == 2
    told = ipam(site, "release", "10.40.10.100")
    assert told.stdout == "released 10.40.10.100 02:00:00:00:00:01 client-100\n"
    assert "There is no active lease 10.40.10.100" in ipam(site, "release", "10.40.10.100", status=1).stderr
    lease(database, "10.40.10.102", ANN, "client-102")
    told = ipam(site, "release", "--subnet", "10.40.10.0/24", "--yes")
    assert [line.split()[1] for line in told.stdout.splitlines()] == ["10.40.10.101", "10.40.10.102"]
    assert ipam(site, "release", "--subnet", "office").stderr == "no active leases\n"
    assert "name at least one lease, or use --subnet" in ipam(site, "release", status=2).stderr


def test_a_lease_is_reserved_for_its_client(site: Served, database: psycopg.Connection[Any]) -> None:
    lease(database, "10.40.10.100", ANN, "ann")
    made = json.loads(ipam(site, "reserve", "10.40.10.100", "description=Reception", "--json").stdout)
    assert (made["mac"], made["hostname"], made["description"]) == ("02:00:00:00:00:01", "ann", "Reception")
    lease(database, "10.40.10.101", BOB, "bob")
    refused = ipam(site, "reserve", "bob", "hostnam=x", "description=", status=1).stderr
    assert "hostnam: there is no such field; did you mean hostname?" in refused


def test_a_change_and_a_deletion_are_rehearsed(site: Served, database: psycopg.Connection[Any]) -> None:
    """Who would suffer is told, a refusal is the same as in earnest, and nothing happens."""
    lease(database, "10.40.10.190", ANN, "ann")
    shorter = ipam(site, "update", "pools", "desks", "end_ip=10.40.10.180", "--dry-run")
    assert re.search(r"^! 1 active lease would be refused.*\n    .*10\.40\.10\.190 .*ann", shorter.stdout)
    assert shorter.stderr == "desks would be changed\n"
    harmless = ipam(site, "update", "pools", "desks", "end_ip=10.40.10.195", "--dry-run")
    assert (harmless.stdout, harmless.stderr) == (
        "",
        "desks would be changed; no lease, reservation or record would be affected\n",
    )
    assert "--cascade" in ipam(site, "delete", "subnets", "office", "--dry-run", status=1).stderr
    gone = ipam(site, "delete", "subnets", "office", "--cascade", "--dry-run", "--json")
    impact = json.loads(gone.stdout)["impact"]
    assert (impact["leases"]["count"], impact["reservations"]["count"]) == (1, 1)
    assert rows(site, "pools", "--columns", "name,end_ip") == [["desks", "10.40.10.199"]]


class Cable:
    """A way to a server that can be cut."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.ends: list[socket.socket] = []
        self.listening = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        with contextlib.suppress(OSError):  # how it ends
            while True:
                near, _ = self.listening.accept()
                far = socket.create_connection(("127.0.0.1", self.port))
                self.ends += [near, far]
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=self.carry, args=(source, target), daemon=True).start()

    def carry(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while piece := source.recv(65536):
                target.sendall(piece)

    def cut(self) -> None:
        for end in self.ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def test_leases_are_followed_as_they_happen(site: Served, database: psycopg.Connection[Any]) -> None:
    """A process of its own, for it never ends by itself: from a moment before, then live, and after a break from where
    it was; others are left out."""
    now = datetime.now(UTC)
    cable = Cable(int(site.url.split(":")[2].split("/")[0]))
    url = f"http://127.0.0.1:{cable.listening.getsockname()[1]}/api/v1"
    event(database, now - timedelta(minutes=5), "g", ANN, "ann")
    environment = os.environ | {"IPAM_API_URL": url, "IPAM_API_TOKEN": site.token}
    # What a shell starts in the background ignores interrupts, and with it all its children.
    command = [
        "env",
        "--default-signal=INT",
        *IPAM,
        "tail",
        "--since",
        "10 minutes ago",
        "--subnet",
        "office",
        "--mac",
        "02-00-00-00-00-01",
    ]
    process = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().split()[3:] == [
        "lease.granted",
        "10.40.10.100",
        "02:00:00:00:00:01",
        "ann",
    ]
    event(database, now, "g", BOB, "bob")
    event(database, now, "n", ANN, "ann")
    assert process.stdout.readline().split()[3:5] == ["lease.renewed", "10.40.10.100"]
    cable.cut()
    event(database, now, "r", ANN, "ann")
    assert process.stdout.readline().split()[3:5] == ["lease.released", "10.40.10.100"]
    process.send_signal(signal.SIGINT)
    rest, told = process.communicate(timeout=20)
    cable.listening.close()
    assert (process.returncode, rest) == (0, "")
    assert re.fullmatch(r"ipam: .*; reconnecting in \d s\n", told)


def test_a_stream_without_a_token_is_told_with_the_mend(served: Served) -> None:
    assert "set IPAM_API_TOKEN" in ipam(served, "tail", status=1, IPAM_API_TOKEN="").stderr


def test_a_client_without_a_domain_is_found_by_its_name_in_full(
    site: Served, database: psycopg.Connection[Any]
) -> None:
    """As `who` and `where` do; another client whose name begins likewise is not meant."""
    for number, mac, name in ((100, ANN, "zoe"), (101, BOB, "zoelle")):
        lease(database, f"10.40.10.{number}", mac, name)
        event(database, datetime.now(UTC), "g", mac, name, address=f"10.40.10.{number}")
    listed = ipam(site, "history", "zoe.corp.example", "--columns", "ip").stdout.split()
    assert listed == ["ip", "10.40.10.100"]
    made = json.loads(ipam(site, "reserve", "zoe.corp.example.", "--json").stdout)
    assert (made["ip"], made["hostname"]) == ("10.40.10.100", "zoe")
    assert ipam(site, "release", "zoe.corp.example").stdout.startswith("released 10.40.10.100 ")
    assert (
        "There is no active lease bob.corp.example"
        in ipam(site, "release", "bob.corp.example", status=1).stderr
    )


def test_a_quarantine_that_is_over_is_not_released(site: Served, database: psycopg.Connection[Any]) -> None:
    lease(database, "10.40.10.100", ANN, "ann")
    database.execute("update lease set state = 'd', reuse_at = now() - interval '1 hour'")
    told = ipam(site, "release", "--subnet", "office", "--declined")
    assert (told.stdout, told.stderr) == ("", "no address in quarantine\n")
    database.execute("update lease set state = 'd', reuse_at = now() + interval '1 hour'")
    assert "released 10.40.10.100" in ipam(site, "release", "--subnet", "office", "--declined").stdout
