"""/metrics: each family moves when what it counts happens, and nothing else moves it."""

from __future__ import annotations

import os
import socket
from typing import Any

import pytest
from engine.serving import Relay, Servers, at_once, mac_of, read_feed, reloaded
from engine.site import Site, Subnet, until
from metric_reference import hold
from oracle import packets as say
from prometheus_client.parser import text_string_to_metric_families

from dhcp_fast.database.leases import lease_writer
from dhcp_fast.database.leases.commit_stats import Histogram
from dhcp_fast.engine.engine import boot_clock
from dhcp_fast.server import http, metrics
from dhcp_fast.server.duties import FEED_SECONDS
from dhcp_fast.server.serving import Serving
from ipam_core.db.connect import connect
from ipam_core.processes import health
from ipam_core.setting_values import Endpoint

MAC = mac_of(1)
HOLD = "select from lease where address = $1 for update"
PREFIX = "ipam_dhcp4_"
SHARED = ("ipam_lease_event_", "ipam_build_info", "ipam_faults")  # of every process


async def scraped(server: Serving) -> dict[str, float]:
    """Samples by name and labels, as Prometheus' own parser reads the page."""
    page = http.counted(server).body
    return {
        sample.name.removeprefix(PREFIX)
        + "".join(f" {value}" for value in sample.labels.values()): sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
    }


class Moves:
    """What a block of the test adds to which samples."""

    def __init__(self, server: Serving) -> None:
        self.server = server

    async def __aenter__(self) -> Moves:
        self.before = await scraped(self.server)
        return self

    async def __aexit__(self, *_: Any) -> None:
        self.after = await scraped(self.server)

    def __getitem__(self, name: str) -> float:
        return self.after.get(name, 0.0) - self.before.get(name, 0.0)


async def test_packets_and_replies_by_type(relay: Relay, server: Serving) -> None:
    async with Moves(server) as moved:
        ack = await relay.lease(MAC)
        await relay.nak(say.request_rebinding(mac_of(2), ack.yiaddr))
        await relay.ack(say.inform(MAC, ack.yiaddr))
        await relay.unanswered(say.decline(MAC, ack.yiaddr, "127.0.0.1"))
        await relay.unanswered(say.release(MAC, ack.yiaddr, "127.0.0.1"))
    received = {"discover": 1, "request": 2, "inform": 1, "decline": 1, "release": 1}
    assert {kind: moved[f"packets_received_total {kind}"] for kind in received} == received
    replied = {"offer": 1, "ack": 2, "nak": 1}
    assert {kind: moved[f"replies_total {kind}"] for kind in replied} == replied


async def test_drops_by_reason(relay: Relay, server: Serving) -> None:
    async with Moves(server) as moved:
        await relay.unanswered(say.release(MAC, "0.0.0.0", "127.0.0.1"))
        await relay.unanswered(say.discover(MAC).without(53))
    assert moved["drops_total no_address_asked"] == 1
    assert moved["drops_total no_message_type"] == 1


async def test_commits_and_their_sizes(relay: Relay, server: Serving) -> None:
    async with Moves(server) as moved:
        offers = [await relay.offer(say.discover(mac_of(n))) for n in range(1, 7)]
        selects = [say.request_selecting(mac_of(n), o.yiaddr, "127.0.0.1") for n, o in enumerate(offers, 1)]
        assert None not in await relay.answers_to(at_once(server, relay, *selects))
    assert moved["batch_leases_count"] == moved["commit_duration_seconds_count"] == 1
    assert moved["batch_leases_sum"] == 6
    assert (moved["batch_leases_bucket 4.0"], moved["batch_leases_bucket 8.0"]) == (0, 1)
    assert moved["commit_duration_seconds_bucket +Inf"] == 1
    assert moved["commit_duration_seconds_sum"] > 0


def test_a_value_on_a_bound_belongs_below_it() -> None:
    """Prometheus: a bucket counts what is less than or equal to its `le`."""
    counted = Histogram((1.0, 2.0))
    for value in (0.5, 1.0, 1.5, 2.0, 3.0):
        counted.note(value)
    assert counted.buckets() == [("1.0", 2), ("2.0", 4), ("+Inf", 5)]
    assert counted.sum == 8.0


async def test_a_lost_race(relay: Relay, server: Serving, site: Site, subnet: Subnet) -> None:
    """Another server wrote the row first, and we do not know yet."""
    offer = await relay.offer(say.discover(MAC))
    await site.put_lease(offer.yiaddr, b"\x02\0\0\0\0\x09", subnet.no)
    async with Moves(server) as moved:
        await relay.nak(say.request_selecting(MAC, offer.yiaddr, "127.0.0.1"))
    assert moved["refused_writes_total"] == 1


async def test_packets_and_writes_that_wait(relay: Relay, server: Serving, site: Site) -> None:
    """A row that is locked holds its batch back; with both writers busy the next operations are ready and wait."""
    acks = [await relay.lease(mac_of(n)) for n in range(1, 5)]
    writers = server.writers.writers
    await until("both connected", lambda: all(w.connected for w in writers))
    async with Moves(server) as moved:
        async with site.connection.transaction():
            for ack in acks:
                await site.connection.execute(HOLD, ack.yiaddr)
            for number, ack in enumerate(acks, 1):
                at_once(server, relay, say.request_rebinding(mac_of(number), ack.yiaddr))
                busy = min(number, 2)
                await until("writing", lambda busy=busy: sum(w.batch is not None for w in writers) == busy)
            waiting = await scraped(server)
        await until("written", lambda: not server.counters()["slots_in_use"])
    assert waiting["packets_waiting"] == 4
    assert waiting["writes_ready"] == 2
    assert moved["writes_ready"] == moved["packets_waiting"] == 0


async def test_early_renewals(relay: Relay, server: Serving, subnet: Subnet) -> None:
    async with subnet.change():
        await subnet.set(cache_threshold=0.25)
    await reloaded(server, subnet)
    ack = await relay.lease(MAC)

    async def is_early() -> bool:
        await read_feed(server)
        async with Moves(server) as moved:
            await relay.ack(say.request_rebinding(MAC, ack.yiaddr))
        return moved["early_renewals_total"] == 1

    await until("early", is_early)


async def test_offers_taken_back_and_leases_ended(servers: Servers, site: Site) -> None:
    subnet = await site.subnet(6)
    await subnet.pool(100, 100)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    async with Moves(server) as moved:
        await relay.offer(say.discover(MAC))
        ack = await relay.lease(mac_of(2))
        await relay.unanswered(say.release(mac_of(2), ack.yiaddr, "127.0.0.1"))
    assert moved["offers_taken_back_total"] == 1
    assert moved["leases_ended_total"] == 1
    assert (await scraped(server))["leases_known"] == 1


async def test_what_the_kernel_dropped(relay: Relay, server: Serving) -> None:
    """SO_RXQ_OVFL comes with the first datagram for which there was room again."""
    with socket.socket(fileno=os.dup(server.sockets[0].fd)) as theirs:
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    async with Moves(server) as moved:
        for number in range(200):
            relay.send(say.discover(mac_of(number)))
        server.engine.receive(0)
        await relay.offer(say.discover(mac_of(0)))
    received = moved["packets_received_total discover"]
    assert received < 201
    assert moved["kernel_drops_total"] == 201 - received


async def test_the_feed_lags_behind_a_long_transaction(server: Serving, site: Site, database: str) -> None:
    """It is read all the same, so its age stays small, and the lag grows until the transaction ends."""
    other = await connect(database)
    async with site.connection.transaction():
        await site.connection.fetchval("select pg_current_xact_id()")
        await other.fetchval("select pg_current_xact_id()")
        await read_feed(server)
        held = (await scraped(server))["feed_lag_seconds"]
        await until("read once more", lambda: server.feed_lag() > held + 2 * FEED_SECONDS)
        longer = await scraped(server)
    assert longer["feed_age_seconds"] < longer["feed_lag_seconds"]
    await read_feed(server)
    assert (await scraped(server))["feed_lag_seconds"] < longer["feed_lag_seconds"]
    await other.close()


async def test_the_feed_waits_for_no_other_database(server: Serving, postgres_dsn: str) -> None:
    """While somebody else's transaction runs in the same PostgreSQL, what began after it is known all the same."""
    other = await connect(postgres_dsn)
    async with other.transaction():
        await other.fetchval("select pg_current_xact_id()")
        begun = boot_clock()

        async def is_known() -> bool:
            await read_feed(server)
            return server.feed.horizon.known > begun

        await until("what began later is known", is_known)
    await other.close()


async def test_failed_statements_by_sqlstate(
    relay: Relay, server: Serving, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease_writer, "FIRST_PAUSE_SECONDS", 0.01)
    offer = await relay.offer(say.discover(MAC))
    await site.connection.execute("alter table lease rename to lease_elsewhere")
    async with Moves(server) as moved:
        sent = relay.send(say.request_selecting(MAC, offer.yiaddr, "127.0.0.1"))
        await until("failed", lambda: server.writers.commits.failures)
        await site.connection.execute("alter table lease_elsewhere rename to lease")
        assert await relay.answer_to(sent) is not None
    assert moved["write_failures_total 42P01"] >= 1


async def test_each_family_stands_in_the_reference(server: Serving) -> None:
    hold(metrics.ServerCollector(server).collect(), "DHCP server")


async def test_the_page_is_served_whole(server: Serving) -> None:
    """Over HTTP, before and after the first packet, each family once and with its help."""
    host, port = "127.0.0.1", server.settings.health_listen.port
    assert port == 0
    async with await http.serve(lambda: server, Endpoint(host, 0)) as shown:
        place = Endpoint(*shown.sockets[0].getsockname())
        status, body = await health.ask(place, "/metrics") or (0, "")
    families = list(text_string_to_metric_families(body))
    names = [family.name for family in families]
    assert status == 200
    assert len(names) == len(set(names))
    assert all(family.documentation and family.name.startswith((PREFIX, *SHARED)) for family in families)
