"""The probe's client: each of its messages by the oracle's reading, and what it believes."""

import time
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address

import pytest
from oracle.message4 import Message
from unit.probe.responder import SERVER_ID, Responder, address_for, grant, reply, silent

from dhcp_fast.probe.client import Client, NoAnswer, Refused

MAC = bytes.fromhex("020000000105")
ADDRESS = IPv4Address("10.64.1.5")


@pytest.fixture
def server() -> Iterator[Responder]:
    with Responder(grant) as responder:
        yield responder


def client_of(responder: Responder, timeout: float = 0.2) -> Client:
    return Client(responder.address, mac=MAC, timeout=timeout, tries=2)


def test_a_lease_from_discover_to_release(server: Responder) -> None:
    with client_of(server) as client:
        offer = client.discover().reply
        lease = client.select(offer).reply
        renewed = client.renew(lease).reply
        client.release(renewed)
        client.reboot(ADDRESS)
    assert offer.yiaddr == lease.yiaddr == renewed.yiaddr == ADDRESS
    assert lease.seconds(51) == 600
    discover, select, renew, release, reboot = server.messages
    assert {message.chaddr[:6] for message in server.messages} == {MAC}
    assert {message.giaddr for message in server.messages} == {IPv4Address("127.0.0.1")}
    assert select.request_state == "selecting"
    assert (select.address(50), select.address(54)) == (ADDRESS, SERVER_ID)
    assert (renew.request_state, renew.ciaddr) == ("renewing_or_rebinding", ADDRESS)
    assert (release.options[53], release.ciaddr, release.address(54)) == (b"\x07", ADDRESS, SERVER_ID)
    assert (reboot.request_state, reboot.address(50)) == ("init_reboot", ADDRESS)
    assert discover.options[82] == b"\x01\x05probe\x13\x00"
    assert len({message.xid for message in server.messages}) == 5


def test_decline_names_the_address_it_will_not_have(server: Responder) -> None:
    with client_of(server) as client:
        client.decline(client.select(client.discover().reply).reply)
        client.discover()
    decline = server.messages[2]
    assert (decline.options[53], decline.ciaddr) == (b"\x04", IPv4Address(0))
    assert (decline.address(50), decline.address(54)) == (ADDRESS, SERVER_ID)


def refuse(message: Message) -> Iterable[bytes]:
    return [reply(message, 6, yiaddr="0.0.0.0")] if message.options[53] == b"\x03" else grant(message)


def test_a_nak_is_raised_as_refused() -> None:
    with Responder(refuse) as server, client_of(server) as client:
        offer = client.discover().reply
        with pytest.raises(Refused, match=r"10\.64\.1\.5"):
            client.select(offer)


@pytest.mark.parametrize("difference", ["xid", "mac", "kind"])
def test_replies_to_others_are_passed_over(difference: str) -> None:
    def to_others(message: Message) -> Iterable[bytes]:
        other = {"xid": message.xid ^ 1} if difference == "xid" else {}
        mac = b"\x02" * 6 if difference == "mac" else None
        kind = 5 if difference == "kind" else 2
        wrong = reply(message, kind, yiaddr="10.64.9.9", mac=mac, **other)
        return [wrong, reply(message, 2, yiaddr=address_for(message))]

    with Responder(to_others) as server, client_of(server) as client:
        assert client.discover().reply.yiaddr == ADDRESS


def test_silence_is_bounded_and_told() -> None:
    began = time.monotonic()
    with Responder(silent) as server, client_of(server) as client:
        with pytest.raises(NoAnswer, match="DISCOVER") as caught:
            client.discover()
        assert len(server.messages) == 2
    assert not caught.value.unreachable
    assert time.monotonic() - began < 10


def test_a_closed_port_is_told() -> None:
    with Responder(silent) as server:
        address = server.address
    with Client(address, mac=MAC, timeout=0.2, tries=3) as client, pytest.raises(NoAnswer) as caught:
        client.discover()
    assert caught.value.unreachable
