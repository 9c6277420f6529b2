"""Every row of docs/reference/reply-address.md on real links: who gets the reply, on which link, and which address it
is from."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from oracle import packets as say
from oracle.options4 import ACK, END, NAK, OFFER
from oracle.packets import Packet
from oracle.reply_table import NOWHERE, Case, cases, hardware
from system.frames import EVERY_STATION, Frame
from system.namespaces import Network
from system.reply_lab import (
    LINK,
    NETWORKS,
    RELAY,
    RELAYS_OTHER,
    SERVER,
    TRANSIT,
    Answer,
    Lab,
    pool_of,
    refused_of,
    write_plan,
)

pytestmark = pytest.mark.peer("namespaces")
EVERYBODY = IPv4Address("255.255.255.255")
ELSEWHERE = IPv4Address("198.51.100.9")
LINK_LOCAL = IPv4Address("169.254.7.7")
AT_ONCE = 50
SILENCE_SECONDS = 0.4
FIRST_HOST = 100
PAD = 0
TYPES = {"OFFER": {OFFER}, "ACK": {ACK}, "NAK": {NAK}, "BOOTREPLY": {0}, "answer": {11, 12, 13}}
LINKS = {
    "one address": (f"{LINK}/16",),
    "the second of two addresses": ("198.18.0.1/30", f"{LINK}/16"),
}
LISTENS = {"on all addresses": "0.0.0.0:67", "on each": ",".join(f"{each}:67" for each in (LINK, *TRANSIT))}


class Try:
    """A case as one client tries it."""

    def __init__(self, number: int, case: Case) -> None:
        self.number = number
        self.case = case
        network = NETWORKS[case.link]
        self.own = (refused_of if case.reply == "NAK" else pool_of)(network)[FIRST_HOST + number]
        self.mac = f"02:00:00:00:{number >> 8:02x}:{number & 255:02x}"
        self.asked = LINK if case.link == "served" else TRANSIT[number % len(TRANSIT)]
        self.packet = self.passed_on(case.packet(self.mac, self.own, ELSEWHERE, self.asked)).xid(
            0x20000 + number
        )
        self.source = {"none": NOWHERE, "own": self.own, "other": LINK_LOCAL}.get(
            case.source, RELAYS_OTHER if number % 2 else RELAY
        )

    @property
    def xid(self) -> int:
        return 0x20000 + self.number

    @property
    def needs_lease(self) -> bool:
        return self.case.reply == "ACK" and self.case.message in ("INIT-REBOOT", "RENEWING", "REBINDING")

    @property
    def is_broadcast(self) -> bool:
        by_choice = self.case.message == "INFORM" and self.source != NOWHERE and self.number % 2
        return self.case.link == "served" and self.case.to_everybody and not by_choice

    def passed_on(self, packet: Packet) -> Packet:
        return packet.with_relay(RELAY) if self.case.link == "relayed" else packet

    def frame(self, lab: Lab) -> Frame:
        if self.is_broadcast:
            return Frame(EVERY_STATION, self.source, EVERYBODY, SERVER, self.packet.bytes())
        return Frame(lab.hops[self.case.link], self.source, self.asked, SERVER, self.packet.bytes())

    def lease(self, lab: Lab) -> None:
        """Ask for the lease that the case renews."""
        server = LINK if self.case.link == "served" else TRANSIT[0]
        packet = hardware(say.request_selecting(self.mac, self.own, server), self.case.hardware, self.mac)
        packet = packet.xid(0x10000 + self.number).broadcast()
        if self.case.link == "served":
            lab.send("served", Frame(EVERY_STATION, NOWHERE, EVERYBODY, SERVER, packet.bytes()))
        else:
            data = packet.with_relay(RELAY).bytes()
            lab.send("relayed", Frame(lab.hops["relayed"], RELAY, TRANSIT[0], SERVER, data))

    def fault(self, lab: Lab, answer: Answer | None) -> str:
        """What is wrong with the answer; empty where nothing is."""
        if answer is None or self.case.reply == "none":
            return "" if (answer is None) == (self.case.reply == "none") else f"answered by {answer}"
        told = options(answer.frame.payload)
        found = (number(told, 53) in TYPES[self.case.reply], *answer[1:], *answer.frame[1:3])
        wanted = (True, self.case.link, self.asked, self.destination(answer.frame.payload))
        if found != wanted:
            return f"{found} instead of {wanted}"
        if number(told, 54) not in (0, int(self.asked)):
            return f"names {IPv4Address(told[54])}"
        return self.wrong_station(lab, answer.frame)

    def destination(self, reply: bytes) -> IPv4Address:
        yiaddr = IPv4Address(reply[16:20])
        ciaddr: IPv4Address = dict(self.packet.header).get("ciaddr", NOWHERE)
        return {
            "hardware": yiaddr if yiaddr != NOWHERE else ciaddr,
            "everyone": EVERYBODY,
            "ciaddr": ciaddr,
            "source": self.source,
            "giaddr": RELAY,
        }[self.case.goes_to]

    def wrong_station(self, lab: Lab, frame: Frame) -> str:
        wanted = {"hardware": say.hardware(self.mac), "everyone": EVERY_STATION}.get(
            self.case.goes_to, lab.stations[self.case.link].mac
        )
        return "" if frame.to_mac == wanted else f"to station {frame.to_mac.hex(':')}"


def options(message: bytes) -> dict[int, bytes]:
    found, at = {}, 240
    while message[at] != END:
        if message[at] == PAD:
            at += 1
            continue
        found[message[at]] = message[at + 2 : at + 2 + message[at + 1]]
        at += 2 + message[at + 1]
    return found


def number(options: dict[int, bytes], code: int) -> int:
    """Of a BOOTREPLY, which has no such option, 0."""
    return int.from_bytes(options.get(code, b""), "big")


@pytest.fixture(params=LINKS)
def addresses(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return LINKS[request.param]


@pytest.fixture(params=LISTENS)
def lab(
    request: pytest.FixtureRequest,
    addresses: tuple[str, ...],
    network: Network,
    database: str,
    tmp_path: Path,
) -> Iterator[Lab]:
    write_plan(database)
    made = Lab(network, database, tmp_path, addresses, dhcp4_listen=LISTENS[request.param])
    made.server.start()
    yield made
    made.server.stop()


def test_every_reply_reaches_its_client(lab: Lab) -> None:
    tried = [Try(number, case) for number, case in enumerate(cases())]
    faults: dict[str, str] = {}
    for start in range(0, len(tried), AT_ONCE):
        some = tried[start : start + AT_ONCE]
        for one in some:
            if one.needs_lease:
                one.lease(lab)
        lab.answers({0x10000 + one.number for one in some if one.needs_lease})
        for one in some:
            lab.send(one.case.link, one.frame(lab))
        wanted = {one.xid for one in some if one.case.reply != "none"}
        found = lab.answers(wanted)
        found |= lab.answers({0}, SILENCE_SECONDS) if len(wanted) < len(some) else {}
        faults |= {str(one.case): fault for one in some if (fault := one.fault(lab, found.get(one.xid)))}
    assert faults == {}
