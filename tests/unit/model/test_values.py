"""Values: every notation in, one notation out, and clear words for what is neither."""

from datetime import UTC, datetime
from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipam_core.model.values import (
    colons,
    parse_address,
    parse_hostname,
    parse_instant,
    parse_mac,
    parse_mac_prefix,
    parse_network,
    parse_octets,
    parse_text_or_octets,
    rfc3339,
    text_or_octets,
)


@pytest.mark.parametrize(
    "text",
    [
        "aa:bb:cc:0d:0e:0f",
        "AA-BB-CC-0D-0E-0F",
        "aabb.cc0d.0e0f",
        "aabb:cc0d:0e0f",
        "AABBCC0D0E0F",
        "aa:bb:cc:d:e:f",
        " aa:bb:cc:0d:0e:0f ",
    ],
)
def test_a_mac_in_any_notation_is_one_mac(text: str) -> None:
    assert parse_mac(text) == "aa:bb:cc:0d:0e:0f"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "aa:bb:cc:dd:ee",
        "aa:bb:cc:dd:ee:ff:00",
        "aa:bb-cc:dd:ee:ff",
        "gg:bb:cc:dd:ee:ff",
        "aabbccddee",
        "１２３４５６７８９０１２",
    ],
)
def test_what_is_not_six_octets_is_no_mac(text: str) -> None:
    with pytest.raises(ValueError, match="six octets"):
        parse_mac(text)


@pytest.mark.parametrize(
    "text",
    [
        "10.0.0.1/24",
        "10.0.0.0/33",
        "10.0.0.0",
        "10.0.0.0/255.0.0.0",
        "2001:db8::1/64",
        "x/8",
        "fe80::%eth0/64",
        "10.0.0.0/+8",
    ],
)
def test_networks_have_no_host_bits_and_a_length(text: str) -> None:
    with pytest.raises(ValueError, match=r"CIDR|host bits"):
        parse_network(text)


def test_host_bits_are_answered_with_the_network() -> None:
    with pytest.raises(ValueError, match=r"10\.0\.0\.0/24"):
        parse_network("10.0.0.77/24")


@given(st.ip_addresses())
def test_addresses_come_back_in_canonical_form(address: object) -> None:
    assert parse_address(str(address)) == address
    assert parse_address(ip_address(str(address)).exploded.upper()) == address


@given(st.ip_addresses(), st.integers(0, 32))
def test_networks_come_back_as_they_went_in(address: object, length: int) -> None:
    network = ip_network(f"{address}/{length}", strict=False)
    assert parse_network(str(network)) == network


@pytest.mark.parametrize("text", ["fe80::1%eth0", "1.2.3", "01.2.3.4", "", "1.2.3.4.5", "::g"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="IPv4 or IPv6"):
        parse_address(text)


@given(st.binary(min_size=1, max_size=255))
def test_octets_are_read_in_three_spellings(octets: bytes) -> None:
    assert parse_octets(colons(octets)) == parse_octets(octets.hex().upper()) == octets
    assert parse_octets("0x" + octets.hex()) == octets


@given(st.binary(min_size=1, max_size=255))
def test_a_circuit_is_shown_so_that_it_reads_back(octets: bytes) -> None:
    assert parse_text_or_octets(text_or_octets(octets)) == octets


def test_what_a_relay_said_is_shown_although_it_could_not_be_stored() -> None:
    assert text_or_octets(b"x" * 300) == "x" * 300
    assert text_or_octets(b"\x01" * 300) == "0x" + "01" * 300
    assert text_or_octets(b"") == ""


def test_digits_alone_are_the_text_that_a_switch_sent() -> None:
    assert parse_text_or_octets("1001") == b"1001"
    assert parse_text_or_octets("0x1001") == b"\x10\x01"
    assert parse_text_or_octets("00:04:01") == b"\x00\x04\x01"


@pytest.mark.parametrize(
    "text", ["a" * 64, "-a", "a-", "a..b", "a b", "", ".", "ä.example", "a" * 254, "x/y"]
)
def test_what_is_no_host_name_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="host name"):
        parse_hostname(text)


def test_a_host_name_loses_its_closing_dot() -> None:
    assert parse_hostname("_srv.Printer-1.example.") == "_srv.Printer-1.example"


def test_the_first_octets_of_a_mac_are_at_most_six() -> None:
    assert parse_mac_prefix("52-54-00") == b"\x52\x54\x00"
    with pytest.raises(ValueError, match="one to six"):
        parse_mac_prefix("00112233445566")


@pytest.mark.parametrize(
    "text",
    ["2026-01-31", "2026-01-31T12:00:00", "2026-02-30T00:00:00Z", "0001-01-01T00:00:00+23:00", "now", "12"],
)
def test_a_moment_needs_its_zone(text: str) -> None:
    with pytest.raises(ValueError, match="RFC 3339"):
        parse_instant(text)


@given(st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(9000, 1, 1)))
def test_moments_are_shown_in_utc_with_milliseconds(moment: datetime) -> None:
    aware = moment.replace(tzinfo=UTC)
    shown = rfc3339(aware)
    assert len(shown) == 24
    assert shown.endswith("Z")
    assert parse_instant(shown) == aware.replace(microsecond=aware.microsecond // 1000 * 1000)
