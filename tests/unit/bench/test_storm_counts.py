"""A storm's bookkeeping: nothing is counted twice, nothing believed that is not this client's, all ends."""

import time
from collections.abc import Iterable
from ipaddress import IPv4Address

import pytest
from oracle.message4 import Message
from unit.probe.responder import Answer, Responder, address_for, grant, reply, silent

from dhcp_fast.bench.generator.result import Result, acknowledgements
from dhcp_fast.bench.generator.storm import SLOTS, Storm
from dhcp_fast.bench.generator.stub import Stub

BOUND = 20.0


def run(answer: Answer, *, timeout: float = 0.1, window: int = 4, exchanges: int = 20) -> Result:
    with Responder(answer) as responder:
        storm = Storm(responder.address, timeout=timeout)
        result = storm.run(exchanges=exchanges, window=window)
        storm.close()
    return result


def is_request(message: Message) -> bool:
    return message.options[53] == b"\x03"


def test_every_exchange_ends_in_an_ack_of_its_own() -> None:
    result = run(grant)
    assert (result.started, result.offers, result.acks, result.in_time) == (20, 20, 20, 20)
    assert (result.drops, result.naks, result.duplicates, result.late, result.retransmits) == (0, 0, 0, 0, 0)
    leases = list(acknowledgements(result.log))
    assert sorted(lease.client for lease in leases) == list(range(20))
    assert all(lease.address == IPv4Address(f"10.64.0.{lease.client}") for lease in leases)
    assert {lease.lease_seconds for lease in leases} == {600}
    assert (result.latency.count, result.offer_latency.count) == (20, 20)
    assert result.latency.percentile(50) >= result.offer_latency.percentile(50)


def test_a_second_offer_and_a_second_ack_change_nothing() -> None:
    """The second ACK of the last exchange may come when the storm is over."""
    result = run(lambda message: [*grant(message)] * 2)
    assert result.acks == 20
    assert 30 <= result.duplicates + result.late <= 40


def test_an_ack_without_a_request_is_no_ack() -> None:
    def both_at_once(message: Message) -> Iterable[bytes]:
        ack = reply(message, 5, yiaddr=address_for(message))
        return [ack] if is_request(message) else [ack, *grant(message)]

    result = run(both_at_once)
    assert (result.acks, result.duplicates) == (20, 20)


def test_a_reply_to_another_mac_is_foreign() -> None:
    def two_faced(message: Message) -> Iterable[bytes]:
        kind = 5 if is_request(message) else 2
        return [reply(message, kind, yiaddr="10.64.9.9", mac=b"\x02\x00\x00\x00\x00\x99"), *grant(message)]

    result = run(two_faced)
    assert (result.acks, result.foreign) == (20, 40)
    assert IPv4Address("10.64.9.9") not in {lease.address for lease in acknowledgements(result.log)}


def test_a_reply_to_an_old_transaction_is_late() -> None:
    def behind_the_times(message: Message) -> Iterable[bytes]:
        old = reply(message, 2, yiaddr="10.64.9.9", xid=message.xid ^ 0x80000000)
        return [old, *grant(message)]

    result = run(behind_the_times)
    assert (result.acks, result.late, result.offers) == (20, 40, 20)


def test_garbage_is_malformed() -> None:
    def noisy(message: Message) -> Iterable[bytes]:
        overrun = reply(message, 2, yiaddr="10.64.9.9")[:240] + b"\x35\x09\x02"
        return [b"", b"\x02" * 100, overrun, *grant(message)]

    result = run(noisy)
    assert (result.acks, result.malformed) == (20, 120)


def test_a_nak_ends_the_exchange() -> None:
    def stern(message: Message) -> Iterable[bytes]:
        return [reply(message, 6, yiaddr="0.0.0.0")] if is_request(message) else grant(message)

    result = run(stern)
    assert (result.naks, result.acks, result.drops, result.in_time) == (20, 0, 0, 0)
    assert result.log == b""


def test_an_ack_of_another_address_than_asked_for_is_told() -> None:
    def capricious(message: Message) -> Iterable[bytes]:
        return [reply(message, 5, yiaddr="10.64.9.9")] if is_request(message) else grant(message)

    result = run(capricious)
    assert (result.acks, result.unexpected) == (20, 20)
    assert {lease.address for lease in acknowledgements(result.log)} == {IPv4Address("10.64.9.9")}


def test_what_is_lost_is_sent_again() -> None:
    seen: set[tuple[int, bytes]] = set()

    def second_time(message: Message) -> Iterable[bytes]:
        key = message.xid, message.options[53]
        if key in seen:
            return grant(message)
        seen.add(key)
        return []

    result = run(second_time)
    assert (result.acks, result.drops, result.retransmits) == (20, 0, 40)


def test_a_storm_without_a_server_ends() -> None:
    """A bound but silent socket; then none at all, where the kernel says so."""
    began = time.monotonic()
    result = run(silent, exchanges=8)
    assert (result.acks, result.drops, result.retransmits) == (0, 8, 16)
    with Responder(silent) as responder:
        address = responder.address
    storm = Storm(address, timeout=0.05)
    result = storm.run(exchanges=8, window=4)
    storm.close()
    assert (result.acks, result.drops) == (0, 8)
    assert result.refused > 0
    assert time.monotonic() - began < BOUND


def test_patience_bounds_a_storm_that_nobody_answers() -> None:
    """Without it a million exchanges would be tried three times each."""
    began = time.monotonic()
    with Responder(silent) as responder:
        storm = Storm(responder.address, timeout=0.2, patience=0.3)
        result = storm.run(exchanges=1_000_000, window=16)
        storm.close()
    assert result.acks == 0
    assert result.drops == 16
    assert time.monotonic() - began < BOUND


def test_answers_to_an_abandoned_run_do_not_disturb_the_next() -> None:
    held_back: list[Message] = []

    def tardy(message: Message) -> Iterable[bytes]:
        """Silent to the first 64 clients, until a later one asks; then all are answered."""
        if message.chaddr[4:6] < bytes([0, 64]):
            held_back.append(message)
            return []
        late = [answer for old in held_back for answer in grant(old)]
        held_back.clear()
        return [*late, *grant(message)]

    with Responder(tardy) as responder:
        storm = Storm(responder.address, timeout=10, patience=3)
        abandoned = storm.run(exchanges=64, window=64)
        result = storm.run(exchanges=20, window=4)
        storm.close()
    assert (abandoned.acks, abandoned.drops) == (0, 64)
    assert (result.started, result.acks, result.drops) == (20, 20, 0)
    assert result.duplicates + result.late == 64


def test_an_open_loop_starts_by_the_clock() -> None:
    with Stub() as stub:
        storm = Storm(stub.address)
        result = storm.run(seconds=0.5, rate=200.0, window=64)
        storm.close()
    assert 1 <= result.started <= 101
    assert result.acks == result.started


def test_an_open_loop_does_not_wait_for_answers() -> None:
    with Responder(silent) as responder:
        storm = Storm(responder.address, timeout=0.2, tries=1)
        result = storm.run(exchanges=50, rate=1000.0, window=64)
        storm.close()
    assert (result.started, result.drops) == (50, 50)
    assert len(responder.messages) == 50


def test_faults_of_a_fast_server_add_up() -> None:
    with Stub(silent_every=7, nak_every=11, twice_every=13, foreign_every=17, late_every=19) as stub:
        storm = Storm(stub.address, timeout=0.05)
        result = storm.run(exchanges=20_000, window=512)
        storm.close()
    assert result.started == 20_000
    assert result.acks + result.naks + result.drops == 20_000
    assert len(result.log) == 16 * result.acks == 16 * result.latency.count
    assert min(result.naks, result.duplicates, result.foreign, result.late, result.retransmits) > 0


def test_a_second_run_takes_new_clients() -> None:
    with Stub() as stub:
        storm = Storm(stub.address)
        logs = [storm.run(exchanges=50, window=8).log for _ in range(2)]
        storm.close()
    clients = [lease.client for log in logs for lease in acknowledgements(log)]
    assert sorted(clients) == list(range(100))


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"exchanges": 1, "window": 0},
        {"exchanges": 1, "window": SLOTS + 1},
        {"exchanges": 1, "mix": "renew"},
    ],
)
def test_a_storm_that_makes_no_sense_does_not_start(arguments: dict[str, object]) -> None:
    storm = Storm(("127.0.0.1", 9))
    with pytest.raises(ValueError, match=r"storm|window|mix"):
        storm.run(**arguments)  # type: ignore[arg-type]  # wrong ones, on purpose
    storm.close()
