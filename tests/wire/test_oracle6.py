"""The DHCPv6 oracle against vectors written by hand, against itself, and against damage.

It must earn trust before anything is compared with it: each vector reads as its author says, what is built reads
back, and no octets make it raise.
"""

from __future__ import annotations

from ipaddress import IPv6Address
from random import Random
from typing import Any

import pytest
from harness.examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import packets6 as say
from oracle.generate6 import corpus6, mutants6, packets6, spoiled6
from oracle.malformations6 import CODES
from oracle.message6 import (
    ADDR_REG_REPLY,
    RELAY_REPL,
    Envelope,
    Message,
    build,
    enclose,
    parse,
    parse_reply,
    violations,
    written,
)
from oracle.mutations import LONGEST
from oracle.mutations6 import WOUNDS, mutate6
from oracle.notation import octets
from oracle.options4 import Malformed
from oracle.options6 import (
    IA_NA,
    IA_PD,
    IA_TA,
    NO_BINDING,
    RELAY_LENGTHS,
    IdentityAssociation,
    Lease,
    Status,
    encode,
    encode_ia,
    encode_status,
    walk,
)
from oracle.strategies6 import garbage6, messages6, registrations6
from oracle.strategies6 import spoiled6 as spoiled6_messages
from oracle.values6 import (
    Fqdn,
    domain_names,
    duid,
    tuples,
    vendor,
)
from oracle.vectors.all6 import LAWFUL, VECTORS
from oracle.vectors.ignored6 import TWICE
from oracle.vectors.malformed6 import MALFORMED
from oracle.vectors.networks6 import CABLE_MODEM, DHCRELAY, NINE_RELAYS, STATUS_INSIDE, SUPPLIED, UEFI_HTTP
from oracle.vectors.vector6 import Vector6

DUID = say.duid_ll("02:00:00:00:00:01")
SERVER = say.duid_llt("02:00:00:00:00:99", 1)
KINDS = {IA_NA: "na", IA_TA: "ta", IA_PD: "pd"}


def named(vectors: list[Vector6]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("vector", vectors, ids=[vector.name for vector in vectors])


def lawful(data: bytes, **who: Any) -> Message:
    message = parse(data, **who)
    assert isinstance(message, Message), message
    return message


def seen(message: Message, name: str) -> Any:
    """A property of the message, or of all its envelopes from the outside in."""
    of_each = {
        "hops": lambda e: e.hop_count,
        "interface_ids": lambda e: e.interface_id,
        "hardware": lambda e: e.link_layer,
        "source_ports": lambda e: e.source_port,
        "supplied": lambda e: e.supplied,
    }
    if name in of_each:
        return [of_each[name](envelope) for envelope in message.envelopes]
    value = getattr(message, name)
    return str(value) if isinstance(value, IPv6Address) else value


def spelled(ia: IdentityAssociation) -> str:
    suffix = "/{}" if ia.code == IA_PD else ""
    return " ".join(
        [
            f"{KINDS[ia.code]} {ia.iaid}",
            *(f"{held.address}{suffix.format(held.length)}" for held in ia.leases),
        ]
    )


@named(LAWFUL)
def test_a_real_message_reads_as_written(vector: Vector6) -> None:
    message = lawful(vector.data)
    assert message.options == vector.options
    assert tuple(spelled(ia) for ia in message.associations) == vector.leases
    assert {name: seen(message, name) for name in vector.says} == vector.says


@named(MALFORMED)
def test_a_malformed_message_is_refused_for_its_reason(vector: Vector6) -> None:
    assert parse(vector.data) == vector.fault
    assert vector.fault in violations(vector.data)


def test_vector_names_are_unique() -> None:
    assert len({vector.name for vector in VECTORS}) == len(VECTORS)


def test_every_reason_has_a_vector() -> None:
    met = {fault.reason for data in corpus6(seed=5, count=3000) for fault in violations(data)}
    assert met <= {vector.fault.reason for vector in MALFORMED if vector.fault}


@named([vector for vector in LAWFUL if vector is not DHCRELAY and vector not in TWICE])
def test_what_was_read_gives_back_the_octets(vector: Vector6) -> None:
    """All of these relays put the message behind their own options; of what is ignored nothing is left."""
    message = lawful(vector.data)
    if not message.ignored:
        assert written(message) == vector.data
    assert parse(written(message)) == message


@pytest.mark.parametrize("cut", range(1, 60))
def test_no_real_message_can_lose_its_end_unnoticed(cut: int) -> None:
    """Unless an option ends there: lengths come before values, so that every other cut is refused or counted."""
    for vector in LAWFUL:
        data = vector.data[:-cut]
        whole = [4 + size for size in ends(vector.data[4:])]
        if vector.data[0] != 12 and len(data) not in whole:
            assert isinstance(parse(data), Malformed) or lawful(data).ignored, vector.name


def ends(field: bytes) -> list[int]:
    """Offsets at which an option ends, and 0."""
    found = [0]
    for _, value in walk(field).options:
        found.append(found[-1] + 4 + len(value))
    return found


def test_another_servers_message_is_told_by_the_identifier() -> None:
    for word in (say.request, say.renew, say.release, say.decline):
        data = word(DUID, SERVER).ia_na(1).bytes()
        assert lawful(data, server=SERVER).server_id == SERVER
        assert parse(data, server=DUID) == Malformed("other_server", 2)
    asked = say.information_request(DUID).server_id(SERVER).bytes()
    assert lawful(asked, server=SERVER).message_type == 11
    assert parse(asked, server=DUID) == Malformed("other_server", 2)


def test_a_registration_comes_from_its_address() -> None:
    data = say.register(DUID, "2001:db8::7").bytes()
    assert lawful(data, source=IPv6Address("2001:db8::7")).registered is not None
    assert parse(data, source=IPv6Address("2001:db8::8")) == Malformed("address_of_another", 5)
    relayed = say.register(DUID, "2001:db8::7").through("2001:db8::1", peer="2001:db8::7").bytes()
    assert lawful(relayed, source=IPv6Address("2001:db8::1")).registered is not None


def test_faults_are_listed_in_the_order_of_the_search() -> None:
    packet = say.request(DUID, SERVER).without(2).option(6, b"\0").option(3, bytes(13)).option(1, SERVER)
    around = Envelope(9, IPv6Address("::"), IPv6Address("::"), ((79, b"\0"), (135, b"")))
    assert violations(enclose(packet.bytes() + b"\0\1\0\2\0", around)) == [
        Malformed("hop_count"),
        Malformed("option_overrun", 1),
        Malformed("option_repeated", 1),
        Malformed("server_id_missing", 2),
    ]


def test_spoiled_packets_read_like_the_lawful_ones_and_count_what_is_ignored() -> None:
    seen: set[int] = set()
    for packet in spoiled6(seed=23, count=3000):
        message = lawful(packet.data)
        assert message == lawful(packet.lawful)
        assert message.ignored == packet.codes
        seen |= packet.codes
    assert seen >= {*CODES, *RELAY_LENGTHS, 0}


def test_vendor_options_and_classes_of_real_clients() -> None:
    modem, loader = lawful(CABLE_MODEM.data), lawful(UEFI_HTTP.data)
    options = vendor(dict(modem.options)[17])
    assert options is not None
    assert options.enterprise == 4491
    assert dict(walk(options.data).options)[36] == bytes([2, 0, 0, 0, 0, 0x20])
    assert tuples(dict(loader.options)[16][4:]) == [b"HTTPClient:Arch:00016:UNDI:003016"]
    assert duid(loader.client_id or b"").kind == 4


def test_what_a_relay_supplies_is_read_from_its_envelope() -> None:
    (around,) = lawful(SUPPLIED.data).envelopes
    assert domain_names(around.supplied[0][1]) == ["er.ex"]


def test_the_deepest_message_is_read_through_all_its_relays() -> None:
    message = lawful(NINE_RELAYS.data)
    assert len(message.envelopes) == 9
    assert message.client_id == octets("0003 0001 020000000030")


def test_statuses_are_read_where_they_stand() -> None:
    (ia,) = lawful(STATUS_INSIDE.data).associations
    assert (ia.status, ia.leases[0].status) == (Status(0), Status(0, "renew!"))


@settings(max_examples=examples(150), deadline=None)
@given(messages6())
def test_what_is_written_reads_back(message: Message) -> None:
    assert lawful(written(message)) == message
    for ia, value in zip(message.associations, (v for c, v in message.options if c in KINDS), strict=True):
        assert encode_ia(ia) == value


@settings(max_examples=examples(150), deadline=None)
@given(spoiled6_messages())
def test_what_is_malformed_is_read_over(case: tuple[Message, bytes]) -> None:
    message, data = case
    assert lawful(data) == message


@settings(max_examples=examples(100), deadline=None)
@given(registrations6())
def test_a_registration_that_is_written_reads_back(message: Message) -> None:
    assert lawful(written(message)) == message
    assert message.registered is not None


@settings(max_examples=examples(300), deadline=None)
@given(garbage6())
def test_no_octets_make_it_raise(data: bytes) -> None:
    assert isinstance(parse(data), Message) == (violations(data) == [])
    parse_reply(data)


@settings(max_examples=examples(100), deadline=None)
@given(messages6(), st.randoms(use_true_random=False), st.integers(1, 4))
def test_no_damage_makes_it_raise(message: Message, rng: Random, wounds: int) -> None:
    data = written(message)
    for _ in range(wounds):
        data = mutate6(data, rng)
    outcome = parse(data)
    assert isinstance(outcome, Message) == (violations(data) == [])
    if isinstance(outcome, Message):
        assert lawful(written(outcome)) == outcome


def test_generated_packets_are_lawful_and_repeatable() -> None:
    made = list(packets6(seed=1, count=2000))
    assert [fault for data in made for fault in violations(data)] == []
    assert made == list(packets6(seed=1, count=2000))
    assert made != list(packets6(seed=2, count=2000))


def test_generated_packets_meet_every_rule_of_the_format() -> None:
    messages = [lawful(data) for data in packets6(seed=3, count=2000)]
    assert {message.message_type for message in messages} == {1, 3, 4, 5, 6, 8, 9, 11}
    assert {len(message.envelopes) for message in messages} == {0, 1, 2, 3, 9}
    assert {ia.code for message in messages for ia in message.associations} == {3, 4, 25}
    assert {len(ia.leases) for message in messages for ia in message.associations} == {0, 1, 2, 3}
    assert any(message.client_id is None for message in messages)
    assert any(message.envelopes and message.link_address is None for message in messages)


def test_mutants_are_bounded_and_repeatable() -> None:
    made = list(mutants6(seed=7, count=3000))
    assert made == list(mutants6(seed=7, count=3000))
    assert max(map(len, made)) <= LONGEST


def test_mutants_meet_most_reasons_and_survive_too() -> None:
    outcomes = [parse(data) for data in mutants6(seed=11, count=6000)]
    reasons = {outcome.reason for outcome in outcomes if isinstance(outcome, Malformed)}
    rare = {"oro_present", "address_missing", "address_of_another"}  # of registrations alone
    assert reasons | rare == {vector.fault.reason for vector in MALFORMED if vector.fault}
    assert sum(isinstance(outcome, Message) for outcome in outcomes) > 600


@pytest.mark.parametrize("wound", WOUNDS, ids=lambda wound: wound.__name__)
def test_a_wound_takes_any_octets_and_changes_some(wound: Any) -> None:
    rng = Random(13)
    whole = say.solicit(DUID).ia_na(1, "2001:db8::1").ia_pd(2).through("2001:db8::").bytes()
    for size in (0, 1, 2, 3, 4, 5, 33, 34, 35, 38, 39, 60):
        wound(whole[:size], rng)
    assert any(wound(whole, rng) != whole for _ in range(50))


def test_a_reply_is_read_in_its_envelopes() -> None:
    held = Lease(IPv6Address("2001:db8::5"), 128, 100, 200)
    none = ((13, encode_status(Status(NO_BINDING, "none"))),)
    pairs = [
        (2, SERVER),
        (3, encode_ia(IdentityAssociation(IA_NA, 1, 50, 80, (held,), ()))),
        (25, encode_ia(IdentityAssociation(IA_PD, 2, 0, 0, (), none))),
    ]
    around = Envelope(0, IPv6Address("2001:db8::1"), IPv6Address("fe80::1"), ((18, b"x"),))
    reply = parse_reply(enclose(build(7, 5, pairs), around, RELAY_REPL))
    assert isinstance(reply, Message)
    assert reply.envelopes == (around,)
    assert [ia.leases for ia in reply.associations] == [(held,), ()]
    assert reply.associations[1].status == Status(NO_BINDING, "none")
    assert written(reply, RELAY_REPL) == enclose(build(7, 5, pairs), around, RELAY_REPL)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "too_short"),
        (build(1, 1), "message_type_wrong_way"),
        (build(7, 1) + b"\0", "option_overrun"),
        (build(7, 1, [(13, b"\0")]), "option_length"),
        (build(ADDR_REG_REPLY, 1, [(5, bytes(23))]), "option_length"),
        (build(2, 1, [(3, bytes(4))]), "option_length"),
    ],
)
def test_a_reply_that_cannot_be_read_is_told(data: bytes, reason: str) -> None:
    outcome = parse_reply(data)
    assert isinstance(outcome, Malformed)
    assert outcome.reason == reason


def test_a_sentence_says_its_packet() -> None:
    packet = (
        say.solicit(DUID)
        .ia_na(7, "2001:db8::7")
        .ia_pd(8, "2001:db8:8::/56")
        .asking(23, 24)
        .rapid_commit()
        .fqdn("host.example.", 1)
        .through("2001:db8::1")
        .at_interface("ge-0/0/1")
        .from_hardware("02:00:00:00:00:01")
        .through("2001:db8:ff::1")
        .relay_port(1067)
    )
    message = lawful(packet.bytes())
    assert [spelled(ia) for ia in message.associations] == ["na 7 2001:db8::7", "pd 8 2001:db8:8::/56"]
    assert message.requested == [23, 24]
    assert (message.rapid_commit, message.fqdn) == (True, Fqdn(1, "host.example", True))
    assert [envelope.source_port for envelope in message.envelopes] == [1067, None]
    assert message.envelopes[1].interface_id == b"ge-0/0/1"
    assert message.envelopes[1].link_layer == (1, bytes([2, 0, 0, 0, 0, 1]))
    assert str(message.link_address) == "2001:db8::1"


def test_a_packet_is_never_changed_by_its_words() -> None:
    half = say.solicit(DUID).through("2001:db8::1")
    assert lawful(half.at_interface("a").bytes()).envelopes[0].interface_id == b"a"
    assert lawful(half.bytes()).envelopes[0].interface_id is None
    assert encode(half.option(20).options).endswith(b"\0\x14\0\0")
