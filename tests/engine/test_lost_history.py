"""Engine rule 26: a database that has lost what was acknowledged, after a promotion or a restore.

A restore is played here by taking rows away or back to what they were, and the sequence of versions with them, as a
dump of the data does; a promotion stands in tests/outage/test_other_servers.py.
"""

from __future__ import annotations

import asyncio
from functools import partial
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest
from engine.restored_rows import (
    FORMER,
    FORMER_RAN_OUT,
    FROM_ELSEWHERE,
    GIVEN_BACK,
    GO_BACK,
    OF_ANOTHER,
    RUN_OUT,
    ended,
)
from engine.serving import ACK, Relay, Servers, cached, drops, mac_of, octets, read_feed, server_id
from engine.site import Site, Subnet, until
from oracle import packets as say
from structlog.testing import capture_logs

from dhcp_fast.server import duties
from dhcp_fast.server.serving import Serving
from ipam_core.backup import back_up, restore
from ipam_core.db import queries
from ipam_core.secrets import Keyring

HOLDER, OTHER, THIRD = mac_of(1), mac_of(2), mac_of(3)


@pytest.fixture(autouse=True)
def read_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test says when the feed is read, so that it sees what is before and after."""
    monkeypatch.setattr(duties, "FEED_SECONDS", 3600.0)


@pytest.fixture
async def narrow(site: Site) -> Subnet:
    """A pool of one address."""
    subnet = await site.subnet(6)
    await subnet.pool(100, 100)
    return subnet


async def restored(server: Serving, site: Site, change: str, *arguments: object) -> None:
    await read_feed(server)
    await site.connection.execute(change, *arguments)
    await site.connection.execute(GO_BACK)
    await read_feed(server)


async def served(servers: Servers, subnet: Subnet) -> tuple[Serving, Relay]:
    await subnet.site.connection.execute("select setval('lease_version', 1000)")
    server = await servers.start()
    await read_feed(server)
    return server, servers.relay(server, subnet.relay)


async def test_a_lease_that_the_database_lost_is_held_and_written_again(
    servers: Servers, site: Site, narrow: Subnet
) -> None:
    """It was acknowledged: nobody else is offered the address, and its client keeps it."""
    server, relay = await served(servers, narrow)
    ack = await relay.lease(HOLDER)
    await restored(server, site, "delete from lease")
    assert (cached(server, site.tenant_no, ack.yiaddr) or {})["held"]
    await relay.unanswered(say.discover(OTHER))
    assert drops(server, "exhausted") == 1
    await relay.ack(say.request_rebinding(HOLDER, ack.yiaddr))
    row = await site.lease(ack.yiaddr)
    assert (row["state"], row["hw_address"]) == ("a", octets(HOLDER))
    assert not (cached(server, site.tenant_no, ack.yiaddr) or {})["held"]


async def test_who_selects_what_another_was_told_gets_it_not(
    servers: Servers, site: Site, narrow: Subnet
) -> None:
    """An offer may be from before: the database, which knows of nobody, would give it away."""
    server, relay = await served(servers, narrow)
    ack = await relay.lease(HOLDER)
    await restored(server, site, "delete from lease")
    await relay.nak(say.request_selecting(OTHER, ack.yiaddr, server_id(ack)))
    await relay.ack(say.request_rebinding(HOLDER, ack.yiaddr))


async def test_a_restored_backup_is_seen_and_what_was_told_since_holds(
    servers: Servers, site: Site, database: str, tmp_path: Path
) -> None:
    """A real one, beside the server that lives on: rows of the backup are read, what was told since is held."""
    subnet = await site.subnet(6)
    await subnet.pool(100, 101)
    server, relay = await served(servers, subnet)
    before = await relay.lease(HOLDER)
    keyring = Keyring(tmp_path / "secret.key")
    await asyncio.to_thread(back_up, database, keyring, tmp_path / "kept")
    since = await relay.lease(OTHER)
    put_back = partial(restore, database, keyring, tmp_path / "kept", force=True)
    with capture_logs() as lines:
        await asyncio.to_thread(put_back)
        await until("ready", lambda: not server.not_ready())  # a restore that takes long is an outage
        await read_feed(server)
        await relay.unanswered(say.discover(THIRD))
        assert drops(server, "exhausted") == 1
        for mac, told in ((HOLDER, before), (OTHER, since)):
            await relay.ack(say.request_rebinding(mac, told.yiaddr))
            assert (await site.lease(told.yiaddr))["hw_address"] == octets(mac)
    assert [line for line in lines if line["log_level"] == "error"] == []
    assert server.writers.commits.failures == {}
    anew = [line for line in lines if "lease writers connect anew" in line["event"]]
    assert len(anew) == 1, lines


async def test_changes_of_another_database_are_not_read_again_and_again(site: Site) -> None:
    """A backup of a busy database on a new one: its transactions have numbers that are still to come here."""
    read = queries.load("dhcp_plan").read_changes
    position = await site.connection.fetchval("select pg_snapshot_xmin(pg_current_snapshot())::text")
    await site.record(None, "subnet")
    found = [row["no"] async for row in read(site.connection, cursor=position, bound=position)]
    assert len(found) == 1
    await site.connection.execute(FROM_ELSEWHERE)
    again = [row["no"] async for row in read(site.connection, cursor=position, bound=position)]
    assert again == found


async def test_its_client_may_begin_anew(servers: Servers, site: Site, narrow: Subnet) -> None:
    server, relay = await served(servers, narrow)
    ack = await relay.lease(HOLDER)
    await restored(server, site, "delete from lease")
    assert (await relay.lease(HOLDER)).yiaddr == ack.yiaddr


async def test_a_renewal_that_the_database_lost_holds(servers: Servers, site: Site, narrow: Subnet) -> None:
    """The row is older than what was acknowledged, and by what it says others might have the address."""
    server, relay = await served(servers, narrow)
    ack = await relay.lease(HOLDER)
    version = (await site.lease(ack.yiaddr))["version"]
    await relay.ack(say.request_rebinding(HOLDER, ack.yiaddr))
    before = cached(server, site.tenant_no, ack.yiaddr) or {}
    older = "update lease set version = $1, expires_at = now() - interval '20 s', reuse_at = now() - interval '10 s'"
    await restored(server, site, older, version)
    known = cached(server, site.tenant_no, ack.yiaddr) or {}
    assert (known["held"], known["version"], known["expires"]) == (True, version, before["expires"])
    await relay.unanswered(say.discover(OTHER))
    await relay.ack(say.request_rebinding(HOLDER, ack.yiaddr))


async def test_a_renewal_that_was_decided_before_holds(
    monkeypatch: pytest.MonkeyPatch, servers: Servers, site: Site, narrow: Subnet
) -> None:
    """It waited for a database that was away; then there is no row to renew."""
    server, relay = await served(servers, narrow)
    ack = await relay.lease(HOLDER)
    writers = server.writers
    with monkeypatch.context() as away:
        away.setattr(writers, "can_wait", lambda: True)
        renewal = relay.send(say.request_rebinding(HOLDER, ack.yiaddr))
        await until("decided", server.engine.ready_in_all)
        await restored(server, site, "delete from lease")
    writers.kick()
    answer = await relay.answer_to(renewal)
    assert answer is not None
    assert answer.message_type == ACK
    assert (await site.lease(ack.yiaddr))["state"] == "a"


async def test_an_address_that_another_has_by_now_is_his(
    servers: Servers, site: Site, narrow: Subnet
) -> None:
    """The database arbitrates, also against what was acknowledged before its history was lost."""
    server, relay = await served(servers, narrow)
    ack = await relay.lease(HOLDER)
    await relay.ack(say.request_rebinding(HOLDER, ack.yiaddr))
    await asyncio.sleep(1.0)  # the cache knows times in seconds
    await restored(server, site, f"{OF_ANOTHER}, renewed_at = now()", octets(OTHER))
    await server.read_in_full()  # in brief no row says since when
    assert not (cached(server, site.tenant_no, ack.yiaddr) or {})["held"]
    await relay.nak(say.request_rebinding(HOLDER, ack.yiaddr))
    await relay.ack(say.request_rebinding(OTHER, ack.yiaddr))


async def test_a_clock_that_was_put_back_does_not_hide_who_has_it_by_now(
    servers: Servers, site: Site, narrow: Subnet
) -> None:
    """His row is dated before the lost lease, which began while the clock was fast; its version is a later one."""
    server, relay = await served(servers, narrow)
    ack = await relay.lease(HOLDER)
    dated = "renewed_at = now() - interval '1 minute'"
    await restored(server, site, OF_ANOTHER.replace("2", "version + 2", 1) + f", {dated}", octets(OTHER))
    assert not (cached(server, site.tenant_no, ack.yiaddr) or {})["held"]
    await relay.nak(say.request_rebinding(HOLDER, ack.yiaddr))
    await relay.ack(say.request_rebinding(OTHER, ack.yiaddr))


async def test_an_address_that_another_had_before_is_kept_for_whom_it_was_acknowledged_to(
    servers: Servers, site: Site, narrow: Subnet
) -> None:
    """In a dump the address is still that of a client who gave it back since. When that row runs out, and a server says
    so in the history, its last client may use it all the same: nobody else gets it before that has ended too."""
    server, relay = await served(servers, narrow)
    ack = await relay.lease(HOLDER)
    ending = "renewed_at = now() - interval '1 minute', reuse_at = now() + interval '1 s'"
    await restored(server, site, f"{OF_ANOTHER}, {ending}", octets(OTHER))
    assert (cached(server, site.tenant_no, ack.yiaddr) or {})["held"]
    await asyncio.sleep(1.1)
    await ended(server, site, ack.yiaddr, RUN_OUT)
    assert (cached(server, site.tenant_no, ack.yiaddr) or {})["held"]
    await relay.unanswered(say.discover(THIRD))


async def test_whom_an_older_row_refuses_gets_another_address(
    servers: Servers, site: Site, subnet: Subnet
) -> None:
    """While the row of the former client runs, nobody can write the address: who held it is told so once, and the
    address that it had is not offered to it again and again."""
    server, relay = await served(servers, subnet)
    ack = await relay.lease(HOLDER)
    await restored(server, site, FORMER, octets(OTHER))
    await relay.nak(say.request_rebinding(HOLDER, ack.yiaddr))
    assert (await relay.lease(HOLDER)).yiaddr != ack.yiaddr


async def test_a_former_client_is_not_given_it_again(servers: Servers, site: Site, narrow: Subnet) -> None:
    """By the row it would be his; he gave it back, and another has been told that he has it."""
    server, relay = await served(servers, narrow)
    ack = await relay.lease(HOLDER)
    await restored(server, site, FORMER, octets(OTHER))
    await relay.unanswered(say.discover(OTHER))
    await relay.nak(say.request_selecting(OTHER, ack.yiaddr, server_id(ack)))


async def test_a_former_client_that_has_another_address_does_not_end_it(servers: Servers, site: Site) -> None:
    """Who has one address gives up his others, and would give up this one by its row."""
    subnet = await site.subnet(6)
    await subnet.pool(100, 101)
    server, relay = await served(servers, subnet)
    ack = await relay.lease(HOLDER)
    has = await relay.lease(OTHER)
    await site.connection.execute("delete from lease where address = $1", has.yiaddr)
    await restored(server, site, FORMER, octets(OTHER))
    await relay.ack(say.request_rebinding(OTHER, has.yiaddr))
    await relay.unanswered(say.discover(THIRD))
    assert (cached(server, site.tenant_no, ack.yiaddr) or {})["held"]


async def test_it_is_its_clients_again_when_the_row_has_run_out(
    servers: Servers, site: Site, narrow: Subnet
) -> None:
    server, relay = await served(servers, narrow)
    ack = await relay.lease(HOLDER)
    await restored(server, site, f"{FORMER}, reuse_at = now() + interval '1 s'", octets(OTHER))
    await asyncio.sleep(1.1)
    await relay.ack(say.request_rebinding(HOLDER, ack.yiaddr))
    assert (await site.lease(ack.yiaddr))["hw_address"] == octets(HOLDER)


async def test_whom_an_older_row_refuses_keeps_its_place_on_its_circuit(
    servers: Servers, site: Site, subnet: Subnet
) -> None:
    await subnet.site.connection.execute("select setval('lease_version', 1000)")
    server = await servers.start(dhcp4_leases_per_circuit=1)
    await read_feed(server)
    relay = servers.relay(server, subnet.relay)
    offer = await relay.offer(say.discover(HOLDER).circuit("line"))
    ack = await relay.ack(say.request_selecting(HOLDER, offer.yiaddr, server_id(offer)).circuit("line"))
    await restored(server, site, FORMER, octets(OTHER))
    await relay.nak(say.request_rebinding(HOLDER, ack.yiaddr).circuit("line"))
    offer = await relay.offer(say.discover(HOLDER).circuit("line"))
    assert offer.yiaddr != ack.yiaddr


@pytest.mark.parametrize("say_it", [say.request_init_reboot, say.request_rebinding])
async def test_a_former_client_cannot_bring_its_row_back(
    say_it: Any, servers: Servers, site: Site, narrow: Subnet
) -> None:
    server, relay = await served(servers, narrow)
    ack = await relay.lease(HOLDER)
    await restored(server, site, FORMER_RAN_OUT, octets(OTHER))
    await relay.nak(say_it(OTHER, ack.yiaddr))
    await relay.ack(say.request_rebinding(HOLDER, ack.yiaddr))


async def test_a_former_clients_release_does_not_end_it(servers: Servers, site: Site, narrow: Subnet) -> None:
    server, relay = await served(servers, narrow)
    ack = await relay.lease(HOLDER)
    await restored(server, site, FORMER, octets(OTHER))
    await relay.unanswered(say.release(OTHER, ack.yiaddr, "127.0.0.1"))
    await relay.unanswered(say.discover(THIRD))


async def test_what_is_given_back_is_free_also_where_its_row_is_lost(
    servers: Servers, site: Site, narrow: Subnet
) -> None:
    server, relay = await served(servers, narrow)
    ack = await relay.lease(HOLDER)
    await restored(server, site, "delete from lease")
    relay.send(say.release(HOLDER, ack.yiaddr, "127.0.0.1"))
    assert (await relay.offer_in_time(OTHER, 3.0)).yiaddr == ack.yiaddr


async def test_what_is_declined_is_nobodys_also_where_its_row_is_lost(
    servers: Servers, site: Site, narrow: Subnet
) -> None:
    server, relay = await served(servers, narrow)
    ack = await relay.lease(HOLDER)
    await restored(server, site, "delete from lease")
    await relay.unanswered(say.decline(HOLDER, ack.yiaddr, "127.0.0.1"))
    await relay.unanswered(say.discover(HOLDER))
    await relay.unanswered(say.discover(OTHER))


async def test_that_an_older_lease_time_ran_out_says_nothing(
    servers: Servers, site: Site, narrow: Subnet
) -> None:
    """The renewal was lost, so by the database the lease is over; its client has been told otherwise."""
    server, relay = await served(servers, narrow)
    ack = await relay.lease(HOLDER)
    over = (
        "update lease set version = 2, expires_at = now() - interval '2 s', reuse_at = now() - interval '1 s'"
    )
    await restored(server, site, over)
    await ended(server, site, ack.yiaddr, RUN_OUT)
    assert (cached(server, site.tenant_no, ack.yiaddr) or {})["held"]
    await relay.unanswered(say.discover(OTHER))
    await relay.ack(say.request_rebinding(HOLDER, ack.yiaddr))


async def test_what_its_client_gave_back_since_is_free(servers: Servers, site: Site, narrow: Subnet) -> None:
    """At another server, after the history was lost."""
    server, relay = await served(servers, narrow)
    ack = await relay.lease(HOLDER)
    await restored(server, site, "update lease set version = 2")
    assert (cached(server, site.tenant_no, ack.yiaddr) or {})["held"]
    await ended(server, site, ack.yiaddr, GIVEN_BACK)
    assert (await relay.lease(OTHER)).yiaddr == ack.yiaddr


async def test_what_is_as_it_was_is_no_more_in_doubt(servers: Servers, site: Site, narrow: Subnet) -> None:
    server, relay = await served(servers, narrow)
    ack = await relay.lease(HOLDER)
    before = cached(server, site.tenant_no, ack.yiaddr)
    await restored(server, site, "select")
    await server.read_in_full()
    assert cached(server, site.tenant_no, ack.yiaddr) == before


async def test_what_had_ended_is_over(servers: Servers, site: Site, narrow: Subnet) -> None:
    server, relay = await served(servers, narrow)
    ack = await relay.lease(HOLDER)
    relay.send(say.release(HOLDER, ack.yiaddr, "127.0.0.1"))
    await until("released", lambda: is_state(server, site, ack.yiaddr, "r"))
    await restored(server, site, "delete from lease")
    assert (await relay.lease(OTHER)).yiaddr == ack.yiaddr


def is_state(server: Serving, site: Site, address: IPv4Address, state: str) -> bool:
    return (cached(server, site.tenant_no, address) or {})["state"] == state


async def test_a_held_lease_ends_at_its_end(servers: Servers, site: Site) -> None:
    """Nobody writes its expiry, for there is no row; the address is free then."""
    short = await site.subnet(6, lease_time_seconds=2, min_lease_time_seconds=2, reuse_margin_seconds=1)
    await short.pool(100, 100)
    server, relay = await served(servers, short)
    ack = await relay.lease(HOLDER)
    await restored(server, site, "delete from lease")
    assert (cached(server, site.tenant_no, ack.yiaddr) or {})["held"]
    assert (await relay.offer_in_time(OTHER)).yiaddr == ack.yiaddr
    assert [event["kind"] for event in await site.events(ack.yiaddr)] == ["g"]
