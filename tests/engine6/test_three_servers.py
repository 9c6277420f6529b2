"""Several servers hear each message and one of them writes: what a relay sends to all costs the database little more
than what it sends to one.
"""

from __future__ import annotations

import asyncio
import socket
from dataclasses import replace

from engine6.serving6 import Servers, chosen, duid, leases
from engine6.site6 import Site6, Subnet6
from oracle import packets6 as say
from oracle.message6 import ADVERTISE, REPLY, Message, parse_reply
from oracle.options4 import Malformed
from oracle.packets6 import Packet

SERVERS, CLIENTS = 3, 50
ANSWER_SECONDS = 5.0
WRITES = "select count(*) from lease_event"


class Fan:
    """A relay that sends each packet to all servers, and hears the first answer to it."""

    def __init__(self, servers: list[tuple[str, int]], subnet: Subnet6) -> None:
        self.servers = servers
        self.subnet = subnet
        self.socket = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        self.socket.setblocking(False)
        self.socket.bind(("::1", 0))

    async def ask(self, packet: Packet, number: int, kind: int) -> Message:
        data = replace(packet, transaction_id=number).through(self.subnet.link).bytes()
        for server in self.servers:
            self.socket.sendto(data, server)
        async with asyncio.timeout(ANSWER_SECONDS):
            while True:
                answer = parse_reply(await asyncio.get_running_loop().sock_recv(self.socket, 65535))
                assert not isinstance(answer, Malformed)
                if (answer.transaction_id, answer.message_type) == (number, kind):
                    return answer


async def test_an_exchange_with_three_servers_is_written_once(servers: Servers, site: Site6) -> None:
    """At most 1.1 writes an exchange. In so large a pool no two clients' addresses are the same."""
    subnet = await site.subnet(7)
    await subnet.whole_pool()
    running = [await servers.start() for _ in range(SERVERS)]
    for server in running:
        await server.duties.beat(server)
    fan = Fan([server.sockets[0].address for server in running], subnet)
    for number in range(1, CLIENTS + 1):
        offer = await fan.ask(say.solicit(duid(number)).ia_na(1), 2 * number, ADVERTISE)
        assert offer.server_id is not None
        asked = chosen(say.request(duid(number), offer.server_id), offer)
        reply = await fan.ask(asked, 2 * number + 1, REPLY)
        assert leases(reply) == leases(offer)
    fan.socket.close()
    assert await site.connection.fetchval(WRITES) <= 1.1 * CLIENTS
    answered = [server.counters()["replied"].get("reply", 0) for server in running]
    assert min(answered) > 0
