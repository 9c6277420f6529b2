"""What all servers of a database call themselves: stable, and no word of the key by which they hash identities."""

from __future__ import annotations

from uuid import UUID

from engine6.serving6 import Relay, Servers, chosen, duid
from engine6.site6 import Site6, Subnet6
from oracle import packets6 as say
from oracle.message6 import Message

from dhcp_fast.server.serving import Serving

CLIENT = duid(1)
KEY = "select hash_key from cluster_key"


class Listener(Relay):
    """Keeps the octets of each answer."""

    def __init__(self, server: Serving, subnet: Subnet6) -> None:
        super().__init__(server, subnet.link)
        self.heard: list[bytes] = []

    def judged(self, sent: say.Packet, data: bytes, reply: Message) -> Message:
        self.heard.append(data)
        return super().judged(sent, data, reply)


async def converse(relay: Listener) -> None:
    offer = await relay.advertise(say.solicit(CLIENT).ia_na(1).ia_pd(2))
    given = await relay.reply(chosen(say.request(CLIENT, relay.server_id), offer))
    await relay.reply(chosen(say.renew(CLIENT, relay.server_id), given))
    await relay.reply(say.information_request(CLIENT).asking(23))
    await relay.reply(chosen(say.release(CLIENT, relay.server_id), given))


async def test_no_answer_tells_the_key(servers: Servers, subnet: Subnet6, site: Site6) -> None:
    key: UUID = await site.connection.fetchval(KEY)
    assert key not in {row["id"] for row in await site.connection.fetch("select id from tenant")}
    relay = Listener(await servers.start(), subnet)
    await converse(relay)
    relay.close()
    assert len(relay.heard) == 5
    for half in (key.bytes[:8], key.bytes[8:]):
        assert not any(half in data for data in relay.heard)


async def test_all_servers_bear_one_duid_for_ever(servers: Servers, subnet: Subnet6) -> None:
    """A UUID (RFC 6355), also of a server that starts later."""
    said = []
    for _ in range(2):
        relay = Listener(await servers.start(), subnet)
        await relay.reply(say.information_request(CLIENT).without(8).elapsed(200))
        relay.close()
        said.append(relay.server_id)
    assert said[0] == said[1]
    assert said[0][:2] == b"\0\x04"
    assert UUID(bytes=said[0][2:]).variant == "specified in RFC 4122"
    assert said[0][8] >> 4 == 8
