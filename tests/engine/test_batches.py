"""Engine rule 9: batches that never touch a row twice, never wait in a circle, and lose no event between them."""

from __future__ import annotations

import asyncio
import random
from ipaddress import IPv4Address
from typing import Any

import asyncpg
from engine.serving import Relay, Servers, at_once, cached, counters, mac_of, octets, read_feed, server_id
from engine.site import Site, Subnet, until
from engine.statements import Operation, write
from oracle import packets as say
from oracle.options4 import ACK, NAK

from dhcp_fast.bench.servers.bench_plan import add
from dhcp_fast.server.serving import Serving
from ipam_core.db.connect import connect

MAC = mac_of(1)
ADDRESSES = 500
BLOCKED = (
    "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
)


async def kinds(site: Site, address: Any) -> list[str]:
    return [event["kind"] for event in await site.events(address)]


async def is_blocked(site: Site, count: int = 1) -> bool:
    return int(await site.connection.fetchval(BLOCKED)) >= count


async def test_one_operation_an_address_in_a_batch(
    relay: Relay, server: Serving, site: Site, subnet: Subnet
) -> None:
    """Rule 9: an operation whose address stands in an unfinished batch waits, in arrival order."""
    address = subnet.address(100)
    requests = [say.request_selecting(mac_of(n), address, "127.0.0.1") for n in range(50)]
    sent = at_once(server, relay, *requests)
    replies = await relay.answers_to(sent)
    assert [reply and reply.message_type for reply in replies] == [ACK] + [NAK] * 49
    assert (await site.lease(address))["hw_address"] == octets(mac_of(0))


async def test_one_operation_a_client_in_a_batch(
    relay: Relay, server: Serving, site: Site, subnet: Subnet
) -> None:
    """Rule 9: likewise for the client; its operations happen in the order in which they came."""
    address = subnet.address(100)
    ack, *_ = at_once(
        server,
        relay,
        say.request_selecting(MAC, address, "127.0.0.1"),
        say.release(MAC, address, "127.0.0.1"),
        say.request_selecting(MAC, address, "127.0.0.1"),
        say.request_rebinding(MAC, address),
        say.release(MAC, address, "127.0.0.1"),
    )
    assert await relay.answer_to(ack) is not None
    await until("all written", lambda: counters(server)["slots_in_use"] == 0)
    written = await kinds(site, address)
    assert written[0] == "g"
    # A release says of itself when it was received; what was written since stands (rule 7).
    assert "n" in written


async def test_what_waits_is_answered_when_the_first_is_over(
    relay: Relay, server: Serving, site: Site, subnet: Subnet
) -> None:
    """Rule 9: those behind a lock wait with their batch, the others do not."""
    held, free = await relay.lease(mac_of(1)), await relay.lease(mac_of(2))
    async with site.connection.transaction():
        await site.connection.execute("select from lease where address = $1 for update", held.yiaddr)
        waiting = relay.send(say.request_rebinding(mac_of(1), held.yiaddr))
        await until("blocked", lambda: is_blocked(site))
        behind = relay.send(say.request_selecting(mac_of(3), held.yiaddr, "127.0.0.1"))
        await relay.ack(say.request_rebinding(mac_of(2), free.yiaddr))
    first, second = await relay.answers_to([waiting, behind])
    assert (first and first.message_type, second and second.message_type) == (ACK, NAK)


async def test_a_request_sent_again_is_not_written_twice(relay: Relay, server: Serving, site: Site) -> None:
    held = await relay.lease(MAC)
    renewal = relay.dress(say.request_rebinding(MAC, held.yiaddr))
    async with site.connection.transaction():
        await site.connection.execute("select from lease for update")
        for _ in range(5):
            relay.socket.sendto(renewal.bytes(), relay.server)
        await until("repeated", lambda: counters(server)["drops"].get("repeated") == 4)
    assert await relay.answer_to(renewal) is not None
    assert await kinds(site, held.yiaddr) == ["g", "n"]


async def test_a_new_address_ends_the_old_one_after_its_commit(
    relay: Relay, site: Site, subnet: Subnet
) -> None:
    """Rule 9: a client that binds a new address has its others released by a later operation, after the COMMIT."""
    old = await relay.lease(MAC, say.discover(MAC).requesting(subnet.address(110)))
    await relay.ack(say.request_selecting(MAC, subnet.address(120), server_id(old)))
    await until("released", lambda: has_kinds(site, old.yiaddr, ["g", "r"]))
    granted, released = (await site.events(subnet.address(120)))[0], (await site.events(old.yiaddr))[1]
    assert released["xid"] > granted["xid"]
    assert released["hw_address"] == octets(MAC)


async def has_kinds(site: Site, address: Any, wanted: list[str]) -> bool:
    return await kinds(site, address) == wanted


async def test_an_old_address_that_its_client_took_up_again_is_kept(
    relay: Relay, server: Serving, site: Site, subnet: Subnet
) -> None:
    """Rules 7 and 9: the release of the other address waits, and meanwhile its client renews it at another server."""
    old = await relay.lease(MAC, say.discover(MAC).requesting(subnet.address(110)))
    async with site.connection.transaction():
        await site.connection.execute("select from lease where address = $1 for update", old.yiaddr)
        relay.send(say.request_selecting(mac_of(2), old.yiaddr, server_id(old)))
        await until("blocked", lambda: is_blocked(site))
        await relay.ack(say.request_selecting(MAC, subnet.address(120), server_id(old)))
        await site.connection.execute(RENEW_ELSEWHERE, old.yiaddr)
    await until("all written", lambda: counters(server)["slots_in_use"] == 0)
    assert (await site.lease(old.yiaddr))["state"] == "a"


RENEW_ELSEWHERE = """
update lease set renewed_at = clock_timestamp(), version = nextval('lease_version') where address = $1"""


async def test_the_writer_sets_its_own_session(
    database: str, servers: Servers, site: Site, subnet: Subnet
) -> None:
    """Rules 9 and 11: READ COMMITTED, synchronous_commit and no time-outs are set by the writer itself."""
    name = await site.connection.fetchval("select current_database()")
    for setting in (
        "default_transaction_isolation = 'serializable'",
        "synchronous_commit = off",
        "statement_timeout = '30s'",
        "lock_timeout = '30s'",
        "jit = on",
    ):
        await site.connection.execute(f"alter database {name} set {setting}")
    await site.connection.execute(RECORD_SESSION)
    relay = servers.relay(await servers.start(), subnet.relay)
    ack = await relay.lease(MAC)
    await relay.ack(say.request_rebinding(MAC, ack.yiaddr))
    seen = await site.connection.fetch("select * from seen")
    assert {tuple(row.values()) for row in seen} == {("read committed", "on", "0", "0")}


RECORD_SESSION = """
create table seen (isolation text, durable text, statement text, lock text);
create function record_session() returns trigger language plpgsql as $$
begin
  insert into seen values (current_setting('transaction_isolation'), current_setting('synchronous_commit'),
    current_setting('statement_timeout'), current_setting('lock_timeout'));
  return null;
end $$;
create trigger record_session after insert or update on lease for each statement execute function record_session()"""


async def test_two_held_batches_whose_lower_transaction_commits_last(
    database: str, server: Serving, site: Site, subnet: Subnet
) -> None:
    """Rule 9, kept honest: the feed must skip nothing that commits behind a higher transaction id."""
    lower, higher = await connect(database), await connect(database)
    try:
        for number, session in enumerate((lower, higher)):
            await session.execute("begin")
            bind = Operation(
                site.tenant_no, subnet.address(100 + number), subnet.no, 1, "b", octets(mac_of(number))
            )
            assert await write(session, [bind]) == [bind.address]
        xids = [await s.fetchval("select pg_current_xact_id()::text::bigint") for s in (lower, higher)]
        assert xids[0] < xids[1]
        await higher.execute("commit")
        for _ in range(3):
            await read_feed(server)
        assert cached(server, site.tenant_no, subnet.address(100)) is None
        await lower.execute("commit")
        for address in (subnet.address(100), subnet.address(101)):
            await until("known", lambda address=address: cached(server, site.tenant_no, address))
    finally:
        await lower.close()
        await higher.close()


async def test_four_sessions_in_their_own_orders_do_not_wait_in_a_circle(
    database: str, site: Site, subnet: Subnet
) -> None:
    """Rule 9: rows are locked in key order, binds and changes alike, whatever order the batch came in."""
    sessions = [await connect(database) for _ in range(4)]
    addresses = [IPv4Address("10.70.0.0") + n for n in range(ADDRESSES)]
    randomness = random.Random(9)

    async def storm(session: asyncpg.Connection, kind: str) -> None:
        for _ in range(6):
            order = randomness.sample(addresses, ADDRESSES)
            await write(session, [operation_on(site, subnet, address, kind) for address in order])

    try:
        await asyncio.gather(*(storm(s, kind) for s, kind in zip(sessions, "bbnn", strict=True)))
    finally:
        for session in sessions:
            await session.close()
    assert await site.count("lease") == ADDRESSES


def operation_on(site: Site, subnet: Subnet, address: IPv4Address, kind: str) -> Operation:
    return Operation(site.tenant_no, address, subnet.no, 1, kind, octets(mac_of(int(address) & 0xFFFF)))


async def test_four_writers_of_two_servers_over_the_same_addresses(servers: Servers, site: Site) -> None:
    """Rule 9, kept honest: four writers of two servers over the same 500 addresses, without deadlock."""
    subnet = await site.subnet(lease_time_seconds=3600)
    first = IPv4Address("10.5.1.0")
    await subnet.set(cidr="10.5.0.0/16")
    await add(site.connection, "pool", subnet_no=subnet.no, start_ip=first, end_ip=first + ADDRESSES - 1)
    both = [await servers.start(), await servers.start()]
    relays = [servers.relay(server, subnet.relay) for server in both]
    randomness = random.Random(9)
    answers: list[int] = []

    async def storm(relay: Relay) -> None:
        for place in randomness.sample(range(ADDRESSES), ADDRESSES):
            packet = say.request_selecting(mac_of(place), first + place, "127.0.0.1")
            sent = relay.send(packet)
            if place % 25 == 0:
                reply = await relay.answer_to(sent)
                answers.append(reply.message_type if reply else 0)

    for _ in range(4):
        await asyncio.gather(*(storm(relay) for relay in relays))
    for server in both:
        await until("all written", lambda server=server: counters(server)["slots_in_use"] == 0)
    assert set(answers) == {ACK}
    assert sum(server.writers.commits.retries for server in both) == 0
    active = "select count(*) from lease where state = 'a'"
    assert await site.connection.fetchval(active) == ADDRESSES
    assert sum(server.writers.commits.leases for server in both) > ADDRESSES


async def test_a_deadlock_with_somebody_else_is_retried(
    database: str, server: Serving, relay: Relay, site: Site, subnet: Subnet
) -> None:
    """Rule 9: 40P01 is retried, and the clients get their answers."""
    low, high = subnet.address(110), subnet.address(120)
    for number, address in enumerate((low, high)):
        await relay.lease(mac_of(number), say.discover(mac_of(number)).requesting(address))
    stranger = await connect(database, server_settings={"deadlock_timeout": "60s"})
    try:
        await stranger.execute("begin")
        await stranger.execute("select from lease where address = $1 for update", high)
        renewals = [say.request_rebinding(mac_of(n), address) for n, address in enumerate((low, high))]
        sent = at_once(server, relay, *renewals)
        await until("blocked", lambda: is_blocked(site))
        await stranger.execute("select from lease where address = $1 for update", low)
        await stranger.execute("commit")
    finally:
        await stranger.close()
    assert [reply and reply.message_type for reply in await relay.answers_to(sent)] == [ACK, ACK]
    assert server.writers.commits.retries >= 1
