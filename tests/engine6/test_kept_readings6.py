"""Where conformance suites and servers differ, and this server keeps the reading of the RFC."""

from __future__ import annotations

from ipaddress import IPv6Network
from typing import Any

import pytest
from engine6.serving6 import Relay, Servers, chosen, duid, leases, statuses
from engine6.site6 import Site6, Subnet6, association_key
from oracle import packets6 as say
from oracle.message6 import Message
from oracle.options6 import CLIENT_FQDN, IA_NA, IA_PD, NO_BINDING, first

pytestmark = pytest.mark.shared_server

CLIENT, OTHER = duid(1), duid(2)
PREFERENCE, DNS_SERVERS, DOMAIN_LIST, REFRESH_TIME = 7, 23, 24, 32
RUNNING = {"state": "a", "expires_at": 600.0, "reuse_at": 610.0}


async def of_each_message(relay: Relay, *codes: int, name: str = "") -> dict[str, Message]:
    """The answers of one conversation, all of whose messages ask for the codes."""

    def asking(packet: say.Packet) -> say.Packet:
        return (packet.fqdn(name, 1) if name else packet).asking(*codes)

    answers = {"solicit": await relay.advertise(asking(say.solicit(CLIENT).ia_na(1)))}
    offer = answers["solicit"]
    words: dict[str, Any] = {
        "request": lambda: say.request(CLIENT, relay.server_id),
        "renew": lambda: say.renew(CLIENT, relay.server_id),
        "rebind": lambda: say.rebind(CLIENT),
        "confirm": lambda: say.confirm(CLIENT),
        "release": lambda: say.release(CLIENT, relay.server_id),
    }
    for word, packet in words.items():
        answers[word] = await relay.reply(asking(chosen(packet(), offer)))
    answers["information-request"] = await relay.reply(asking(say.information_request(CLIENT)))
    return answers


def having(answers: dict[str, Message], code: int) -> set[str]:
    return {word for word, answer in answers.items() if first(answer.options, code) is not None}


async def planned(site: Site6, **fields: Any) -> Subnet6:
    subnet = await site.subnet(5, **fields)
    await subnet.pool(0x100, 0x1FF)
    return subnet


@pytest.mark.parametrize("always", [True, False])
async def test_preference_is_of_advertises_alone(always: bool, site: Site6, servers: Servers) -> None:
    """RFC 8415 section 21.8; also where a client asks for it, and where the plan sends it unasked."""
    subnet = await planned(site)
    await subnet.option(PREFERENCE, {"value": 123}, always_send=always)
    relay = servers.relay(await servers.start(), subnet.link)
    assert having(await of_each_message(relay, PREFERENCE), PREFERENCE) == {"solicit"}


@pytest.mark.parametrize("always", [True, False])
async def test_the_refresh_time_is_of_information_alone(always: bool, site: Site6, servers: Servers) -> None:
    """RFC 8415 section 21.23."""
    subnet = await planned(site)
    await subnet.option(REFRESH_TIME, {"value": 3600}, always_send=always)
    relay = servers.relay(await servers.start(), subnet.link)
    assert having(await of_each_message(relay, REFRESH_TIME), REFRESH_TIME) == {"information-request"}


async def test_a_name_is_told_to_clients_that_ask_for_it(site: Site6, servers: Servers) -> None:
    """RFC 4704 section 6: option 39 in the answer only if option 6 names it."""
    subnet = await planned(site, ddns_enabled=True, ddns_domain="example.test")
    relay = servers.relay(await servers.start(), subnet.link)
    assert having(await of_each_message(relay, DNS_SERVERS, name="host"), CLIENT_FQDN) == set()
    told = having(await of_each_message(relay, CLIENT_FQDN, name="host"), CLIENT_FQDN)
    assert told >= {"solicit", "request", "renew", "rebind"}


@pytest.mark.parametrize("kind", ["ia_na", "ia_pd"])
async def test_what_is_released_is_not_in_the_answer(kind: str, relay: Relay) -> None:
    """RFC 8415 section 18.3.7: a status of the message; associations only where nothing is known of them."""
    code = IA_NA if kind == "ia_na" else IA_PD
    answer = await relay.lease(CLIENT, getattr(say.solicit(CLIENT), kind)(1))
    released = getattr(chosen(say.release(CLIENT, relay.server_id), answer), kind)(2)
    reply = await relay.reply(released)
    assert (reply.status and reply.status.code) == 0
    assert [(ia.code, ia.iaid, ia.status and ia.status.code) for ia in reply.associations] == [
        (code, 2, NO_BINDING)
    ]


async def test_what_is_declined_is_not_in_the_answer(relay: Relay) -> None:
    """RFC 8415 section 18.3.8."""
    answer = await relay.lease(CLIENT)
    reply = await relay.reply(chosen(say.decline(CLIENT, relay.server_id), answer))
    assert (reply.status and reply.status.code, list(reply.associations)) == (0, [])


@pytest.mark.parametrize("held", ["2001:db8:f00:100::/60", "2001:db8:f00:1f0::/64", "2001:db8:f00:142::/64"])
async def test_no_prefix_is_given_that_contains_anothers(held: str, site: Site6, servers: Servers) -> None:
    """Delegated before the pool was cut into larger ones; as a hint, and as all that is left."""
    subnet = await planned(site)
    await subnet.delegation_pool("2001:db8:f00::/55", 56)
    network = IPv6Network(held)
    key = association_key(IA_PD, 1, OTHER)
    await site.put_lease(network[0], key, subnet.no, prefix_length=network.prefixlen, **RUNNING)
    relay = servers.relay(await servers.start(), subnet.link)
    hinted = await relay.advertise(say.solicit(CLIENT).ia_pd(1, "2001:db8:f00:100::/56"))
    assert leases(hinted, IA_PD) == ["2001:db8:f00::/56"]
    await relay.lease(CLIENT, say.solicit(CLIENT).ia_pd(1))
    assert leases(await relay.advertise(say.solicit(duid(3)).ia_pd(1)), IA_PD) == []


@pytest.mark.own_server
@pytest.mark.parametrize("words", ["solicit", "request", "renew", "rebind"])
async def test_no_address_comes_out_of_a_delegation_pool(words: str, relay: Relay, subnet: Subnet6) -> None:
    await relay.advertise(say.solicit(OTHER).ia_na(1))
    packets = {
        "solicit": lambda: say.solicit(CLIENT),
        "request": lambda: say.request(CLIENT, relay.server_id),
        "renew": lambda: say.renew(CLIENT, relay.server_id),
        "rebind": lambda: say.rebind(CLIENT),
    }
    answer = await relay.ask(packets[words]().ia_na(1, "2001:db8:f00:100::1"))
    assert all(lease.startswith("2001:db8:5::") for lease in leases(answer))
    assert leases(answer) or statuses(answer)


async def test_a_narrower_scope_withholds_from_its_clients_alone(site: Site6, servers: Servers) -> None:
    subnet = await planned(site)
    phones = await site.client_class("phones", mac_prefix=bytes.fromhex("0202"))
    for code, payload in (
        (DNS_SERVERS, {"addresses": ["2001:db8::53"]}),
        (DOMAIN_LIST, {"names": ["a.test"]}),
    ):
        await subnet.option(code, payload)
    await site.option(DNS_SERVERS, {"hex": ""}, class_no=phones, never_send=True)
    relay = servers.relay(await servers.start(), subnet.link)
    for client, told in ((CLIENT, {DNS_SERVERS, DOMAIN_LIST}), (say.duid_ll(b"\2\2\0\0\0\1"), {DOMAIN_LIST})):
        packet = say.solicit(client).ia_na(1).asking(DNS_SERVERS, DOMAIN_LIST)
        answer = await relay.advertise(packet)
        assert {code for code in (DNS_SERVERS, DOMAIN_LIST) if first(answer.options, code)} == told
