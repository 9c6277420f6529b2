"""The plan as Kea's configuration, and back."""

import json
import re
from pathlib import Path

import pytest
from exporters.campus import CAMPUS4, CAMPUS6
from exporters.generated import plans
from exporters.plans import Document, given, objects
from exporters.readers import kea_reads
from hypothesis import HealthCheck, settings
from hypothesis import given as drawn

from api.cli.importing.entries import document_of
from api.exporters.formats import written
from api.exporters.said import Lost
from api.exporters.site import ChoiceError
from api.importers.kea import reader
from api.importers.options import payload_of
from ipam_core.dhcp import registry
from ipam_core.dhcp.kinds.definition import OptionDef


def there_and_back(document: Document, family: int) -> tuple[Document, list[Lost]]:
    text, lost = written(document, "kea", family=family)
    return document_of(reader.read(text), []), lost


@pytest.mark.parametrize(("document", "family"), [(CAMPUS4, 4), (CAMPUS6, 6)])
def test_a_campus_comes_back_as_it_was(document: Document, family: int) -> None:
    back, lost = there_and_back(document, family)
    assert lost == []
    assert objects(back, family) == objects(document, family)


@pytest.mark.parametrize(("document", "family"), [(CAMPUS4, 4), (CAMPUS6, 6)])
@pytest.mark.peer("kea")
def test_kea_reads_the_campus(document: Document, family: int, tmp_path: Path) -> None:
    kea_reads(tmp_path, written(document, "kea", family=family)[0], family)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@drawn(plans())
def test_a_plan_comes_back_as_it_was(document: Document) -> None:
    back, lost = there_and_back(document, 4)
    assert {each.why for each in lost} <= {"in Kea options of a subnet or pool take precedence"}
    assert objects(back, 4) == objects(document, 4)


@pytest.mark.peer("kea")
@settings(
    max_examples=5,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@drawn(document=plans())
def test_kea_reads_a_plan(tmp_path: Path, document: Document) -> None:
    kea_reads(tmp_path, written(document, "kea", family=4)[0], 4)


@pytest.mark.parametrize("family", [4, 6])
@pytest.mark.peer("kea")
def test_kea_reads_every_option(family: int, tmp_path: Path) -> None:
    """In the text that is written of it, or as octets."""
    cidr = "192.0.2.0/24" if family == 4 else "2001:db8::/64"
    samples = {row.code: sample(row) for row in registry.every(family) if registry.storable(family, row.code)}
    options = [{"code": code, "payload": payload} for code, payload in samples.items() if payload]
    assert len(options) > 30
    document = {"prefixes": [{"cidr": cidr, "subnets": [{"cidr": cidr, "options": options}]}]}
    text, lost = written(document, "kea")
    assert lost == []
    kea_reads(tmp_path, text, family)


def sample(row: OptionDef) -> Document | None:
    """None of an option whose payload is octets: what Kea takes depends on them."""
    number = str((row.choices or (row.minimum or 1,))[0])
    texts = {"name": "a.example.net", "string": "text", "ascii": "text", "flag": "true"}
    texts |= {"empty": "", "routes": "10.0.0.0/8 - 192.0.2.1"}
    address = "192.0.2.1" if row.family == 4 else "2001:db8::1"
    text = texts.get(row.kind, ", ".join([address] * row.group) if row.kind == "address" else number)
    made = payload_of(row, text)
    return None if made is None or "hex" in made or row.kind == "strings" else made


INSTANCES: Document = {
    "prefixes": [
        {
            "cidr": "2001:db8::/64",
            "subnets": [
                {
                    "cidr": "2001:db8::/64",
                    "options": [
                        {
                            "code": 56,
                            "payload": {
                                "suboptions": [
                                    {"code": 3, "names": ["ntp.example"]},
                                    {"code": 1, "addresses": ["2001:db8::1"]},
                                ]
                            },
                        },
                        {
                            "code": 144,
                            "payload": {"resolvers": [{"priority": at, "name": "a.ex"} for at in (2, 1)]},
                        },
                    ],
                }
            ],
        }
    ]
}


def test_of_a_list_each_is_an_entry_and_comes_back() -> None:
    text, lost = written(INSTANCES, "kea", family=6)
    entries = json.loads(text)["Dhcp6"]["subnet6"][0]["option-data"]
    assert [each["code"] for each in entries] == [56, 56, 144, 144]
    back = objects(document_of(reader.read(text), []), 6)
    assert lost == []
    assert [fields for path, fields in back.items() if "options" in path[-1]] == [
        fields for path, fields in objects(INSTANCES, 6).items() if "options" in path[-1]
    ]


LEFT_TO_THE_LINK: Document = {
    "prefixes": [
        {
            "cidr": "2001:db8::/64",
            "subnets": [
                {
                    "cidr": "2001:db8::/64",
                    "reservations": [
                        {
                            "ip": None,
                            "duid": "01:02:03:04:05:0a",
                            "prefix": "2001:db8:9::/56",
                            "excluded_prefix": "2001:db8:9:ff::/64",
                        }
                    ],
                }
            ],
        }
    ]
}


@pytest.mark.parametrize(
    ("kind", "why"),
    [("kea", "Kea 2.2 has it for pools only"), ("isc", "dhcpd delegates prefixes whole")],
)
def test_what_a_reservation_leaves_to_the_link_is_told_as_lost(kind: str, why: str) -> None:
    """RFC 6603; the prefix is written, and the field is named with its value."""
    text, lost = written(LEFT_TO_THE_LINK, kind, family=6)
    assert "2001:db8:9::/56" in text
    assert "excluded" not in text
    [told] = lost
    assert "excluded_prefix 2001:db8:9:ff::/64" in told.what
    assert told.why.startswith(why)


INFINITE = 4294967295
ENDLESS: Document = {
    "prefixes": [
        {"cidr": cidr, "subnets": [{"cidr": cidr, "lease_time_seconds": INFINITE, "match_client_id": True}]}
        for cidr in ("192.0.2.0/24", "2001:db8::/64")
    ]
}


@pytest.mark.parametrize("family", [4, 6])
def test_parts_of_an_infinite_time_are_infinite(family: int) -> None:
    """RFC 8415 7.7; not five eighths of a large number."""
    text, lost = written(ENDLESS, "kea", family=family)
    (subnet,) = json.loads(text)[f"Dhcp{family}"][f"subnet{family}"]
    times = [value for name, value in subnet.items() if name.endswith(("lifetime", "timer"))]
    assert (set(times), lost) == ({INFINITE}, [])
    (back,) = [
        each
        for path, each in objects(document_of(reader.read(text), []), family).items()
        if "subnets" in path[-1]
    ]
    assert back["lease_time_seconds"] == INFINITE
    assert back["preferred_lifetime_seconds"] == (INFINITE if family == 6 else None)


SPLIT: Document = {
    "prefixes": [
        {
            "cidr": "192.0.2.0/24",
            "subnets": [
                {
                    "cidr": "192.0.2.0/24",
                    "gateway": "192.0.2.9",
                    "pools": [
                        {"start_ip": "192.0.2.0", "end_ip": "192.0.2.20"},
                        {"start_ip": "192.0.2.250", "end_ip": "192.0.2.255"},
                        {"start_ip": "192.0.2.30", "end_ip": "192.0.2.31"},
                    ],
                    "excludes": [
                        {"start_ip": "192.0.2.5", "end_ip": "192.0.2.7"},
                        {"start_ip": "192.0.2.30", "end_ip": "192.0.2.40"},
                    ],
                    "assignments": [{"ip": "192.0.2.15", "hostname": "core", "aliases": ["www", "ftp"]}],
                    "reservations": [{"ip": "192.0.2.12", "mac": "02:00:00:00:00:01"}],
                }
            ],
        }
    ]
}


def test_pools_are_split_around_what_is_given_to_nobody() -> None:
    back, lost = there_and_back(SPLIT, 4)
    assert given(back) == given(SPLIT)
    assert {each.what.split(" in ")[0] for each in lost} == {
        "excludes 192.0.2.5",
        "excludes 192.0.2.30",
        "assignments 192.0.2.15",
        "pools 192.0.2.30",
    }


UNSAYABLE: Document = {
    "client_classes": [
        {"name": "port", "match": {"option": 1, "relay": True, "exists": True}, "template": True},
        {"name": "loud", "match": {"option": 60, "contains": "x"}},
        {"name": "after", "priority": 200, "match": {"not": {"class": "loud"}}},
        {
            "name": "vendor",
            "vendor_class": "x",
            "options": [{"code": 6, "payload": {"addresses": ["192.0.2.1"]}}],
        },
    ],
    "dns_servers": [{"name": "ns1", "adapter": "bind_tsig"}],
    "trusted_relays": [{"cidr": "192.0.2.1/32"}],
    "tenants": [{"name": "acme", "prefixes": [{"cidr": "203.0.113.0/24"}]}],
    "prefixes": [
        {
            "cidr": "192.0.0.0/16",
            "description": "all",
            "subnets": [
                {
                    "cidr": "192.0.2.0/24",
                    "ddns_enabled": True,
                    "ping_check": True,
                    "pools": [
                        {"start_ip": "192.0.2.100", "end_ip": "192.0.2.110", "class": "loud"},
                        {"start_ip": "192.0.2.120", "end_ip": "192.0.2.130", "allocation": "sequential"},
                    ],
                    "reservations": [
                        {"ip": "192.0.2.12", "remote_id": "x"},
                        {
                            "ip": "192.0.2.13",
                            "mac": "02:00:00:00:00:01",
                            "duid": "00:01:02:03",
                            "class": "after",
                        },
                        {"ip": None, "mac": "02:00:00:00:00:02"},
                    ],
                    "options": [
                        {"code": 6, "vendor_class": "MSFT", "payload": {"addresses": ["192.0.2.1"]}},
                        {"code": 6, "payload": {"addresses": ["192.0.2.1"]}},
                        {"code": 15, "payload": {"string": "x"}, "never_send": True},
                    ],
                }
            ],
        }
    ],
}


def test_what_kea_cannot_say_is_told_by_name() -> None:
    text, lost = written(UNSAYABLE, "kea")
    inside = " in subnets 192.0.2.0/24"
    assert sorted(each.what for each in lost) == sorted(
        [
            "client-classes port",
            "client-classes loud",
            "client-classes after",
            "client-classes vendor: option 6",
            "dns-servers ns1",
            "trusted-relays 192.0.2.1/32",
            "tenants acme",
            "prefixes 192.0.0.0/16",
            "prefixes 192.0.0.0/16: description all",
            "subnets 192.0.2.0/24: ddns_enabled True",
            "subnets 192.0.2.0/24: ping_check True",
            f"pools 192.0.2.100{inside}",
            f"pools 192.0.2.120{inside}: allocation sequential",
            f"reservations 192.0.2.12{inside}",
            f"reservations 192.0.2.13{inside}: duid 00:01:02:03",
            f"reservations 192.0.2.13{inside}: class after",
            f"reservations 02:00:00:00:00:02{inside}",
            f"options 6{inside}",
            f"options 15{inside}",
        ]
    )
    subnet = json.loads(text)["Dhcp4"]["subnet4"][0]
    assert [each["pool"] for each in subnet["pools"]] == ["192.0.2.120 - 192.0.2.130"]
    assert [each["hw-address"] for each in subnet["reservations"]] == ["02:00:00:00:00:01"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"family": None}, "--family is needed: the plan has subnets of both: 4 or 6"),
        ({"family": 4, "tenant": "nobody"}, "--tenant is needed: there is no nobody; there are acme"),
    ],
)
def test_a_choice_that_is_needed_is_said(more: Document, said: str) -> None:
    document = {"tenants": [{"name": "acme"}], "prefixes": CAMPUS4["prefixes"] + CAMPUS6["prefixes"]}
    with pytest.raises(ChoiceError, match=re.escape(said)):
        written(document, "kea", **more)


LLT, EN, LL = (
    bytes.fromhex(each)
    for each in ("000100012a3b4c5d020000000001", "0002000009bf87654321", "00030001020000000001")
)
NOT_SAID = [bytes([0, 4, *range(16)]), bytes.fromhex("0003000002"), bytes.fromhex("00020000000001")]


@pytest.mark.parametrize("duid", [LLT, EN, LL])
@pytest.mark.peer("kea")
def test_the_duid_of_the_servers_goes_with_the_plan(duid: bytes, tmp_path: Path) -> None:
    """An import reads the same of it."""
    text, lost = written(CAMPUS6, "kea", family=6, server_duid=duid)
    assert lost == []
    [warning] = [each for each in reader.read(text).warnings if each.what == "server-id"]
    assert f"ipam server-duid set {duid.hex(':')}" in warning.why
    kea_reads(tmp_path, text, 6)


@pytest.mark.parametrize("duid", NOT_SAID)
def test_a_duid_that_kea_cannot_say_is_told(duid: bytes) -> None:
    text, lost = written(CAMPUS6, "kea", family=6, server_duid=duid)
    assert [each.what for each in lost] == [f"server-duid {duid.hex(':')}"]
    assert "server-id" not in text
    assert written(CAMPUS4, "kea", family=4, server_duid=LLT) == written(CAMPUS4, "kea", family=4)
