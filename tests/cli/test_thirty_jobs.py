"""Everyday jobs, typed as a person guesses who has read no documentation.

The guesses of each job are those of three newcomers, in the order in which they typed them, before the commands took
them. A job is done with the first guess that ends with status 0 and whose effect can be seen. The third guess of a job
does not count. Jobs build on one another, as on a first day.
"""

import json
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest
from cli.serving import Served
from cli.test_verbs import LEASE
from click.testing import CliRunner

from api.cli import main
from api.client import Client

CLIENT = {"address": "10.40.10.150", "mac": bytes.fromhex("020000000099"), "name": "laptop"}
NODES = """
insert into node (id, name, role, version, state)
select gen_random_uuid(), name, 'dhcp', '0.1.0', 'ready' from unnest(array['dhcp-a', 'dhcp-b']) as name
"""
TRIES = 2
LEAST = 25


class Job(NamedTuple):
    """`shows`: what the output contains. `path`: where the API shows the effect, as `answers`. A guess may be several
    commands."""

    name: str
    guesses: tuple[str, ...]
    shows: str = ""
    path: str = ""
    answers: str = ""


JOBS = (
    Job(
        "subnet",
        ("create subnet 10.40.10.0/24 --gateway 10.40.10.1", "create subnet cidr=10.40.10.0/24 vlan=20"),
        path="/subnets",
        answers=r'"gateway":"10\.40\.10\.1"',
    ),
    Job(
        "name and VLAN of a subnet",
        ("subnets set 10.40.10.0/24 name=lab vlan=20",),
        path="/subnets",
        answers='"name":"lab".*"vlan_id":20',
    ),
    Job(
        "pool",
        (
            "create pool subnet=lab range=10.40.10.100-10.40.10.199",
            "create pool subnet=lab start=10.40.10.100 end=10.40.10.199",
        ),
        path="/pools",
        answers=r'"end_ip":"10\.40\.10\.199"',
    ),
    Job(
        "reservation",
        ("reserve 10.40.10.20 02:00:00:00:00:20", "create reservation ip=10.40.10.20 mac=02:00:00:00:00:20"),
        path="/reservations",
        answers=r'"ip":"10\.40\.10\.20".*"mac":"02:00:00:00:00:20"',
    ),
    Job("show a subnet", ("show lab", "subnets lab"), shows=r"10\.40\.10\.1"),
    Job("who has an address", ("who 10.40.10.150",), shows="02:00:00:00:00:99"),
    Job("who had an address", ("who 10.40.10.150 --at today",), shows=""),
    Job("free address", ("free lab",), shows=r"10\.40\.10\."),
    Job("search", ("search lab",), shows="subnet"),
    Job("leases of a subnet", ("leases lab", "leases --subnet lab"), shows="02:00:00:00:00:99"),
    Job(
        "lease time",
        ("subnets set lab lease-time=1h", "update subnet lab lease_time_seconds=1h"),
        path="/subnets",
        answers='"lease_time_seconds":3600',
    ),
    Job(
        "DNS option",
        ("set subnet lab dns=10.40.10.5", "create option subnet=lab code=dns-servers value=10.40.10.5"),
        path="/options",
        answers=r'"code":6,.*"10\.40\.10\.5"',
    ),
    Job(
        "delete an option",
        ("delete option dns --subnet lab", "delete option 6 --subnet lab"),
        path="/options",
        answers='^(?!.*"code":6,)',
    ),
    Job(
        "next subnet",
        ("next 10.40.0.0/16 /24", "next-subnet 10.40.0.0/16 --length /24"),
        shows="10.40.0.0/24",
    ),
    Job(
        "delete a subnet", ("delete subnet 10.40.0.0/24",), path="/subnets", answers=r"^(?!.*10\.40\.0\.0/24)"
    ),
    Job("zone", ("create zone lab.example",), path="/dns-zones", answers=r'"name":"lab\.example"'),
    Job(
        "record",
        (
            "create record www.lab.example A 10.40.10.5",
            "create record zone=lab.example name=www type=A value=10.40.10.5",
        ),
        path="/dns-records?type=A",
        answers=r'"fqdn":"www\.lab\.example".*"data":"10\.40\.10\.5"',
    ),
    Job(
        "reverse zone",
        ("create zone 10.40.10.0/24", "create zone name=10.40.10.0/24"),
        path="/dns-zones",
        answers=r'"name":"10\.40\.10\.in-addr\.arpa"',
    ),
    Job(
        "names from leases",
        ("set subnet lab ddns=true", "set subnet lab ddns_enabled=yes"),
        path="/subnets",
        answers='"ddns_enabled":true',
    ),
    Job("audit", ("log", "audit"), shows="lab"),
    Job("events of an address", ("history 10.40.10.150", "lease-events --ip 10.40.10.150"), shows="at"),
    Job("unknown relays", ("relays unknown", "trusted-relays unknown"), shows=""),
    Job(
        "class",
        ("create class name=phones vendor-class=AcmePhone",),
        path="/client-classes",
        answers='"vendor_class":"AcmePhone"',
    ),
    Job(
        "exclude",
        ("exclude 10.40.10.2", "create exclude subnet=lab ip=10.40.10.2"),
        path="/excludes",
        answers=r'"end_ip":"10\.40\.10\.2"',
    ),
    Job("backup", ("backup {folder}/saved",), shows=""),
    Job(
        "tokens",
        ("token create name=ci role=viewer && token list && token revoke ci",),
        path="/tokens",
        answers='^(?!.*"name":"ci")',
    ),
    Job("release", ("release 10.40.10.150",), shows="released"),
    Job("CSV out", ("export --format csv", "export --format csv -o {folder}/out"), shows=""),
    Job(
        "CSV into a subnet",
        ("import {folder}/hosts.csv", "import {folder}/hosts.csv --apply"),
        path="/reservations",
        answers=r"10\.40\.10\.33",
    ),
    Job(
        "webhook",
        ("create webhook url=https://hooks.example.net/ipam events=lease.*",),
        path="/webhooks",
        answers=r"hooks\.example\.net",
    ),
    Job("drain", ("drain", "drain dhcp-a"), path="/nodes", answers='"state":"draining"'),
    Job(
        "change the gateway",
        ("set subnet lab gateway=10.40.10.254",),
        path="/subnets",
        answers=r'"gateway":"10\.40\.10\.254"',
    ),
    Job(
        "grow a subnet", ("set subnet lab cidr=10.40.10.0/23",), path="/subnets", answers=r"10\.40\.10\.0/23"
    ),
    Job("use of pools", ("pools", "pools list"), shows="used|utili[sz]ation"),
)


class Desk:
    """A shell of the server's host. `database`: the URL of the server's database."""

    def __init__(self, served: Served, database: str, folder: Path) -> None:
        self.served, self.database, self.folder = served, database, folder

    def types(self, line: str) -> tuple[int, str]:
        """Return status and output of a command line; of several the first that fails, or the last."""
        status, output = 0, ""
        for command in line.format(folder=self.folder).split(" && "):
            status, output = self.runs(shlex.split(command))
            if status:
                break
        return status, output

    def runs(self, words: list[str]) -> tuple[int, str]:
        environment = {
            "IPAM_API_URL": self.served.url,
            "IPAM_API_TOKEN": self.served.token,
            "IPAM_DATABASE_URL": self.database,
            "IPAM_DATA_DIR": str(Path(f"/proc/{self.served.pid}/cwd").resolve()),
        }
        ran = CliRunner().invoke(main, words, env=environment, catch_exceptions=False)
        return ran.exit_code, ran.output

    def tries(self, job: Job) -> tuple[int | None, str]:
        """Return which guess did the job, None if none did, and what the guesses printed."""
        said: list[str] = []
        for number, guess in enumerate(job.guesses[:TRIES], 1):
            status, output = self.types(guess)
            said.append(f"$ ipam {guess}\n[{status}] {output}")
            if status == 0 and re.search(job.shows, output) and self.has_effect(job):
                return number, "\n".join(said)
        return None, "\n".join(said)

    def has_effect(self, job: Job) -> bool:
        if not job.path:
            return True
        with Client(self.served.url, self.served.token) as client:
            answer = client.request("GET", job.path)
        return re.search(job.answers, json.dumps(answer, separators=(",", ":"))) is not None


@pytest.fixture
def desk(served: Served, module_database: str, tmp_path: Path) -> Desk:
    (tmp_path / "hosts.csv").write_text("ip,mac,hostname\n10.40.10.33,02:00:00:00:00:33,scanner\n")
    found = Desk(served, module_database, tmp_path)
    assert found.types("create prefix 10.40.0.0/16")[0] == 0
    return found


def grant(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(LEASE, CLIENT)
        connection.execute(NODES)


def test_everyday_jobs_succeed_as_guessed(desk: Desk) -> None:
    done: dict[str, int] = {}
    failed: dict[str, str] = {}
    for job in JOBS:
        if job.name == "who has an address":
            grant(desk.database)
        tries, said = desk.tries(job)
        if tries is None:
            failed[job.name] = said
        else:
            done[job.name] = tries
    print("\n".join(f"{tries}  {name}" for name, tries in done.items()))
    assert len(done) >= LEAST, "\n\n".join(failed.values())
    assert not failed, "\n\n".join(failed.values())
