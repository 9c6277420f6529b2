"""`ipam import` against the API: a plan is rehearsed, made, made again without effect, cut short, and taken back."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from cli.serving import Served, ipam, serving
from importers.accounting import SOURCES

from api.cli.importing.making import Importing
from api.client import Client
from api.importers import formats
from api.importers.table.columns import columns_from

FAMILIES = (
    *("prefixes", "subnets", "pools", "reservations", "options", "client-classes", "option-definitions"),
    *("excludes", "assignments"),
)
KEA4 = SOURCES / "kea4.json"
CAMPUS_SUBNETS = 8
IN_EACH = 130


@pytest.fixture(scope="module")
def service(module_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(module_database, tmp_path_factory.mktemp("api"), managed_address_limit="3000") as running:
        yield running


@pytest.fixture
def client(service: Served) -> Iterator[Client]:
    with Client(service.url, service.token) as client:
        yield client


COUNTED = ("used", "used_exact", "utilisation", "as_of")


def there(client: Client) -> dict[str, list[dict[str, Any]]]:
    """Without what the service counts by itself, at any time."""
    return {family: [stored(row) for row in client.items(f"/{family}")] for family in FAMILIES}


def stored(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in COUNTED}


def ids(client: Client) -> set[str]:
    return {row["id"] for rows in there(client).values() for row in rows}


@pytest.fixture
def kea(tmp_path: Path) -> Path:
    path = tmp_path / "kea.json"
    path.write_bytes(KEA4.read_bytes())
    return path


@pytest.fixture
def campus(tmp_path: Path) -> Path:
    """More than one request makes it."""
    subnets = [
        {
            "subnet": f"10.7.{n}.0/24",
            "pools": [{"pool": f"10.7.{n}.200-10.7.{n}.249"}],
            "reservations": [
                {"hw-address": f"02:00:00:00:{n:02x}:{h:02x}", "ip-address": f"10.7.{n}.{h}"}
                for h in range(1, IN_EACH + 1)
            ],
        }
        for n in range(CAMPUS_SUBNETS)
    ]
    path = tmp_path / "campus.json"
    path.write_text(json.dumps({"Dhcp4": {"subnet4": subnets}}))
    return path


def test_a_plan_is_rehearsed_made_twice_and_taken_back(
    service: Served, client: Client, kea: Path, tmp_path: Path
) -> None:
    before = ids(client)
    plan_file = tmp_path / "plan.json"
    told = ipam(service, "import", str(kea), "--plan", str(plan_file)).output
    assert "4 subnets" in told
    assert "is of a subnet or a class" in told
    plan = json.loads(plan_file.read_bytes())

    rehearsed = ipam(service, "import", str(kea), "--dry-run").output
    assert f"{len(plan['objects'])} to create" in rehearsed
    assert ids(client) == before

    ipam(service, "import", str(kea), "--apply")
    made = there(client)
    assert sum(map(len, made.values())) == len(before) + len(plan["objects"])
    printer = next(row for row in made["reservations"] if row["hostname"] == "printer")
    assert (printer["ip"], printer["mac"]) == ("192.0.2.10", "1a:1b:1c:1d:1e:1f")
    (phones,) = (row for row in made["client-classes"] if row["name"] == "phones")
    assert printer["class_id"] == phones["id"]

    again = ipam(service, "import", str(kea), "--apply").output
    assert "0 created" in again
    assert there(client) == made

    assert f"{len(plan['objects'])} removed" in ipam(service, "import", str(kea), "--undo").output
    assert ids(client) == before
    assert "so there is nothing to undo" in ipam(service, "import", str(kea), "--undo", status=1).output


HOSTS = """ip,mac,hostname
10.50.9.10,02:00:00:00:09:10,printer
10.50.9.11,02-00-00-00-09-11,plotter
10.50.9.12,,scanner
"""


def test_rows_go_into_subnets_that_exist(service: Served, client: Client, tmp_path: Path) -> None:
    """The subnet and its prefix stay as they are, and the objects of the rows alone are undone."""
    prefix = client.create("prefixes", cidr="10.50.0.0/16")
    subnet = client.create(
        "subnets", prefix_id=prefix.id, cidr="10.50.9.0/24", name="one", gateway="10.50.9.1"
    )
    before = there(client)
    path = tmp_path / "r.csv"
    path.write_text(HOSTS)
    offline = ipam(service, "import", str(path)).output
    assert "lies in no network of the table" in offline
    assert "--dry-run and --apply also use the subnets of the server" in offline
    rehearsed = ipam(service, "import", str(path), "--dry-run").output
    assert "3 to create; the server checked 3 of them" in rehearsed
    told = ipam(service, "import", str(path), "--apply").output
    assert f"3 created, and recorded in {path}.made for --undo" in told
    assert "exists already" not in told
    made = there(client)
    assert {row["ip"]: row["hostname"] for row in made["reservations"]} == {
        "10.50.9.10": "printer",
        "10.50.9.11": "plotter",
    }
    assert [row["ip"] for row in made["assignments"]] == ["10.50.9.12"]
    assert {row["subnet_id"] for row in made["reservations"]} == {subnet.id}
    assert (made["subnets"], made["prefixes"]) == (before["subnets"], before["prefixes"])
    again = ipam(service, "import", str(path), "--apply").output
    assert "0 created\n" in again
    assert "for --undo" not in again
    assert "3 removed" in ipam(service, "import", str(path), "--undo").output
    assert there(client) == before
    client.delete("prefixes", prefix.id, cascade=True)


def test_a_row_is_counted_and_reported_once(service: Served, tmp_path: Path) -> None:
    """The header is no row, and what follows from a wrong field is no second fault."""
    path = tmp_path / "r.csv"
    path.write_text("ip,mac,network\n10.50.9.10,02:00:00:00:09:10,10.50.9.0/24\n10.50.9.11,zz,10.50.9.0/24\n")
    told = ipam(service, "import", str(path)).output.splitlines()
    assert told[0].endswith("1 reservation; 1 managed address")
    assert told[1:] == [
        "2 statements: 1 imported, 1 not imported",
        "dropped:",
        "  line 3: reservations 10.50.9.11: is left out: mac zz must be a hardware address of six octets, "
        "such as aa:bb:cc:dd:ee:ff",
    ]


def test_rows_that_are_dropped_end_with_status_1(service: Served, client: Client, tmp_path: Path) -> None:
    """With a mention of no file that is not there."""
    prefix = client.create("prefixes", cidr="10.50.0.0/16")
    client.create("subnets", prefix_id=prefix.id, cidr="10.50.9.0/24")
    path = tmp_path / "r.csv"
    path.write_text(HOSTS.replace("10.50.9.11", "10.51.9.11"))
    for action in ("--dry-run", "--apply"):
        told = ipam(service, "import", str(path), action, status=1).output
        assert "lies in no network of the table and in no subnet of the server" in told
        assert "ipam: 1 of 3 rows were not imported" in told
    assert len(there(client)["reservations"]) == 1
    ipam(service, "import", str(path), "--undo")
    path.write_text(HOSTS.replace("10.50.9.", "10.51.9."))
    told = ipam(service, "import", str(path), "--apply", status=1).output
    assert "0 created\n" in told
    assert ".made" not in told
    assert not path.with_name("r.csv.made").exists()
    client.delete("prefixes", prefix.id, cascade=True)
    empty = tmp_path / "empty.conf"
    empty.write_text("authoritative;\n")
    told = ipam(service, "import", str(empty), "--format", "isc", "--apply", status=1).output
    assert "the file has nothing to import" in told


OPTIONS = {"table.csv": ("--map", "mac=Card")}
"""Of formats that are not told from the content alone."""


@pytest.mark.parametrize(
    "name",
    [
        *("kea6.json", "isc4.conf", "isc6.conf"),
        *("windows.xml", "netsh.txt", "infoblox.csv", "dnsmasq.conf", "table.csv"),
        *("cisco.txt", "mikrotik.rsc", "pfsense.xml", "opnsense.xml"),
    ],
)
def test_all_of_a_plan_can_be_made(service: Served, client: Client, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes((SOURCES / name).read_bytes())
    options = OPTIONS.get(name, ())
    planned = len(formats.read(path, columns=columns_from(options[1:])).objects)
    status = int(name in OPTIONS)  # rows of the table are dropped
    told = ipam(service, "import", str(path), "--apply", *options, status=status).output
    assert f"{planned} created" in told
    assert len(ids(client)) == planned
    again = ipam(service, "import", str(path), "--apply", *options, status=status).output
    assert "0 created" in again
    assert "is left as it is" not in again
    assert f"{planned} removed" in ipam(service, "import", str(path), "--undo").output
    assert not ids(client)


SERVER_DUID = "00:03:00:01:02:00:00:00:00:2a"
LOST_IN_KEA = [
    "client-classes port: no expression of Kea selects its clients: Kea 2.2 has no templates",
    "pools 198.51.100.10 in subnets 198.51.100.0/25: is in a subnet that is not served (dhcp_enabled false)",
    "reservations 1a:1b:1c:1d:1e:31: gives its client nothing, which Kea refuses",
    "3 objects are missing from the file or differ in it",
]


@pytest.mark.parametrize(
    ("name", "family", "lost"), [("kea4.json", "4", LOST_IN_KEA), ("kea6.json", "6", [])]
)
def test_what_was_imported_goes_out_to_kea_and_comes_back_without_a_difference(
    service: Served, client: Client, tmp_path: Path, name: str, family: str, lost: list[str]
) -> None:
    path, out = tmp_path / name, tmp_path / "out.json"
    path.write_bytes((SOURCES / name).read_bytes())
    ipam(service, "import", str(path), "--apply")
    ipam(service, "server-duid", "set", SERVER_DUID)
    told = ipam(service, "export", "--format", "kea", "--family", family, "-o", str(out)).stderr
    assert (SERVER_DUID[12:].replace(":", "") in out.read_text()) == (family == "6")
    assert told.splitlines() == lost
    again = ipam(service, "import", str(out), "--apply").output
    assert "0 created" in again
    assert "exists already" not in again
    ipam(service, "server-duid", "reset")
    ipam(service, "import", str(path), "--undo")
    assert not ids(client)


def test_what_is_there_stays_as_it_is_and_is_not_undone(service: Served, client: Client, kea: Path) -> None:
    prefix = client.request("POST", "/prefixes", {"cidr": "192.0.0.0/16"})
    subnet = client.request(
        "POST", "/subnets", {"prefix_id": prefix["id"], "cidr": "192.0.2.0/24", "description": "ours"}
    )
    told = ipam(service, "import", str(kea), "--apply").output
    assert "subnets 192.0.2.0/24 exists already and is kept as it is: description ours -> the office" in told
    assert client.request("GET", f"/subnets/{subnet['id']}") == subnet
    ipam(service, "import", str(kea), "--undo")
    assert [row["id"] for row in client.items("/subnets")] == [subnet["id"]]
    client.delete("prefixes", prefix["id"], cascade=True)


def test_an_answer_that_was_lost_is_learnt_by_the_next_run(
    service: Served, client: Client, campus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second request is made by the server, and the connection is cut before its answer: the record knows the
    request, and its repetition tells the ids."""
    before = ids(client)
    post_once, sent = Client.post_once, []

    def cut(self: Client, path: str, body: Any, key: str | None = None) -> Any:
        answer = post_once(self, path, body, key)
        sent.append(key)
        if len(sent) == 2:
            raise httpx.ReadTimeout("cut")
        return answer

    with monkeypatch.context() as patched:
        patched.setattr(Client, "post_once", cut)
        with pytest.raises(httpx.ReadTimeout):
            ipam(service, "import", str(campus), "--apply")
    assert len(sent) == 2
    ipam(service, "import", str(campus), "--apply")
    made = there(client)
    assert len(made["reservations"]) == CAMPUS_SUBNETS * IN_EACH
    assert len(made["pools"]) == CAMPUS_SUBNETS
    ipam(service, "import", str(campus), "--undo")
    assert ids(client) == before


def test_a_tenants_plan_and_its_undoing_spare_the_default_tenant(
    service: Served, client: Client, kea: Path
) -> None:
    ipam(service, "import", str(kea), "--apply", "--tenant", "acme")
    (acme,) = (row for row in client.items("/tenants") if row["name"] == "acme")
    assert {row["tenant_id"] for row in client.items("/subnets")} == {acme["id"]}
    ipam(service, "import", str(kea), "--undo")
    assert [row for row in client.items("/tenants") if row["name"] == "acme"] == []


def test_the_managed_address_limit_is_told_before_anything_is_sent(
    service: Served, client: Client, tmp_path: Path
) -> None:
    subnet = {
        "subnet": "10.64.0.0/16",
        "reservations": [
            {
                "hw-address": f"02:00:00:01:{n >> 8:02x}:{n & 255:02x}",
                "ip-address": f"10.64.{1 + (n >> 8)}.{n & 255}",
            }
            for n in range(3001)
        ],
    }
    path = tmp_path / "many.json"
    path.write_text(json.dumps({"Dhcp4": {"subnet4": [subnet]}}))
    before = ids(client)
    told = ipam(service, "import", str(path), "--apply", status=1).output
    assert "The import needs 3001 managed addresses, and 3000 of the limit of 3000" in told
    assert ids(client) == before


LEASES = SOURCES.parent / "leases"


def test_pinned_leases_have_a_record_of_their_own(service: Served, client: Client, tmp_path: Path) -> None:
    """So that they go when they have done their work, and the rest of the plan stays."""
    path, pins = tmp_path / "kea4.json", tmp_path / "pins"
    path.write_bytes((LEASES / "plan4.json").read_bytes())
    leases = ["--pin-active-leases", str(LEASES / "kea4.csv"), "--at", "2026-03-01T00:00:00Z"]
    ipam(service, "import", str(path), "--apply")
    before = ids(client)
    told = ipam(service, "import", str(path), *leases, "--apply", "--record", str(pins)).output
    assert "kea4.csv (Kea CSV), as of 2026-03-01T00:00:00.000Z: 16 leases" in told
    assert "3 made into reservations (line 3, 9-10)" in told
    assert "3 created, " in told
    pinned = {row["ip"]: row for row in client.items("/reservations", tag="pinned")}
    assert set(pinned) == {"192.0.2.101", "192.0.2.106", "192.0.2.107"}
    assert pinned["192.0.2.107"]["mac"] is None
    assert "3 removed" in ipam(service, "import", str(path), "--undo", "--record", str(pins)).output
    assert ids(client) == before
    ipam(service, "import", str(path), "--undo")


def test_pinned_leases_count_towards_the_cap(service: Served, client: Client, tmp_path: Path) -> None:
    path, leases = tmp_path / "kea4.json", tmp_path / "leases.csv"
    path.write_text('{"Dhcp4": {"subnet4": [{"subnet": "10.64.0.0/16"}]}}')
    header = (LEASES / "kea4.csv").read_text().splitlines()[0]
    rows = [
        f"10.64.{n >> 8}.{n & 255},02:00:00:00:{n >> 8:02x}:{n & 255:02x},,4294967295,0,1,0,0,,0,,0"
        for n in range(1, 3008)
    ]
    leases.write_text("\n".join([header, *rows]))
    before, report = ids(client), tmp_path / "report.json"
    pinning = ["--pin-active-leases", str(leases), "--apply", "--report", str(report)]
    told = ipam(service, "import", str(path), *pinning, status=1).output
    assert (
        "The import needs 3007 managed addresses, and 3000 of the limit of 3000 are free: 7 too many" in told
    )
    assert json.loads(report.read_bytes())["managed_limit"] == {"limit": 3000, "managed_ips": 0}
    assert ids(client) == before


def test_what_is_wrong_with_leases_is_told(service: Served, kea: Path, tmp_path: Path) -> None:
    path = tmp_path / "leases"
    path.write_text("hello")
    pinning = ["import", str(kea), "--pin-active-leases", str(path)]
    assert "leases:1: has no leases of a format that is known" in ipam(service, *pinning, status=1).output
    assert "must be a time such as" in ipam(service, *pinning, "--at", "some day", status=2).output


def test_what_the_server_refuses_names_file_and_line(service: Served, client: Client, kea: Path) -> None:
    taken = client.request("POST", "/prefixes", {"cidr": "203.0.113.0/27"})
    told = ipam(service, "import", str(kea), "--apply", status=1).output
    assert f"{kea}:" in told
    assert "203.0.113.0/26" in told
    assert len(list(client.items("/subnets"))) == 0
    client.delete("prefixes", taken["id"])


def test_undoing_stops_where_others_have_made_something_below(
    service: Served, client: Client, kea: Path
) -> None:
    ipam(service, "import", str(kea), "--apply")
    (subnet,) = (row for row in client.items("/subnets") if row["cidr"] == "203.0.113.0/26")
    pool = client.request(
        "POST", f"/subnets/{subnet['id']}/pools", {"start_ip": "203.0.113.10", "end_ip": "203.0.113.12"}
    )
    before = ids(client)
    assert "cannot be removed" in ipam(service, "import", str(kea), "--undo", status=1).output
    assert ids(client) == before
    client.delete("pools", pool["id"])
    ipam(service, "import", str(kea), "--undo")
    assert not ids(client)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"Dhcp4": {\n"subnet4": [}', "broken.json:2: a value is expected"),
        ("hello", "broken.json:1: has no known format"),
    ],
)
def test_a_file_that_cannot_be_read_names_its_line(
    service: Served, tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text)
    assert said in ipam(service, "import", str(path), status=1).output


def test_a_map_is_of_tables(service: Served, kea: Path) -> None:
    told = ipam(service, "import", str(kea), "--format", "kea", "--map", "ip=Address", status=2).output
    assert "--map needs --format csv" in told
    assert "says no column" in ipam(service, "import", str(kea), "--map", "where=Address", status=1).output


def test_the_plan_alone_goes_to_standard_output(service: Served, kea: Path) -> None:
    ran = ipam(service, "import", str(kea), "--plan", "-")
    assert json.loads(ran.stdout)["format"] == "kea4"
    assert "4 subnets" in ran.stderr


def test_nothing_is_sent_where_nothing_can_be_noted(service: Served, client: Client, kea: Path) -> None:
    record = kea.parent / "missing" / "made"
    told = ipam(service, "import", str(kea), "--apply", "--record", str(record), status=1).output
    assert f"{record}: No such file or directory: name another file with --record" in told
    assert not ids(client)


def test_a_file_that_is_no_record_is_refused(service: Served, kea: Path) -> None:
    kea.with_name("kea.json.made").write_text('{"made": 3}\n')
    assert "is not the record of an import" in ipam(service, "import", str(kea), "--apply", status=1).output


def test_keys_follow_from_run_and_operations(tmp_path: Path, service: Served, client: Client) -> None:
    from api.cli.importing.record import Record

    record = Record(tmp_path / "made", client.url)
    one, other = [{"op": "create", "path": "/prefixes"}], [{"op": "create", "path": "/subnets"}]
    keys = [Importing(client, record, "x").key(each) for each in (one, one, other)]
    assert keys[0] == keys[1] != keys[2]
