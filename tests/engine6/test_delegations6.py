"""No address is delegated to two clients: whatever the lengths, whoever grants and whatever changes meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from ipaddress import IPv6Network
from itertools import pairwise
from typing import Any

import asyncpg
import pytest
from engine.site import until
from engine.statements import Operation, write
from engine6.serving6 import Relay, Servers, chosen, duid, leases, meeting, statuses
from engine6.site6 import Site6, Subnet6, association_key
from oracle import packets6 as say
from oracle.message6 import Message
from oracle.options6 import IA_PD, NO_PREFIX_AVAIL

from dhcp_fast.database.leases.lease_session import SESSION
from dhcp_fast.database.plan import plan_loader
from ipam_core.db.connect import connect

pytestmark = pytest.mark.shared_server

CLIENT, OTHER = duid(1), duid(2)
POOL = "2001:db8:f00::/48"
HELD = IPv6Network("2001:db8:f00:100::/56")
INSIDE, AROUND, WITHIN_ITS_END = "2001:db8:f00:100::/60", "2001:db8:f00::/52", "2001:db8:f00:1f0::/60"
RUNNING = {"state": "a", "expires_at": 600.0, "reuse_at": 610.0}
MARGIN = {"state": "x", "expires_at": -5.0, "reuse_at": 5.0}
FREE = {"state": "a", "expires_at": -20.0, "reuse_at": -10.0}
RUNNING_LEASES = "select address, prefix_length, duid from lease where state = 'a' and expires_at > now()"
MANY = """
insert into lease (tenant_no, address, prefix_length, ia_type, subnet_no, state, granted_at, renewed_at, expires_at,
  reuse_at, version, client_key, duid)
select $1, '2001:db8:aaaa::'::inet + n, 128, 3, $2, 'a', now(), now(), now() + interval '1 hour',
  now() + interval '1 hour', n, int4send(n), int4send(n) from generate_series(1, 2000) n"""
ROWS_READ = """
select seq_tup_read + coalesce(idx_tup_fetch, 0) from pg_stat_xact_user_tables where relname = 'lease'"""
CUT = "update pool set delegated_length = $2 where subnet_no = $1 and prefix is not null"


async def hold(site: Site6, subnet: Subnet6, prefix: Any, client: bytes, **fields: Any) -> None:
    """A row as a server would have left it."""
    network = IPv6Network(prefix)
    key = association_key(IA_PD, 1, client)
    told = RUNNING | fields | {"prefix_length": network.prefixlen}
    await site.put_lease(network[0], key, subnet.no, **told)


def grant(site: Site6, subnet: Subnet6, prefix: str, client: bytes, **fields: Any) -> Operation:
    network = IPv6Network(prefix)
    association = (IA_PD, network.prefixlen, 1, 600, client, None, None, None)
    told = {"operation": "b", "fence": 1, "client_key": association_key(IA_PD, 1, client)} | fields
    return Operation(site.tenant_no, network[0], subnet.no, hw_address=b"", association=association, **told)


@pytest.fixture
async def session(database: str) -> AsyncIterator[asyncpg.Connection]:
    made = await connect(database)
    yield made
    await made.close()


# --- what the lease statements grant


@pytest.mark.parametrize("operation", ["b", "g"])
@pytest.mark.parametrize("wanted", [WITHIN_ITS_END, AROUND])
@pytest.mark.parametrize(
    ("row", "wins"),
    [
        pytest.param(RUNNING, False, id="runs"),
        pytest.param(MARGIN, False, id="within the margin"),
        pytest.param(FREE, True, id="beyond the margin"),
        pytest.param(RUNNING | {"state": "r", "reuse_at": -1.0}, True, id="released"),
    ],
)
async def test_a_prefix_is_granted_beside_no_lease_over_it(
    site: Site6, subnet: Subnet6, row: dict[str, Any], wins: bool, wanted: str, operation: str
) -> None:
    await hold(site, subnet, HELD, OTHER, **row)
    won = await write(site.connection, [grant(site, subnet, wanted, CLIENT, operation=operation)])
    assert bool(won) == wins
    assert bool(await site.lease(IPv6Network(wanted)[0])) == wins


async def test_a_clients_own_leases_do_not_stop_it(site: Site6, subnet: Subnet6) -> None:
    await hold(site, subnet, HELD, CLIENT)
    assert await write(site.connection, [grant(site, subnet, WITHIN_ITS_END, CLIENT)])


async def test_an_address_that_is_leased_is_delegated_to_nobody(site: Site6, subnet: Subnet6) -> None:
    await hold(site, subnet, f"{HELD[0x42]}/128", OTHER)
    assert await write(site.connection, [grant(site, subnet, str(HELD), CLIENT)]) == []
    assert await write(site.connection, [grant(site, subnet, "2001:db8:f00:200::/56", CLIENT)])


@pytest.mark.parametrize(("taken", "wins"), [(INSIDE, True), (WITHIN_ITS_END, False)])
async def test_a_lease_that_ran_out_is_not_renewed_over_another(
    site: Site6, subnet: Subnet6, taken: str, wins: bool
) -> None:
    """Its row is there yet, and the client's; somebody else has a part of the prefix by now."""
    await hold(site, subnet, HELD, CLIENT, **FREE)
    if not wins:
        await hold(site, subnet, taken, OTHER)
    renewal = grant(site, subnet, str(HELD), CLIENT, operation="n")
    assert bool(await write(site.connection, [renewal])) == wins


async def test_a_lease_is_renewed_with_its_own_length_only(site: Site6, subnet: Subnet6) -> None:
    await hold(site, subnet, HELD, CLIENT)
    for prefix in (INSIDE, "2001:db8:f00:100::/57"):
        assert await write(site.connection, [grant(site, subnet, prefix, CLIENT, operation="n")]) == []
    assert await write(site.connection, [grant(site, subnet, str(HELD), CLIENT, operation="n")])


async def test_a_grant_reads_a_few_rows_however_many_leases_there_are(
    site: Site6, subnet: Subnet6, session: asyncpg.Connection
) -> None:
    """A writer's session plans once, on an empty table; with another plan each grant read all leases of the tenant."""
    for name, value in SESSION.items():
        await session.execute("select set_config($1, $2, false)", name, value)
    assert await write(session, [grant(site, subnet, str(HELD), CLIENT)])
    await site.connection.execute(MANY, site.tenant_no, subnet.no)
    for operation, prefix in (("b", "2001:db8:f00:200::/56"), ("g", "2001:db8:f00:300::/56")):
        async with session.transaction():
            assert await write(session, [grant(site, subnet, prefix, OTHER, operation=operation)])
            assert await session.fetchval(ROWS_READ) < 20


# --- two sessions at once


async def test_who_cuts_a_pool_otherwise_waits_for_grants_under_way(
    site: Site6, subnet: Subnet6, session: asyncpg.Connection
) -> None:
    """The grant by the plan before commits first, so the first one by the new plan sees it."""

    async def cut() -> None:
        async with subnet.change():
            await site.connection.execute(CUT, subnet.no, 60)

    async with session.transaction():
        assert await write(session, [grant(site, subnet, str(HELD), OTHER)])
        cutting = asyncio.create_task(cut())
        await asyncio.sleep(0.3)
        assert not cutting.done()
    await cutting
    assert await write(session, [grant(site, subnet, WITHIN_ITS_END, CLIENT, fence=2)]) == []
    assert await write(session, [grant(site, subnet, "2001:db8:f00:200::/60", CLIENT, fence=2)])


async def test_a_grant_by_the_plan_before_is_refused_behind_the_change(
    site: Site6, subnet: Subnet6, session: asyncpg.Connection
) -> None:
    """Its statement began before the change was committed, and waited for it."""
    async with subnet.change():
        await site.connection.execute(CUT, subnet.no, 60)
        granting = asyncio.create_task(write(session, [grant(site, subnet, str(HELD), OTHER)]))
        await asyncio.sleep(0.3)
        assert not granting.done()
    assert await granting == []


# --- servers


async def prefix_of(relay: Relay, client: bytes) -> IPv6Network:
    (found,) = leases(await relay.lease(client, say.solicit(client).ia_pd(1)), IA_PD)
    return IPv6Network(found)


async def has_none(relay: Relay, client: bytes) -> bool:
    return statuses(await relay.advertise(say.solicit(client).ia_pd(1))) == [NO_PREFIX_AVAIL]


def zeroed(answer: Message) -> list[str]:
    return [
        f"{lease.address}/{lease.length}"
        for ia in answer.associations
        for lease in ia.leases
        if not lease.valid
    ]


async def nothing_twice(site: Site6) -> None:
    rows = await site.connection.fetch(RUNNING_LEASES)
    held = sorted((IPv6Network((int(row["address"]), row["prefix_length"])), row["duid"]) for row in rows)
    for (lower, one), (higher, other) in pairwise(held):
        assert one == other or not lower.overlaps(higher), (lower, higher)


@pytest.mark.own_server
@pytest.mark.parametrize(("length", "left"), [(58, 8), (55, 0), (54, 0)])
async def test_a_pool_is_cut_otherwise_while_leases_run(
    servers: Servers, site: Site6, monkeypatch: pytest.MonkeyPatch, length: int, left: int
) -> None:
    """A /54 of four /56, of which two in the two halves are leased: what overlaps them is given when they are gone."""
    monkeypatch.setattr(plan_loader, "PASSING_SECONDS", 0.1)
    subnet = await site.subnet(7)
    await subnet.delegation_pool("2001:db8:f00::/54", 56)
    server = await servers.start()
    relay = servers.relay(server, subnet.link)
    held = {"2001:db8:f00::/56": duid(100), "2001:db8:f00:300::/56": duid(101)}
    await relay.advertise(say.solicit(CLIENT).ia_pd(1))
    for prefix, client in held.items():
        answer = await relay.reply(say.request(client, relay.server_id).ia_pd(1, prefix))
        assert leases(answer, IA_PD) == [prefix]
    async with subnet.change():
        await site.connection.execute(CUT, subnet.no, length)
    await until("the change", lambda: is_cut(server, length))
    for number in range(left):
        assert (await prefix_of(relay, duid(number))).prefixlen == length
    assert await has_none(relay, duid(left))
    await nothing_twice(site)
    for prefix, client in held.items():
        assert zeroed(await relay.reply(say.renew(client, relay.server_id).ia_pd(1, prefix))) == [prefix]
        assert (await site.lease(IPv6Network(prefix)[0]))["state"] == "v"

    async def is_free() -> bool:
        return not await has_none(relay, duid(left))

    await until("free", is_free)
    assert (await prefix_of(relay, duid(left))).prefixlen == length
    await nothing_twice(site)


def is_cut(server: Any, length: int) -> bool:
    """Whether the server has the pool so."""
    (view,) = server.engine.plan.subnets.values()
    return all(bits == length for _, _, bits in view.bitmaps.values())


@pytest.mark.own_server
@pytest.mark.parametrize("reserved", [INSIDE, WITHIN_ITS_END, AROUND, str(HELD)])
async def test_a_reserved_prefix_waits_for_those_who_hold_it(
    servers: Servers, site: Site6, reserved: str
) -> None:
    """Inside of a delegation, around and equal: until then its client has another, for the shortest time."""
    subnet = await site.subnet(7)
    await subnet.delegation_pool(POOL, 56)
    server = await servers.start()
    relay = servers.relay(server, subnet.link)
    await relay.advertise(say.solicit(CLIENT).ia_pd(1))
    taken = await relay.reply(say.request(OTHER, relay.server_id).ia_pd(1, str(HELD)))
    assert leases(taken, IA_PD) == [str(HELD)]
    async with subnet.change("reservation"):
        await subnet.reserve_prefix(reserved, duid=CLIENT)
    await until("the reservation", lambda: server.engine.plan.subnets[subnet.no].fence == 2)
    first = await relay.lease(CLIENT, say.solicit(CLIENT).ia_pd(1))
    (other,) = first.associations[0].leases
    assert (other.length, other.valid) == (56, 120)
    assert not IPv6Network((other.address, 56)).overlaps(IPv6Network(reserved))
    waiting = await relay.reply(chosen(say.renew(CLIENT, relay.server_id), first))
    assert leases(waiting, IA_PD) == leases(first, IA_PD)
    assert zeroed(await relay.reply(chosen(say.renew(OTHER, relay.server_id), taken))) == [str(HELD)]
    assert (await site.lease(HELD[0]))["state"] == "v"

    async def moved() -> list[int]:
        """Times are kept by the second, so that another renewal may come too early."""
        answer = await relay.reply(chosen(say.renew(CLIENT, relay.server_id), first))
        if leases(answer, IA_PD) == leases(first, IA_PD):
            return []
        assert leases(answer, IA_PD) == [reserved]
        return [lease.valid for lease in answer.associations[0].leases if lease.valid]

    assert await until("moved", moved) == [800]
    stranger = await prefix_of(relay, duid(3))
    assert not stranger.overlaps(IPv6Network(reserved))
    await nothing_twice(site)


async def test_a_lease_that_the_server_does_not_know_of_is_not_overlapped(
    servers: Servers, site: Site6
) -> None:
    """The database refuses, and the server learns why: the client gets another prefix."""
    subnet = await site.subnet(7)
    await subnet.delegation_pool("2001:db8:f00::/55", 56)
    relay = servers.relay(await servers.start(), subnet.link)
    await relay.advertise(say.solicit(CLIENT).ia_pd(1))
    await hold(site, subnet, "2001:db8:f00:1f0::/60", OTHER)
    refused = await relay.reply(say.request(CLIENT, relay.server_id).ia_pd(1, "2001:db8:f00:100::/56"))
    assert statuses(refused) == [NO_PREFIX_AVAIL]
    assert await prefix_of(relay, CLIENT) == IPv6Network("2001:db8:f00::/56")
    assert await has_none(relay, duid(3))


@pytest.mark.own_server
async def test_two_servers_and_a_changing_plan(servers: Servers, site: Site6) -> None:
    """Clients that ask while the pool is cut in three ways, one after the other, at whichever server."""
    subnet = await site.subnet(7)
    await subnet.delegation_pool("2001:db8:f00::/52", 56)
    relays = [servers.relay(server, subnet.link) for server in await meeting(servers, 2)]
    for relay in relays:
        await relay.advertise(say.solicit(CLIENT).ia_pd(1).without(8))

    async def ask(relay: Relay, numbers: range) -> None:
        for number in numbers:
            solicit = say.solicit(duid(number)).ia_pd(1).without(8)
            offer = await relay.advertise_in_time(solicit)  # silent while it counts what the pool holds
            request = chosen(say.request(duid(number), relay.server_id), offer).without(8)
            await relay.answer_to(relay.send(request), 1.0)

    for turn, length in enumerate((60, 54, 58)):
        asking = [
            asyncio.create_task(ask(relay, range(1000 * turn + 100 * at, 1000 * turn + 100 * at + 12)))
            for at, relay in enumerate(relays, 1)
        ]
        async with subnet.change():
            await site.connection.execute(CUT, subnet.no, length)
        await asyncio.gather(*asking)
        await nothing_twice(site)
    assert await site.connection.fetchval("select count(*) from lease where state = 'a'") > 3


# --- the length of what a client has


async def rows(site: Site6) -> list[tuple[str, str]]:
    found = await site.connection.fetch("select address, prefix_length, state from lease order by address")
    return [(f"{row['address']}/{row['prefix_length']}", row["state"]) for row in found]


@pytest.fixture(params=["alone", "beside another"])
async def wire(request: pytest.FixtureRequest, site: Site6) -> Subnet6:
    """The client's own subnet delegates /60; the prefixes of /56 are of another one of a shared network."""
    if request.param == "alone":
        subnet = await site.subnet(7)
        await subnet.delegation_pool(POOL, 56)
        return subnet
    near = await site.subnet(7, shared_network="wire")
    far = await site.subnet(8, shared_network="wire")
    await near.delegation_pool("2001:db8:e00::/48", 60)
    await far.delegation_pool(POOL, 56)
    return near


@pytest.mark.own_server
@pytest.mark.parametrize("named", [INSIDE, "2001:db8:f00:100::/64", "2001:db8:f00:100::/57"])
async def test_a_delegation_has_the_length_of_its_lease(
    servers: Servers, site: Site6, wire: Subnet6, named: str
) -> None:
    """Whatever the client says, once or twice in a message: it has one row and hears of one prefix."""
    relay = servers.relay(await servers.start(), wire.link)
    await relay.advertise(say.solicit(CLIENT).ia_pd(1))
    reply = await relay.reply(say.request(CLIENT, relay.server_id).ia_pd(1, str(HELD)))
    assert leases(reply, IA_PD) == [str(HELD)]
    for said in ((named,), (named, str(HELD)), (str(HELD), named)):
        for packet in (
            say.renew(CLIENT, relay.server_id),
            say.rebind(CLIENT),
            say.request(CLIENT, relay.server_id),
        ):
            answer = await relay.reply(packet.ia_pd(1, *said))
            (lease,) = answer.associations[0].leases
            assert (f"{lease.address}/{lease.length}", lease.valid) == (str(HELD), 800)
            assert await rows(site) == [(str(HELD), "a")]


async def test_a_length_is_looked_for_on_the_whole_wire(servers: Servers, site: Site6) -> None:
    """The next subnet of a shared network has the length that is asked for exactly."""
    near = await site.subnet(7, shared_network="wire")
    far = await site.subnet(8, shared_network="wire")
    await near.delegation_pool("2001:db8:e00::/48", 60)
    await far.delegation_pool(POOL, 56)
    relay = servers.relay(await servers.start(), near.link)
    for number, (hint, length) in enumerate({"::/56": 56, "::/60": 60, "::/52": 56, "::/64": 60}.items()):
        offer = await relay.advertise(say.solicit(duid(number)).ia_pd(1, hint))
        assert [IPv6Network(found).prefixlen for found in leases(offer, IA_PD)] == [length]
    assert (await prefix_of(relay, duid(20))).prefixlen == 60


@pytest.mark.own_server
async def test_a_client_whose_reserved_prefix_grows_moves_when_it_is_free(
    servers: Servers, site: Site6, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the first /56 of its /52, and another client the second one."""
    monkeypatch.setattr(plan_loader, "PASSING_SECONDS", 0.1)
    subnet = await site.subnet(7)
    await subnet.delegation_pool(POOL, 56)
    server = await servers.start()
    relay = servers.relay(server, subnet.link)
    await relay.advertise(say.solicit(CLIENT).ia_pd(1))
    first = await relay.reply(say.request(CLIENT, relay.server_id).ia_pd(1, "2001:db8:f00::/56"))
    second = await relay.reply(say.request(OTHER, relay.server_id).ia_pd(1, str(HELD)))
    async with subnet.change("reservation"):
        await subnet.reserve_prefix(AROUND, duid=CLIENT)
    await until("the reservation", lambda: server.engine.plan.subnets[subnet.no].fence == 2)
    left = await relay.reply(chosen(say.renew(CLIENT, relay.server_id), first))
    assert zeroed(left) == ["2001:db8:f00::/56"]
    waiting = await prefix_of(relay, CLIENT)
    assert waiting.prefixlen == 56
    assert not waiting.overlaps(IPv6Network(AROUND))
    assert zeroed(await relay.reply(chosen(say.renew(OTHER, relay.server_id), second))) == [str(HELD)]

    async def moved() -> bool:
        answer = await relay.reply(say.renew(CLIENT, relay.server_id).ia_pd(1, str(waiting)))
        return leases(answer, IA_PD) == [AROUND]

    await until("moved", moved)
    await nothing_twice(site)
