"""The DHCPv6 codec against the naive one that was written from the RFCs without a look at it.

Invariant: as test_against_oracle.py has it. What the codec refuses, it refuses for a reason that the oracle found too;
what it accepts reads the same: envelopes, header, options, identity associations with their addresses.

ASYMMETRIES lists all that the oracle refuses and the codec does not; the rest of the server, or nobody, needs it.
"""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import given, settings
from lengths import examples
from oracle.generate6 import mutants6, packets6
from oracle.message6 import ADDR_REG_INFORM, Envelope, Message, reading, violations, written
from oracle.options4 import Malformed
from oracle.options6 import PD_EXCLUDE, IdentityAssociation, Lease, first
from oracle.strategies6 import garbage6, messages6, registrations6
from oracle.vectors.all6 import VECTORS

from dhcp_fast.wire.inspect6 import inspect6, inspect_relays6
from ipam_core.dhcp.reasons import FAULTS6

SEED = 20_261_124

# What the codec calls a fault -> what the oracle may call it, and of which options.
REASONS = {
    "too_short": {"too_short", "relay_too_short"},
    "bad_message_type": {"message_type_unknown", "message_type_wrong_way"},
    "leasequery": {"message_type_unknown", "message_type_wrong_way"},
    "repeated_option": {
        "option_repeated",
        "option_overrun",
    },  # an overrun behind it ends the oracle's reading
    "bad_duid": {"option_length", "option_overrun"},
    "bad_relay": {"option_length", "option_overrun", "relay_message_missing", "relay_too_short"},
    "too_many_relays": {"relay_too_deep", "relay_too_short"},
    "no_client_id": {"client_id_missing", "option_overrun"},
    "no_server_id": {"server_id_missing", "option_length", "option_overrun"},
    "unexpected_server_id": {"server_id_present"},
    "unexpected_option": {"ia_present", "oro_present"},
    "no_address": {"address_missing", "option_length", "option_overrun"},
}
# Of two addresses in a registration the oracle reads no second one, and none where the options end too early.
ALSO = {("repeated_option", "option_overrun", 0), ("bad_duid", "option_overrun", 0)}
BOUNDED = {"too_many_ias", "too_many_addresses"}  # the codec's own bounds; the oracle has none
CODES = {"bad_duid": {1, 2}, "repeated_option": {1, 2, 5, 9}}

# (reason, option): of an option that is repeated the codec takes the first (RFC 8415 section 21.1 joins none); it does
# not read a client's status; who sent a registration, the server must see; a hop count over the limit is a relay's
# fault (section 19.1.2 has relays discard it), and its client's message is as good as any.
ASYMMETRIES = {
    *(("option_repeated", code) for code in (6, 8, 14, 20)),
    ("option_length", 13),
    ("address_of_another", 5),
    ("hop_count", 0),
}

ENVELOPE = ("hop_count", "link_address", "peer_address", "interface_id", "relay_port")


def agree(data: bytes) -> None:
    """Both codecs on one datagram; the assertion shows it as hex."""
    fast = read(data)
    found = [m for m in violations(data) if (m.reason, m.code) not in ASYMMETRIES]
    if isinstance(fast, str):
        assert fast in BOUNDED or any(justifies(m, fast) for m in found), f"{fast}, not {found}: {data.hex()}"
        return
    relays, message = fast
    if relays["ignored"] or message["ignored"]:
        return  # see test_malformed6.py
    assert not found, f"accepted, though {found}: {data.hex()}"
    said = reading(data)
    assert [shown(hop) for hop in relays["hops"]] == [around(envelope) for envelope in said.envelopes]
    assert {name: message[name] for name in meaning(said)} == meaning(said), data.hex()


def read(data: bytes) -> str | tuple[dict[str, Any], dict[str, Any]]:
    """The codec's fault, or its envelopes and the message in them."""
    relays = inspect_relays6(data)
    if isinstance(relays, str):
        return relays
    message = inspect6(relays["message"])
    if isinstance(message, str):
        return message
    return message["discard"] if message["discard"] != "none" else (relays, message)


def justifies(found: Malformed, fault: str) -> bool:
    if (fault, found.reason, found.code) in ALSO or found.reason == "option_overrun":
        return True
    codes = CODES.get(fault)
    return found.reason in REASONS[fault] and (codes is None or found.code in codes)


def shown(hop: dict[str, Any]) -> dict[str, Any]:
    return {name: hop[name] for name in ENVELOPE}


def around(envelope: Envelope) -> dict[str, Any]:
    port = envelope.source_port
    return {
        "hop_count": envelope.hop_count,
        "link_address": envelope.link_address.packed,
        "peer_address": envelope.peer_address.packed,
        "interface_id": envelope.interface_id,
        "relay_port": None if port is None else struct.pack("!H", port),
    }


def meaning(message: Message) -> dict[str, Any]:
    registration = message.registered if message.message_type == ADDR_REG_INFORM else None
    return {
        "message_type": message.message_type,
        "transaction_id": message.transaction_id,
        "asked": message.requested,
        "elapsed": message.elapsed,
        "ias": [association(ia) for ia in message.associations],
        "registered": None if registration is None else address(registration),
    }


def association(ia: IdentityAssociation) -> dict[str, Any]:
    leases = [address(lease) for lease in ia.leases]
    return {"kind": ia.code, "iaid": ia.iaid, "t1": ia.t1 or 0, "t2": ia.t2 or 0, "addresses": leases}


def address(lease: Lease) -> dict[str, Any]:
    fields = ("length", "preferred", "valid")
    told = {"address": lease.address.packed, "excluded": first(lease.options, PD_EXCLUDE)}
    return told | {name: getattr(lease, name) for name in fields}


@pytest.mark.parametrize("vector", VECTORS, ids=[vector.name for vector in VECTORS])
def test_the_codec_reads_a_vector_as_the_oracle_does(vector: Any) -> None:
    agree(vector.data)


def test_the_codec_reads_lawful_packets_as_the_oracle_does(fuzz_count: int) -> None:
    for data in packets6(SEED, fuzz_count // 10):
        agree(data)


def test_the_codec_judges_mutants_as_the_oracle_does(fuzz_count: int) -> None:
    for data in mutants6(SEED + 1, fuzz_count // 2):
        agree(data)


def test_the_codec_judges_vectors_cut_anywhere_as_the_oracle_does() -> None:
    for vector in VECTORS:
        for end in range(len(vector.data)):
            agree(vector.data[:end])


@settings(max_examples=examples(500), deadline=None)
@given(garbage6())
def test_the_codec_judges_garbage_as_the_oracle_does(data: bytes) -> None:
    agree(data)


@settings(max_examples=examples(500), deadline=None)
@given(messages6() | registrations6())
def test_the_codec_reads_built_messages_as_the_oracle_does(message: Message) -> None:
    agree(written(message))


def test_mutants_meet_every_fault_of_the_codec() -> None:
    """So that the table above is tried out whole."""
    met = {fault for data in mutants6(SEED + 2, 8000) if isinstance(fault := read(data), str)}
    assert met - BOUNDED == set(REASONS)
    assert set(FAULTS6) - met - BOUNDED == {"too_long"}
