"""Identifier of a DHCPv6 server (option 2): its clients name it, so a storm asks before it begins."""

import socket
from ipaddress import IPv6Address

from dhcp_fast.bench.generator.template6 import IAID, PEER
from dhcp_fast.packets import message6
from dhcp_fast.packets.message6 import MessageType

ASKING = bytes.fromhex("02ff00000000")  # of no client of a storm
SECONDS = 2.0
TRIES = 5


def ask(server: tuple[str, int], link: IPv6Address) -> bytes:
    """Ask by a SOLICIT through a relay on that link. Raises TimeoutError where nobody answers."""
    client = (message6.CLIENT_ID, message6.duid_ll(ASKING))
    options = [client, message6.association(message6.IA_NA, IAID), message6.elapsed(0)]
    solicit = message6.message(MessageType.SOLICIT, 1, options)
    packet = message6.relay_forward(solicit, link=link, peer=PEER, options=[message6.relay_port()])
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as asking:
        asking.connect(server)
        asking.settimeout(SECONDS)
        for _ in range(TRIES):
            asking.send(packet)
            _, answer = message6.opened(message6.read(asking.recv(65535)))
            if answer is not None and (found := answer.value(message6.SERVER_ID)):
                return found
    raise TimeoutError(f"no server at {server} sent a server identifier")
