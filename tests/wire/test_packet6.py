"""The DHCPv6 codec reads a client's message, or says why it is none.

Invariant of the fuzz: whatever the octets, the codec answers with a fault's name or with what stands in them, as a
naive walk finds it; under the sanitizers (tests/fuzz/test_sanitized.py) no read lies outside of the datagram.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from extensions.inspect6 import inspect6, inspect_duid
from harness.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from wire import octets6 as say
from wire.octets6 import CLIENT_ID, SERVER_ID, message, option, u16, u32

from ipam_core.dhcp.reasons import FAULTS6

SEED = 20_251_123
ALL = 0xFFFFFFFF

# A Solicit as RFC 8415 draws it (figures 2, 11, 12, 15, 17, 18, 21, 24 and 29), octet by octet.
SOLICIT = bytes.fromhex(
    "01 a1b2c3"
    "0001 000e 0001 0001 1a2b3c4d 020000000001"
    "0008 0002 0064"
    "0006 0006 0017 0018 0094"
    "000e 0000"
    "0003 0028 00000001 00000e10 00001518"
    "     0005 0018 20010db8000000000000000000000042 00000000 00000000"
    "0019 0029 00000002 00000000 00000000"
    "     001a 0019 00000e10 00001c20 38 20010db8ff00000000000000000000 00"
    "0014 0000"
)


def read(data: bytes) -> dict[str, Any]:
    found = inspect6(data)
    assert isinstance(found, dict), f"refused as {found}: {data.hex()}"
    return found


def at(
    address: str, preferred: int = 0, valid: int = 0, length: int = 128, excluded: bytes | None = None
) -> Any:
    return {
        "address": say.ip(address),
        "length": length,
        "preferred": preferred,
        "valid": valid,
        "excluded": excluded,
    }


def test_a_solicit_of_the_rfc() -> None:
    found = read(SOLICIT)
    assert (found["message_type"], found["transaction_id"]) == (1, 0xA1B2C3)
    assert list(found["options"]) == [1, 8, 6, 14, 3, 25, 20]
    assert found["options"][1] == say.CLIENT_DUID
    assert found["options"][14] == found["options"][20] == b""
    assert found["elapsed"] == 100
    assert found["asked"] == [23, 24, 148]
    assert found["ias"] == [
        {"kind": 3, "iaid": 1, "t1": 3600, "t2": 5400, "addresses": [at("2001:db8::42")]},
        {"kind": 25, "iaid": 2, "t1": 0, "t2": 0, "addresses": [at("2001:db8:ff00::", 3600, 7200, 56)]},
    ]
    assert (found["ignored"], found["discard"]) == ([], "none")


@pytest.mark.parametrize("kind", [1, 3, 4, 5, 6, 8, 9, 11, 36])
def test_messages_of_clients(kind: int) -> None:
    found = read(message(kind, CLIENT_ID))
    assert (found["message_type"], found["transaction_id"]) == (kind, say.XID)
    assert found["options"] == {1: say.CLIENT_DUID}


def test_messages_of_others() -> None:
    """What servers and relays send, and what nobody does (sections 16.3, 16.10, 16.11, 16.14)."""
    for kind in set(range(256)) - {1, 3, 4, 5, 6, 8, 9, 11, 14, 36}:
        assert inspect6(message(kind, CLIENT_ID)) == "bad_message_type"
    assert inspect6(message(14, CLIENT_ID)) == "leasequery"


LEASED = say.iaaddr("2001:db8::1", 300, 600)
DELEGATED = say.iaprefix("2001:db8:1::", 56, 300, 600)

FAULTY = {
    "no octet": (b"", "too_short"),
    "half a header": (message(1)[:3], "too_short"),
    "more than UDP carries": (message(1) + bytes(65536), "too_long"),
    "a client id that is cut": (message(1) + b"\0\1\0\4\0\1\0", "bad_duid"),
    "a DUID without identifier": (message(1, option(1, b"\0\1")), "bad_duid"),
    "a DUID of 129 octets": (message(1, option(1, b"\0\1" + bytes(129))), "bad_duid"),
    "two client ids": (message(1, CLIENT_ID, option(1, say.SERVER_DUID)), "repeated_option"),
    "two server ids": (message(3, CLIENT_ID, SERVER_ID, option(2, say.CLIENT_DUID)), "repeated_option"),
    "two registered addresses": (
        message(36, CLIENT_ID, LEASED, say.iaaddr("2001:db8::2")),
        "repeated_option",
    ),
    "nine IAs": (message(1, *(say.ia_na(iaid) for iaid in range(9))), "too_many_ias"),
    "17 addresses in one IA": (message(1, say.ia_na(1, *[LEASED] * 17)), "too_many_addresses"),
    "17 addresses in two IAs": (
        message(1, say.ia_na(1, *[LEASED] * 9), say.ia_pd(1, *[DELEGATED] * 8)),
        "too_many_addresses",
    ),
}


@pytest.mark.parametrize(("data", "fault"), FAULTY.values(), ids=FAULTY)
def test_a_malformed_message_is_named(data: bytes, fault: str) -> None:
    assert inspect6(data) == fault


def test_every_fault_of_a_message_is_tried() -> None:
    tried = {fault for _, fault in (*FAULTY.values(), *DISCARDED.values())}
    of_relays = {fault for fault in FAULTS6 if "relay" in fault}
    assert {"none", *FAULTS6} == tried | of_relays | {"bad_message_type", "leasequery"}


def test_as_many_as_there_is_room_for() -> None:
    ias = [say.ia_na(iaid, LEASED, LEASED) for iaid in range(4)]
    ias += [say.ia_pd(iaid, DELEGATED, DELEGATED) for iaid in range(4)]
    found = read(message(1, CLIENT_ID, *ias))
    assert [(ia["kind"], ia["iaid"], len(ia["addresses"])) for ia in found["ias"]] == [
        (kind, iaid, 2) for kind in (3, 25) for iaid in range(4)
    ]
    assert found["discard"] == "none"


def test_an_ia_ta_has_no_times() -> None:
    found = read(message(1, CLIENT_ID, say.ia_ta(7, LEASED)))
    assert found["ias"] == [
        {"kind": 4, "iaid": 7, "t1": 0, "t2": 0, "addresses": [at("2001:db8::1", 300, 600)]}
    ]


def test_what_else_stands_in_an_ia_is_passed_over() -> None:
    """A status, an unknown option, an address in an IA_PD and a prefix in an IA_NA."""
    status = option(13, u16(0) + b"fine")
    found = read(message(1, say.ia_na(1, status, option(999, b"?"), DELEGATED, LEASED), say.ia_pd(1, LEASED)))
    assert [len(ia["addresses"]) for ia in found["ias"]] == [1, 0]


def test_longest_times() -> None:
    found = read(message(5, say.ia_na(ALL, say.iaaddr("ff::", ALL, ALL), t1=ALL, t2=ALL)))
    assert found["ias"] == [
        {"kind": 3, "iaid": ALL, "t1": ALL, "t2": ALL, "addresses": [at("ff::", ALL, ALL)]}
    ]


@pytest.mark.parametrize(
    ("delegated", "excluded"), [(56, "40 07"), (48, "40 0001"), (0, "80" + "11" * 16), (63, "40 80")]
)
def test_an_excluded_prefix(delegated: int, excluded: str) -> None:
    """RFC 6603 section 4.2."""
    data = bytes.fromhex(excluded)
    prefix = say.iaprefix("2001:db8::", delegated, 0, 0, option(13, b"\0\0"), option(67, data))
    found = read(message(1, say.ia_pd(1, prefix)))
    assert found["ias"][0]["addresses"] == [at("2001:db8::", length=delegated, excluded=data)]


def test_unknown_options_are_skipped() -> None:
    """RFC 8415 section 16; those above 255 can be looked up all the same."""
    found = read(
        message(1, option(200, b"x"), option(65535, b"y"), option(256), CLIENT_ID, option(65535, b"z"))
    )
    assert found["options"] == {200: b"x", 65535: b"y", 256: b"", 1: say.CLIENT_DUID}


def test_of_a_repeated_option_the_first_counts() -> None:
    """RFC 8415 section 21.1: never joined."""
    found = read(message(1, say.oro(23), option(8, b"\0\1"), say.oro(24), option(8, b"\0\2")))
    assert (found["asked"], found["elapsed"]) == ([23], 1)


def test_codes_above_255_can_be_asked_for() -> None:
    assert read(message(1, say.oro(23, 300, 0, 65535)))["asked"] == [23, 300, 0, 65535]


USER_CLASS = option(15, u16(3) + b"abc" + u16(0))
CABLE = option(16, u32(4491) + u16(5) + b"ECM:x")
OTHER = option(16, u32(9) + u16(1) + b"c")


def test_classes_and_vendors() -> None:
    opts = option(17, u32(4491) + option(1, b"\0\x20") + option(2, b"ECM"))
    found = read(message(1, USER_CLASS, CABLE, OTHER, opts))
    assert found["options"][15] == u16(3) + b"abc" + u16(0)
    assert found["vendor_class"] == {4491: u16(5) + b"ECM:x", 9: u16(1) + b"c"}
    assert found["vendor_opts"] == {4491: option(1, b"\0\x20") + option(2, b"ECM")}
    assert found["ignored"] == []


DISCARDED = {
    "solicit": (message(1, CLIENT_ID), "none"),
    "solicit of nobody": (message(1), "no_client_id"),
    "solicit to a server": (message(1, CLIENT_ID, SERVER_ID), "unexpected_server_id"),
    "request": (message(3, CLIENT_ID, SERVER_ID), "none"),
    "request of nobody": (message(3, SERVER_ID), "no_client_id"),
    "request to nobody": (message(3, CLIENT_ID), "no_server_id"),
    "confirm": (message(4, CLIENT_ID), "none"),
    "confirm of nobody": (message(4), "no_client_id"),
    "confirm to a server": (message(4, CLIENT_ID, SERVER_ID), "unexpected_server_id"),
    "renew": (message(5, CLIENT_ID, SERVER_ID), "none"),
    "renew of nobody": (message(5, SERVER_ID), "no_client_id"),
    "renew to nobody": (message(5, CLIENT_ID), "no_server_id"),
    "rebind": (message(6, CLIENT_ID), "none"),
    "rebind of nobody": (message(6), "no_client_id"),
    "rebind to a server": (message(6, CLIENT_ID, SERVER_ID), "unexpected_server_id"),
    "release": (message(8, CLIENT_ID, SERVER_ID), "none"),
    "release of nobody": (message(8, SERVER_ID), "no_client_id"),
    "release to nobody": (message(8, CLIENT_ID), "no_server_id"),
    "decline": (message(9, CLIENT_ID, SERVER_ID), "none"),
    "decline of nobody": (message(9, SERVER_ID), "no_client_id"),
    "decline to nobody": (message(9, CLIENT_ID), "no_server_id"),
    "information-request": (message(11), "none"),
    "information-request to a server": (message(11, CLIENT_ID, SERVER_ID), "none"),
    "information-request with an IA": (message(11, CLIENT_ID, say.ia_pd(1)), "unexpected_option"),
    "registration": (message(36, CLIENT_ID, LEASED), "none"),
    "registration of nobody": (message(36, LEASED), "no_client_id"),
    "registration to a server": (message(36, CLIENT_ID, SERVER_ID, LEASED), "unexpected_server_id"),
    "registration of nothing": (message(36, CLIENT_ID), "no_address"),
    "registration that asks": (message(36, CLIENT_ID, LEASED, say.oro(23)), "unexpected_option"),
    "IA_NA and IA_PD of one IAID": (message(1, CLIENT_ID, say.ia_na(1), say.ia_pd(1), say.ia_ta(1)), "none"),
}


@pytest.mark.parametrize(("data", "fault"), DISCARDED.values(), ids=DISCARDED)
def test_what_servers_discard(data: bytes, fault: str) -> None:
    """RFC 8415 sections 16.2 to 16.12, RFC 9686 section 4.2.1."""
    assert read(data)["discard"] == fault


def test_a_registered_address_stands_outside_of_any_ia() -> None:
    assert read(message(36, CLIENT_ID, LEASED))["registered"] == at("2001:db8::1", 300, 600)
    assert read(message(1, CLIENT_ID, say.ia_na(1, LEASED)))["registered"] is None


DUIDS = {
    "LLT": ("0001 0001 1a2b3c4d 020000000001", (1, 1, 0x1A2B3C4D, 0, "020000000001")),
    "EN": ("0002 00000009 0cc0ffee", (2, 0, 0, 9, "0cc0ffee")),
    "LL": ("0003 0006 020000000001", (3, 6, 0, 0, "020000000001")),
    "UUID": ("0004" + "ab" * 16, (4, 0, 0, 0, "ab" * 16)),
    "unknown": ("0005 01", (0, 0, 0, 0, "01")),
    "LLT without address": ("0001 0001 1a2b3c4d", (0, 0, 0, 0, "00011a2b3c4d")),
    "EN without identifier": ("0002 00000009", (0, 0, 0, 0, "00000009")),
    "LL without address": ("0003 0001", (0, 0, 0, 0, "0001")),
    "short UUID": ("0004" + "ab" * 15, (0, 0, 0, 0, "ab" * 15)),
    "longest": ("ffff" + "00" * 128, (0, 0, 0, 0, "00" * 128)),
}


@pytest.mark.parametrize(("data", "parts"), DUIDS.values(), ids=DUIDS)
def test_duids(data: str, parts: tuple[Any, ...]) -> None:
    """RFC 8415 sections 11.2 to 11.5."""
    names = ("kind", "hardware_type", "time", "enterprise", "identifier")
    expected = dict(zip(names, parts, strict=True))
    assert inspect_duid(bytes.fromhex(data)) == expected | {"identifier": bytes.fromhex(parts[-1])}


@pytest.mark.parametrize("length", [0, 1, 2, 131, 65536])
def test_no_duid(length: int) -> None:
    assert inspect_duid(bytes(length)) is None


# The fuzz: a naive walk in Python finds what an accepted message may contain.


def walk(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The options before the first one that is cut."""
    while len(data) >= 4 and len(data) >= 4 + (length := int.from_bytes(data[2:4], "big")):
        yield int.from_bytes(data[:2], "big"), data[4 : 4 + length]
        data = data[4 + length :]


def agree(data: bytes) -> None:
    """A fault's name, or instances that a naive walk finds; what is missing is among the ignored."""
    found = inspect6(data)
    if isinstance(found, str):
        assert found in FAULTS6, data.hex()
        return
    options = list(walk(data[4:]))
    assert {code for code, _ in options} - set(found["options"]) <= set(found["ignored"]), data.hex()
    assert set(found["options"].items()) <= set(options), data.hex()
    assert [shape(ia) for ia in found["ias"]] == list(associations(options)), data.hex()


def shape(ia: dict[str, Any]) -> tuple[int, int, int]:
    return ia["kind"], ia["iaid"], len(ia["addresses"])


def associations(options: list[tuple[int, bytes]]) -> Iterator[tuple[int, int, int]]:
    """Kind, IAID and the number of addresses or prefixes."""
    known = set()
    for code, value in options:
        fixed = {3: 12, 4: 4, 25: 12}.get(code, len(value) + 1)
        if len(value) >= fixed and (code, value[:4]) not in known:
            known.add((code, value[:4]))
            yield code, int.from_bytes(value[:4], "big"), count_leases(code, value[fixed:])


def count_leases(kind: int, inner: bytes) -> int:
    wanted, fixed = (26, 25) if kind == 25 else (5, 24)
    return sum(
        code == wanted and len(value) >= fixed and (code == 5 or value[8] <= 128)
        for code, value in walk(inner)
    )


SEEDS = [data for data, _ in (*FAULTY.values(), *DISCARDED.values()) if len(data) < 2000] + [
    SOLICIT,
    message(1, USER_CLASS, CABLE, OTHER, option(17, u32(1) + option(1, b"x")), option(39, b"\0\1a\0")),
    message(5, CLIENT_ID, SERVER_ID, say.ia_pd(1, say.iaprefix("::", 48, 1, 2, option(67, b"\x40\0\1")))),
]


def mutate(data: bytes, rng: Random) -> bytes:
    octets = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(octets) + 1)
        match rng.randrange(4):
            case 0 if octets:
                octets[place % len(octets)] = rng.choice((0, 1, 4, 255, rng.randrange(256)))
            case 1:
                del octets[place : place + rng.randint(1, 4)]
            case 2:
                octets[place:place] = rng.randbytes(rng.randint(1, 4))
            case _:
                octets += octets[place : place + 40]
    return bytes(octets)


def test_mutants(fuzz_count: int) -> None:
    rng = Random(SEED)
    for _ in range(fuzz_count):
        agree(mutate(rng.choice(SEEDS), rng))


def test_messages_cut_anywhere() -> None:
    for data in SEEDS:
        for end in range(len(data)):
            agree(data[:end])


@settings(max_examples=examples(500), deadline=None)
@given(st.binary(max_size=300))
def test_garbage(data: bytes) -> None:
    agree(data)


CODES = st.sampled_from([1, 2, 3, 4, 5, 6, 7, 8, 11, 14, 15, 16, 17, 20, 25, 26, 39, 61, 62, 67, 300])
PIECES = st.recursive(
    st.builds(option, CODES, st.binary(max_size=30)),
    lambda inner: st.builds(
        lambda code, fixed, options: option(code, fixed + b"".join(options)),
        st.sampled_from([3, 4, 5, 17, 25, 26]),
        st.sampled_from([bytes(4), bytes(12), bytes(24), bytes(25)]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=12,
)


@settings(max_examples=examples(500), deadline=None)
@given(st.sampled_from([1, 3, 5, 11, 36]), st.lists(PIECES, max_size=8))
def test_options_of_any_shape(kind: int, options: list[bytes]) -> None:
    agree(message(kind, *options))
