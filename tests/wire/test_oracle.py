"""The oracle against vectors written by hand, against itself, and against damage.

It must earn trust before anything is compared with it: each vector reads as its author says, what is built
reads back, and no octets make it raise.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace
from ipaddress import IPv4Address, IPv4Network
from random import Random
from typing import Any

import pytest
from harness.examples import examples
from hypothesis import given, settings
from oracle import packets as say
from oracle.generate import corpus, mutants, packets, spoiled
from oracle.malformations import CODES, OPAQUE
from oracle.message4 import Message, build, parse, violations
from oracle.mutations import LONGEST, WOUNDS, mutate
from oracle.notation import octets
from oracle.options4 import KEPT, Malformed, relay_agent, routes, search_list
from oracle.strategies import garbage, messages
from oracle.strategies import spoiled as spoiled_messages
from oracle.vectors.all import LAWFUL, VECTORS
from oracle.vectors.ignored import CUT
from oracle.vectors.malformed import MALFORMED
from oracle.vectors.networks import ALL_SUBOPTIONS, CISCO_RELAY, OVERLOADED, RUBBISH_BEHIND_END
from oracle.vectors.vector import Vector

MAC = "02:00:00:00:00:01"


def named(vectors: list[Vector]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("vector", vectors, ids=[vector.name for vector in vectors])


def lawful(data: bytes) -> Message:
    message = parse(data)
    assert isinstance(message, Message), message
    return message


def seen(message: Message, name: str) -> Any:
    value = getattr(message, name)
    return str(value) if isinstance(value, IPv4Address) else value


@named(LAWFUL)
def test_a_real_message_reads_as_written(vector: Vector) -> None:
    message = lawful(vector.data)
    assert message.options == vector.options
    assert {name: seen(message, name) for name in vector.says} == vector.says


@named(MALFORMED)
def test_a_malformed_message_is_refused_for_its_reason(vector: Vector) -> None:
    assert parse(vector.data) == vector.fault
    assert vector.fault in violations(vector.data)


def test_vector_names_are_unique() -> None:
    assert len({vector.name for vector in VECTORS}) == len(VECTORS)


def test_every_reason_has_a_vector() -> None:
    met = {fault.reason for data in corpus(seed=5, count=3000) for fault in violations(data)}
    assert met <= {vector.fault.reason for vector in MALFORMED if vector.fault}


@named([vector for vector in LAWFUL if vector not in (RUBBISH_BEHIND_END, *CUT)])
def test_build_gives_back_the_octets_of_a_real_message(vector: Vector) -> None:
    """From the first octet to END; what stands behind it is the sender's padding."""
    message = lawful(vector.data)
    rebuilt = build(message.in_options, **header_of(message), ended=message.ended, least=0)
    assert vector.data == rebuilt + message.behind_end


def header_of(message: Message) -> dict[str, Any]:
    names = [field.name for field in fields(Message)][:14]
    return {name: getattr(message, name) for name in names}


def test_relay_agent_information_of_a_switch() -> None:
    relay = lawful(CISCO_RELAY.data).relay
    assert relay is not None
    assert relay.circuit_id == octets("0004 0064 0102")
    assert relay.remote_id == octets("0006 0a1b2c3d4e5f")
    assert (relay.link_selection, relay.server_id_override, relay.source_port) == (None, None, False)


def test_relay_agent_information_with_everything() -> None:
    relay = lawful(ALL_SUBOPTIONS.data).relay
    assert relay is not None
    assert (relay.circuit_id, relay.remote_id, relay.flags) == (b"eth1/3", b"r7", 0x80)
    assert relay.link_selection == IPv4Address("10.5.0.0")
    assert relay.server_id_override == IPv4Address("10.5.0.1")
    assert relay.source_port
    assert [code for code, _ in relay.suboptions] == [1, 5, 11, 10, 19, 2]


def test_the_first_of_two_equal_suboptions_counts() -> None:
    relay = relay_agent(octets("01 01 'a' 01 01 'b'"))
    assert (relay.circuit_id, len(relay.suboptions)) == (b"a", 2)


def test_overload_is_read_in_aggregate_order() -> None:
    message = lawful(OVERLOADED.data)
    assert [code for code, _ in message.occurrences] == [53, 52, 60, 60, 12, 60, 55]


def test_option_52_counts_in_the_options_field_only() -> None:
    message = lawful(build([(53, b"\1")], in_file=[(52, b"\2"), (12, b"a")], sname=b"\x0c\x01b"))
    assert message.options == {53: b"\1", 52: b"\1", 12: b"a"}
    assert (52, b"\2") in message.in_file


def test_faults_are_listed_in_the_order_of_the_search() -> None:
    data = say.discover(MAC).option(50, "x").option(53, b"\2").without_end().bytes() + b"\x35\7\1"
    data = b"\2" + data[1:2] + b"\xff" + data[3:]
    assert violations(data) == [
        Malformed("wrong_op"),
        Malformed("hlen_too_long"),
        Malformed("message_type_wrong_way", 53),
    ]


def test_spoiled_packets_read_like_the_lawful_ones_and_count_what_is_malformed() -> None:
    seen: Counter[int] = Counter()
    for packet in spoiled(seed=23, count=3000):
        message, meant = lawful(packet.data), lawful(packet.lawful)
        assert message.ignored == packet.codes
        kept = KEPT & packet.codes
        assert {code: message.options[code] for code in message.options.keys() - kept} == meant.options
        assert replace(message, **beside(meant)) == meant
        seen.update(packet.codes)
    assert seen.keys() >= set(CODES) | set(OPAQUE)


def beside(meant: Message) -> dict[str, Any]:
    """The fields in which a spoiled packet may differ from the lawful one."""
    names = ("options", "in_options", "ended", "behind_end", "ignored")
    return {name: getattr(meant, name) for name in names}


@settings(max_examples=examples(300), deadline=None)
@given(spoiled_messages())
def test_what_is_built_malformed_is_ignored(case: tuple[dict[str, Any], frozenset[int]]) -> None:
    kwargs, codes = case
    message = lawful(build(**kwargs))
    assert message.ignored == codes
    assert message.options == {c: v for c, v in kwargs["options"] if c not in codes or c in KEPT}


@settings(max_examples=examples(300), deadline=None)
@given(messages())
def test_what_is_built_reads_back(kwargs: dict[str, Any]) -> None:
    message = lawful(build(**kwargs))
    assert message.options == dict(kwargs["options"])
    assert list(message.options) == [code for code, _ in kwargs["options"]]
    given_fields = {name: value for name, value in kwargs.items() if name not in ("options", "least")}
    assert {name: getattr(message, name) for name in given_fields} == given_fields
    assert (
        lawful(build(message.in_options, **header_of(message), ended=message.ended)).options
        == message.options
    )


@settings(max_examples=examples(300), deadline=None)
@given(garbage())
def test_no_octets_make_it_raise(data: bytes) -> None:
    assert isinstance(parse(data), Message) == (violations(data) == [])


def test_generated_packets_are_lawful_and_repeatable() -> None:
    first = list(packets(seed=1, count=2000))
    assert [fault for data in first for fault in violations(data)] == []
    assert first == list(packets(seed=1, count=2000))
    assert first != list(packets(seed=2, count=2000))


def test_generated_packets_meet_every_rule_of_the_format() -> None:
    read = [lawful(data) for data in packets(seed=3, count=2000)]
    assert {message.message_type for message in read} == {1, 3, 4, 7, 8}
    assert {message.overload for message in read} == {0, 1, 2, 3}
    assert {message.ended for message in read} == {True, False}
    assert any(len(value) > 255 for message in read for value in message.options.values())
    assert any(message.relay and message.relay.source_port for message in read)
    assert any(message.in_options[0][0] != 53 for message in read)


def test_mutants_are_bounded_and_repeatable() -> None:
    first = list(mutants(seed=7, count=3000))
    assert first == list(mutants(seed=7, count=3000))
    assert max(map(len, first)) <= LONGEST


def test_mutants_meet_every_reason_and_survive_too() -> None:
    outcomes = [parse(data) for data in mutants(seed=11, count=6000)]
    reasons = {outcome.reason for outcome in outcomes if isinstance(outcome, Malformed)}
    assert reasons == {vector.fault.reason for vector in MALFORMED if vector.fault}
    assert sum(isinstance(outcome, Message) for outcome in outcomes) > 600


@pytest.mark.parametrize("wound", WOUNDS, ids=lambda wound: wound.__name__)
def test_a_wound_takes_any_octets_and_changes_some(wound: Any) -> None:
    rng = Random(13)
    whole = say.discover(MAC).asking(1, 3, 6).circuit("eth1/3").bytes()
    for size in (0, 1, 2, 239, 240, 241, 242, 300):
        wound(whole[:size], rng)
    assert any(wound(whole, rng) != whole for _ in range(50))


def test_a_chain_of_mutations_stays_bounded() -> None:
    rng, data = Random(17), say.discover(MAC).bytes()
    for _ in range(500):
        data = mutate(data, rng) or say.discover(MAC).bytes()
        assert len(data) <= LONGEST


def test_a_sentence_says_its_packet() -> None:
    packet = say.discover(MAC).with_relay("10.0.0.1").asking(3, 6).circuit("eth1/3").relay_port().broadcast()
    message = lawful(packet.bytes())
    assert (str(message.giaddr), message.hops, message.broadcast) == ("10.0.0.1", 1, True)
    assert [code for code, _ in message.occurrences] == [53, 55, 82]
    assert message.relay is not None
    assert (message.relay.circuit_id, message.relay.source_port) == (b"eth1/3", True)
    assert len(packet.bytes()) == 300


def test_a_packet_is_never_changed_by_its_words() -> None:
    half = say.discover(MAC).hostname("a")
    assert lawful(half.hostname("b").bytes()).options[12] == b"b"
    assert lawful(half.bytes()).options[12] == b"a"
    assert lawful(half.also(12, "b").bytes()).options[12] == b"ab"


def test_the_four_states_of_a_request() -> None:
    sentences = [
        say.request_selecting(MAC, "10.0.0.9", "10.0.0.1"),
        say.request_init_reboot(MAC, "10.0.0.9"),
        say.request_renewing(MAC, "10.0.0.9"),
        say.message(3, MAC),
    ]
    states = [lawful(sentence.bytes()).request_state for sentence in sentences]
    assert states == ["selecting", "init_reboot", "renewing_or_rebinding", "none"]


def test_routes_of_rfc_3442() -> None:
    value = octets("00 0a000001  08 0a 0a000002  18 0a1b81 0a1b8101  19 0a229180 0a229101")
    assert routes(value) == [
        (IPv4Network("0.0.0.0/0"), IPv4Address("10.0.0.1")),
        (IPv4Network("10.0.0.0/8"), IPv4Address("10.0.0.2")),
        (IPv4Network("10.27.129.0/24"), IPv4Address("10.27.129.1")),
        (IPv4Network("10.34.145.128/25"), IPv4Address("10.34.145.1")),
    ]


def test_search_list_of_rfc_3397() -> None:
    value = octets("03 'eng' 05 'apple' 03 'com' 00  09 'marketing' c004")
    assert search_list(value) == ["eng.apple.com", "marketing.apple.com"]
