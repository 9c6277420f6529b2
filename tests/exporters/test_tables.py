"""The plan as tables."""

import csv
import io

from click.testing import CliRunner
from exporters.campus import CAMPUS4
from exporters.plans import Document
from exporters.test_kea import SPLIT, UNSAYABLE

from api.cli import main
from api.exporters import netbox, tables


def rows(files: dict[str, str], name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files[name])))


def count(document: Document, family: str) -> int:
    return sum(len(subnet.get(family, [])) for prefix in document["prefixes"] for subnet in prefix["subnets"])


def test_every_object_is_a_row_that_says_what_it_stands_in() -> None:
    files = tables.write(CAMPUS4)
    assert len(rows(files, "pools.csv")) == count(CAMPUS4, "pools")
    assert len(rows(files, "reservations.csv")) == count(CAMPUS4, "reservations") + len(
        CAMPUS4["reservations"]
    )
    (office,) = (each for each in rows(files, "subnets.csv") if each["name"] == "office")
    assert office["inside"] == "prefixes 10.40.1.0/24"
    assert (office["ntp_servers"], office["match_client_id"]) == ("10.40.0.123", "true")
    assert office["custom"] == '{"cost":{"centre":[1,2]}}'
    options = {(each["inside"], each["code"]): each["payload"] for each in rows(files, "options.csv")}
    assert options["", "6"] == '{"addresses":["10.40.0.53","10.40.0.54"]}'
    assert options["pools 10.40.1.100", "6"] == '{"addresses":["10.40.1.53"]}'


def test_other_tenants_are_named() -> None:
    prefixes = rows(tables.write(UNSAYABLE), "prefixes.csv")
    assert [(each["tenant"], each["cidr"]) for each in prefixes] == [
        ("", "192.0.0.0/16"),
        ("acme", "203.0.113.0/24"),
    ]


def test_netbox_gets_prefixes_ranges_and_addresses() -> None:
    found = rows(netbox.write(UNSAYABLE), "prefixes.csv")
    assert [(each["prefix"], each["status"]) for each in found] == [
        ("192.0.0.0/16", "container"),
        ("192.0.2.0/24", "active"),
        ("203.0.113.0/24", "active"),
    ]
    files = netbox.write(SPLIT)
    assert [each["start_address"] for each in rows(files, "ip-ranges.csv")][:2] == [
        "192.0.2.0/24",
        "192.0.2.250/24",
    ]
    assert [
        (each["address"], each["status"], each["dns_name"], each["comments"])
        for each in rows(files, "ip-addresses.csv")
    ] == [
        ("192.0.2.12/24", "reserved", "", ""),
        ("192.0.2.15/24", "active", "core", "Aliases: www, ftp"),
    ]


def test_tables_need_a_folder() -> None:
    ran = CliRunner().invoke(main, ["export", "--format", "csv"])
    assert ran.exit_code == 2
    assert "name a folder with -o FOLDER" in ran.stderr
