"""/readyz is false, and says why, when leases cannot be committed; it is true again by itself."""

from __future__ import annotations

import json

import pytest
from engine.serving import Relay, drops, mac_of
from engine.site import Site, Subnet, until
from oracle import packets as say

from dhcp_fast.database import node, unavailable
from dhcp_fast.database.leases import commit_stats, lease_writer, lease_writers
from dhcp_fast.server import http
from dhcp_fast.server.serving import Serving

MAC = mac_of(1)
OURS = "datname = current_database() and pid <> pg_backend_pid()"
END_SESSIONS = f"select pg_terminate_backend(pid) from pg_stat_activity where {OURS}"
DISK_FULL = """
create function full_disk() returns trigger language plpgsql as $$
begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$;
create trigger full_disk before insert or update on lease for each row execute function full_disk()"""


@pytest.fixture(autouse=True)
def shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same course in less time."""
    monkeypatch.setattr(commit_stats, "HUNG_SECONDS", 0.3)
    monkeypatch.setattr(node, "BEAT_MICROSECONDS", 200_000)
    monkeypatch.setattr(lease_writer, "FIRST_PAUSE_SECONDS", 0.01)


async def reason(server: Serving) -> str:
    """What the page says; its status must agree."""
    answer = http.ready(server)
    told = json.loads(answer.body)
    assert answer.status == (200 if told["ready"] else 503)
    assert told["ready"] == (not told["reason"])
    return str(told["reason"])


async def says(server: Serving, text: str) -> bool:
    return text in await reason(server)


async def is_ready(server: Serving) -> bool:
    return not await reason(server)


async def becomes_ready(server: Serving) -> None:
    """At once, or after a heartbeat that a busy disk made late: with the shorter times here that counts as hung."""
    await until("ready", lambda: is_ready(server))


async def set_read_only(site: Site, state: str) -> None:
    """As a database becomes that is demoted: our sessions end, the next ones may only read."""
    name = await site.connection.fetchval("select current_database()")
    await site.connection.execute("set default_transaction_read_only = off")
    await site.connection.execute(f'alter database "{name}" set default_transaction_read_only = {state}')
    await site.connection.execute(END_SESSIONS)


async def test_a_server_is_ready(server: Serving) -> None:
    await becomes_ready(server)


async def test_a_database_that_only_reads(server: Serving, site: Site) -> None:
    """Without a single client: the heartbeat finds it."""
    await set_read_only(site, "on")
    await until("told", lambda: says(server, "database is read-only: cannot execute UPDATE in a read-only"))
    assert server.writers.connected
    await set_read_only(site, "off")
    await becomes_ready(server)


async def test_a_full_disk(relay: Relay, server: Serving, site: Site) -> None:
    """The nodes' table has room, the leases' has none: the statement's own error tells."""
    await site.connection.execute(DISK_FULL)
    offer = await relay.offer(say.discover(MAC))
    sent = relay.send(say.request_selecting(MAC, offer.yiaddr, "127.0.0.1"))
    await until(
        "told", lambda: says(server, "refuses leases: could not extend file: No space left on device")
    )
    assert await relay.answer_to(sent, 0.2) is None
    await site.connection.execute("drop trigger full_disk on lease")
    if (
        await relay.answer_to(sent) is None
    ):  # it waited too long where the machine is busy; its client asks again
        await relay.ack(say.request_selecting(MAC, offer.yiaddr, "127.0.0.1"))
    await becomes_ready(server)


async def test_a_refusal_that_nobody_meets_any_more_is_forgotten(
    relay: Relay, server: Serving, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that is not asked because it is not ready must come back by itself."""
    monkeypatch.setattr(commit_stats, "REMEMBERED_SECONDS", 0.5)
    await site.connection.execute(DISK_FULL)
    offer = await relay.offer(say.discover(MAC))
    relay.send(say.request_selecting(MAC, offer.yiaddr, "127.0.0.1"))
    await until("refused", lambda: server.writers.commits.failures)
    monkeypatch.setattr(lease_writer, "FIRST_PAUSE_SECONDS", 2.0)
    await until("given up", lambda: drops(server, "waited_too_long"))
    await until("ready", lambda: is_ready(server))
    assert await site.count("lease") == 0


async def test_a_commit_that_hangs(relay: Relay, server: Serving, site: Site) -> None:
    """Before the batch is abandoned, and before any client has given up."""
    ack = await relay.lease(MAC)
    async with site.connection.transaction():
        await site.connection.execute("select from lease where address = $1 for update", ack.yiaddr)
        sent = relay.send(say.request_rebinding(MAC, ack.yiaddr))
        await until("told", lambda: says(server, "a commit of leases has been waiting for"))
    assert await relay.answer_to(sent) is not None
    await becomes_ready(server)


async def test_a_heartbeat_that_hangs(server: Serving, site: Site) -> None:
    """A synchronous standby that is gone: what is written stands still, what is read does not."""
    async with site.connection.transaction():
        await site.connection.execute("select from node for update")
        await until("told", lambda: says(server, "has not committed this server's heartbeat for"))
    await becomes_ready(server)


async def test_an_abandoned_commit_is_remembered(
    relay: Relay, server: Serving, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new connection is no proof that commits end again."""
    monkeypatch.setattr(lease_writer, "LATE_SECONDS", 0.2)
    ack = await relay.lease(MAC)
    async with site.connection.transaction():
        await site.connection.execute("select from lease where address = $1 for update", ack.yiaddr)
        relay.send(say.request_rebinding(MAC, ack.yiaddr))
        await until("abandoned", lambda: drops(server, "outcome_unknown"))
        await until("connected", lambda: all(w.connected for w in server.writers.writers))
        assert await says(server, "a commit did not finish within")
    monkeypatch.setattr(lease_writer, "LATE_SECONDS", 5.0)
    await relay.ack(say.request_rebinding(MAC, ack.yiaddr))
    await becomes_ready(server)


async def test_a_lost_race_is_no_refusal(relay: Relay, server: Serving, site: Site, subnet: Subnet) -> None:
    """A row that another server won is the database at work."""
    offer = await relay.offer(say.discover(MAC))
    await site.put_lease(offer.yiaddr, b"\x02\0\0\0\0\x09", subnet.no)
    await relay.nak(say.request_selecting(MAC, offer.yiaddr, "127.0.0.1"))
    assert not server.writers.commits.refused()
    await becomes_ready(server)


async def test_nothing_is_offered_while_nothing_can_be_committed(
    relay: Relay, server: Serving, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another server may be able to serve who asks; a client that took our offer would ask us alone. It is so after a
    moment, and over as soon as the heartbeat has found the database well, without a client's help."""
    monkeypatch.setattr(unavailable, "GRACE_SECONDS", 0.3)
    ack = await relay.lease(MAC)
    await set_read_only(site, "on")
    await until("told", lambda: reason(server))
    await until("silent", lambda: is_silent(relay, server))
    renewal = relay.send(say.request_rebinding(MAC, ack.yiaddr))
    assert await relay.answer_to(renewal, 0.2) is None
    assert drops(server, "database_away")
    await set_read_only(site, "off")
    await becomes_ready(server)
    assert (await relay.offer(say.discover(mac_of(2)))).yiaddr  # the first that comes to a ready server


async def test_a_short_loss_silences_nobody(relay: Relay, server: Serving, site: Site) -> None:
    """Sessions that are ended, and made again at once."""
    await relay.lease(MAC)
    await site.connection.execute(END_SESSIONS)
    await until("seen", lambda: reason(server))
    assert (await relay.offer(say.discover(mac_of(2)))).yiaddr
    assert drops(server, "database_away") == 0


async def is_silent(relay: Relay, server: Serving) -> bool:
    before = drops(server, "database_away")
    relay.send(say.discover(mac_of(3)))
    return await relay.answer_to(relay.send(say.discover(mac_of(3))), 0.2) is None and (
        drops(server, "database_away") > before
    )


async def test_who_holds_a_commit_up_is_named(
    relay: Relay, server: Serving, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the reason and in the metrics: the operator must find the session to end."""
    monkeypatch.setattr(lease_writers, "BLOCKED_SECONDS", 0.2)
    ack = await relay.lease(MAC)
    pid = await site.connection.fetchval("select pg_backend_pid()")
    await site.connection.execute("set application_name = 'a long \"bulk\"'")
    async with site.connection.transaction():
        await site.connection.execute("select from lease where address = $1 for update", ack.yiaddr)
        sent = relay.send(say.request_rebinding(MAC, ack.yiaddr))
        await until("named", lambda: says(server, f'for process {pid} (a long "bulk"), with a transaction'))
        assert f'pid="{pid}"' in http.counted(server).body
    assert await relay.answer_to(sent) is not None
    await until("over", lambda: f'pid="{pid}"' not in http.counted(server).body)
