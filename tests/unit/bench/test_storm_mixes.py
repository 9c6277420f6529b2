"""Exchanges of clients that hold leases: what they send, in which order, and what the ledger says afterwards."""

import time
from collections import Counter
from collections.abc import Iterable
from ipaddress import IPv4Address

import pytest
from oracle.message4 import Message
from unit.probe.responder import SERVER_ID, Answer, Responder, grant, reply

from dhcp_fast.bench.generator.result import RECORD, Acknowledgement, Result, acknowledgements
from dhcp_fast.bench.generator.storm import Storm

HELD = 20
FIRST_NEW = 100
DISCOVER, REQUEST, RELEASE = b"\x01", b"\x03", b"\x07"


def held_log(count: int = HELD) -> bytes:
    """Leases of clients 0 and on, as the responder gives them."""
    return b"".join(
        RECORD.pack(client, IPv4Address(f"10.64.0.{client}").packed, SERVER_ID.packed, 600)
        for client in range(count)
    )


# Nothing is sent twice because the machine was busy; where a client gets no answer, it is to give up soon.
ANSWERED_SECONDS, DEAF_SECONDS = 5.0, 0.2


def run(mix: str, *, answer: Answer = grant, exchanges: int = HELD, window: int = 4, **options: object):  # type: ignore[no-untyped-def]
    told = {"timeout": ANSWERED_SECONDS} | options
    with Responder(answer) as responder:
        storm = Storm(responder.address, first_client=FIRST_NEW, **told)  # type: ignore[arg-type]
        result = storm.run(mix=mix, exchanges=exchanges, window=window, held=held_log())
        bag = list(acknowledgements(storm.ledger.leases()))
        storm.close()
    return result, responder.messages, bag


def kinds(messages: Iterable[Message]) -> Counter[bytes]:
    return Counter(message.options[53] for message in messages)


def client_of(message: Message) -> int:
    return int.from_bytes(message.chaddr[2:6], "big")


def told(result: Result) -> list[Acknowledgement]:
    return list(acknowledgements(result.log))


def test_a_restarted_client_asks_for_its_address_by_option_50() -> None:
    result, messages, _ = run("reboot")
    assert (result.acks, result.drops) == (HELD, 0)
    assert [message.request_state for message in messages] == ["init_reboot"] * HELD
    assert {message.address(50) for message in messages} == {IPv4Address(f"10.64.0.{n}") for n in range(HELD)}
    assert all(message.ciaddr == IPv4Address(0) and 54 not in message.options for message in messages)


def test_returning_clients_are_those_of_the_ledger() -> None:
    result, messages, _ = run("return")
    assert kinds(messages) == {DISCOVER: HELD, REQUEST: HELD}
    assert sorted(lease.client for lease in told(result)) == list(range(HELD))


def test_one_in_five_of_mixed_is_new() -> None:
    result, messages, _ = run("mixed", exchanges=50)
    assert result.acks == 50
    assert kinds(messages) == {DISCOVER: 10, REQUEST: 50}
    discovers = sorted(client_of(message) for message in messages if message.options[53] == DISCOVER)
    assert discovers == list(range(FIRST_NEW, FIRST_NEW + 10))
    renewed = [client_of(message) for message in messages if message.ciaddr != IPv4Address(0)]
    assert Counter(renewed) == dict.fromkeys(range(HELD), 2)


def test_churn_gives_back_before_it_asks_again() -> None:
    result, messages, bag = run("churn", exchanges=2 * HELD)
    assert (result.acks, result.releases) == (2 * HELD, 2 * HELD)
    for client in range(HELD):
        own = [message for message in messages if client_of(message) == client]
        assert [message.options[53] for message in own] == [RELEASE, DISCOVER, REQUEST] * 2
        assert own[0].ciaddr == IPv4Address(f"10.64.0.{client}")
        assert own[0].address(54) == SERVER_ID
        assert [lease.lease_seconds for lease in told(result) if lease.client == client] == [0, 600] * 2
    assert [lease.client for lease in bag] == list(range(HELD))


def test_replace_keeps_as_many_leases_as_there_were() -> None:
    result, messages, bag = run("replace", exchanges=200)
    assert kinds(messages) == {RELEASE: 200, DISCOVER: 200, REQUEST: 200}
    released = [lease.client for lease in told(result) if lease.lease_seconds == 0]
    acknowledged = [lease.client for lease in told(result) if lease.lease_seconds]
    assert sorted(acknowledged) == list(range(FIRST_NEW, FIRST_NEW + 200))
    assert len(set(released)) == 200
    assert {lease.client for lease in bag} == (set(range(HELD)) | set(acknowledged)) - set(released)
    assert len(bag) == HELD
    assert released[:HELD] != sorted(released[:HELD])


def test_replace_gives_back_no_more_than_there_is() -> None:
    """More slots than leases: each exchange in flight has taken one out, and the rest wait."""
    result, messages, bag = run("replace", exchanges=100, window=64)
    assert result.acks == 100
    assert kinds(messages)[RELEASE] == 100
    assert len(bag) == HELD


def test_a_client_without_an_answer_begins_anew_next_time() -> None:
    """What a failed exchange gave back is not given back twice, nor renewed."""

    def deaf_to_five(message: Message) -> Iterable[bytes]:
        return [] if client_of(message) == 5 and message.options[53] != RELEASE else grant(message)

    result, messages, bag = run("churn", answer=deaf_to_five, exchanges=3 * HELD, timeout=DEAF_SECONDS)
    assert result.drops == 3
    assert Counter(client_of(message) for message in messages if message.options[53] == RELEASE)[5] == 1
    assert [lease.client for lease in bag if lease.address == IPv4Address(0)] == [5]


def test_a_nak_in_reboot_leads_back_to_discover() -> None:
    def forgetful(message: Message) -> Iterable[bytes]:
        rebooting = message.options[53] == REQUEST and message.request_state == "init_reboot"
        return [reply(message, 6, yiaddr="0.0.0.0")] if rebooting else grant(message)

    result, messages, _ = run("reboot", answer=forgetful, backoff=True)
    assert (result.acks, result.naks, result.restarts, result.drops) == (HELD, HELD, HELD, 0)
    assert kinds(messages) == {REQUEST: 2 * HELD, DISCOVER: HELD}


def test_back_off_is_four_seconds_more_or_less_one() -> None:
    """RFC 2131 section 4.1. Each client's first DISCOVER is lost; the second comes at a time of its own."""
    arrivals: dict[int, list[float]] = {}

    def second_time(message: Message) -> Iterable[bytes]:
        times = arrivals.setdefault(client_of(message), [])
        times.append(time.monotonic())
        return grant(message) if len(times) > 1 else []

    result, _, _ = run("return", answer=second_time, backoff=True, window=HELD, patience=60.0)
    waits = [times[1] - times[0] for times in arrivals.values()]
    assert (result.acks, result.drops, result.retransmits) == (HELD, 0, HELD)
    assert min(waits) > 2.95
    assert max(waits) - min(waits) > 0.5
    assert result.latency.maximum >= max(waits) * 0.98e9


def test_a_shuffled_ledger_holds_the_same() -> None:
    storm = Storm(("127.0.0.1", 9))
    storm.ledger.hold(held_log(), shuffled_by=7)
    shuffled = list(acknowledgements(storm.ledger.leases()))
    storm.close()
    assert shuffled != list(acknowledgements(held_log()))
    assert sorted(shuffled) == list(acknowledgements(held_log()))


@pytest.mark.parametrize("mix", ["renew", "reboot", "return", "churn", "replace", "mixed"])
def test_nobody_to_return(mix: str) -> None:
    storm = Storm(("127.0.0.1", 9))
    with pytest.raises(ValueError, match="earlier run"):
        storm.run(mix=mix, exchanges=1)
    storm.close()
