"""The DHCPv6 stub answers every exchange of the storm, and nothing that is no relay's message."""

import socket

import pytest

from dhcp_fast.bench.generator.storm6 import Storm6
from dhcp_fast.bench.generator.stub6 import Stub6
from dhcp_fast.bench.servers import bench_plan6
from dhcp_fast.packets import message6
from dhcp_fast.packets.message6 import MessageType

DUID = message6.duid_ll(bytes((2, 0, 0, 0, 0, 7)))


@pytest.mark.parametrize("delegation", [False, True])
def test_every_exchange_is_answered(delegation: bool) -> None:
    with Stub6() as stub:
        features = bench_plan6.features(DUID, delegation=delegation)
        storm = Storm6(stub.address, features=features)
        result = storm.run(exchanges=2_000, window=64)
        storm.close()
    assert (result.started, result.acks, result.naks, result.drops) == (2_000, 2_000, 0, 0)


def ask(stub: Stub6, data: bytes) -> bytes | None:
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as relay:
        relay.settimeout(0.3)
        relay.sendto(data, stub.address)
        try:
            return relay.recv(65535)
        except TimeoutError:
            return None


def test_an_answer_is_what_a_relay_can_read() -> None:
    leases = [message6.association(message6.IA_NA, 5), message6.association(message6.IA_PD, 6)]
    inner = message6.message(MessageType.SOLICIT, 0x123456, [(message6.CLIENT_ID, DUID), *leases])
    with Stub6() as stub:
        found = message6.read(ask(stub, message6.relay_forward(inner, link=bench_plan6.LINK)) or b"")
    (envelope,), told = message6.opened(found)
    assert told is not None
    assert (envelope.kind, envelope.link) == (MessageType.RELAY_REPL, bench_plan6.LINK)
    assert (told.kind, told.xid, told.value(message6.CLIENT_ID)) == (MessageType.ADVERTISE, 0x123456, DUID)
    address, prefix = told.associations
    assert (address.iaid, str(address.leases[0].address)) == (5, "2001:db8:1::7")
    assert (prefix.iaid, prefix.leases[0].length, prefix.leases[0].valid) == (6, 64, 3600)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x0c" + bytes(20),
        message6.message(MessageType.SOLICIT, 1, [(message6.CLIENT_ID, DUID)]),
        message6.relay_forward(message6.message(MessageType.SOLICIT, 1, [])),
        message6.relay_forward(message6.message(MessageType.SOLICIT, 1, [(message6.CLIENT_ID, bytes(65))])),
        message6.relay_forward(b"\1\0\0\1\0\1\xff\xff"),
    ],
)
def test_what_is_no_question_gets_no_answer(data: bytes) -> None:
    with Stub6() as stub:
        assert ask(stub, data) is None
        assert stub.answered == 0
