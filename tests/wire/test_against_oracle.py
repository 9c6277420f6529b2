"""The fast codec against the naive one, octet for octet.

Invariant: for any datagram the Cython codec accepts exactly what the oracle accepts. What it refuses, it refuses for
a reason that the oracle found too; what it accepts reads the same: each header field, each joined option, each
sub-option of the relay, and the codes of what is ignored.

The datagrams are the vectors, generated lawful packets, mutants of both (`--fuzz-count`), every vector cut at every
octet, and what hypothesis makes of the format. A finding is kept as a vector named after the bug.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from extensions.inspect4 import inspect4
from harness.examples import examples
from hypothesis import given, settings
from oracle import packets as say
from oracle.generate import mutants, packets, spoiled
from oracle.message4 import Message, build, parse, violations
from oracle.mutations import mutate
from oracle.options4 import Malformed
from oracle.strategies import garbage, messages
from oracle.strategies import spoiled as spoiled_messages
from oracle.vectors.all import VECTORS

from ipam_core.dhcp.reasons import FAULTS4

MAC = "02:00:00:00:00:01"
SEED = 20_240_601

# What the codec calls a fault -> what the oracle may call it. The codec has one name where the oracle has several.
REASONS = {
    "too_short": {"too_short"},
    "not_a_request": {"wrong_op"},
    "bad_hardware_length": {"hlen_too_long"},
    "no_cookie": {"no_cookie", "bad_cookie"},
    "option_overrun": {"option_overrun"},
    "no_message_type": {"message_type_missing"},
    "bad_message_type": {"message_type_unknown", "message_type_wrong_way", "option_length"},
    "leasequery": {"message_type_unknown", "message_type_wrong_way"},
}

# The one asymmetry: the codec reads and joins within 4,096 octets, twice what a socket gives it, and refuses more.
LONGEST = 4096

RELAY_ID = 12  # RFC 6925

FIELDS = ("htype", "hlen", "hops", "xid", "secs", "flags", "message_type", "options")
ADDRESSES = ("ciaddr", "yiaddr", "giaddr")
RELAY_FIELDS = (
    "circuit_id",
    "remote_id",
    "relay_id",
    "link_selection",
    "server_override",
    "network",
    "relay_flags",
    "relay_port",
    "relay_said",
)


def agree(data: bytes) -> None:
    """Both codecs on one datagram; the assertion shows it as hex."""
    fast, naive = inspect4(data), parse(data)
    if isinstance(naive, Malformed):
        assert isinstance(fast, str), f"accepted, though {naive}: {data.hex()}"
        assert justified(fast, violations(data)), f"{fast} is none of {violations(data)}: {data.hex()}"
    else:
        assert isinstance(fast, dict), f"refused as {fast}: {data.hex()}"
        assert fast == expected(naive), data.hex()


def justified(fault: str, found: list[Malformed]) -> bool:
    return any(m.reason in REASONS[fault] for m in found)


def expected(message: Message) -> dict[str, Any]:
    fields = {name: getattr(message, name) for name in FIELDS}
    fields |= {name: int(getattr(message, name)) for name in ADDRESSES}
    fields["ignored"] = sorted(message.ignored)
    relay = message.relay
    if relay is None:
        return fields | dict.fromkeys(RELAY_FIELDS) | {"relay_port": False}
    addresses = (relay.link_selection, relay.server_id_override)
    packed = (None if address is None else address.packed for address in addresses)
    flags = None if relay.flags is None else bytes([relay.flags])
    relay_id = next((value for code, value in relay.suboptions if code == RELAY_ID), None)
    ids = (relay.circuit_id, relay.remote_id, relay_id)
    values = (*ids, *packed, relay.network, flags, relay.source_port, relay.verbatim)
    return fields | dict(zip(RELAY_FIELDS, values, strict=True))


@pytest.mark.parametrize("vector", VECTORS, ids=[vector.name for vector in VECTORS])
def test_the_codec_reads_a_vector_as_the_oracle_does(vector: Any) -> None:
    agree(vector.data)


def test_the_codec_reads_lawful_packets_as_the_oracle_does(fuzz_count: int) -> None:
    for data in packets(SEED, fuzz_count // 10):
        agree(data)


def test_the_codec_reads_spoiled_packets_as_the_oracle_does(fuzz_count: int) -> None:
    for packet in spoiled(SEED + 4, fuzz_count // 10):
        agree(packet.data)


@settings(max_examples=examples(500), deadline=None)
@given(spoiled_messages())
def test_the_codec_reads_built_malformed_options_as_the_oracle_does(case: tuple[dict[str, Any], Any]) -> None:
    data = build(**case[0])
    if len(data) <= LONGEST:
        agree(data)


def test_the_codec_judges_mutants_as_the_oracle_does(fuzz_count: int) -> None:
    for data in mutants(SEED + 1, fuzz_count):
        agree(data)


def test_the_codec_judges_vectors_cut_anywhere_as_the_oracle_does() -> None:
    for vector in VECTORS:
        for end in range(len(vector.data)):
            agree(vector.data[:end])


@settings(max_examples=examples(500), deadline=None)
@given(garbage())
def test_the_codec_judges_garbage_as_the_oracle_does(data: bytes) -> None:
    agree(data)


@settings(max_examples=examples(500), deadline=None)
@given(messages())
def test_the_codec_reads_built_messages_as_the_oracle_does(kwargs: dict[str, Any]) -> None:
    data = build(**kwargs)
    if len(data) <= LONGEST:
        agree(data)


def test_mutants_meet_every_fault_of_the_codec() -> None:
    """So that the table above is tried out whole."""
    met = {fault for data in mutants(SEED + 2, 6000) if isinstance(fault := inspect4(data), str)}
    assert met == set(REASONS)
    assert set(FAULTS4) - met == {"too_long"}


def test_every_byte_of_a_full_packet_may_change() -> None:
    """Each octet of a message with everything in it, set to each interesting value."""
    whole = everything()
    for at in range(len(whole)):
        for octet in {0, 1, 2, 4, 52, 53, 82, 127, 128, 254, 255, whole[at] ^ 1}:
            agree(whole[:at] + bytes([octet]) + whole[at + 1 :])


def everything() -> bytes:
    packet = say.request_selecting(MAC, "10.0.0.9", "10.0.0.1").with_relay("10.0.0.2").asking(1, 3, 6)
    packet = packet.hostname("h").client_id(b"\1\2\3").max_size(1500).lease_time(60).rapid_commit()
    packet = packet.architecture(7).option(94, b"\1\3\20").machine(bytes(16)).option(116, b"\1")
    packet = packet.selecting_subnet("10.0.0.0").circuit("e1").remote("r").link_selection("10.0.0.0")
    packet = packet.server_override("10.0.0.1").suboption(10, b"\x80").relay_port()
    return packet.also(43, bytes(200)).also(43, bytes(100)).bytes()


@pytest.mark.parametrize("size", [LONGEST - 1, LONGEST, LONGEST + 1, 65507])
def test_longer_than_any_socket_gives(size: int) -> None:
    """Up to LONGEST read, beyond refused for that reason alone; never a crash."""
    data = say.discover(MAC).padded_to(size).bytes()
    if size <= LONGEST:
        agree(data)
    else:
        assert inspect4(data) == "too_long"


@pytest.mark.parametrize("pieces", range(1, 17))
def test_one_option_in_many_pieces(pieces: int) -> None:
    """Joined over all three fields, up to the longest datagram: whatever fits in it fits the room for joining."""
    rng = Random(SEED + pieces)
    options = [(53, b"\1"), *((43, rng.randbytes(255)) for _ in range(pieces)), (55, b"\1"), (55, b"\3")]
    data = build(options, in_file=[(43, bytes(120))], in_sname=[(43, bytes(60))])
    if len(data) <= LONGEST:
        agree(data)
    else:
        assert inspect4(data) == "too_long"


def test_mutants_of_everything_are_judged_alike() -> None:
    rng, whole = Random(SEED + 3), everything()
    for _ in range(3000):
        agree(mutate(whole, rng))
