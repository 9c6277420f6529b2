"""Several servers hear each message and one of them writes: what a relay sends to all costs the database little more
than what it sends to one.
"""

from __future__ import annotations

import asyncio
import socket
from dataclasses import replace

from engine6.serving6 import Relay, Servers, beat, chosen, duid, leases, meeting
from engine6.site6 import Site6, Subnet6
from oracle import packets6 as say
from oracle.message6 import ADDR_REG_REPLY, ADVERTISE, REPLY, Message, parse_reply
from oracle.options4 import Malformed
from oracle.options6 import ELAPSED_TIME
from oracle.packets6 import Packet

SERVERS, CLIENTS = 3, 50
ANSWER_SECONDS, SILENCE_SECONDS = 5.0, 0.3
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
    running = await meeting(servers, SERVERS)
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


async def left(relay: Relay, numbers: range) -> list[int]:
    """The clients that one of the servers does not answer at once; they ask again after a second."""
    found = []
    for number in numbers:
        sent = relay.send(say.solicit(duid(number)).ia_na(1))
        if await relay.answer_to(sent, SILENCE_SECONDS) is None:
            found.append(number)
            await relay.advertise(say.solicit(duid(number)).ia_na(1).without(ELAPSED_TIME).elapsed(110))
    return found


async def test_a_relay_that_one_server_hears_is_soon_answered_at_once(servers: Servers, site: Site6) -> None:
    """Two sites on one database."""
    subnet = await site.subnet(7)
    await subnet.whole_pool()
    here, _ = await meeting(servers, 2)
    relay = servers.relay(here, subnet.link)
    assert len(await left(relay, range(1, 24))) == 4
    assert await left(relay, range(100, 130)) == []


async def test_nothing_falls_to_a_server_that_is_not_ready(servers: Servers, site: Site6) -> None:
    subnet = await site.subnet(7)
    await subnet.whole_pool()
    here, there = await meeting(servers, 2)
    degraded = "update node set state = 'degraded', commits = false where no = $1"
    await site.connection.execute(degraded, there.duties.heartbeat.node.no)
    await beat(here)
    assert await left(servers.relay(here, subnet.link), range(1, 20)) == []


async def test_a_server_that_misses_an_interface_goes_on_sharing(servers: Servers, site: Site6) -> None:
    """It is degraded, and commits leases."""
    subnet = await site.subnet(7)
    await subnet.whole_pool()
    here, there = await meeting(servers, 2)
    degraded = "update node set state = 'degraded' where no = $1 and commits returning no"
    assert await site.connection.fetchval(degraded, there.duties.heartbeat.node.no)
    await beat(here)
    assert len(await left(servers.relay(here, subnet.link), range(1, 24))) == 4


async def test_who_does_not_say_for_how_long_is_answered_by_each(servers: Servers, site: Site6) -> None:
    """Option 8 is no host's duty in a registration (RFC 9686), and some clients leave it out."""
    subnet = await site.subnet(7, address_registration=True)
    await subnet.whole_pool()
    relays = [servers.relay(server, subnet.link) for server in await meeting(servers, 2)]
    for relay in relays:
        for number in range(1, 10):
            await relay.advertise(say.solicit(duid(number)).ia_na(1).without(ELAPSED_TIME))
            address = subnet.address(number)
            told = say.register(duid(number), address).through(subnet.link, peer=address)
            assert (await relay.ask(told)).message_type == ADDR_REG_REPLY
