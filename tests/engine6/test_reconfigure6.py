"""The key by which a client knows Reconfigure messages, told to who is willing (RFC 8415 sections 20.4, 21.20)."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from engine.serving import heard
from engine6.serving6 import Relay, Servers, chosen, duid
from engine6.site6 import Site6, Subnet6
from oracle import packets6 as say
from oracle.message6 import REPLY, Message
from oracle.options6 import AUTH, ELAPSED_TIME, RECONF_ACCEPT, first
from oracle.packets6 import Packet

from dhcp_fast.server.serving import Serving

CLIENT = duid(1)


def willing(packet: Packet) -> Packet:
    """It has tried for two seconds, so that any server answers it."""
    return packet.without(ELAPSED_TIME).elapsed(200).option(RECONF_ACCEPT)


def key_in(answer: Message) -> tuple[bytes, int]:
    """The key and the replay value; protocol 3, algorithm 1 (HMAC-MD5), method 0, type 1."""
    told = first(answer.options, AUTH)
    assert told is not None
    protocol, algorithm, method, replay, kind, key = struct.unpack("!BBBQB16s", told)
    assert (protocol, algorithm, method, kind) == (3, 1, 0, 1)
    assert first(answer.options, RECONF_ACCEPT) == b""
    return key, replay


def says_nothing(answer: Message) -> bool:
    return first(answer.options, AUTH) is None and first(answer.options, RECONF_ACCEPT) is None


async def lease(relay: Relay, client: bytes = CLIENT) -> Message:
    offer = await relay.advertise(willing(say.solicit(client).ia_na(1)))
    assert first(offer.options, AUTH) is None
    assert first(offer.options, RECONF_ACCEPT) == b""
    return await relay.reply(willing(chosen(say.request(client, relay.server_id), offer)))


async def test_who_is_willing_is_told_a_key_with_its_lease(relay: Relay) -> None:
    key, replay = key_in(await lease(relay))
    again, later = key_in(await lease(relay))
    assert again == key
    assert later > replay > 0
    other, _ = key_in(await lease(relay, duid(2)))
    assert other != key != bytes(16)


async def test_every_server_tells_the_same_key(servers: Servers, subnet: Subnet6) -> None:
    relays = [servers.relay(await servers.start(), subnet.link) for _ in range(2)]
    keys = {key_in(await lease(relay))[0] for relay in relays}
    assert len(keys) == 1


async def test_the_keys_of_another_cluster_are_others(
    servers: Servers, subnet: Subnet6, site: Site6, relay: Relay
) -> None:
    """They come of a secret of the database, not of what anybody could know."""
    key, _ = key_in(await lease(relay))
    await site.connection.execute("update cluster_secret set secret = sha256(secret)")
    other = servers.relay(await servers.start(), subnet.link)
    assert key_in(await lease(other))[0] != key


async def test_who_is_not_willing_is_told_nothing(relay: Relay) -> None:
    assert says_nothing(await relay.advertise(say.solicit(CLIENT).ia_na(1)))
    assert says_nothing(await relay.lease(CLIENT))
    assert says_nothing(await relay.reply(say.information_request(CLIENT)))


async def test_an_answer_that_commits_at_once_tells_the_key(servers: Servers, site: Site6) -> None:
    subnet = await site.subnet(5, rapid_commit=True)
    await subnet.pool(0x100, 0x1FF)
    relay = servers.relay(await servers.start(), subnet.link)
    answer = await relay.ask(willing(say.solicit(CLIENT).ia_na(1).rapid_commit()))
    assert answer.message_type == REPLY
    key_in(answer)


@pytest.mark.parametrize(("client", "told"), [(CLIENT, True), (None, False)])
async def test_who_asks_for_options_is_told_the_key_by_its_duid(
    client: bytes | None, told: bool, relay: Relay
) -> None:
    answer = await relay.reply(willing(say.information_request(client)))
    assert says_nothing(answer) != told
    if told:
        key_in(answer)


async def test_a_renewal_tells_no_key_and_is_written(
    server: Serving, relay: Relay, subnet: Subnet6, site: Site6
) -> None:
    """Section 20.4.2 has it in other answers. Written, however early, so that it can be seen that the client heard."""
    await subnet.set(cache_threshold=0.9)
    async with subnet.change():
        pass
    answer = await lease(relay)
    address = answer.associations[0].leases[0].address
    before = await site.lease(address)
    renewal = chosen(say.renew(CLIENT, relay.server_id), answer)
    assert says_nothing(await relay.reply(willing(renewal)))
    after: dict[str, Any] = await site.lease(address)
    assert after["version"] > before["version"]
    await heard(server)
    await relay.reply(renewal)
    assert (await site.lease(address))["version"] == after["version"]
