"""Captures of every kind that a migrating operator has are read; what is damaged is told by file and packet."""

from __future__ import annotations

import contextlib
import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle import packets as say
from oracle import packets6 as say6
from replay import captures
from replay.captures import ETHERNET, LOOP, RAW, SLL, SLL2, framed, pcap, pcapng, udp, udp6, written

from dhcp_fast.replay.capture import Capture, CaptureError
from dhcp_fast.replay.conversations import Conversations

MAC = "02:00:00:00:00:01"
DUID = say6.duid_ll(MAC)
SOLICIT6 = say6.solicit(DUID).ia_na(1).bytes()
# Extension headers (RFC 8200 section 4): what they are, and the rest of them, as units of eight octets or four say.
HOP_BY_HOP, DESTINATION = bytes([0, 0]) + bytes(6), bytes([60, 1]) + bytes(14)
AUTHENTICATION = bytes([51, 4]) + bytes(22)
WHOLE, PART = bytes([44, 0, 0, 0]) + bytes(4), bytes([44, 0, 0, 1]) + bytes(4)
DISCOVER = udp(say.discover(MAC).bytes())
FRAME = framed(DISCOVER, ETHERNET)
FRAME6 = framed(udp6(SOLICIT6), ETHERNET)


def read(path: Path) -> Conversations:
    found = Conversations()
    found.read(path)
    return found


def refusal(folder: Path, data: bytes) -> str:
    path = written(folder, data)
    with pytest.raises(CaptureError) as refused:
        read(path)
    text = str(refused.value)
    assert text.startswith(f"{path}, packet ")
    return text


@pytest.mark.parametrize("link", [ETHERNET, RAW, 12, 14, 228, SLL, SLL2, LOOP])
@pytest.mark.parametrize("form", [pcap, pcapng])
def test_every_link(form: object, link: int, tmp_path: Path) -> None:
    data = form([framed(DISCOVER, link)], link)  # type: ignore[operator]
    (client,) = read(written(tmp_path, data)).whole()
    assert client.mac.hex(":") == MAC


@pytest.mark.parametrize("link", [ETHERNET, RAW, 12, 14, 229, SLL, SLL2, LOOP])
@pytest.mark.parametrize("form", [pcap, pcapng])
def test_every_link_of_dhcpv6(form: object, link: int, tmp_path: Path) -> None:
    data = form([framed(udp6(SOLICIT6), link)], link)  # type: ignore[operator]
    (client,) = read(written(tmp_path, data)).ipv6.whole()
    assert client.duid == DUID


@pytest.mark.parametrize("extensions", [
    (HOP_BY_HOP,), (DESTINATION,), (AUTHENTICATION,), (WHOLE,), (HOP_BY_HOP, DESTINATION, WHOLE),
])  # fmt: skip
def test_extension_headers_are_passed_over(extensions: tuple[bytes, ...], tmp_path: Path) -> None:
    frame = framed(udp6(SOLICIT6, captures.CLIENT6, captures.SERVER6, *extensions), ETHERNET, 7)
    assert len(read(written(tmp_path, pcap([frame]))).ipv6.whole()) == 1


def test_what_is_no_dhcpv6_is_passed_over(tmp_path: Path) -> None:
    query = udp6(b"query", ("2001:db8::1", 53), ("2001:db8::2", 5353))
    fragment = udp6(SOLICIT6, captures.CLIENT6, captures.SERVER6, PART)
    foreign = [query, fragment, udp6(SOLICIT6)[:44], udp6(SOLICIT6)[:-1], b"\x60" + bytes(43)]
    found = read(written(tmp_path, pcap([framed(ip, ETHERNET) for ip in foreign])))
    assert found.counts == {"packets": 5}


def test_a_capture_of_both_families(tmp_path: Path) -> None:
    found = read(written(tmp_path, pcap([FRAME, framed(udp6(SOLICIT6), ETHERNET)])))
    assert (len(found.whole()), len(found.ipv6.whole()), found.counts["requests"]) == (1, 1, 2)


@pytest.mark.parametrize("tags", [(7,), (7, 8)])
def test_vlan_tags(tags: tuple[int, ...], tmp_path: Path) -> None:
    assert len(read(written(tmp_path, pcap([framed(DISCOVER, ETHERNET, *tags)]))).whole()) == 1


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("magic", [0xA1B2C3D4, 0xA1B23C4D])
def test_byte_and_time_orders(order: str, magic: int, tmp_path: Path) -> None:
    assert len(read(written(tmp_path, pcap([FRAME], order=order, magic=magic))).whole()) == 1
    assert len(read(written(tmp_path, pcapng([FRAME], order=order))).whole()) == 1


def test_interfaces_of_different_links(tmp_path: Path) -> None:
    """Wireshark writes several into one file; a second section begins them anew. Other blocks are passed over."""
    other = udp(say.discover("02:00:00:00:00:02").bytes())
    data = captures.section() + captures.interface(ETHERNET) + captures.interface(RAW)
    data += captures.block(5, b"statistics  ") + captures.enhanced(1, DISCOVER) + captures.enhanced(0, FRAME)
    data += (
        captures.section(">") + captures.interface(SLL, ">") + captures.enhanced(0, framed(other, SLL), ">")
    )
    found = read(written(tmp_path, data))
    assert found.counts["requests"] == 3
    assert len(found.whole()) == 2


def test_simple_packet_blocks(tmp_path: Path) -> None:
    data = captures.section() + captures.interface(ETHERNET)
    data += captures.block(3, struct.pack("<I", len(FRAME)) + FRAME)
    assert len(read(written(tmp_path, data)).whole()) == 1


def test_what_is_no_dhcp_is_passed_over(tmp_path: Path) -> None:
    foreign = [
        b"",
        b"\x02" * 14,
        framed(udp(b"query", ("192.0.2.1", 53), ("192.0.2.2", 5353)), ETHERNET),
        framed(b"\x60" + bytes(59), RAW),
        framed(DISCOVER[:6] + b"\x20\x00" + DISCOVER[8:], ETHERNET),
        b"\xff" * 12 + b"\x86\xdd" + bytes(60),
    ]
    found = read(written(tmp_path, pcap([*foreign, FRAME])))
    assert found.counts["packets"] == 7
    assert found.counts["requests"] == 1


def test_packets_cut_at_the_snap_length_are_counted(tmp_path: Path) -> None:
    head = pcap([])
    data = head + struct.pack("<IIII", 1, 2, len(FRAME), len(FRAME) + 9) + FRAME
    found = read(written(tmp_path, data))
    assert (found.counts["malformed"], found.whole()) == (1, [])


def test_malformed_messages_are_counted(tmp_path: Path) -> None:
    short = say.discover(MAC).bytes()[:200]
    overrun = say.bootp(MAC).without_end().bytes() + b"\x0c\xffab"
    found = read(written(tmp_path, pcap([framed(udp(data), ETHERNET) for data in (short, overrun)])))
    assert (found.counts["malformed"], found.whole()) == (2, [])


def test_a_request_that_is_cut_is_one_as_far_as_it_goes(tmp_path: Path) -> None:
    """As the server takes it (decisions: Malformed options)."""
    cut = say.discover(MAC).hostname("host").without_end().bytes() + b"\x3d\xffab"
    found = read(written(tmp_path, pcap([framed(udp(cut), ETHERNET)])))
    assert (found.counts["requests"], found.counts["malformed"]) == (1, 0)


# --- what cannot be read


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "packet 0: the file is neither pcap nor pcapng"),
        (b"GIF89a", "neither pcap nor pcapng"),
        (b"\x1f\x8b\x08\x00", "packet 0: the file is compressed; unpack it first"),
        (pcap([])[:20], "packet 0: the file ends inside it"),
        (pcap([FRAME, FRAME])[:-1], "packet 2: the file ends inside it"),
        (pcap([FRAME]) + b"\0\0\0", "packet 2: the file ends within its header"),
        (pcap([FRAME]) + b"\xff" * 16, "packet 2: claims to have 4294967295 octets"),
        (pcap([FRAME], 127), "packet 1: link type 127 is not supported"),
        (pcapng([FRAME, FRAME])[:-1], "packet 1: the file ends within a block after it"),
        (pcapng([FRAME]) + struct.pack("<II", 6, 7), "packet 1: a block after it claims to have 7 octets"),
        (captures.section() + captures.enhanced(0, FRAME), "packet 1: it is of interface 0, which the file"),
        (pcapng([]) + captures.block(6, b"\0" * 8), "packet 1: a block at it is too short"),
        (pcapng([]) + captures.block(6, struct.pack("<IIIII", 0, 0, 0, 99, 99)), "packet 1: is longer than"),
        (pcapng([])[:12], "packet 0: "),
        (pcapng([])[:8] + bytes(20), "packet 0: a section after it has no byte order"),
    ],
)
def test_what_is_damaged_is_told(data: bytes, reason: str, tmp_path: Path) -> None:
    assert reason in refusal(tmp_path, data)


def test_a_folder_is_no_capture(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="cannot be read"):
        list(Capture(tmp_path))


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    data=st.sampled_from([pcap([FRAME, FRAME6]), pcapng([FRAME6, FRAME])]),
    changes=st.lists(st.tuples(st.integers(0, 800), st.integers(0, 255))),
)
def test_no_octet_makes_a_traceback(data: bytes, changes: list[tuple[int, int]], tmp_path: Path) -> None:
    """Whatever stands in the file: clients, or one error that names it."""
    mutated = bytearray(data)
    for at, value in changes:
        mutated[at % len(mutated)] = value
    with contextlib.suppress(CaptureError):
        read(written(tmp_path, bytes(mutated)))
