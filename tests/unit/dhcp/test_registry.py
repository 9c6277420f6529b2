"""The option table: what it must hold, and which codes administrators may store."""

from collections import Counter
from pathlib import Path

import pytest

from ipam_core import supplied_options
from ipam_core.dhcp import catalogue, registry
from ipam_core.dhcp.kinds import NO_ARRAY
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.dhcp.kinds.table import KINDS
from ipam_core.dhcp.options4 import OPTIONS4
from ipam_core.dhcp.options6 import OPTIONS6
from ipam_core.errors import ValidationError

EVERY = registry.every(4) + registry.every(6)


def test_every_option_of_rfc_2132_is_in_the_table() -> None:
    assert [code for code in [*range(77), 255] if registry.lookup(4, code) is None] == []


@pytest.mark.parametrize(
    ("family", "codes"),
    [
        (
            4,
            [
                77,
                80,
                81,
                82,
                93,
                94,
                97,
                100,
                101,
                108,
                114,
                116,
                117,
                118,
                119,
                120,
                121,
                124,
                125,
                138,
                150,
            ],
        ),
        (4, [162, 175, 249, 252]),
        (6, [code for code in range(1, 35) if code not in (10, 35)]),  # 10 was never assigned
        (6, [code for code in range(36, 149) if not 114 <= code <= 134]),  # those are between servers
    ],
)
def test_later_options_are_in_the_table(family: int, codes: list[int]) -> None:
    assert [code for code in codes if registry.lookup(family, code) is None] == []


def test_codes_and_names_are_unique_in_a_family() -> None:
    for rows in (OPTIONS4, OPTIONS6):
        for counted in (Counter(row.code for row in rows), Counter(row.name for row in rows)):
            assert [key for key, count in counted.items() if count > 1] == []


@pytest.mark.parametrize("row", EVERY, ids=lambda row: f"{row.family}-{row.code}")
def test_every_row_is_one_that_kinds_can_serve(row: OptionDef) -> None:
    assert row.kind in KINDS
    assert row.rfc
    assert not (row.array and row.kind in NO_ARRAY)


@pytest.mark.parametrize(
    ("family", "code", "name"),
    [
        (4, 3, "routers"),
        (4, 6, "domain-name-servers"),
        (4, 15, "domain-name"),
        (4, 42, "ntp-servers"),
        (4, 51, "dhcp-lease-time"),
        (4, 121, "classless-static-route"),
        (6, 23, "dns-servers"),
        (6, 24, "domain-search"),
    ],
)
def test_names_are_those_that_operators_know(family: int, code: int, name: str) -> None:
    row = registry.lookup(family, code)
    assert row is not None
    assert row.name == name
    assert registry.by_name(family, name) == row


@pytest.mark.parametrize(
    ("family", "unstorable"),
    [
        (
            4,
            {
                *(0, 1, *range(50, 56), 57, 58, 59, 61, 66, 67, 77, 80, 81, 82, *range(90, 95), 97, 118),
                *(*range(151, 158), 221, 255),
            },
        ),
        (
            6,
            {
                *(0, *range(1, 7), 8, 9, *range(11, 16), 18, 19, 20, 25, 26, 37, 38, 39),
                *(*range(44, 49), 61, 62, 66, 67, 68, 79, 135, 138, 139, 148),
            },
        ),
    ],
)
def test_unstorable_codes(family: int, unstorable: set[int]) -> None:
    assert {code for code in range(256) if not registry.storable(family, code)} == unstorable


@pytest.mark.parametrize(
    ("family", "code", "told"),
    [
        (4, 51, "option 51 (dhcp-lease-time) is lease_time_seconds of the subnet"),
        (
            4,
            66,
            "option 66 (tftp-server-name) is server_name, else next_server, of the subnet or the client class",
        ),
        (4, 67, "option 67 (boot-file-name) is boot_file of the subnet"),
        (4, 77, "option 77 (user-class) is a client's to send"),
        (4, 80, "use rapid_commit of the subnet"),
        (4, 118, "option 118 (subnet-selection) is sent back to a client that sent it"),
        (4, 156, "option 156 (dhcp-state) is a part of lease queries"),
        (4, 255, "option 255 (end) is a mark in the message itself"),
        (4, 999, "must be 1 to 254"),
        (4, -1, "must be 1 to 254"),
        (6, 1, "option 1 (clientid) is a client's to send"),
        (6, 12, "option 12 (unicast) is obsolete (RFC 9915)"),
        (6, 14, "use rapid_commit of the subnet"),
        (6, 37, "option 37 (remote-id) is a relay's to send"),
        (6, 39, "use the ddns_ fields of the subnet"),
        (6, 61, "option 61 (client-arch-type) is a client's to send"),
        (6, 67, "option 67 (pd-exclude) is excluded_prefix of a delegation pool, or of a reservation"),
        (6, 148, "option 148 (addr-reg-enable) is address_registration of the subnet"),
        (6, 65536, "must be 1 to 65535"),
    ],
)
def test_a_refused_code_says_what_to_use(family: int, code: int, told: str) -> None:
    assert told in registry.why_unstorable(family, code)


@pytest.mark.parametrize(("family", "code"), [(4, -1), (4, 256), (4, 70000), (6, -1), (6, 65536)])
def test_codes_that_do_not_exist_are_unstorable(family: int, code: int) -> None:
    assert not registry.storable(family, code)


@pytest.mark.parametrize(
    ("family", "code", "octets"),
    [(4, 1, 4), (4, 51, 4), (4, 53, 1), (4, 57, 2), (4, 80, 0), (4, 94, 3), (4, 97, 17), (4, 6, None),
     (4, 15, None), (4, 224, None), (6, 12, 16), (6, 7, 1), (6, 14, 0), (6, 23, None)],
)  # fmt: skip
def test_width_is_the_only_legal_length(family: int, code: int, octets: int | None) -> None:
    assert registry.width(family, code) == octets


CUSTOM = {
    "family": 4,
    "code": 224,
    "name": "printer-pin",
    "kind": "uint16",
    "is_array": True,
    "vendor_space": None,
}


def test_definition_from_a_stored_row() -> None:
    expected = OptionDef(4, 224, "printer-pin", "uint16", array=True)
    assert registry.definition_from(CUSTOM) == expected


@pytest.mark.parametrize(
    ("changed", "field"),
    [({"kind": "float"}, "kind"), ({"kind": "flag"}, "array"), ({"kind": "string"}, "array")],
)
def test_definition_that_no_kind_can_serve_is_refused(changed: dict[str, object], field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        registry.definition_from(CUSTOM | changed)
    assert refused.value.field == field


def test_resolve_prefers_the_standard_then_the_custom_then_octets() -> None:
    custom = [
        registry.definition_from(CUSTOM),
        OptionDef(4, 6, "mine", "flag"),
        OptionDef(6, 225, "v6", "flag"),
    ]
    assert registry.resolve(4, 6, custom=custom).name == "domain-name-servers"
    assert registry.resolve(4, 224, custom=custom).name == "printer-pin"
    assert registry.resolve(4, 225, custom=custom).kind == "binary"


def test_members_of_encapsulated_options_come_from_their_space() -> None:
    phone = OptionDef(4, 1, "phone-vlan", "uint16", space="ACME")
    modem = OptionDef(4, 1, "modem-mode", "uint8", space="3561")
    custom = [phone, modem]
    assert registry.resolve(4, 43, "ACME", custom).suboptions == (phone,)
    assert registry.resolve(4, 43, None, custom).suboptions == ()
    assert registry.resolve(4, 125, None, custom).suboptions == (modem,)
    assert registry.resolve(4, 1, None, custom).kind == "address"


def test_the_catalogue_is_fresh() -> None:
    """After a change of the table: python -m ipam_core.dhcp.catalogue docs/"""
    assert (Path(__file__).parents[3] / "docs" / catalogue.NAME).read_text() == catalogue.text()


def test_only_storable_options_answer() -> None:
    """What the server sends back by itself has no row of a scope that could be marked always_send."""
    rows = [row for family in (4, 6) for row in registry.every(family) if row.only_if]
    assert {(row.family, row.code, row.only_if) for row in rows} >= {
        (4, 108, "requested"),
        (4, 116, "sent"),
        (6, 82, "requested"),
        (6, 83, "requested"),
    }
    assert all(registry.storable(row.family, row.code) for row in rows)
    assert all(row.family == 4 for row in rows if row.only_if == "sent")  # only_answers() of wire/codes.pxd


def test_relays_supply_nothing_that_nobody_may_store() -> None:
    """Nor what administrators cannot say instead of the protocol: 7, 15 to 17."""
    assert registry.UNSTORABLE[6].keys() <= supplied_options.OWNED
    assert all(registry.lookup(6, code) for code in supplied_options.OWNED - {10})


def test_what_is_repeated_takes_a_list() -> None:
    """RFC 5908 section 4, RFC 9463 section 4.1."""
    found = [row for row in EVERY if row.repeated]
    assert [(row.family, row.code) for row in found] == [(6, 56), (6, 144)]
    assert {row.kind for row in found} <= {"suboptions", "resolvers"}
