"""DHCPv4 as clients and their relay speak it."""

import socket
import struct
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Any

from chaos.speech import ACK, NAK, OFFER, Build, Given, Heard

from dhcp_fast.packets import message4
from dhcp_fast.packets.message4 import MessageType, Option, Reply

if TYPE_CHECKING:
    from chaos.crowd import Client, Crowd

NOWHERE = message4.NOWHERE
IP_PKTINFO = 8  # Python has no name for it
WORDS = {MessageType.OFFER: OFFER, MessageType.ACK: ACK, MessageType.NAK: NAK}


class Says4:
    """What goes through the relay bears its address; only who renews asks by itself."""

    def __init__(self, client: "Client") -> None:
        self.client = client

    def discover(self) -> Build:
        return self.relayed(MessageType.DISCOVER)

    def select(self, offer: Heard) -> Build:
        return self.relayed(MessageType.REQUEST, [requested(offer), server(offer)])

    def renew(self, lease: Heard) -> Build:
        told = [(message4.MESSAGE_TYPE, bytes((MessageType.REQUEST,)))]
        return lambda xid, _: message4.request(self.client.mac, xid, told, ciaddr=lease.reply.yiaddr)

    def rebind(self, lease: Heard) -> Build:
        return self.relayed(MessageType.REQUEST, ciaddr=lease.reply.yiaddr)

    def reboot(self, lease: Heard) -> Build:
        return self.relayed(MessageType.REQUEST, [requested(lease)])

    def decline(self, lease: Heard) -> Build:
        return self.relayed(MessageType.DECLINE, [requested(lease), server(lease)])

    def release(self, lease: Heard) -> Build:
        return self.relayed(MessageType.RELEASE, [server(lease)], lease.reply.yiaddr)

    def relayed(
        self, kind: MessageType, options: Sequence[Option] = (), ciaddr: IPv4Address = NOWHERE
    ) -> Build:
        said = [(message4.MESSAGE_TYPE, bytes((kind,))), *options, message4.relay_agent(b"crowd")]
        return lambda xid, _: message4.request(
            self.client.mac, xid, said, ciaddr=ciaddr, giaddr=self.client.plot.relay
        )


class Speech4:
    def hear(self, data: bytes, _source: Any) -> Heard | None:
        reply = message4.read_reply(data)
        word = reply and WORDS.get(reply.type)
        if reply is None or not word:
            return None
        given = Given(reply.mac, reply.yiaddr, reply.seconds(message4.LEASE_TIME) or 0)
        gives = () if word == NAK else (given,)
        return Heard(reply.xid, word, reply.address(message4.SERVER_ID), gives, reply)

    def says(self, client: "Client") -> Says4:
        return Says4(client)

    def to(self, lease: Heard, crowd: "Crowd") -> Callable[[bytes], None]:
        return lambda packet: crowd.send(packet, (str(lease.server), 67))

    def unicast(self, packet: bytes, lease: Heard, sock: socket.socket) -> None:
        source = struct.pack("=i4s4s", 0, lease.reply.yiaddr.packed, bytes(4))
        told = [(socket.IPPROTO_IP, IP_PKTINFO, source)]
        sock.sendmsg([packet], told, 0, (str(lease.server), 67))

    def nobody(self, mac: bytes) -> Heard:
        none: Reply | None = None
        return Heard(0, NAK, NOWHERE, (Given(mac, NOWHERE, 0),), none)


SPEECH = Speech4()


def requested(heard: Heard) -> Option:
    return message4.REQUESTED_ADDRESS, heard.reply.yiaddr.packed


def server(heard: Heard) -> Option:
    return message4.SERVER_ID, heard.server.packed
