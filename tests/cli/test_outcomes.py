"""What commands report of what they did: a line, the fields that matter, secrets once; and the outcome of a webhook's
test by a real worker."""

import json
import os
import pty
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import psycopg
import pytest
from cli.serving import IPAM, Served, ipam, serving
from cli.test_verbs import ANN, BOB, lease

from api.client import Client
from ipam_core.model.ids import new_id
from ipam_core.services.webhooks import MOST_TESTS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("api")


@pytest.fixture(scope="module")
def service(module_database: str, folder: Path) -> Iterator[Served]:
    with serving(module_database, folder) as running:
        yield running


@pytest.fixture
def database(module_database: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(module_database, autocommit=True) as connection:
        yield connection
        connection.execute("delete from lease")


@pytest.fixture
def site(served: Served) -> Served:
    with Client(served.url, served.token) as client:
        prefix = client.create("prefixes", cidr="10.50.0.0/16")
        subnet = client.create("subnets", prefix_id=prefix.id, cidr="10.50.9.0/24", name="one")
        client.create(
            "pools", subnet_id=subnet.id, name="desks", start_ip="10.50.9.100", end_ip="10.50.9.199"
        )
    return served


def test_a_new_object_is_a_line_and_what_matters(site: Served) -> None:
    made = ipam(
        site, "create", "subnets", "cidr=10.50.8.0/24", "name=lab", "gateway=10.50.8.1", "dhcp_enabled=true"
    )
    head, *rows = made.stdout.splitlines()
    assert head == "created subnet 10.50.8.0/24 lab"
    told = dict(row.split(maxsplit=1) for row in rows)
    assert list(told)[-1] == "id"
    identifier = told.pop("id")
    assert told == {
        "prefix": "10.50.0.0/16",
        "cidr": "10.50.8.0/24",
        "name": "lab",
        "gateway": "10.50.8.1",
        "dhcp_enabled": "yes",
    }
    whole = json.loads(ipam(site, "subnets", "show", "lab", "--json").stdout)
    assert whole["id"] == identifier
    assert len(whole) > 30
    option = ipam(site, "create", "options", "subnet=lab", "code=15", "string=example.net").stdout
    assert option.splitlines()[0] == "created option domain-name (15)"


def test_a_change_is_a_line(site: Served) -> None:
    changed = ipam(site, "update", "subnets", "one", "gateway=10.50.9.1", "lease_time_seconds=3600")
    assert changed.stdout == (
        "changed subnet 10.50.9.0/24 one: gateway (none) -> 10.50.9.1, lease_time_seconds 86400 -> 3600\n"
    )
    assert ipam(site, "update", "subnets", "one", "gateway=10.50.9.1").stdout == (
        "subnet 10.50.9.0/24 one is unchanged\n"
    )
    whole = json.loads(ipam(site, "update", "subnets", "one", "vlan_id=7", "--json").stdout)
    assert (whole["vlan_id"], whole["name"]) == (7, "one")


def test_leases_that_will_be_refused_are_counted(site: Served, database: psycopg.Connection[Any]) -> None:
    lease(database, "10.50.9.100", ANN, "ann")
    lease(database, "10.50.9.190", BOB, "bob")
    refused = "; 1 active lease will be refused at its next renewal\n"
    excluded = ipam(
        site, "create", "excludes", "subnet=one", "start_ip=10.50.9.100", "end_ip=10.50.9.101"
    ).stdout
    assert excluded.startswith(f"created exclude 10.50.9.100-10.50.9.101{refused}")
    assert (
        ipam(site, "delete", "excludes", "10.50.9.100").stdout == "deleted exclude 10.50.9.100-10.50.9.101\n"
    )
    shorter = ipam(site, "update", "pools", "desks", "end_ip=10.50.9.180").stdout
    assert (
        shorter == f"changed pool 10.50.9.100-10.50.9.180 desks: end_ip 10.50.9.199 -> 10.50.9.180{refused}"
    )
    gone = json.loads(ipam(site, "delete", "pools", "desks", "--json").stdout)
    assert gone["name"] == "desks"


def test_a_deletion_in_cascade_tells_what_fell(site: Served, database: psycopg.Connection[Any]) -> None:
    """A script is not asked."""
    lease(database, "10.50.9.100", ANN, "ann")
    assert "1 pools" in ipam(site, "delete", "subnets", "one", status=1).stderr
    assert ipam(site, "delete", "subnets", "one", "--cascade").stdout == (
        "deleted subnet 10.50.9.0/24 one with 1 pool; 1 active lease will be refused at its next renewal\n"
    )


def on_terminal(served: Served, answer: str, *arguments: str) -> tuple[int, str]:
    """Return exit status and output of a command whose question is answered on a terminal."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"IPAM_API_URL": served.url, "IPAM_API_TOKEN": served.token, "TERM": "dumb"}
    process = subprocess.Popen(
        [*IPAM, *arguments], env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    os.write(ours, f"{answer}\n".encode())
    shown = b""
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:  # how Linux reports that the other side is closed
        pass
    os.close(ours)
    return process.wait(30), shown.decode()


def test_a_deletion_in_cascade_asks_on_a_terminal(site: Served, database: psycopg.Connection[Any]) -> None:
    """With the text of a dry run; --yes does not ask."""
    lease(database, "10.50.9.100", ANN, "ann")
    deletion = ("delete", "subnets", "one", "--cascade")
    status, shown = on_terminal(site, "n", *deletion)
    assert status == 1, shown
    assert "! 1 active lease would be refused at its next renewal:" in shown
    assert "ann" in shown
    assert "subnet 10.50.9.0/24 one with 1 pool would be deleted" in shown
    assert "Delete subnet 10.50.9.0/24 one with everything below? [y/N]" in shown
    assert "office" not in shown
    assert "10.50.9.0/24" in ipam(site, "subnets").stdout
    status, shown = on_terminal(site, "", *deletion, "--yes")
    assert (status, "[y/N]" in shown, "deleted subnet" in shown) == (0, False, True), shown


def test_secrets_come_first_and_are_shown_once(site: Served) -> None:
    for made in (
        ipam(site, "create", "tokens", "name=robot", "role=viewer"),
        ipam(site, "tokens", "rotate", "robot"),
    ):
        assert re.match(r"token: ipam_live_\w+\n", made.stdout)
        assert made.stdout.count("ipam_live_") == 2  # the prefix by which the token is found
        assert "Store the token now: it is shown only once." in made.stderr
    assert "ipam_live_" not in ipam(site, "delete", "tokens", "robot").stdout
    url = "https://hooks.example/once"
    for made in (
        ipam(site, "create", "webhooks", f"url={url}", "events=lease.granted"),
        ipam(site, "webhooks", "rotate", url),
    ):
        assert re.match(r"signing secret: whsec_\S+\n", made.stdout)
        assert made.stdout.count("whsec_") == 1
        assert "Store the signing secret now: it is shown only once." in made.stderr
    ipam(site, "delete", "webhooks", url)


def test_a_zone_that_is_not_served_says_so(site: Served) -> None:
    told = ipam(site, "create", "dns-zones", "name=unserved.test").stderr
    assert told == (
        "This zone is not served yet. To serve it with ipam dns: "
        "ipam update dns-zones unserved.test dns_enabled=true\n"
    )
    ipam(site, *told.rpartition(": ipam ")[2].split())
    assert ipam(site, "create", "dns-zones", "name=served.test", "dns_enabled=true").stderr == ""
    ipam(site, "delete", "dns-zones", "unserved.test", "served.test")


class Hook(BaseHTTPRequestHandler):
    """Receiver that accepts messages to /good only."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(204 if self.path == "/good" else 500)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


def await_worker(served: Served) -> None:
    """The commands wait only where a worker reports."""
    deadline = time.monotonic() + 60
    while "ready" not in ipam(served, "nodes", "--role", "worker").stdout:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_webhook_test_waits_for_its_outcome(site: Served, module_database: str, folder: Path) -> None:
    """Within a bound where no worker runs."""
    receiver = HTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    urls = [f"http://127.0.0.1:{receiver.server_port}/{name}" for name in ("good", "bad")]
    for url in urls:
        ipam(site, "create", "webhooks", f"url={url}", "events=lease.granted")
    waited = ipam(site, "webhooks", "test", urls[0], "--wait", "0.1", status=1).stdout
    assert f"pending webhook.ping to {urls[0]}. Does a worker run (ipam nodes)?" in waited
    settings = {
        "database_url": module_database,
        "data_dir": str(folder),
        "health_listen": "127.0.0.1:0",
        "outbound_allow": "127.0.0.0/8",
    }
    environment = os.environ | {f"IPAM_{name.upper()}": value for name, value in settings.items()}
    worker = subprocess.Popen([*IPAM, "worker"], env=environment, cwd=folder, stderr=subprocess.DEVNULL)
    try:
        await_worker(site)
        good = ipam(site, "webhooks", "test", urls[0], "--wait", "60").stdout
        assert re.fullmatch(
            rf"delivered webhook\.ping to {re.escape(urls[0])}: status 204 after \d+ ms\n", good
        )
        bad = ipam(site, "webhooks", "test", urls[1], "--wait", "60", status=1).stdout
        assert bad.startswith(f"not delivered webhook.ping to {urls[1]}: ")
        assert "500" in bad
        assert "; next attempt at 20" in bad
    finally:
        worker.terminate()
        worker.wait(30)
        receiver.shutdown()
    for url in urls:
        ipam(site, "delete", "webhooks", url, "--cascade")


SENT = """
insert into webhook_delivery (id, webhook_no, event, payload)
select %s::uuid, no, 'webhook.ping', '{}' from webhook where url = %s"""


def test_a_refused_webhook_test_tells_how_long_to_wait(site: Served, module_database: str) -> None:
    """That is longer than a command waits by itself."""
    url = "https://hooks.example.net/tried"
    ipam(site, "create", "webhooks", f"url={url}", "events=lease.granted")
    with psycopg.connect(module_database) as connection:
        for _ in range(MOST_TESTS):
            connection.execute(SENT, (new_id(), url))
    told = ipam(site, "webhooks", "test", url, status=1)
    assert told.stdout == ""
    assert re.match(
        r"ipam: More than 10 tests of this webhook within five minutes; try again in \d{2,3} seconds ",
        told.stderr,
    )
    ipam(site, "delete", "webhooks", url, "--cascade")
