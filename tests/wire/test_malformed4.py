"""A malformed option of a DHCPv4 client or relay counts as absent and is noted; its message is read (decisions:
Malformed options)."""

from __future__ import annotations

from typing import Any

import pytest
from extensions.inspect4 import inspect4

FIXED = bytes.fromhex("01010600 00000001 0000 0000") + bytes(16) + b"\2\0\0\0\0\1" + bytes(10)
COOKIE, END = b"\x63\x82\x53\x63", b"\xff"
DISCOVER = b"\x35\1\1"


def option(code: int, value: bytes = b"") -> bytes:
    """In pieces where it is longer than its length octet can say."""
    if len(value) > 255:
        return option(code, value[:255]) + option(code, value[255:])
    return bytes([code, len(value)]) + value


def packet(*options: bytes, sname: bytes = b"", file: bytes = b"") -> bytes:
    return FIXED + sname.ljust(64, b"\0") + file.ljust(128, b"\0") + COOKIE + b"".join(options)


def read(data: bytes) -> dict[str, Any]:
    found = inspect4(data)
    assert isinstance(found, dict), f"refused as {found}: {data.hex()}"
    return found


# code -> the lawful lengths
LENGTHS: dict[int, Any] = {
    **dict.fromkeys((12, 55, 60, 61, 77), range(1, 256)),
    **dict.fromkeys((50, 51, 54, 118), (4,)),
    **{57: (2,), 80: (0,), 94: (3,), 97: (17,), 116: (1,), 93: range(2, 256, 2)},
    # read by nobody, so any will do
    **dict.fromkeys((43, 66, 67, 90, 108, 119, 121, 145, 161, 162, 200, 254), range(256)),
}


@pytest.mark.parametrize("code", LENGTHS)
def test_every_length(code: int) -> None:
    for length in range(256):
        found = read(packet(DISCOVER, option(code, bytes(length)), option(15, b"x"), END))
        lawful = length in LENGTHS[code]
        assert set(found["options"]) == ({53, 15, code} if lawful else {53, 15}), length
        assert found["ignored"] == ([] if lawful else [code]), length


NAMES = {
    "no response codes": (b"\4\0", False),
    "empty in labels": (b"\4\0\0", True),
    "empty in ASCII": (b"\0\0\0", True),
    "partial": (b"\4\0\0\4host", True),
    "whole": (b"\4\0\0\4host\3lan\0", True),
    "a label that is cut": (b"\4\0\0\5host", False),
    "behind the root label": (b"\4\0\0\4host\0\1", False),
    "a label of 64 octets": (b"\4\0\0\x40" + b"a" * 64, False),
    "a pointer": (b"\4\0\0\4host\xc0\0", False),
    "longer than a name": (b"\4\0\0" + (b"\x2f" + b"a" * 47) * 5 + b"\x0e" + b"b" * 14, False),
    "as long as one": (b"\4\0\0" + (b"\x2f" + b"a" * 47) * 5 + b"\x0b" + b"b" * 11, True),
    "ASCII": (b"\0\0\0host.lan", True),
    "ASCII with a dot and a NUL": (b"\0\0\0host.lan.\0", True),
    "an empty label in ASCII": (b"\0\0\0host..lan", False),
    "a dot in front in ASCII": (b"\0\0\0.host", False),
    "a label of 64 octets in ASCII": (b"\0\0\0" + b"a" * 64, False),
}


@pytest.mark.parametrize(("value", "lawful"), NAMES.values(), ids=NAMES)
def test_names(value: bytes, lawful: bool) -> None:
    found = read(packet(DISCOVER, option(81, value), END))
    assert (81 in found["options"], found["ignored"]) == (lawful, [] if lawful else [81])


BLOCKS = {
    "nothing": (b"", False),
    "an enterprise alone": (b"\0\0\0\x09", False),
    "no data": (b"\0\0\0\x09\0", True),
    "a block": (b"\0\0\0\x09\3abc", True),
    "two": (b"\0\0\0\x09\3abc\0\0\1\2\0", True),
    "a cut one": (b"\0\0\0\x09\4abc", False),
    "a cut one behind a whole one": (b"\0\0\0\x09\3abc\0\0\1\2\1", False),
    "octets behind": (b"\0\0\0\x09\3abc\0\0", False),
}


@pytest.mark.parametrize(("value", "lawful"), BLOCKS.values(), ids=BLOCKS)
@pytest.mark.parametrize("code", [124, 125])
def test_blocks_of_vendors(code: int, value: bytes, lawful: bool) -> None:
    found = read(packet(DISCOVER, option(code, value), END))
    assert (code in found["options"], found["ignored"]) == (lawful, [] if lawful else [code])


def test_a_guid_of_another_type_is_absent() -> None:
    assert read(packet(DISCOVER, option(97, b"\1" + bytes(16)), END))["ignored"] == [97]


# --- the message type


@pytest.mark.parametrize("length", [0, 2, 4, 255])
def test_a_malformed_message_type_costs_the_answer(length: int) -> None:
    assert inspect4(packet(option(53, b"\1" * length), END)) == "bad_message_type"


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ((DISCOVER, DISCOVER), None),
        ((DISCOVER, DISCOVER, DISCOVER), None),
        ((DISCOVER, b"\x35\1\3"), "bad_message_type"),
        ((b"\x35\2\1\1", b"\x35\2\1\1"), "bad_message_type"),
    ],
)
def test_a_message_type_that_is_sent_again(options: tuple[bytes, ...], fault: str | None) -> None:
    found = inspect4(packet(*options, END))
    if fault:
        assert found == fault
    else:
        assert isinstance(found, dict)
        assert (found["message_type"], found["ignored"]) == (1, [53])


@pytest.mark.parametrize("cut", [b"\x0c", b"\x0c\5ab", b"\x35", b"\x35\1", b"\x3d\x07\1", b"\xfe\1"])
def test_an_option_that_is_cut(cut: bytes) -> None:
    """It ends the options. Without a message type before it nobody knows which message it is."""
    assert inspect4(packet(cut)) == "option_overrun"
    found = read(packet(DISCOVER, option(60, b"udhcp"), cut))
    assert (set(found["options"]), found["ignored"]) == ({53, 60}, [cut[0]])


def test_a_missing_message_type_is_one_of_bootp() -> None:
    assert inspect4(packet(END)) == inspect4(packet()) == "no_message_type"


# --- repeated options


@pytest.mark.parametrize(
    ("code", "value"),
    [(50, b"\x0a\0\0\5"), (51, bytes(4)), (54, b"\x0a\0\0\1"), (57, b"\5\xdc"), (94, b"\1\3\0"),
     (97, bytes(17)), (116, b"\1"), (118, b"\x0a\0\0\0")],
)  # fmt: skip
def test_equal_pieces_of_an_option_of_fixed_length_are_one_value(code: int, value: bytes) -> None:
    for count in (2, 3):
        found = read(packet(DISCOVER, *[option(code, value)] * count, END))
        assert (found["options"][code], found["ignored"]) == (value, [code])
    found = read(packet(DISCOVER, option(code, value), option(code, value[:-1] + b"\x77"), END))
    assert (code in found["options"], found["ignored"]) == (False, [code])
    found = read(packet(DISCOVER, option(code, value * 2), END))
    assert (code in found["options"], found["ignored"]) == (False, [code])


def test_two_equal_halves_are_joined() -> None:
    """RFC 3396 section 7: a piece may be of any length."""
    found = read(packet(DISCOVER, option(50, b"\x0a\x0a"), option(50, b"\x0a\x0a"), END))
    assert (found["options"][50], found["ignored"]) == (b"\x0a\x0a\x0a\x0a", [])


def test_pieces_of_other_options_are_joined() -> None:
    pieces = [option(code, value) for code in (12, 55, 61, 77) for value in (b"ab", b"ab")]
    found = read(packet(DISCOVER, *pieces, option(57, b"\5"), option(57, b"\xdc"), END))
    assert {code: found["options"][code] for code in (12, 55, 61, 77)} == dict.fromkeys(
        (12, 55, 61, 77), b"abab"
    )
    assert (found["options"][57], found["ignored"]) == (b"\5\xdc", [])


def test_pieces_before_a_cut_one_are_joined() -> None:
    found = read(packet(DISCOVER, option(12, b"ab"), option(12, b"cd"), b"\x0c\x20ef"))
    assert (found["options"][12], found["ignored"]) == (b"abcd", [12])


def test_an_empty_client_id_among_pieces() -> None:
    assert read(packet(DISCOVER, option(61), option(61), END))["ignored"] == [61]
    assert read(packet(DISCOVER, option(61), option(61, b"\1"), END))["options"][61] == b"\1"


# --- option 52


@pytest.mark.parametrize("value", [b"", b"\0", b"\4", b"\xff", b"\1\1", b"\1\2\3"])
def test_an_overload_that_does_not_exist(value: bytes) -> None:
    """`file` and `sname` contain no options then."""
    found = read(packet(DISCOVER, option(52, value), END, sname=option(12, b"a"), file=option(15, b"b")))
    assert (set(found["options"]), found["ignored"]) == ({53}, [52])


def test_an_overload_that_is_sent_again() -> None:
    found = read(packet(DISCOVER, b"\x34\1\1", b"\x34\1\1", END, file=option(15, b"b") + END))
    assert (found["options"][15], found["ignored"]) == (b"b", [52])
    found = read(packet(DISCOVER, b"\x34\1\1", b"\x34\1\2", END, file=option(15, b"b") + END))
    assert (15 in found["options"], found["ignored"]) == (False, [52])


@pytest.mark.parametrize("end", [b"", END])
def test_options_that_are_cut_in_file_and_sname(end: bytes) -> None:
    """Each field ends for itself."""
    file = option(15, b"b") + option(60, b"c" * 118) + b"\x43\x20"
    found = read(packet(DISCOVER, b"\x34\1\3", end, sname=option(12, b"a") + b"\x42\xf0", file=file))
    assert (set(found["options"]), found["ignored"]) == ({52, 53, 15, 60, 12}, [66, 67])


def test_a_message_type_in_file_behind_options_that_are_cut() -> None:
    found = read(packet(b"\x34\1\1", b"\x0c\x20a", file=DISCOVER))
    assert (found["message_type"], found["ignored"]) == (1, [12])


# --- option 82


WHOLE = b"\1\2c1" + b"\5\4\x0a\x01\0\0" + b"\x0b\4\x0a\0\0\1" + b"\x0a\1\x80" + b"\x13\0" + b"\x97\2\0v"
RELAYED = ("circuit_id", "remote_id", "link_selection", "server_override", "relay_flags", "network")


@pytest.mark.parametrize("end", range(len(WHOLE)))
def test_sub_options_before_a_cut_one_are_used(end: int) -> None:
    whole, said = read(packet(DISCOVER, option(82, WHOLE), END)), WHOLE[:end]
    assert whole["ignored"] == []
    found = read(packet(DISCOVER, option(82, said), END))
    assert found["options"][82] == found["relay_said"] == said
    ends = (4, 10, 16, 19, 21, 25)
    assert found["ignored"] == ([] if end in ends else [82])
    names = ("circuit_id", "link_selection", "server_override", "relay_flags", "relay_port", "network")
    for at, name in zip(ends, names, strict=True):
        if name != "network":
            assert found[name] == (whole[name] if end >= at else (False if name == "relay_port" else None))
    assert found["network"] == (b"" if end > 21 else None), "a cut one is nobody's network"


@pytest.mark.parametrize(
    ("code", "bad", "good", "name"),
    [
        (5, b"\x0a\0\0", b"\x0a\0\0\0", "link_selection"),
        (5, bytes(5), b"\x0a\0\0\0", "link_selection"),
        (11, b"", b"\x0a\0\0\1", "server_override"),
        (10, b"", b"\x80", "relay_flags"),
        (10, b"\x80\0", b"\x80", "relay_flags"),
    ],
)
def test_a_malformed_sub_option_is_absent(code: int, bad: bytes, good: bytes, name: str) -> None:
    circuit = option(1, b"eth1/3")
    found = read(packet(DISCOVER, option(82, option(code, bad) + circuit), END))
    assert (found[name], found["circuit_id"], found["ignored"]) == (None, b"eth1/3", [82])
    found = read(packet(DISCOVER, option(82, option(code, bad) + option(code, good)), END))
    assert (found[name], found["ignored"]) == (good, [82])


def test_a_relay_port_with_data_is_none() -> None:
    assert read(packet(DISCOVER, option(82, b"\x13\1\0"), END))["relay_port"] is False
    assert read(packet(DISCOVER, option(82, b"\x13\1\0\x13\0"), END))["relay_port"] is True


def test_an_empty_option_82() -> None:
    found = read(packet(DISCOVER, option(82), END))
    assert (found["relay_said"], found["ignored"]) == (b"", [82])


def test_an_empty_network_is_kept_as_one_that_nobody_has() -> None:
    found = read(packet(DISCOVER, option(82, b"\x97\0\x97\2\0v"), option(221), END))
    assert (found["network"], found["options"][221], found["ignored"]) == (b"", b"", [82, 221])


# --- the whole


def test_everything_malformed_at_once() -> None:
    bad = [
        option(code, b"") for code in (12, 50, 51, 54, 55, 57, 60, 61, 77, 81, 93, 94, 97, 116, 118, 124, 125)
    ]
    found = read(packet(*bad, DISCOVER, option(52, b"\7"), option(80, b"?"), option(82, b"\1"), b"\x0f"))
    assert set(found["options"]) == {53, 82}
    assert found["ignored"] == sorted([*(one[0] for one in bad), 52, 80, 82, 15])


def test_junk_behind_the_end_is_not_read() -> None:
    found = read(packet(DISCOVER, b"\0\0", option(12, b"a"), END, option(50, b"?"), b"\x3d"))
    assert (set(found["options"]), found["ignored"]) == ({53, 12}, [])
