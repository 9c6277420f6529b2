"""Bulk leasequery over DHCPv6 (RFC 5460) against a real server; messages are made and read here."""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator
from ipaddress import IPv6Address, ip_network
from typing import NamedTuple

import pytest
from engine.requesters import LITTLE, Requester, framed, let_name_networks, outcomes, requesters
from engine.site import ADD_TENANT
from engine.test_bulk_leasequery import CUT_SESSIONS, refusing_sessions
from engine6.serving6 import Servers, duid, leases
from engine6.site6 import Site6, Subnet6, association_key
from engine6.test_leasequery6 import ASKING, about, packed, question, unpacked
from oracle import packets6 as say
from oracle.options6 import IA_NA, IA_PD

from dhcp_fast.server.serving import Serving

EVERYBODY = (ip_network("::1/128"),)
CLIENT, OTHER = duid(1), duid(2)
REPLY, DONE, DATA = 15, 16, 17
CLIENT_ID, SERVER_ID, IAADDR, STATUS, IAPREFIX, REMOTE_ID, CLIENT_DATA, RELAY_ID = 1, 2, 5, 13, 26, 37, 45, 53
RELAY = duid(77)
REMOTE = b"\0\0\0\x09cpe"

PUT_MANY = """
insert into lease (tenant_no, address, subnet_no, prefix_length, ia_type, iaid, duid, state, client_key, granted_at,
  renewed_at, expires_at, reuse_at, version)
select $1, '2001:db8:5:0:1::'::inet + n, $2, 128, 3, 1, mac, 'a', '\\x06000300000001'::bytea || mac, now(), now(),
  now() + interval '1 hour', now() + interval '1 hour', nextval('lease_version')
from generate_series(1, $3::integer) n,
  lateral (select decode('00030001' || lpad(to_hex(n), 12, '0'), 'hex')) as m (mac)"""


class Told(NamedTuple):
    """A message; of a client's data its DUID and what it has."""

    kind: int
    options: dict[int, bytes]
    client: bytes
    held: list[str]

    @property
    def status(self) -> int | None:
        return int.from_bytes(self.options[STATUS][:2], "big") if STATUS in self.options else None


def read(message: bytes) -> Told:
    assert message[1:4] == b"\0\0\x07"
    options = dict(unpacked(message[4:]))
    data = unpacked(options.get(CLIENT_DATA, b""))
    held = [str(IPv6Address(value[:16])) for code, value in data if code == IAADDR]
    held += [f"{IPv6Address(value[9:25])}/{value[8]}" for code, value in data if code == IAPREFIX]
    return Told(message[0], options, dict(data).get(CLIENT_ID, b""), held)


def is_last(message: bytes) -> bool:
    """A reply that tells of nobody is alone (RFC 5460 section 5.2.2)."""
    told = read(message)
    return told.kind == DONE or (told.kind == REPLY and CLIENT_DATA not in told.options)


async def ask(requester: Requester, data: bytes) -> list[Told]:
    return [read(message) for message in await requester.ask(data, is_last)]


async def clients(requester: Requester, data: bytes) -> list[tuple[bytes, list[str]]]:
    """Who has what; who asked and who answers stands in the first message alone."""
    told = await ask(requester, data)
    assert told[0].kind == REPLY
    assert (told[0].options[CLIENT_ID], told[0].status) == (ASKING, None)
    assert told[0].options[SERVER_ID]
    if not told[0].client:
        assert len(told) == 1
        return []
    assert [one.kind for one in told[1:]] == [DATA] * (len(told) - 2) + [DONE]
    assert {code for one in told[1:] for code in one.options} <= {CLIENT_DATA}
    return [(one.client, one.held) for one in told[:-1]]


def by_link(link: object) -> bytes:
    return question(4, link=str(link))


@pytest.fixture
async def server(servers: Servers, subnet: Subnet6) -> Serving:
    return await servers.start(leasequery_requesters=EVERYBODY)


@pytest.fixture
async def requester(server: Serving) -> AsyncIterator[Requester]:
    async with requesters(server) as bank:
        yield await bank.connect()


# --- what is told


async def test_of_one_client(
    requester: Requester, servers: Servers, server: Serving, subnet: Subnet6
) -> None:
    """By its DUID, by its address and by an address within its prefix: the same."""
    relay = servers.relay(server, subnet.link)
    reply = await relay.lease(CLIENT, say.solicit(CLIENT).ia_na(1).ia_pd(2))
    await relay.lease(OTHER)
    held = leases(reply) + leases(reply, IA_PD)
    within = ip_network(held[1])[0x1234]
    for data in (question(2, (CLIENT_ID, CLIENT)), about(held[0]), about(within)):
        ((client, found),) = await clients(requester, data)
        assert (client, sorted(found)) == (CLIENT, sorted(held))


async def test_of_a_link_each_client_once_with_all_that_it_has(
    requester: Requester, subnet: Subnet6, site: Site6
) -> None:
    """Its prefixes too, which lie elsewhere in the key; nobody of another link, nothing that has ended."""
    apart = await site.subnet(6)
    held: dict[bytes, list[str]] = {}
    for number in range(1, 301):
        prefix = f"2001:db8:f00:{number // 2:x}00::"
        rows = [(IA_NA, subnet.address(0x100 + number), 128), (IA_PD, IPv6Address(prefix), 56)]
        for kind, address, length in rows[: 1 + number % 2]:
            key = association_key(kind, 1, duid(number))
            await site.put_lease(address, key, subnet.no, prefix_length=length)
        held[duid(number)] = [str(rows[0][1]), *[f"{rows[1][1]}/56"] * (number % 2)]
    await site.put_lease(apart.address(1), association_key(IA_NA, 1, duid(1)), apart.no)
    for last, times in ((0x600, {"expires_at": -5.0}), (0x601, {})):
        state = "a" if times else "r"
        key = association_key(IA_NA, 1, duid(0x999))
        await site.put_lease(subnet.address(last), key, subnet.no, state=state, **times)
    found = await clients(requester, by_link(subnet.link))
    assert len(found) == 300
    assert dict(found) == held


async def test_subnets_of_one_wire_are_one_link(servers: Servers, site: Site6) -> None:
    relay_address = IPv6Address("2001:db8:ffff::1")
    first = await site.subnet(5, shared_network="east", relay_addresses=[relay_address])
    second = await site.subnet(6, shared_network="east")
    for subnet in (first, second):
        await site.put_lease(subnet.address(1), association_key(IA_NA, 1, CLIENT), subnet.no)
    async with requesters(await servers.start(leasequery_requesters=EVERYBODY)) as bank:
        requester = await bank.connect()
        held = [str(first.address(1)), str(second.address(1))]
        for link in (relay_address, second.link):
            assert await clients(requester, by_link(link)) == [(CLIENT, held)]


async def test_a_client_on_two_links_is_told_of_twice(
    requester: Requester, subnet: Subnet6, site: Site6
) -> None:
    apart = await site.subnet(6)
    for one in (subnet, apart):
        await site.put_lease(one.address(1), association_key(IA_NA, 1, CLIENT), one.no)
    found = await clients(requester, question(2, (CLIENT_ID, CLIENT)))
    assert sorted(held for _, held in found) == [[str(one.address(1))] for one in (subnet, apart)]
    (one,) = await clients(requester, question(2, (CLIENT_ID, CLIENT), link=str(apart.link)))
    assert one == (CLIENT, [str(apart.address(1))])


async def test_by_relay_and_remote_id(
    requester: Requester, server: Serving, subnet: Subnet6, site: Site6
) -> None:
    """On all links, or on the one that is named; of overlapping tenants the requester's, or one that its entry lets it
    name."""
    apart = await site.subnet(6)
    other = await site.connection.fetchval(ADD_TENANT, "other")
    rows = (
        (subnet, duid(1), {"relay_id": RELAY}),
        (apart, duid(2), {"relay_id": RELAY}),
        (subnet, duid(3), {"remote_id": REMOTE}),
        (subnet, duid(4), {}),
    )
    for last, (one, client, fields) in enumerate(rows, 1):
        await site.put_lease(one.address(last), association_key(IA_NA, 1, client), one.no, **fields)
    fields = {"relay_id": RELAY, "tenant_no": other}
    await site.put_lease(subnet.address(1), association_key(IA_NA, 1, duid(5)), subnet.no, **fields)

    async def who(kind: int, option: tuple[int, bytes], link: str = "::", more: bytes = b"") -> list[bytes]:
        return [client for client, _ in await clients(requester, question(kind, option, link=link) + more)]

    assert await who(3, (RELAY_ID, RELAY)) == [duid(1), duid(2)]
    assert await who(3, (RELAY_ID, RELAY), str(apart.link)) == [duid(2)]
    await let_name_networks(site, server, "::1/128")
    assert await who(3, (RELAY_ID, RELAY), more=packed((68, b"\0other"))) == [duid(5)]
    assert await who(5, (REMOTE_ID, REMOTE)) == [duid(3)]
    assert await who(3, (RELAY_ID, duid(78))) == []


async def test_what_the_query_asks_for_is_told_of_each(
    requester: Requester, subnet: Subnet6, site: Site6
) -> None:
    for last in (1, 2):
        key = association_key(IA_NA, 1, duid(last))
        await site.put_lease(subnet.address(last), key, subnet.no, relay_id=RELAY, remote_id=REMOTE)
    wanted = struct.pack("!HH", RELAY_ID, REMOTE_ID)
    for told in (await ask(requester, question(4, (6, wanted), link=str(subnet.link))))[:2]:
        data = dict(unpacked(told.options[CLIENT_DATA]))
        assert (data[RELAY_ID], data[REMOTE_ID]) == (RELAY, REMOTE)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (question(9), 7),
        (question(3), 8),
        (question(5), 8),
        (question(4), 8),
        (question(2), 8),
        (question(4, link="3fff::1"), 9),
        (question(3, (RELAY_ID, RELAY), link="3fff::1"), 9),
        (about("3fff::1"), 9),
        (b"\x0e\x00\x00\x07" + packed((1, ASKING)), 8),
    ],
)
async def test_what_cannot_be_answered_gets_a_status(requester: Requester, data: bytes, code: int) -> None:
    """And nothing behind it; the connection serves on."""
    (told,) = await ask(requester, data)
    assert (told.kind, told.status) == (REPLY, code)
    assert await clients(requester, question(2, (CLIENT_ID, CLIENT))) == []


# --- the connection; see engine/test_bulk_leasequery.py


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x0e\0",
        b"\1\0\0\7" + packed((1, CLIENT)),
        b"\x0e\0\0\7",
        b"\x0e\0\0\7" + packed((1, ASKING), (2, b"another server")),
        question(4)[:-1],
        b"\x0c\0" + bytes(32) + packed((9, question(4))),
    ],
    ids=["empty", "short", "solicit", "nobody", "another server", "cut", "relayed"],
)
async def test_what_is_no_query_ends_the_connection(
    requester: Requester, server: Serving, data: bytes
) -> None:
    await requester.send(framed(data))
    assert await requester.read() is None
    assert outcomes(server) == {"malformed": 1}


async def test_strangers_are_closed_and_counted(servers: Servers, subnet: Subnet6) -> None:
    server = await servers.start(leasequery_requesters=(ip_network("2001:db8:ffff::/64"),))
    async with requesters(server) as bank:
        assert await (await bank.connect()).read() is None
    assert outcomes(server) == {"not_allowed": 1}


async def test_requesters_of_the_other_family_open_no_port(servers: Servers, subnet: Subnet6) -> None:
    async with requesters(await servers.start(leasequery_requesters=(ip_network("127.0.0.1/32"),))) as bank:
        with pytest.raises(ConnectionRefusedError):
            await bank.connect()


async def test_a_database_that_goes_away_terminates_the_query(
    server: Serving, subnet: Subnet6, site: Site6
) -> None:
    """Before anything was told by a reply, in the midst of it by LEASEQUERY-DONE; the connection serves on."""
    await site.connection.execute(PUT_MANY, site.tenant_no, subnet.no, 8_000)
    async with requesters(server) as bank:
        requester = await bank.connect(room=LITTLE)
        await requester.send(framed(by_link(subnet.link)))
        assert await requester.read() is not None
        async with refusing_sessions(server.dsn):
            await site.connection.fetch(CUT_SESSIONS)
            told = [read(message) async for message in requester.until(is_last)]
            (early,) = await ask(requester, by_link(subnet.link))
        assert (told[-1].kind, told[-1].status) == (DONE, 11)
        assert 0 < len(told) < 8_000
        assert (early.kind, early.status) == (REPLY, 11)
        assert outcomes(server) == {"terminated": 2}
        assert len(await clients(requester, by_link(subnet.link))) == 8_000
