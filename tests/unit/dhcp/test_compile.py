"""Scopes compiled for the engine: order, built-in options of a subnet, and rows that cannot be compiled."""

from ipaddress import ip_address, ip_network
from typing import Any

from ipam_core.dhcp.compile import CompiledOption, compile_scope, compile_subnet, subnet_options
from ipam_core.dhcp.kinds.definition import OptionDef


def subnet(
    cidr: str = "10.64.0.0/16", gateway: str | None = "10.64.0.1", ntp: tuple[str, ...] = ()
) -> dict[str, Any]:
    return {
        "cidr": ip_network(cidr),
        "gateway": ip_address(gateway) if gateway else None,
        "ntp_servers": [ip_address(server) for server in ntp],
    }


def test_scope_is_wire_data_by_code() -> None:
    rows = [
        (15, None, {"string": "example.org"}, False),
        (6, None, {"addresses": ["10.0.0.1"]}, True),
    ]
    assert compile_scope(4, rows) == (
        (CompiledOption(6, b"\x0a\0\0\1", True), CompiledOption(15, b"example.org")),
        (),
    )


def test_longer_vendor_classes_come_first_and_everybody_last() -> None:
    rows = [(43, vendor, {"hex": "01"}, False) for vendor in (None, "A", "ACME phone", "ACME")]
    options = compile_scope(4, rows).options
    assert [option.vendor_class for option in options] == ["ACME phone", "ACME", "A", None]


def test_corrupt_row_is_reported_and_the_rest_is_served() -> None:
    rows: list[tuple[int, str | None, Any, bool]] = [
        (6, None, {"string": "?"}, False),
        (51, None, {"value": 5}, False),
        (42, None, None, False),
        (15, None, {"string": "example.org"}, False),
    ]
    options, problems = compile_scope(4, rows)
    assert [option.code for option in options] == [15]
    assert len(problems) == 3
    assert "option 6 (domain-name-servers) takes" in problems[0]
    assert "option 51 (dhcp-lease-time) is lease_time_seconds of the subnet" in problems[1]
    assert "option 42 (ntp-servers) takes" in problems[2]


def test_custom_definitions_give_payloads_their_kind() -> None:
    definitions = [OptionDef(4, 224, "pin", "uint16"), OptionDef(4, 1, "vlan", "uint8", space="ACME")]
    rows: list[tuple[int, str | None, Any, bool]] = [
        (224, None, {"value": 258}, False),
        (43, "ACME", {"suboptions": [{"code": 1, "value": 7}]}, False),
    ]
    options, problems = compile_scope(4, rows, definitions)
    assert [option.data for option in options] == [b"\1\1\7", b"\1\2"]
    assert problems == ()


def test_fields_of_a_subnet_are_options() -> None:
    assert subnet_options(subnet(ntp=("10.0.0.9", "10.0.0.10"))) == (
        CompiledOption(1, bytes([255, 255, 0, 0])),
        CompiledOption(3, bytes([10, 64, 0, 1])),
        CompiledOption(42, bytes([10, 0, 0, 9, 10, 0, 0, 10])),
    )
    assert subnet_options(subnet(gateway=None)) == (CompiledOption(1, bytes([255, 255, 0, 0])),)


def test_fields_of_a_v6_subnet_are_options() -> None:
    v6 = subnet("2001:db8::/64", None, ("2001:db8::9",))
    expected = bytes.fromhex("0001 0010 20010db8 00000000 00000000 00000009")
    assert subnet_options(v6) == (CompiledOption(56, expected),)
    two = subnet_options(subnet("2001:db8::/64", None, ("2001:db8::a", "2001:db8::9")))
    assert two == (CompiledOption(56, expected[:-1] + b"\x0a"), CompiledOption(56, expected))
    assert subnet_options(subnet("2001:db8::/64", "2001:db8::1")) == ()


def test_stored_options_win_over_fields() -> None:
    rows: list[tuple[int, str | None, Any, bool]] = [
        (42, None, {"addresses": ["192.0.2.42"]}, False),
        (3, None, {"addresses": ["192.0.2.3"]}, True),
    ]
    options = compile_subnet(subnet(ntp=("10.0.0.9",)), rows).options
    assert [(option.code, option.data) for option in options] == [
        (1, bytes([255, 255, 0, 0])),
        (3, bytes([192, 0, 2, 3])),
        (42, bytes([192, 0, 2, 42])),
    ]


def test_option_for_one_vendor_leaves_the_field_to_the_others() -> None:
    rows: list[tuple[int, str | None, Any, bool]] = [(3, "ACME", {"addresses": ["192.0.2.3"]}, False)]
    options = compile_subnet(subnet(), rows).options
    assert [(option.code, option.vendor_class) for option in options] == [(1, None), (3, "ACME"), (3, None)]


def test_corrupt_router_option_does_not_replace_the_gateway() -> None:
    options, problems = compile_subnet(subnet(), [(3, None, {"addresses": ["x"]}, False)])
    assert [option.code for option in options] == [1, 3]
    assert len(problems) == 1
