"""DHCPv6 as clients and their relay speak it: each asks for an address and a delegated prefix."""

import socket
from collections.abc import Callable, Sequence
from ipaddress import IPv6Address
from typing import TYPE_CHECKING, Any

from chaos.speech import ACK, NAK, OFFER, Build, Given, Heard

from dhcp_fast.packets import message6
from dhcp_fast.packets.message6 import IA_NA, IA_PD, Association, Message, MessageType, Option, Status
from dhcp_fast.probe.client6 import IAID, chosen, link_local

if TYPE_CHECKING:
    from chaos.crowd import Client, Crowd

KINDS = (IA_NA, IA_PD)
AGENT = ((message6.INTERFACE_ID, b"crowd"), message6.relay_port())


class Says6:
    def __init__(self, client: "Client") -> None:
        self.client = client
        self.duid = message6.duid_ll(client.mac)

    def discover(self) -> Build:
        return self.relayed(MessageType.SOLICIT, [message6.association(kind, IAID) for kind in KINDS])

    def select(self, offer: Heard) -> Build:
        return self.relayed(MessageType.REQUEST, chosen(offer.reply))

    def renew(self, lease: Heard) -> Build:
        return self.relayed(MessageType.RENEW, chosen(lease.reply))

    def rebind(self, lease: Heard) -> Build:
        return self.relayed(MessageType.REBIND, associations(lease))

    def reboot(self, lease: Heard) -> Build:
        """Confirm asks about addresses; with a delegated prefix one has to rebind (RFC 8415 section 18.2.12)."""
        return self.rebind(lease)

    def decline(self, lease: Heard) -> Build:
        named = [option for option in chosen(lease.reply) if option[0] != IA_PD]
        return self.relayed(MessageType.DECLINE, named)

    def release(self, lease: Heard) -> Build:
        return self.relayed(MessageType.RELEASE, chosen(lease.reply))

    def relayed(self, kind: MessageType, options: Sequence[Option]) -> Build:
        def build(xid: int, tried: float) -> bytes:
            elapsed = message6.elapsed(int(tried * 100))
            said = [(message6.CLIENT_ID, self.duid), *options, elapsed, message6.asking((23,))]
            inner = message6.message(kind, xid, said)
            link, peer = self.client.plot.relay, link_local(self.client.mac)
            return message6.relay_forward(inner, link=link, peer=peer, options=AGENT)

        return build


class Speech6:
    def hear(self, data: bytes, source: Any) -> Heard | None:
        _, reply = message6.opened(message6.read(data))
        duid = reply and reply.value(message6.CLIENT_ID)
        if reply is None or duid is None or reply.kind not in (MessageType.ADVERTISE, MessageType.REPLY):
            return None
        found = reply.associations
        gives = tuple(given for association in found for given in given_by(duid, association))
        right, wrong = (OFFER, "") if reply.kind == MessageType.ADVERTISE else (ACK, NAK)
        word = right if len(gives) == len(KINDS) else wrong
        return Heard(reply.xid, word, IPv6Address(source[0]), gives, reply)

    def says(self, client: "Client") -> Says6:
        return Says6(client)

    def to(self, _lease: Heard, crowd: "Crowd") -> Callable[[bytes], None]:
        return crowd.broadcast

    def unicast(self, packet: bytes, lease: Heard, sock: socket.socket) -> None:
        raise NotImplementedError("RFC 9915 has no messages from clients to servers' own addresses")

    def nobody(self, mac: bytes) -> Heard:
        none: Message | None = None
        return Heard(0, NAK, message6.NOWHERE, (Given(message6.duid_ll(mac), message6.NOWHERE, 0),), none)


SPEECH = Speech6()


def given_by(duid: bytes, association: Association) -> list[Given]:
    """The judge knows an association by its DUID and its kind."""
    if association.status[0] != Status.SUCCESS:
        return []
    key = duid + bytes((association.kind,))
    return [Given(key, lease.address, lease.valid) for lease in association.leases if lease.valid]


def associations(lease: Heard) -> list[Option]:
    return [option for option in chosen(lease.reply) if option[0] != message6.SERVER_ID]
