"""DHCPv6 datagrams -> clients, each with its requests and the last answer of the capture's server.

A client is a DUID (or, without one, its source address) behind the link that a relay names, or on a
link without one. A REPLY identifies its request only by the transaction, so transactions are
remembered. Messages that lease nothing (RELEASE, DECLINE, CONFIRM, and their answers) are counted
and left out.
"""

from collections import Counter
from collections.abc import Iterable
from ipaddress import IPv6Address
from typing import NamedTuple

from dhcp_fast.packets.message6 import (
    CLIENT_ID,
    IA_NA,
    NOWHERE,
    Envelope,
    Message,
    MessageType,
    opened,
    read,
)
from dhcp_fast.replay.capture import Packet
from dhcp_fast.replay.frames import Datagram

SOLICIT, REQUEST, RENEW, REBIND = (
    MessageType.SOLICIT,
    MessageType.REQUEST,
    MessageType.RENEW,
    MessageType.REBIND,
)
LEASING = (REQUEST, RENEW, REBIND, SOLICIT)
ASKING = (*LEASING, MessageType.INFORMATION_REQUEST)


class Key(NamedTuple):
    """Key of whose a message is: by `duid`, or without one by the address that the client sends from; on the link that
    a relay names."""

    duid: bytes
    address: IPv6Address
    link: IPv6Address


class Asked6(NamedTuple):
    """A message of a client in the capture: its relays, outermost first, and the sender of the datagram."""

    message: Message
    envelopes: list[Envelope]
    source: IPv6Address


class Conversation6:
    """Messages of one client; `given` by the kind of message that was answered, ADVERTISE apart."""

    def __init__(self, key: Key) -> None:
        self.duid = key.duid
        self.link = key.link
        self.asked: dict[int, Asked6] = {}
        self.given: dict[int, Message] = {}

    @property
    def reply(self) -> Message | None:
        """The lease if there was one, else what was advertised, else the answer with options alone."""
        order = (*LEASING, MessageType.ADVERTISE, MessageType.INFORMATION_REQUEST)
        return next((self.given[kind] for kind in order if kind in self.given), None)

    def request(self, *kinds: int) -> Asked6 | None:
        return next((self.asked[kind] for kind in kinds if kind in self.asked), None)

    def addresses(self) -> Iterable[IPv6Address]:
        """Yield addresses of the client's link that the conversation shows, its lease first."""
        told = [self.reply, *(asked.message for asked in self.asked.values())]
        for message in told:
            for ia in message.associations if message is not None else ():
                if ia.kind == IA_NA:
                    yield from (lease.address for lease in ia.leases)


class Conversations6:
    """Conversations of a capture over DHCPv6; `counts` are those of the whole capture."""

    def __init__(self, counts: Counter[str]) -> None:
        self.clients: dict[Key, Conversation6] = {}
        self.counts = counts
        self.transactions: dict[tuple[Key, int], int] = {}

    def take(self, packet: Packet, datagram: Datagram) -> None:
        found = read(datagram.payload) if packet.whole else None
        envelopes, message = opened(found)
        if message is None:
            self.counts["malformed"] += 1
            return
        answers = message.kind in (MessageType.ADVERTISE, MessageType.REPLY)
        client = datagram.destination if answers else datagram.source
        key = key_of(message, envelopes, IPv6Address(int(client)))
        if message.kind in ASKING:
            self.counts["requests"] += 1
            self.transactions[key, message.xid] = message.kind
            self.client(key).asked[message.kind] = Asked6(
                message, envelopes, IPv6Address(int(datagram.source))
            )
        elif answers and (kind := self.answered(key, message)):
            self.counts["replies"] += 1
            self.client(key).given[kind] = message
        else:
            self.counts["others"] += 1

    def answered(self, key: Key, message: Message) -> int:
        """Return the kind of message that this one answers; 0: none that is looked at."""
        if message.kind == MessageType.ADVERTISE:
            return MessageType.ADVERTISE
        return self.transactions.get((key, message.xid), 0)

    def client(self, key: Key) -> Conversation6:
        if key not in self.clients:
            self.clients[key] = Conversation6(key)
        return self.clients[key]

    def whole(self) -> list[Conversation6]:
        """Return those without relay that belong to a relayed client are part of its conversation: captured before the
        relay."""
        relayed = {key[:2]: found for key, found in self.clients.items() if key.link != NOWHERE}
        for key, found in self.clients.items():
            if key.link == NOWHERE and key[:2] in relayed:
                whole = relayed[key[:2]]
                whole.asked = found.asked | whole.asked
                whole.given = found.given | whole.given
        return [
            found
            for key, found in self.clients.items()
            if found.asked and (key.link != NOWHERE or key[:2] not in relayed)
        ]


def key_of(message: Message, envelopes: list[Envelope], client: IPv6Address) -> Key:
    """Return the key. `client`: sender or receiver of the datagram, if there is no relay."""
    link = next((envelope.link for envelope in reversed(envelopes) if envelope.link != NOWHERE), NOWHERE)
    if duid := message.value(CLIENT_ID):
        return Key(duid, NOWHERE, link)
    return Key(b"", envelopes[-1].peer if envelopes else client, link)
