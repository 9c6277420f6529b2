"""A malformed option of a DHCPv6 client counts as absent and is noted; its message is read (decisions: Malformed
options)."""

from __future__ import annotations

from typing import Any

import pytest
from extensions.inspect6 import inspect6
from wire import octets6 as say
from wire.octets6 import CLIENT_ID, SERVER_ID, message, option, u16, u32
from wire.test_packet6 import read

SOLICIT, REQUEST, INFORMATION_REQUEST, REGISTRATION = 1, 3, 11, 36
LEASED = say.iaaddr("2001:db8::1", 300, 600)

# code -> (malformed values, a well-formed one)
LAYOUTS: dict[int, tuple[list[bytes], bytes]] = {
    2: ([b"", b"\0", b"\0\1", b"\0\1" + bytes(129)], say.SERVER_DUID),
    6: ([b"\0", b"\0\1\0", bytes(7)], u16(23)),
    8: ([b"", b"\1", b"\0\1\0", bytes(4)], u16(9)),
    14: ([b"\1", b"\0\0"], b""),
    20: ([b"\1", bytes(300)], b""),
    15: ([b"", u16(4) + b"abc", u16(3) + b"abc\0", b"\0"], u16(3) + b"abc"),
    16: ([b"", b"\0\0\0", u32(9) + u16(2) + b"c", u32(9) + b"\0"], u32(9) + u16(1) + b"c"),
    17: ([b"", b"\0\0\0", u32(9) + b"\0\1\0\2\0", u32(9) + b"\0\1\0"], u32(9) + option(1, b"x")),
    39: (
        [b"", b"\0\1", b"\0\x40" + b"a" * 64, b"\0\1a\0x", b"\0\xc0\1", b"\0" + (b"\x3f" + b"a" * 63) * 4],
        b"\0\4host",
    ),
    61: ([b"", b"\0", b"\0\7\0"], u16(7)),
    62: ([b"", b"\1\3", b"\1\3\0\0"], b"\1\3\0"),
}
CASES = [(code, bad) for code, (values, _) in LAYOUTS.items() for bad in values]


@pytest.mark.parametrize(("code", "bad"), CASES)
def test_a_malformed_option_counts_as_absent(code: int, bad: bytes) -> None:
    found = read(message(SOLICIT, CLIENT_ID, option(code, bad), say.ia_na(1)))
    assert set(found["options"]) == {1, 3}
    assert (found["ignored"], found["discard"]) == ([code], "none")
    assert (found["asked"], found["elapsed"], len(found["ias"])) == ([], 0, 1)


@pytest.mark.parametrize(("code", "bad"), CASES)
@pytest.mark.parametrize("first", [True, False])
def test_the_first_well_formed_instance_counts(code: int, bad: bytes, first: bool) -> None:
    good = option(code, LAYOUTS[code][1])
    sent = [option(code, bad), good] if first else [good, option(code, bad)]
    found = read(message(REQUEST, CLIENT_ID, *sent))
    assert found["options"][code] == LAYOUTS[code][1]
    assert found["ignored"] == [code]


@pytest.mark.parametrize("code", LAYOUTS)
def test_well_formed_ones_are_kept(code: int) -> None:
    found = read(message(REQUEST, CLIENT_ID, option(code, LAYOUTS[code][1])))
    assert (found["options"][code], found["ignored"]) == (LAYOUTS[code][1], [])


def test_of_an_enterprise_the_well_formed_instance_counts() -> None:
    bad, good, other = u32(9) + u16(7) + b"c", u32(9) + u16(1) + b"c", u32(7) + u16(1) + b"d"
    found = read(message(SOLICIT, CLIENT_ID, option(16, bad), option(16, other), option(16, good)))
    assert found["vendor_class"] == {7: u16(1) + b"d", 9: u16(1) + b"c"}


@pytest.mark.parametrize("name", [b"", b"\0", b"\3abc", b"\3abc\0", b"\1a" * 126, b"\x3f" + b"a" * 63])
def test_names_that_are_well_formed(name: bytes) -> None:
    found = read(message(SOLICIT, CLIENT_ID, option(39, b"\0" + name)))
    assert (found["options"][39], found["ignored"]) == (b"\0" + name, [])


# --- who the client is, and for whom the message is


@pytest.mark.parametrize("duid", [b"", b"\0", b"\0\1", b"\0\1" + bytes(129), bytes(1000)])
@pytest.mark.parametrize("kind", [1, 3, 4, 5, 6, 8, 9, 11, 36])
def test_a_malformed_client_id_costs_the_answer(kind: int, duid: bytes) -> None:
    for options in ([option(1, duid)], [CLIENT_ID, option(1, duid)], [option(1, duid), CLIENT_ID]):
        assert inspect6(message(kind, *options)) == "bad_duid"


@pytest.mark.parametrize("end", range(1, len(CLIENT_ID)))
def test_a_client_id_that_is_cut(end: int) -> None:
    """Where the header is cut nobody knows that it was one."""
    found = inspect6(message(SOLICIT) + CLIENT_ID[:end])
    if end >= 4:
        assert found == "bad_duid"
    else:
        assert isinstance(found, dict)
        assert (found["ignored"], found["discard"]) == ([0], "no_client_id")


@pytest.mark.parametrize(
    ("kind", "discard"),
    [(1, "none"), (4, "none"), (6, "none"), (11, "none"), *((kind, "no_server_id") for kind in (3, 5, 8, 9))],
)
def test_a_malformed_server_id_is_none(kind: int, discard: str) -> None:
    found = read(message(kind, CLIENT_ID, option(2, b"\0")))
    assert (found["discard"], found["ignored"]) == (discard, [2])


@pytest.mark.parametrize(
    ("kind", "options", "code"),
    [
        (REQUEST, (CLIENT_ID, CLIENT_ID, SERVER_ID), 1),
        (REQUEST, (CLIENT_ID, SERVER_ID, SERVER_ID, SERVER_ID), 2),
        (REGISTRATION, (CLIENT_ID, LEASED, LEASED), 5),
    ],
)
def test_an_identifier_that_is_sent_again_counts_once(
    kind: int, options: tuple[bytes, ...], code: int
) -> None:
    found = read(message(kind, *options))
    assert (found["discard"], found["ignored"]) == ("none", [code])


def test_a_registration_of_a_malformed_address() -> None:
    bad = option(5, bytes(23))
    found = read(message(REGISTRATION, CLIENT_ID, bad))
    assert (found["registered"], found["discard"], found["ignored"]) == (None, "no_address", [5])
    found = read(message(REGISTRATION, CLIENT_ID, bad, LEASED))
    assert (found["registered"]["address"], found["discard"]) == (say.ip("2001:db8::1"), "none")


# --- associations


@pytest.mark.parametrize(
    ("code", "length"), [*((code, n) for code in (3, 25) for n in (0, 3, 4, 8, 11)), (4, 0), (4, 3)]
)
def test_a_malformed_association_is_absent(code: int, length: int) -> None:
    found = read(message(SOLICIT, CLIENT_ID, option(code, bytes(length)), say.ia_na(7, LEASED)))
    assert [(ia["kind"], ia["iaid"], len(ia["addresses"])) for ia in found["ias"]] == [(3, 7, 1)]
    assert (found["ignored"], found["discard"]) == ([code], "none")


GOOD_PREFIX = say.iaprefix("2001:db8:1::", 56, 1, 2)
BAD_PREFIXES = {
    "an octet short": option(26, bytes(24)),
    "empty": option(26),
    **{f"/{length}": say.iaprefix("::", length) for length in (129, 200, 255)},
}


@pytest.mark.parametrize("bad", BAD_PREFIXES.values(), ids=BAD_PREFIXES)
def test_a_malformed_prefix_is_absent_and_its_association_stays(bad: bytes) -> None:
    found = read(message(SOLICIT, CLIENT_ID, say.ia_pd(1, bad), say.ia_pd(2, bad, GOOD_PREFIX, bad)))
    assert [(ia["iaid"], [lease["length"] for lease in ia["addresses"]]) for ia in found["ias"]] == [
        (1, []),
        (2, [56]),
    ]
    assert found["ignored"] == [26]


@pytest.mark.parametrize("length", [0, 1, 16, 23])
def test_a_malformed_address_is_absent_and_its_association_stays(length: int) -> None:
    found = read(message(SOLICIT, CLIENT_ID, say.ia_na(1, option(5, bytes(length)), LEASED)))
    assert [len(ia["addresses"]) for ia in found["ias"]] == [1]
    assert found["ignored"] == [5]


CUT_INSIDE: dict[str, tuple[bytes, int, int]] = {
    "an address in an IA_NA": (say.ia_na(1, LEASED, LEASED[:-1]), 1, 3),
    "a header in an IA_NA": (say.ia_na(1, LEASED, b"\0\5\0"), 1, 3),
    "a status in an IA_TA": (say.ia_ta(1, LEASED, b"\0\x0d\0\3\0\0"), 1, 4),
    "the only prefix in an IA_PD": (say.ia_pd(1, GOOD_PREFIX[:-1]), 0, 25),
    "an option of an address": (say.ia_na(1, option(5, bytes(24) + b"\0\x0d\0\3\0\0"), LEASED), 2, 5),
    "an option of a prefix": (say.ia_pd(1, option(26, bytes(25) + b"\0"), GOOD_PREFIX), 2, 26),
}


@pytest.mark.parametrize(("ia", "leases", "code"), CUT_INSIDE.values(), ids=CUT_INSIDE)
def test_what_precedes_a_cut_option_in_an_association_is_used(ia: bytes, leases: int, code: int) -> None:
    found = read(message(SOLICIT, CLIENT_ID, ia, say.oro(23)))
    assert [len(one["addresses"]) for one in found["ias"]] == [leases]
    assert (found["ignored"], found["asked"]) == ([code], [23])


@pytest.mark.parametrize(
    ("delegated", "excluded"),
    [
        (64, "40 00"),  # not longer than the prefix
        (56, "40"),  # no subnet id
        (48, "40 01"),  # too few octets
        (56, "40 0007"),  # too many
        (56, "81" + "00" * 10),  # longer than an address
        (56, ""),
    ],
)
def test_a_malformed_excluded_prefix_is_absent(delegated: int, excluded: str) -> None:
    """RFC 6603 section 4.2."""
    bad, good = option(67, bytes.fromhex(excluded)), option(67, bytes([delegated + 1, 0x80]))
    (ia,) = read(message(SOLICIT, CLIENT_ID, say.ia_pd(1, say.iaprefix("::", delegated, 0, 0, bad))))["ias"]
    assert (ia["addresses"][0]["length"], ia["addresses"][0]["excluded"]) == (delegated, None)
    found = read(message(SOLICIT, CLIENT_ID, say.ia_pd(1, say.iaprefix("::", delegated, 0, 0, bad, good))))
    assert found["ias"][0]["addresses"][0]["excluded"] == good[4:]


@pytest.mark.parametrize("write", [say.ia_na, say.ia_ta, say.ia_pd])
def test_of_two_associations_of_one_type_and_iaid_the_first_counts(write: Any) -> None:
    first = GOOD_PREFIX if write is say.ia_pd else LEASED
    again = write(1, option(26 if write is say.ia_pd else 5, b"?"), b"cut")
    found = read(message(SOLICIT, CLIENT_ID, write(1, first), write(2), again))
    assert [(ia["iaid"], len(ia["addresses"])) for ia in found["ias"]] == [(1, 1), (2, 0)]
    assert (found["ignored"], found["discard"]) == ([found["ias"][0]["kind"]], "none")


def test_one_iaid_in_associations_of_each_type() -> None:
    found = read(message(SOLICIT, CLIENT_ID, say.ia_na(1), say.ia_pd(1), say.ia_ta(1)))
    assert ([ia["kind"] for ia in found["ias"]], found["ignored"]) == ([3, 25, 4], [])


def test_what_is_ignored_takes_no_place() -> None:
    """A ninth association that is a repetition, and a seventeenth address that is malformed."""
    ias = [say.ia_na(iaid) for iaid in range(8)]
    found = read(message(SOLICIT, CLIENT_ID, *ias, say.ia_na(3), option(25, b"?")))
    assert (len(found["ias"]), found["ignored"]) == (8, [3, 25])
    found = read(message(SOLICIT, CLIENT_ID, say.ia_na(1, *[LEASED] * 16, option(5, b"?"))))
    assert (len(found["ias"][0]["addresses"]), found["ignored"]) == (16, [5])


def test_a_malformed_association_is_no_association_of_an_information_request() -> None:
    found = read(message(INFORMATION_REQUEST, CLIENT_ID, option(3, bytes(11))))
    assert (found["discard"], found["ignored"]) == ("none", [3])


# --- the end of the message


@pytest.mark.parametrize(
    ("rest", "code"),
    [
        (b"\0", 0),
        (b"\0\6\0", 0),
        (b"\0\6\0\2", 6),
        (b"\0\6\0\2\0", 6),
        (b"\0\3\0\x0c\0\0\0\2", 3),
        (b"\3\xe7\0\2\0", 0),
        (b"\0\x10\xff\xff" + bytes(100), 16),
    ],
)
def test_an_option_that_is_cut_ends_the_message(rest: bytes, code: int) -> None:
    found = read(message(SOLICIT, CLIENT_ID, say.ia_na(1, LEASED)) + rest)
    assert (list(found["options"]), len(found["ias"])) == ([1, 3], 1)
    assert (found["ignored"], found["discard"]) == ([code], "none")


def test_what_clients_do_not_send_may_contain_anything() -> None:
    """A preference, a status, a server's unicast address, authentication: nobody reads them."""
    sent = [option(code, b"?") for code in (7, 11, 12, 13, 18, 19, 23, 24, 32, 82, 200)]
    found = read(message(SOLICIT, CLIENT_ID, *sent))
    assert (len(found["options"]), found["ignored"]) == (12, [])


def test_a_network_without_type_is_kept_as_one_that_nobody_has() -> None:
    found = read(message(SOLICIT, CLIENT_ID, option(68)))
    assert (found["options"][68], found["ignored"]) == (b"", [68])
