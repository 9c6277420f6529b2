"""Links without a subnet: an INFORMATION-REQUEST is answered with the tenant's global options; nothing else is.

RFC 8415 section 18.3.6: what is not specific to the client comes from the server's configuration.
"""

from __future__ import annotations

from ipaddress import IPv6Address, ip_network

import pytest
from engine.site import until
from engine6.serving6 import Relay, Servers, duid
from engine6.site6 import Site6
from oracle import packets6 as say
from oracle.message6 import Message
from oracle.options6 import first

from dhcp_fast.bench.servers.bench_plan import add

CLIENT = duid(1)
DNS_SERVERS, REFRESH_TIME = 23, 32
NOWHERE = "2001:db8:ffff::1"


def asking(client: bytes | None = CLIENT) -> say.Packet:
    packet = say.information_request(client) if client else say.information_request(CLIENT).without(1)
    return packet.asking(DNS_SERVERS, REFRESH_TIME)


def dns(answer: Message) -> list[str]:
    value = first(answer.options, DNS_SERVERS) or b""
    return [str(IPv6Address(value[at : at + 16])) for at in range(0, len(value), 16)]


async def with_globals(site: Site6, servers: Servers) -> Relay:
    """A server with a subnet that has an option of its own, and a relay in front of none."""
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    await subnet.option(DNS_SERVERS, {"addresses": ["2001:db8::5"]})
    await site.option(DNS_SERVERS, {"addresses": ["2001:db8::53"]})
    await site.option(REFRESH_TIME, {"value": 7200})
    return servers.relay(await servers.start(), NOWHERE)


@pytest.mark.parametrize("link", [NOWHERE, "::", "fe80::9"])
async def test_the_global_options_are_told(link: str, site: Site6, servers: Servers) -> None:
    relay = await with_globals(site, servers)
    for client in (CLIENT, None):
        answer = await relay.reply(asking(client).through(link))
        assert dns(answer) == ["2001:db8::53"]
        assert first(answer.options, REFRESH_TIME) == (7200).to_bytes(4, "big")


async def test_everything_else_stays_unanswered(site: Site6, servers: Servers) -> None:
    relay = await with_globals(site, servers)
    relay.server_id = (await relay.reply(asking())).server_id or b""
    server = relay.server_id
    for packet in (
        say.solicit(CLIENT).ia_na(1),
        say.request(CLIENT, server).ia_na(1),
        say.renew(CLIENT, server).ia_na(1),
        say.rebind(CLIENT).ia_pd(1),
        say.confirm(CLIENT).ia_na(1, "2001:db8:5::7"),
        say.release(CLIENT, server).ia_na(1, "2001:db8:5::7"),
    ):
        await relay.unanswered(packet)
    assert relay.counters()["drops"] == {"no_subnet": 6}


async def test_without_any_subnet_too(site: Site6, servers: Servers) -> None:
    await site.option(DNS_SERVERS, {"addresses": ["2001:db8::53"]})
    relay = servers.relay(await servers.start(), NOWHERE)
    assert dns(await relay.reply(asking())) == ["2001:db8::53"]


async def test_without_global_options_the_answer_has_none(site: Site6, servers: Servers) -> None:
    relay = servers.relay(await servers.start(), NOWHERE)
    assert dns(await relay.reply(asking())) == []


async def test_a_subnet_that_is_switched_off_stays_silent(site: Site6, servers: Servers) -> None:
    subnet = await site.subnet(5, dhcp_enabled=False)
    await site.option(DNS_SERVERS, {"addresses": ["2001:db8::53"]})
    relay = servers.relay(await servers.start(), subnet.link)
    await relay.unanswered(asking())
    assert relay.counters()["drops"] == {"dhcp_disabled": 1}


async def test_classes_of_the_tenant_count(site: Site6, servers: Servers) -> None:
    phones = await site.client_class("phones", mac_prefix=bytes.fromhex("020000"))
    await site.option(DNS_SERVERS, {"addresses": ["2001:db8::c"]}, class_no=phones)
    await site.client_class("unwanted", mac_prefix=bytes.fromhex("0666"), deny=True)
    relay = await with_globals(site, servers)
    assert dns(await relay.reply(asking())) == ["2001:db8::c"]
    assert dns(await relay.reply(asking(say.duid_ll(bytes.fromhex("040000000001"))))) == ["2001:db8::53"]
    await relay.unanswered(asking(say.duid_ll(bytes.fromhex("066600000001"))))


async def test_each_tenant_tells_its_own(site: Site6, servers: Servers) -> None:
    red = await add(site.connection, "tenant", name="red")
    await add(site.connection, "trusted_relay", cidr=ip_network("::1/128"), tenant_no=red)
    told = {"code": DNS_SERVERS, "family": 6, "payload": {"addresses": ["2001:db8::bad"]}}
    await add(site.connection, "dhcp_option", tenant_no=red, **told)
    relay = await with_globals(site, servers)
    assert dns(await relay.reply(asking())) == ["2001:db8::bad"]


async def test_a_relay_that_is_not_trusted_gets_no_answer(site: Site6, servers: Servers) -> None:
    await site.option(DNS_SERVERS, {"addresses": ["2001:db8::53"]})
    server = await servers.start(trusted_relays=(ip_network("::2/128"),))
    relay = servers.relay(server, NOWHERE)
    await relay.unanswered(asking())
    assert relay.counters()["drops"] == {"untrusted_relay": 1}


async def test_a_change_is_told_at_once(site: Site6, servers: Servers) -> None:
    relay = await with_globals(site, servers)
    assert dns(await relay.reply(asking())) == ["2001:db8::53"]
    async with site.connection.transaction():
        await site.connection.execute(
            "update dhcp_option set payload = $1 where subnet_no is null", {"addresses": ["2001:db8::54"]}
        )
        await site.record(None, "option")
        await site.connection.execute("select pg_notify('ipam_change', '')")

    async def told() -> list[str]:
        return dns(await relay.reply(asking()))

    async def is_told() -> bool:
        return await told() == ["2001:db8::54"]

    await until("told of the change", is_told)
