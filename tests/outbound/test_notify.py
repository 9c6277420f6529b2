"""NOTIFY to secondaries that a tenant wrote: not into closed networks, and without holding up another tenant's."""

import asyncio
import socket
import time
from ipaddress import ip_address
from types import SimpleNamespace
from typing import Any

import dns.flags
import dns.message
import dns.name
import dns.rcode
import pytest
import structlog
from engine.site import until
from outbound.test_dns_stream import long_names
from workers.site import LOOPBACK

from dhcp_fast.dns_server import notify
from dhcp_fast.dns_server.notify import Notifier
from dhcp_fast.dns_server.secondaries import Copying, Secondary
from ipam_core.outbound.guard import Guard, Reach
from ipam_core.setting_values import Endpoint

ZONE = b"\x03lab\x07example\x00"
NAME = dns.name.from_text("lab.example.")
TENANT = Reach(2, of_tenant=True)


class Listener(asyncio.DatagramProtocol):
    """A secondary: `answer` makes what it says to a message, or nothing."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.got: list[bytes] = []
        self.senders: list[str] = []

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.port = transport.get_extra_info("sockname")[1]

    def datagram_received(self, data: bytes, sender: Any) -> None:
        self.got.append(data)
        self.senders.append(sender[0])
        for each in self.answer(data):
            self.transport.sendto(each, sender)


def well(data: bytes) -> list[bytes]:
    return [dns.message.make_response(dns.message.from_wire(data)).to_wire()]


async def listening(answer: Any) -> Listener:
    loop = asyncio.get_running_loop()
    _, made = await loop.create_datagram_endpoint(lambda: Listener(answer), ("127.0.0.1", 0))
    return made


def notifier(guard: Guard, *secondaries: Secondary, served: str = "") -> Notifier:
    read = asyncio.Event()
    read.set()
    known: Any = SimpleNamespace(guard=guard, read=read, of=lambda _zone: Copying((), secondaries))
    return Notifier(known, [Endpoint(host, 53) for host in served.split()])


def secondary(port: int, reach: Reach, address: str = "127.0.0.1") -> Secondary:
    return Secondary(1, address, port, (ip_address(address),), None, reach)


@pytest.mark.parametrize(
    ("reach", "is_notified"),
    [(TENANT, False), (Reach(1, of_tenant=False), False), (Reach(1, on_host=True), True)],
)
async def test_where_notify_may_go(reach: Reach, is_notified: bool) -> None:
    there = await listening(well)
    telling = notifier(Guard(), secondary(there.port, reach))
    with structlog.testing.capture_logs() as logged:
        for _ in range(3):
            await telling.tell_all(ZONE)
    assert (len(there.got) > 0) == is_notified
    assert telling.counts["answered"] == (3 if is_notified else 0)
    assert [line["event"] for line in logged] == ([] if is_notified else [logged[0]["event"]])
    there.transport.close()


@pytest.mark.parametrize(
    "answer",
    [
        lambda data: [data[:2] + b"\xff" * 5000],
        lambda data: [data[:2] + b"\xff" * 100],
        lambda data: [data[:2]],
        lambda data: [data[:2] + b"\x84\0\0\1\0\0\0\0\0\4" + data[12:] + bytes(44)],
        lambda data: [long_names(dns.message.from_wire(data), 1024)],
        lambda data: [long_names(dns.message.from_wire(data), 4096)],
        lambda _: [b"\xff\xff" + bytes(20)],
    ],
)
async def test_answers_that_are_none(answer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing large is parsed; it is told again later, as if nothing had come."""
    monkeypatch.setattr(notify, "PAUSES", (0.05, 0.05))
    there = await listening(answer)
    telling = notifier(Guard([LOOPBACK]), secondary(there.port, TENANT))
    before = time.process_time()
    await telling.tell_all(ZONE)
    assert time.process_time() - before < 0.1
    assert telling.counts == {"sent": 2, "unanswered": 1}
    there.transport.close()


async def test_silent_secondaries_of_one_tenant_hold_up_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of them is given up before the other one has got its own."""
    monkeypatch.setattr(notify, "PAUSES", (3600.0,))
    silent, there = await listening(lambda _: []), await listening(well)
    crowd = [secondary(silent.port, TENANT) for _ in range(300)]
    telling = notifier(Guard([LOOPBACK]), *crowd, secondary(there.port, Reach(3, of_tenant=True)))
    telling.tell(ZONE)
    await until("notified", lambda: there.got)
    assert len(silent.got) <= 64
    telling.close()
    for each in (silent, there):
        each.transport.close()


async def test_a_closed_port_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notify, "PAUSES", (0.05,))
    with socket.socket(type=socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    telling = notifier(Guard([LOOPBACK]), secondary(port, TENANT))
    await telling.tell_all(ZONE)
    assert telling.counts["unanswered"] == 1


@pytest.mark.parametrize(
    ("served", "senders"),
    [
        ("", ["127.0.0.1"]),
        ("0.0.0.0 ::", ["127.0.0.1"]),
        ("127.0.0.5 0.0.0.0", ["127.0.0.1"]),
        ("::1", ["127.0.0.1"]),
        ("127.0.0.5", ["127.0.0.5"]),
        ("::1 127.0.0.6 127.0.0.5", ["127.0.0.6"]),
        ("192.0.2.53 127.0.0.5", ["127.0.0.5"]),  # the first one is not on this host
    ],
)
async def test_notify_leaves_from_the_address_that_is_served(served: str, senders: list[str]) -> None:
    there = await listening(well)
    telling = notifier(Guard([LOOPBACK]), secondary(there.port, TENANT), served=served)
    await telling.tell_all(ZONE)
    assert there.senders == senders
    assert telling.counts == {"sent": 1, "answered": 1}
    there.transport.close()


@pytest.mark.parametrize(
    ("answers", "senders"),
    [
        (["REFUSED", "NOERROR", "NOERROR"], ["127.0.0.5", "127.0.0.6"]),
        ([None, "NOERROR"], ["127.0.0.5", "127.0.0.6"]),
        (["REFUSED"] * 3, ["127.0.0.5", "127.0.0.6", "127.0.0.7"]),
        ([None, "NOTAUTH", None], ["127.0.0.5", "127.0.0.6", "127.0.0.7"]),
    ],
)
async def test_a_secondary_is_notified_from_the_primary_that_it_knows(
    answers: list[str | None], senders: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """RFC 1996 section 3.11: a NOTIFY from another address is refused or ignored."""
    monkeypatch.setattr(notify, "PAUSES", (0.6,))
    left = iter(answers)

    def answer(data: bytes) -> list[bytes]:
        rcode = next(left)
        if rcode is None:
            return []
        response = dns.message.make_response(dns.message.from_wire(data))
        response.set_rcode(dns.rcode.from_text(rcode))
        return [response.to_wire()]

    there = await listening(answer)
    served = "127.0.0.5 127.0.0.6 127.0.0.7"
    telling = notifier(Guard([LOOPBACK]), secondary(there.port, TENANT), served=served)
    await telling.tell_all(ZONE)
    assert there.senders == senders
    assert telling.counts["answered"] == 1
    there.transport.close()


def test_a_loopback_address_notifies_no_other_host() -> None:
    """An address of the host itself notifies a secondary anywhere."""
    here, elsewhere = ip_address("127.0.0.1"), ip_address("192.0.2.1")
    assert notify.sources_for(elsewhere, [here]) == [None]
    assert notify.sources_for(elsewhere, [here, elsewhere]) == [elsewhere]
    assert notify.sources_for(here, [elsewhere]) == [elsewhere]


async def test_serials_of_a_second_are_told_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first at once, those that follow with the last: a secondary takes them in one transfer."""
    monkeypatch.setattr(notify, "BETWEEN_SECONDS", 0.3)
    there = await listening(well)
    telling = notifier(Guard(), secondary(there.port, Reach(1, on_host=True)))
    began = time.monotonic()
    for number in range(20):
        telling.tell(ZONE)
        await asyncio.sleep(0.02)
        assert there.got or number < 5, "the first one waits for nothing"
    await asyncio.gather(*telling.telling.values())
    most = 2 + int((time.monotonic() - began) / 0.3)
    assert 2 <= len(there.got) <= most
    await asyncio.sleep(0.35)
    assert telling.resting == {}
    telling.tell(ZONE)
    await asyncio.sleep(0.1)
    assert len(there.got) <= most + 1
