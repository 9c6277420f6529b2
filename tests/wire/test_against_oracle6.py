"""The DHCPv6 codec against the naive one that was written from the RFCs without a look at it.

Invariant: as test_against_oracle.py has it. What the codec refuses, it refuses for a reason that the oracle found too;
what it accepts reads the same: envelopes, header, options, identity associations with their addresses.

ASYMMETRIES lists all that the oracle refuses and the codec does not, because the rest of the server sees to it.
"""

from __future__ import annotations

from typing import Any

import pytest
from extensions.inspect6 import inspect6, inspect_relays6
from harness.examples import examples
from hypothesis import given, settings
from oracle.generate6 import mutants6, packets6, spoiled6
from oracle.message6 import ADDR_REG_INFORM, Envelope, Message, reading, violations, written
from oracle.options4 import Malformed, number
from oracle.options6 import (
    ERO,
    IA_NA,
    IA_PD,
    INTERFACE_ID,
    LINKLAYER,
    PD_EXCLUDE,
    RELAY_ID,
    RELAY_PORT,
    REMOTE_ID,
    RSOO,
    SUBSCRIBER_ID,
    VENDOR_CLASS,
    VENDOR_OPTS,
    VSS,
    IdentityAssociation,
    Lease,
    first,
    values,
)
from oracle.strategies6 import garbage6, messages6, registrations6
from oracle.strategies6 import spoiled6 as spoiled6_messages
from oracle.vectors.all6 import VECTORS

from ipam_core.dhcp.reasons import FAULTS6

SEED = 20_261_124

# What the codec calls a fault -> what the oracle may call it, and of which options.
REASONS = {
    "too_short": {"too_short", "relay_too_short"},
    "bad_message_type": {"message_type_unknown", "message_type_wrong_way"},
    "leasequery": {"message_type_unknown", "message_type_wrong_way"},
    "repeated_option": {"option_repeated"},
    "bad_duid": {"option_length", "option_overrun"},
    "too_many_ias": {"too_many_ias"},
    "too_many_addresses": {"too_many_addresses"},
    "bad_relay": {"relay_message_missing", "relay_too_short"},
    "too_many_relays": {"relay_too_deep", "relay_too_short"},
    "no_client_id": {"client_id_missing"},
    "no_server_id": {"server_id_missing"},
    "unexpected_server_id": {"server_id_present"},
    "unexpected_option": {"ia_present", "oro_present"},
    "no_address": {"address_missing"},
}
CODES = {"bad_duid": {1}, "repeated_option": {1, 2, 5, 9}}

# (reason, option): who sent a registration, the server must see; a hop count over the limit is a relay's fault
# (section 19.1.2 has relays discard it), and its client's message is as good as any.
ASYMMETRIES = {("address_of_another", 5), ("hop_count", 0)}

RELAYED = {
    "interface_id": INTERFACE_ID,
    "remote_id": REMOTE_ID,
    "subscriber_id": SUBSCRIBER_ID,
    "echo_request": ERO,
    "relay_id": RELAY_ID,
    "supplied": RSOO,
    "network": VSS,
    "link_layer": LINKLAYER,
    "relay_port": RELAY_PORT,
}


def agree(data: bytes) -> None:
    """Both codecs on one datagram; the assertion shows it as hex."""
    fast = read(data)
    found = [m for m in violations(data) if (m.reason, m.code) not in ASYMMETRIES]
    if isinstance(fast, str):
        assert any(justifies(m, fast) for m in found), f"{fast}, not {found}: {data.hex()}"
        return
    assert not found, f"accepted, though {found}: {data.hex()}"
    relays, message = fast
    said = reading(data)
    assert [shown(hop) for hop in relays["hops"]] == [around(envelope) for envelope in said.envelopes]
    assert {name: message[name] for name in meaning(said)} == meaning(said), data.hex()
    assert {*relays["ignored"], *message["ignored"]} == said.ignored, data.hex()


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
    codes = CODES.get(fault)
    return found.reason in REASONS[fault] and (codes is None or found.code in codes)


def shown(hop: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in hop.items() if name != "options"}


def around(envelope: Envelope) -> dict[str, Any]:
    values = {name: first(envelope.options, code) for name, code in RELAYED.items()}
    return values | {
        "hop_count": envelope.hop_count,
        "link_address": envelope.link_address.packed,
        "peer_address": envelope.peer_address.packed,
    }


def meaning(message: Message) -> dict[str, Any]:
    registration = message.registered if message.message_type == ADDR_REG_INFORM else None
    return {
        "message_type": message.message_type,
        "transaction_id": message.transaction_id,
        "options": dict(reversed(message.options)),
        "asked": message.requested,
        "elapsed": message.elapsed,
        "ias": [association(ia) for ia in message.associations],
        "registered": None if registration is None else address(registration),
        "vendor_class": by_enterprise(message, VENDOR_CLASS),
        "vendor_opts": by_enterprise(message, VENDOR_OPTS),
    }


def by_enterprise(message: Message, code: int) -> dict[int, bytes]:
    """Of several instances of one enterprise the first."""
    found = [(number(value[:4]), value[4:]) for value in values(message.options, code)]
    return dict(reversed(found))


def association(ia: IdentityAssociation) -> dict[str, Any]:
    leases = [address(lease, ia.code) for lease in ia.leases]
    return {"kind": ia.code, "iaid": ia.iaid, "t1": ia.t1 or 0, "t2": ia.t2 or 0, "addresses": leases}


def address(lease: Lease, ia_code: int = IA_NA) -> dict[str, Any]:
    """RFC 6603: a part may be excluded of a prefix alone."""
    excluded = first(lease.options, PD_EXCLUDE) if ia_code == IA_PD else None
    fields = {name: getattr(lease, name) for name in ("length", "preferred", "valid")}
    return fields | {"address": lease.address.packed, "excluded": excluded}


@pytest.mark.parametrize("vector", VECTORS, ids=[vector.name for vector in VECTORS])
def test_the_codec_reads_a_vector_as_the_oracle_does(vector: Any) -> None:
    agree(vector.data)


def test_the_codec_reads_lawful_packets_as_the_oracle_does(fuzz_count: int) -> None:
    for data in packets6(SEED, fuzz_count // 10):
        agree(data)


def test_the_codec_reads_spoiled_packets_as_the_oracle_does(fuzz_count: int) -> None:
    for packet in spoiled6(SEED + 3, fuzz_count // 10):
        agree(packet.data)


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


@settings(max_examples=examples(500), deadline=None)
@given(spoiled6_messages())
def test_the_codec_reads_built_malformed_options_as_the_oracle_does(case: tuple[Message, bytes]) -> None:
    agree(case[1])


def test_mutants_meet_every_fault_of_the_codec() -> None:
    """So that the table above is tried out whole."""
    met = {fault for data in mutants6(SEED + 2, 8000) if isinstance(fault := read(data), str)}
    assert met == set(REASONS)
    assert set(FAULTS6) - met == {"too_long"}
