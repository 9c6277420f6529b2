"""Values of DHCPv6 options as the oracle reads them, and the option table, whose payloads are checked against that."""

from __future__ import annotations

from ipaddress import IPv6Address, IPv6Network
from typing import Any

import pytest
from oracle.notation import octets
from oracle.payloads6 import READERS, read
from oracle.values6 import (
    Fqdn,
    Resolver,
    domain_names,
    duid,
    encode_domain_names,
    encode_excluded_prefix,
    excluded_prefix,
    fqdn,
    resolver,
)

from ipam_core.dhcp import kinds, registry


@pytest.mark.parametrize(
    ("written_duid", "kind", "hardware", "time", "enterprise"),
    [
        ("0001 0001 2a3b4c5d 020000000001", 1, (1, "020000000001"), 0x2A3B4C5D, None),
        ("0003 0001 020000000001", 3, (1, "020000000001"), None, None),
        ("0003 001b 0200000000000001", 3, (27, "0200000000000001"), None, None),
        ("0002 0000ab11 f1a2", 2, None, None, 43793),
        ("0004 00*16", 4, None, None, None),
        ("0001 0001 2a3b4c5d", 1, None, None, None),
        ("0003 0001", 3, None, None, None),
    ],
)
def test_identifiers_by_their_type(
    written_duid: str,
    kind: int,
    hardware: tuple[int, str] | None,
    time: int | None,
    enterprise: int | None,
) -> None:
    found = duid(octets(written_duid))
    wanted = None if hardware is None else (hardware[0], octets(hardware[1]))
    assert (found.kind, found.hardware, found.time, found.enterprise) == (kind, wanted, time, enterprise)


@pytest.mark.parametrize(
    ("value", "read_as"),
    [
        ("00 04 'host' 00", Fqdn(0, "host", True)),
        ("01 04 'host'", Fqdn(1, "host", False)),
        ("05 04 'host' 07 'example' 00", Fqdn(5, "host.example", True)),
        ("04", Fqdn(4, "", False)),
        ("", None),
        ("00 05 'host'", None),
        ("00 c0 0c", None),
        ("00 01 'a' 00 01 'b' 00", None),
    ],
)
def test_names_of_clients(value: str, read_as: Fqdn | None) -> None:
    assert fqdn(octets(value)) == read_as


def test_names_end_with_the_root_and_stay_under_256_octets() -> None:
    label = "a" * 63
    assert domain_names(encode_domain_names(["a.b", label])) == ["a.b", label]
    assert domain_names(b"\1a") is None
    assert domain_names(encode_domain_names([".".join([label, label, label, "a" * 61])])) is not None
    assert domain_names(encode_domain_names([".".join([label, label, label, "a" * 62])])) is None


@pytest.mark.parametrize(
    ("delegated", "excluded", "data"),
    [
        ("2001:db8::/56", "2001:db8:0:ff::/64", "40 ff"),
        ("2001:db8::/48", "2001:db8:0:8000::/49", "31 80"),
        ("2001:db8::/60", "2001:db8:0:a::/64", "40 a0"),
        ("2001:db8::/32", "2001:db8:1:2:3::/80", "50 000100020003"),
    ],
)
def test_an_excluded_prefix_is_written_as_the_bits_between(delegated: str, excluded: str, data: str) -> None:
    """RFC 6603 section 4.2, its own examples first among them."""
    whole, part = IPv6Network(delegated), IPv6Network(excluded)
    assert encode_excluded_prefix(whole, part) == octets(data)
    assert excluded_prefix(whole, octets(data)) == part
    assert excluded_prefix(whole, octets(data) + b"\0") is None
    assert excluded_prefix(whole, bytes([whole.prefixlen, 0])) is None


def test_encrypted_resolvers_of_rfc_9463() -> None:
    full = octets(
        "0001 000e 03 'dns' 07 'example' 00 0010 20010db8000000000000000000000053 0001 0003 02 'h2'"
    )
    assert resolver(full[:4] + full[4:]) is None  # the name is an octet shorter than told
    full = full.replace(b"\0\x0e\3dns", b"\0\x0d\3dns")
    assert resolver(full) == Resolver(
        1, "dns.example", (IPv6Address("2001:db8::53"),), octets("0001 0003 02 'h2'")
    )
    assert resolver(full[:17]) == Resolver(1, "dns.example", (), b"")
    assert resolver(full[:20]) is None


# Of each kind of payload in the option table one that fits, and what a reader of the RFC sees in it.
SAMPLES: dict[str, tuple[dict[str, Any], Any]] = {
    "address": ({"addresses": ["2001:db8::1"]}, "2001:db8::1"),
    "addresses": ({"addresses": ["2001:db8::1", "2001:db8::2"]}, ["2001:db8::1", "2001:db8::2"]),
    "name": ({"names": ["a.example"]}, "a.example"),
    "names": ({"names": ["a.example", "b.example"]}, ["a.example", "b.example"]),
    "string": ({"string": "http://[2001:db8::1]/x"}, "http://[2001:db8::1]/x"),
    "ascii": ({"string": "EST5EDT4"}, "EST5EDT4"),
    "strings": ({"strings": ["root=/dev/sda2", "quiet"]}, [b"root=/dev/sda2", b"quiet"]),
    "empty": ({"hex": ""}, True),
    "uint8": ({"value": 5}, 5),
    "uint16": ({"value": 300}, 300),
    "uint32": ({"value": 3600}, 3600),
    "uint16s": ({"values": [1, 300]}, [1, 300]),
    "suboptions": ({"suboptions": [{"code": 7, "hex": "0a0b"}]}, [(7, b"\x0a\x0b")]),
    "vendor-suboptions": (
        {"suboptions": [{"enterprise": 4491, "code": 2, "hex": "ff"}]},
        (4491, [(2, b"\xff")]),
    ),
    "resolvers": (
        {
            "resolvers": [
                {"priority": 1, "name": "a.example", "addresses": ["2001:db8::1"], "params": {"alpn": ["h2"]}}
            ]
        },
        Resolver(1, "a.example", (IPv6Address("2001:db8::1"),), octets("0001 0003 02 'h2'")),
    ),
}
PLURAL = {"address": "addresses", "name": "names", "uint16": "uint16s"}


@pytest.mark.parametrize(
    "row", [row for row in registry.every(6) if row.kind != "binary"], ids=lambda row: row.name
)
def test_the_option_table_lays_out_data_as_the_rfcs_do(row: Any) -> None:
    payload, meant = SAMPLES[PLURAL[row.kind] if row.array else row.kind]
    if row.code == 56:
        payload, meant = {"suboptions": [{"code": 3, "names": ["ntp.example"]}]}, ["ntp.example"]
    assert read(row.code, kinds.encode(row, payload)) == meant


def test_the_oracle_and_the_option_table_know_the_same_options() -> None:
    tabled = {row.code for row in registry.every(6)}
    assert READERS.keys() <= tabled
    shaped = {row.code for row in registry.every(6) if row.kind != "binary"}
    assert shaped <= READERS.keys()
    assert {code for code in READERS if code not in shaped} == {15, 37}  # as octets in the table


@pytest.mark.parametrize(
    ("code", "data"),
    [
        *((code, "00*15") for code in (12, 22, 23, 31)),
        *((code, "") for code in (23, 24, 64, 7, 32, 82, 83, 41, 103, 56, 17)),
        *((code, "01 'a'") for code in (21, 24, 64, 51)),
        (64, "01 'a' 00 01 'b' 00"),
        (14, "00"),
        (60, "0005 'a'"),
        (56, "0001 000f 00*15"),
        (17, "0000118b 0001 0002 00"),
        (144, "0001 0004 03 'dns'"),
    ],
)
def test_data_that_no_rfc_lays_out_is_refused(code: int, data: str) -> None:
    assert read(code, octets(data)) is None


@pytest.mark.parametrize(("code", "data"), [(88, b""), (200, b""), (200, b"\1"), (43, b"")])
def test_nothing_may_be_something(code: int, data: bytes) -> None:
    assert read(code, data) is not None
