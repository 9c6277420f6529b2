"""DHCPv4 packets of anybody are read as far as they go (decisions: Malformed options)."""

from __future__ import annotations

import pytest
from oracle import packets as say

from dhcp_fast.packets.dissect import Message, dissect, relay_part

MAC = "02:00:00:00:00:01"


def read(packet: say.Packet | bytes) -> Message:
    found = dissect(packet if isinstance(packet, bytes) else packet.bytes())
    assert found is not None
    return found


def test_options_before_a_cut_one_are_shown() -> None:
    found = read(say.discover(MAC).hostname("host").without_end().bytes() + b"\x3d\x20\1")
    assert (found.type_name, found.cut, found.value(12)) == ("DISCOVER", (61,), b"host")
    assert found.option_lines() == [
        "host-name (12): host",
        "dhcp-client-identifier (61): cut, the rest is not read",
    ]


def test_without_a_message_type_it_is_malformed() -> None:
    found = read(say.bootp(MAC).without_end().bytes() + b"\x35\1")
    assert (found.kind, found.type_name, found.is_readable) == (0, "malformed", False)
    assert read(say.bootp(MAC)).type_name == "BOOTP"


@pytest.mark.parametrize(("code", "value"), [(53, b"\1"), (50, b"\x0a\0\0\5"), (57, b"\5\xdc")])
def test_equal_pieces_are_one_value(code: int, value: bytes) -> None:
    packet = say.discover(MAC).also(code, value)
    assert read(packet.also(code, value)).value(code) == value


def test_pieces_in_several_fields_are_joined() -> None:
    data = bytearray(say.discover(MAC).option(52, b"\1").hostname("ab").bytes())
    data[108:116] = b"\x0c\2cd\xff\0\0\0"
    assert (read(bytes(data)).value(12), read(bytes(data)).file) == (b"abcd", "")


@pytest.mark.parametrize("value", [b"", b"\0", b"\4", b"\1\2"])
def test_an_overload_that_does_not_exist_leaves_the_fields(value: bytes) -> None:
    data = bytearray(say.discover(MAC).option(52, value).bytes())
    data[108:113] = b"pxe.0"
    assert read(bytes(data)).file == "pxe.0"


def test_a_circuit_before_a_cut_sub_option_is_shown() -> None:
    packet = say.discover(MAC).with_relay("10.0.0.1").option(82, b"\1\6eth1/3\2\x20x")
    assert relay_part(read(packet)) == "through relay 10.0.0.1, circuit eth1/3"
