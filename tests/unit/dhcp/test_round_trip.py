"""Invariants over generated input: decode(encode(p)) == p, and nothing raises but ValidationError."""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network, IPv6Address
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ipam_core.dhcp import kinds, registry
from ipam_core.dhcp.kinds.definition import ITEM_OCTETS, OptionDef
from ipam_core.errors import ValidationError

EVERY = registry.every(4) + registry.every(6)

address4 = st.integers(0, 2**32 - 1).map(lambda n: str(IPv4Address(n)))
address6 = st.integers(0, 2**128 - 1).map(lambda n: str(IPv6Address(n)))
hexes = st.binary(min_size=1, max_size=40).map(bytes.hex)
names = st.from_regex(r"[a-z0-9_]([a-z0-9_-]{0,20}[a-z0-9_])?(\.[a-z0-9_]{1,12}){0,5}", fullmatch=True)
networks = st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 32)).map(
    lambda pair: str(IPv4Network(pair, strict=False))
)
route = st.fixed_dictionaries({"destination": networks, "router": address4})


def strings(row: OptionDef) -> st.SearchStrategy[str]:
    if row.kind == "ascii":
        return st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=60)
    return st.text(
        st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=60
    )


def integers(row: OptionDef) -> st.SearchStrategy[int]:
    if row.choices:
        return st.sampled_from(row.choices)
    bits = 8 * ITEM_OCTETS[row.kind]
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if row.kind.startswith("int") else (0, 2**bits - 1)
    return st.integers(
        low if row.minimum is None else row.minimum, high if row.maximum is None else row.maximum
    )


def lists(row: OptionDef, item: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    if not row.array:
        return item.map(lambda one: [one])
    groups = st.lists(st.tuples(*[item] * row.group), min_size=0 if row.may_be_empty else 1, max_size=8)
    return groups.map(lambda found: [one for group in found for one in group])


def members(last: int, **more: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    sub = st.fixed_dictionaries({**more, "code": st.integers(200, last), "hex": hexes})
    return st.lists(sub, min_size=1, max_size=5)


def resolvers(row: OptionDef, address: st.SearchStrategy[str]) -> st.SearchStrategy[list[Any]]:
    alone = {"priority": st.integers(1, 65535), "name": names}
    params = st.fixed_dictionaries(
        {"alpn": st.lists(st.sampled_from(["dot", "doq", "h2", "h3"]), min_size=1, max_size=4)},
        optional={
            "port": st.integers(0, 65535),
            "dohpath": st.sampled_from(["/dns-query{?dns}", "/ü{?dns}"]),
            "key2": st.just(""),
            "key65535": hexes,
        },
    )
    addresses = st.lists(address, min_size=1, max_size=4)
    one = st.one_of(
        st.fixed_dictionaries(alone),
        st.fixed_dictionaries({**alone, "addresses": addresses, "params": params}),
    )
    return st.lists(one, min_size=1, max_size=1 if row.family == 6 else 3)


def payloads(row: OptionDef) -> st.SearchStrategy[dict[str, Any]]:
    address = address4 if row.family == 4 else address6
    last = 254 if row.family == 4 else 65535
    integer = integers(row) if row.kind in ITEM_OCTETS and row.kind != "flag" else st.nothing()
    by_kind: dict[str, st.SearchStrategy[dict[str, Any]]] = {
        "address": st.fixed_dictionaries({"addresses": lists(row, address)}),
        "string": st.fixed_dictionaries({"string": strings(row)}),
        "strings": st.fixed_dictionaries({"strings": st.lists(strings(row), min_size=1, max_size=4)}),
        "flag": st.fixed_dictionaries({"flag": st.booleans()}),
        "empty": st.just({"flag": True}),
        "name": st.fixed_dictionaries({"names": lists(row, names)}),
        "routes": st.fixed_dictionaries({"routes": st.lists(route, min_size=1, max_size=8)}),
        "resolvers": st.fixed_dictionaries({"resolvers": resolvers(row, address)}),
        "sip-servers": st.one_of(
            st.fixed_dictionaries({"addresses": st.lists(address4, min_size=1, max_size=8)}),
            st.fixed_dictionaries({"names": st.lists(names, min_size=1, max_size=4)}),
        ),
        "suboptions": st.fixed_dictionaries({"suboptions": members(last)}),
        "vendor-suboptions": st.integers(0, 2**32 - 1).flatmap(
            lambda number: st.fixed_dictionaries({"suboptions": members(last, enterprise=st.just(number))})
        ),
        "binary": st.binary(min_size=row.octets or 1, max_size=row.octets or 60).map(
            lambda data: {"hex": data.hex()}
        ),
    }
    by_kind["ascii"] = by_kind["string"]
    if row.kind in by_kind:
        return by_kind[row.kind]
    key = "values" if row.array else "value"
    return st.fixed_dictionaries({key: lists(row, integer) if row.array else integer})


defined = st.sampled_from(EVERY)


def refusal(act: Callable[..., object], *arguments: object) -> ValidationError | None:
    """The ValidationError that the call raised; any other exception is the test's failure."""
    try:
        act(*arguments)
    except ValidationError as refused:
        return refused
    return None


@given(defined.flatmap(lambda row: st.tuples(st.just(row), payloads(row))))
@settings(suppress_health_check=[HealthCheck.too_slow])  # says how busy the machine is
def test_decode_of_encode_is_the_payload(case: tuple[OptionDef, dict[str, Any]]) -> None:
    row, payload = case
    data = kinds.encode(row, payload)
    assert kinds.decode(row, data) == payload
    assert kinds.canonical(row, payload) == payload


@given(st.lists(names, min_size=1, max_size=8).map(lambda found: found + found))
def test_compression_never_changes_a_search_list(found: list[str]) -> None:
    row = registry.resolve(4, 119)
    data = kinds.encode(row, {"names": found})
    assert kinds.decode(row, data) == {"names": found}
    assert len(data) <= sum(len(name) + 2 for name in found[: len(found) // 2]) + 2 * (len(found) // 2)


@given(defined, st.binary(max_size=300))
def test_decode_of_anything_is_a_payload_or_a_validation_error(row: OptionDef, data: bytes) -> None:
    if refusal(kinds.decode, row, data) is None:
        assert isinstance(kinds.text(row, kinds.decode(row, data)), str)


@pytest.mark.parametrize("row", EVERY, ids=lambda row: f"{row.family}-{row.code}")
def test_every_option_decodes_or_refuses_the_short_and_the_long(row: OptionDef) -> None:
    for data in (b"", b"\0", b"\xff", b"\xc0\0", bytes(255), b"\xff" * 255, b"\1\1a" * 40):
        refused = refusal(kinds.decode, row, data)
        assert refused is None or row.name in refused.reason


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
keys = st.sampled_from(
    ["addresses", "string", "value", "values", "flag", "names", "routes", "suboptions", "resolvers", "hex"]
)


@given(defined, json | st.dictionaries(keys, json, max_size=2))
def test_encode_of_anything_is_octets_or_a_validation_error(row: OptionDef, payload: object) -> None:
    refused = refusal(kinds.encode, row, payload)
    assert refused is None or (refused.field.startswith("payload") and " takes {" in refused.reason)
