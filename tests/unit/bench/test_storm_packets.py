"""What a storm sends is what a real client behind a relay sends, by the oracle's reading."""

import time
from ipaddress import IPv4Address

import pytest
from oracle.message4 import Message
from unit.probe.responder import SERVER_ID, Gatherer, Responder, address_for, grant

from dhcp_fast.bench.generator.result import Result, acknowledgements, mac_of
from dhcp_fast.bench.generator.storm import Storm
from dhcp_fast.bench.generator.template import SIZE, Features, Links

RELAY = IPv4Address("127.0.0.1")
ASKED = bytes([1, 3, 6, 12, 15, 28, 42, 51, 54, 58, 59, 119, 121])


def storm_of(responder: Responder, features: Features | None = None, segments: bool = True) -> Storm:
    return Storm(responder.address, seed=9, first_client=0x1234, features=features, segments=segments)


def run(mix: str, features: Features | None = None, **arguments: object) -> tuple[Result, list[Message]]:
    with Responder(grant) as responder:
        storm = storm_of(responder, features)
        result = storm.run(mix=mix, **arguments)  # type: ignore[arg-type]  # keywords by name
        storm.close()
        # A storm does not wait for those to whom a release goes.
        deadline = time.monotonic() + 10
        while len(responder.messages) < result.started and time.monotonic() < deadline:
            time.sleep(0.01)
    assert len(responder.messages) == len(responder.datagrams)
    return result, responder.messages


def test_discover_and_request_of_one_client() -> None:
    result, (discover, request) = run("dora", exchanges=1, window=1)
    for message in (discover, request):
        assert message.chaddr[:6] == mac_of(9, 0x1234)
        assert (message.giaddr, message.hops, message.ciaddr) == (RELAY, 1, IPv4Address(0))
        assert message.options[55] == ASKED
        assert message.options[12] == b"host-00001234"
        assert message.options[57] == (1500).to_bytes(2, "big")
        assert message.options[60] == b"ipam-bench"
        assert message.options[82] == b"\x01\x08bench/01\x13\x00"
        assert message.ended
    assert (discover.options[53], request.options[53]) == (b"\x01", b"\x03")
    assert discover.xid == request.xid
    assert 50 not in discover.options
    assert 54 not in discover.options
    assert request.request_state == "selecting"
    assert request.address(50) == IPv4Address("10.64.18.52")
    assert request.address(54) == SERVER_ID
    assert result.acks == 1


def test_replies_that_leave_the_server_as_one_message_are_told_apart() -> None:
    with Gatherer(grant) as responder:
        storm = storm_of(responder)
        result = storm.run(mix="dora", exchanges=90, window=30)
        storm.close()
    assert max(responder.gathered) > 1
    assert (result.offers, result.acks, result.drops) == (90, 90, 0)
    assert (result.malformed, result.foreign, result.duplicates, result.retransmits) == (0, 0, 0, 0)
    first = IPv4Address("10.64.18.52")
    assert {ack.address for ack in acknowledgements(result.log)} == {first + number for number in range(90)}


def test_replies_come_one_by_one_to_a_plain_storm() -> None:
    """Sent as one message to be cut, they are as many."""
    with Gatherer(grant) as responder:
        storm = Storm(responder.address, seed=9, first_client=0x1234, merged=False)
        result = storm.run(exchanges=90, window=90)
        storm.close()
    assert max(responder.gathered) > 1
    assert (result.offers, result.acks, result.drops, result.malformed) == (90, 90, 0, 0)


@pytest.mark.parametrize("segments", [False, True])
def test_every_client_is_another_and_every_packet_whole(segments: bool) -> None:
    """300 in flight need more than one batch, with and without the kernel's segmentation."""
    with Responder(grant) as responder:
        storm = storm_of(responder, segments=segments)
        result = storm.run(exchanges=300, window=300)
        storm.close()
    assert result.acks == 300
    assert {len(datagram) for datagram in responder.datagrams} == {SIZE}
    discovers = {message.chaddr[:6] for message in responder.messages if message.options[53] == b"\x01"}
    assert discovers == {mac_of(9, 0x1234 + number) for number in range(300)}
    assert len({message.xid for message in responder.messages}) == 300


def test_what_a_client_leaves_out() -> None:
    _, (discover, _) = run("dora", Features(hostname=False), exchanges=1, window=1)
    assert 12 not in discover.options
    assert 61 not in discover.options


def test_client_identifier_is_the_mac() -> None:
    _, messages = run("dora", Features(client_id=True), exchanges=2, window=1)
    assert all(message.options[61] == b"\x01" + message.chaddr[:6] for message in messages)


def test_the_relay_tells_the_network_of_a_client_and_then_of_its_address() -> None:
    """Number 0x1234 of seven networks is the sixth's, and is given 10.64.18.52."""
    features = Features(links=Links(IPv4Address("10.64.0.0"), 24, 7))
    got, asked = run("dora", features, exchanges=1, window=1)
    _, renewed = run("renew", features, exchanges=1, window=1, held=got.log)
    told = [message.options[82].removeprefix(b"\x01\x08bench/01\x13\x00") for message in asked + renewed]
    assert told == [bytes((5, 4, 10, 64, third, 0)) for third in (5, 18, 18)]
    assert all(message.giaddr == RELAY for message in asked + renewed)


def test_renewal_names_its_address_in_ciaddr_only() -> None:
    got, _ = run("dora", exchanges=3, window=3)
    _, messages = run("renew", exchanges=3, window=1, held=got.log)
    assert [message.request_state for message in messages] == ["renewing_or_rebinding"] * 3
    assert {message.ciaddr for message in messages} == {lease.address for lease in acknowledgements(got.log)}
    assert all(address_for(message) == str(message.ciaddr) for message in messages)


def test_release_names_address_and_server() -> None:
    got, _ = run("dora", exchanges=3, window=3)
    result, messages = run("release", exchanges=3, window=1, rate=1000.0, held=got.log)
    assert result.drops == 0
    assert [message.options[53] for message in messages] == [b"\x07"] * 3
    assert all(message.address(54) == SERVER_ID for message in messages)
    assert all(address_for(message) == str(message.ciaddr) for message in messages)


def test_secs_counts_from_the_first_discover() -> None:
    with Responder(lambda message: []) as responder:
        storm = Storm(responder.address, timeout=1.05, tries=2)
        storm.run(exchanges=1, window=1)
        storm.close()
    assert [message.secs for message in responder.messages] == [0, 1]
