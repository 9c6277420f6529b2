"""The plan as dhcpd.conf."""

import re
from pathlib import Path

import pytest
from exporters.campus import CAMPUS4, CAMPUS6
from exporters.generated import plans
from exporters.plans import Document, given, objects
from exporters.readers import dhcpd_reads
from exporters.test_kea import EN, ENDLESS, INFINITE, INSTANCES, LL, LLT, NOT_SAID, SPLIT
from hypothesis import HealthCheck, settings
from hypothesis import given as drawn

from api.cli.importing.entries import document_of
from api.exporters.formats import written
from api.importers.isc import reader

SUBNET_FIELDS = (
    "cidr",
    "gateway",
    "lease_time_seconds",
    "next_server",
    "boot_file",
    "ntp_servers",
    "match_client_id",
)


@pytest.mark.parametrize(("document", "family"), [(CAMPUS4, 4), (CAMPUS6, 6)])
@pytest.mark.peer("dhcpd")
def test_dhcpd_reads_the_campus(document: Document, family: int, tmp_path: Path) -> None:
    dhcpd_reads(tmp_path, written(document, "isc", family=family)[0], family)


@pytest.mark.peer("dhcpd")
@settings(
    max_examples=5,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@drawn(document=plans())
def test_dhcpd_reads_a_plan(tmp_path: Path, document: Document) -> None:
    dhcpd_reads(tmp_path, written(document, "isc", family=4)[0], 4)


def test_of_a_list_each_is_a_statement_and_comes_back() -> None:
    text, lost = written(INSTANCES, "isc", family=6)
    assert [each.why for each in lost] == ["dhcpd sends the last one only"] * 2
    back = objects(document_of(reader.read(text), []), 6)
    assert [fields for path, fields in back.items() if "options" in path[-1]] == [
        fields for path, fields in objects(INSTANCES, 6).items() if "options" in path[-1]
    ]


@pytest.mark.parametrize("family", [4, 6])
def test_parts_of_an_infinite_time_are_infinite(family: int) -> None:
    """Lease times, and T1 and T2 or the preferred lifetime."""
    text, _ = written(ENDLESS, "isc", family=family)
    times = re.findall(r"(?:lease-time|lifetime|renewal-time|rebinding-time) (\d+);", text)
    assert times == [str(INFINITE)] * (5 if family == 4 else 4)


@pytest.mark.parametrize("family", [4, 6])
@pytest.mark.peer("dhcpd")
def test_dhcpd_reads_infinite_times(family: int, tmp_path: Path) -> None:
    dhcpd_reads(tmp_path, written(ENDLESS, "isc", family=family)[0], family)


def test_a_campus_comes_back() -> None:
    """Subnets with their fields, hosts with an address, and the addresses that are given."""
    back = document_of(reader.read(written(CAMPUS4, "isc", family=4)[0]), [])
    assert served(back) == served(CAMPUS4)
    assert hosts(back) == hosts(CAMPUS4)
    assert given(back) == given(CAMPUS4)


def subnets(document: Document) -> list[Document]:
    found = [each for prefix in document["prefixes"] for each in prefix["subnets"]]
    return [each for each in found if each.get("pools")]


def served(document: Document) -> list[Document]:
    return [{name: each.get(name) for name in SUBNET_FIELDS} for each in subnets(document)]


def hosts(document: Document) -> set[tuple[str, str]]:
    found = [each for subnet in subnets(document) for each in subnet["reservations"] if each["ip"]]
    known = [each for each in found if not {"duid", "circuit_id"} & set(each)]
    return {(each["ip"], (each.get("mac") or each["client_id"]).replace(":", "")) for each in known}


def test_ranges_are_split_around_what_is_given_to_nobody_and_around_hosts() -> None:
    text, lost = written(SPLIT, "isc")
    ranges = re.findall(r"range (\S+) (\S+);", text)
    assert ("192.0.2.10", "192.0.2.11") in ranges
    back = document_of(reader.read(text), [])
    assert given(back) == given(SPLIT) - {"192.0.2.12"}
    assert {each.what.split(" in ")[0] for each in lost} >= {"excludes 192.0.2.5", "assignments 192.0.2.15"}


def test_what_dhcpd_cannot_say_is_told_by_name() -> None:
    _, lost = written(CAMPUS4, "isc", family=4)
    told = {each.what for each in lost}
    inside = " in subnets 10.40.1.0/24"
    assert {
        "client-classes closed: deny",
        "client-classes cable",
        "subnets 10.40.1.0/24: name office",
        f"reservations 10.40.1.12{inside}",
        f"reservations 10.40.1.13{inside}",
        f"options 15{inside}: always_send",
    } <= told


@pytest.mark.parametrize("duid", [LLT, EN, LL])
@pytest.mark.peer("dhcpd")
def test_the_duid_of_the_servers_goes_with_the_plan(duid: bytes, tmp_path: Path) -> None:
    """An import reads the same of it."""
    text, _ = written(CAMPUS6, "isc", family=6, server_duid=duid)
    [warning] = [each for each in reader.read(text).warnings if each.what == "server-duid"]
    assert f"ipam server-duid set {duid.hex(':')}" in warning.why
    dhcpd_reads(tmp_path, text, 6)


@pytest.mark.parametrize("duid", [*NOT_SAID, bytes.fromhex("0003000702")])
def test_a_duid_that_dhcpd_cannot_say_is_told(duid: bytes) -> None:
    text, lost = written(CAMPUS6, "isc", family=6, server_duid=duid)
    assert f"server-duid {duid.hex(':')}" in [each.what for each in lost]
    assert "server-duid" not in text
    assert written(CAMPUS4, "isc", family=4, server_duid=LLT) == written(CAMPUS4, "isc", family=4)
