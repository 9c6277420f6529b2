"""Bodies become commands; every refusal names the field. Merge patches follow RFC 7396."""

from typing import Any

import msgspec
import pytest

from ipam_core.errors import BadRequest, ValidationError
from ipam_core.model import decoding
from ipam_core.model.ranges import NewExclude, NewPool
from ipam_core.model.reservation import NewReservation
from ipam_core.model.subnet import NewSubnet

SUBNET = {"prefix_id": "x", "cidr": "::/64"}


@pytest.mark.parametrize(
    "body", [b"", b"{", b"nul", b'{"a":}', b"\xff", b'{"a": NaN}', b"[" * 200_000, b"{} {}"]
)
def test_what_is_not_json_is_a_bad_request(body: bytes) -> None:
    with pytest.raises(BadRequest):
        decoding.parse_json(body)


@pytest.mark.parametrize(
    ("value", "kind", "field", "reason"),
    [
        ({}, NewExclude, "start_ip", "is required"),
        ({"start_ip": 1, "end_ip": "::"}, NewPool, "start_ip", "must be a string"),
        ({"start_ip": "x", "end_ip": "::"}, NewPool, "start_ip", "must be an IPv4 or IPv6 address"),
        ({"start_ip": "::", "end_ip": "::", "size": 1}, NewPool, "size", "there is no such field"),
        (SUBNET | {"relay_addresses": ["::", 2]}, NewSubnet, "relay_addresses[1]", "must be a string"),
        (SUBNET | {"lease_time_seconds": 0}, NewSubnet, "lease_time_seconds", "expected int >= 1"),
        (SUBNET | {"ddns_ttl": 10**30}, NewSubnet, "ddns_ttl", "expected int <= 2147483647"),
        (SUBNET | {"name": "n" * 256}, NewSubnet, "name", "expected str of length <= 255"),
        ({"mac": None, "duid": "xyz"}, NewReservation, "duid", "must be octets in hex, such as 01:aa:bb:cc"),
    ],
)  # fmt: skip
def test_a_refusal_names_the_field_and_what_would_fit(
    value: dict[str, Any], kind: Any, field: str, reason: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        decoding.command(value, kind)
    assert (refused.value.field, refused.value.reason) == (field, reason)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (rb'{"name": "a\u0000b"}', "name"),
        (rb'{"payload": {"values": ["x", "\u0000"]}}', "payload.values[1]"),
        (rb'{"a\u0000": 1}', "body"),
        (rb'"\u0000"', "body"),
    ],
)
def test_nul_characters_are_refused_where_they_stand(body: bytes, field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        decoding.parse_json(body)
    assert refused.value.field == field


def test_an_escaped_backslash_is_no_nul() -> None:
    assert decoding.parse_json(rb'{"name": "a\\u0000b"}') == {"name": r"a\u0000b"}


@pytest.mark.parametrize(
    ("target", "patch", "merged"),
    [
        # RFC 7396, appendix A.
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_merge_patches(target: Any, patch: Any, merged: Any) -> None:
    assert decoding.merge(target, patch) == merged


@pytest.mark.parametrize(("text", "value"), [("6.0", 6), ("1e3", 1000), ("0.5", 0.5), ("-2.0", -2)])
def test_a_whole_number_may_be_written_with_a_point(text: str, value: float) -> None:
    read = decoding.parse_json(f'{{"a": {text}}}'.encode())["a"]
    assert (read, type(read)) == (value, type(value))


def test_numbers_beyond_all_measure_are_no_json_of_ours() -> None:
    with pytest.raises(BadRequest):
        decoding.parse_json(b'{"a": 1e999}')


def test_an_acronym_in_a_reason_keeps_its_capitals() -> None:
    assert decoding.named(msgspec.ValidationError("MAC address is too long - at `$.mac`")).reason.startswith(
        "MAC"
    )
    assert decoding.named(msgspec.ValidationError("Expected `int`, got `str` - at `$.no`")).reason.startswith(
        "expected"
    )
