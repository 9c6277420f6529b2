"""Datagrams -> clients, each with its requests and the last answers of the capture's server.

A client is a hardware address (or, without one, a client identifier) behind one relay or on one
link. Messages that lease nothing (RELEASE, DECLINE, leasequery) are counted and left out.
"""

from collections import Counter
from collections.abc import Iterable
from ipaddress import IPv4Address
from pathlib import Path

from dhcp_fast.packets.dissect import BOOTREPLY, BOOTREQUEST, Message, dissect
from dhcp_fast.packets.message4 import CLIENT_ID, LEASE_TIME, NOWHERE, REQUESTED_ADDRESS, MessageType
from dhcp_fast.replay.capture import Capture, Packet
from dhcp_fast.replay.conversations6 import Conversations6
from dhcp_fast.replay.frames import Datagram, UnknownLink, datagram_of

ASKING = (MessageType.DISCOVER, MessageType.REQUEST, MessageType.INFORM)
GIVING = (MessageType.ACK, MessageType.OFFER, MessageType.NAK, MessageType.INFORM)  # INFORM: an ACK to one

Key = tuple[bytes, IPv4Address]


class Asked:
    """A request in the capture."""

    def __init__(self, message: Message, octets: bytes) -> None:
        self.message = message
        self.octets = octets


class Conversation:
    """Messages of one client."""

    def __init__(self, mac: bytes, client_id: bytes, giaddr: IPv4Address) -> None:
        self.mac = mac
        self.client_id = client_id
        self.giaddr = giaddr
        self.asked: dict[int, Asked] = {}
        self.given: dict[int, Message] = {}

    @property
    def reply(self) -> Message | None:
        """The lease if there was one, else the offer, else the refusal."""
        return next((self.given[kind] for kind in GIVING if kind in self.given), None)

    def request(self, *kinds: int) -> Asked | None:
        return next((self.asked[kind] for kind in kinds if kind in self.asked), None)

    def addresses(self) -> Iterable[IPv4Address]:
        """Yield addresses of the client's network that the conversation shows, its lease first."""
        if (reply := self.reply) is not None:
            yield from (address for address in (reply.yiaddr, reply.ciaddr) if address != NOWHERE)
        for asked in self.asked.values():
            named = asked.message.address(REQUESTED_ADDRESS)
            yield from (a for a in (asked.message.ciaddr, named) if a is not None and a != NOWHERE)


class Conversations:
    """Conversations of a capture; `ipv6` those of DHCPv6."""

    def __init__(self) -> None:
        self.clients: dict[Key, Conversation] = {}
        self.counts: Counter[str] = Counter()
        self.ipv6 = Conversations6(self.counts)

    def read(self, path: Path) -> None:
        """Raise CaptureError."""
        capture = Capture(path)
        for packet in capture:
            self.counts["packets"] += 1
            try:
                datagram = datagram_of(packet)
            except UnknownLink as unknown:
                raise capture.error(f"link type {unknown.args[0]} is not supported") from None
            if datagram is not None:
                taker = self.ipv6 if datagram.source.version == 6 else self
                taker.take(packet, datagram)

    def take(self, packet: Packet, datagram: Datagram) -> None:
        message = dissect(datagram.payload)
        if message is None or not packet.whole or not message.is_readable:
            self.counts["malformed"] += 1
        elif message.op == BOOTREQUEST and message.kind in (*ASKING, 0):
            self.counts["requests"] += 1
            self.client(message).asked[message.kind] = Asked(message, datagram.payload)
        elif message.op == BOOTREPLY and message.kind in (*GIVING, 0):
            self.counts["replies"] += 1
            self.client(message).given[answer_kind(message)] = message
        else:
            self.counts["others"] += 1

    def whole(self) -> list[Conversation]:
        """Return those without relay that belong to a relayed client are part of its conversation: captured before the
        relay, or renewed by unicast past it."""
        relayed = {mac: found for (mac, giaddr), found in self.clients.items() if giaddr != NOWHERE}
        for (mac, giaddr), found in self.clients.items():
            if giaddr == NOWHERE and mac in relayed:
                relayed[mac].asked = found.asked | relayed[mac].asked
                relayed[mac].given = found.given | relayed[mac].given
        return [
            found
            for (mac, giaddr), found in self.clients.items()
            if found.asked and (giaddr != NOWHERE or mac not in relayed)
        ]

    def client(self, message: Message) -> Conversation:
        client_id = message.value(CLIENT_ID)
        key = (message.mac if any(message.mac) else b"\0" + client_id, message.giaddr)
        if key not in self.clients:
            self.clients[key] = Conversation(message.mac, client_id, message.giaddr)
        return self.clients[key]


def answer_kind(message: Message) -> int:
    """Return the kind: an ACK that gives no address answers an INFORM; a BOOTP reply counts as an ACK."""
    if message.kind == MessageType.ACK and message.yiaddr == NOWHERE and not message.value(LEASE_TIME):
        return MessageType.INFORM
    return message.kind or MessageType.ACK
