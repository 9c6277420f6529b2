"""From an event to an endpoint: signed, in order, tried again, given up; one endpoint's trouble is its own."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import httpx
import msgspec
import pytest
from standardwebhooks import WebhookVerificationError
from workers.receiver import SECRET, Got, Receiver, Reply
from workers.site import LOOPBACK, Site

from ipam_core.outbound.guard import Guard
from ipam_core.secrets import Keyring
from ipam_core.services import event_stream
from ipam_core.workers import webhook_events
from ipam_core.workers.webhook_sender import Timing, WebhookSender

QUICK = Timing(attempt=0.3, rest=0.01, longest_rest=0.01)
DUE = "update webhook_delivery set next_attempt_at = now() where state = 'failed'"


@pytest.fixture
async def subnet(make: Any, site: Site) -> dict[str, Any]:
    prefix = await make("/prefixes", cidr="10.20.0.0/16")
    found: dict[str, Any] = await make("/subnets", prefix_id=prefix["id"], cidr="10.20.1.0/24")
    await site.webhook_events.step()
    return found


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with Receiver().serving() as serving:
        yield serving


@pytest.fixture
async def hook(make: Any, subnet: Any, receiver: Receiver) -> dict[str, Any]:
    """For leases, to the receiver."""
    found: dict[str, Any] = await make("/webhooks", url=receiver.url, secret=SECRET, events=["lease.*"])
    return found


@pytest.fixture
async def quick(pool: asyncpg.Pool, keyring: Keyring) -> AsyncIterator[Site]:
    """A worker that waits for nothing long."""
    made = Site(pool, keyring, QUICK)
    yield made
    await made.sender.close()
    await made.webhook_sender.close()


async def log_of(admin: httpx.AsyncClient, hook: dict[str, Any]) -> list[dict[str, Any]]:
    answer = await admin.get(f"/webhooks/{hook['id']}/deliveries")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


async def test_a_lease_is_told_signed(
    admin: httpx.AsyncClient, site: Site, subnet: Any, hook: Any, receiver: Receiver
) -> None:
    receiver.decide = lambda _: Reply(200, body=b"thank you\x00" + b"!" * 5000)
    await site.lease("10.20.1.5", "laptop")
    await site.deliver()
    (got,) = receiver.got
    told = got.verified()
    assert list(told) == ["type", "timestamp", "data"]
    assert told["type"] == "lease.granted"
    assert told["timestamp"].endswith("Z")
    data = told["data"]
    assert (data["ip"], data["hostname"], data["mac"]) == ("10.20.1.5", "laptop", "02:00:00:00:00:01")
    assert (data["subnet_id"], data["tenant_id"]) == (subnet["id"], subnet["tenant_id"])
    assert (got.path, got.headers["content-type"]) == ("/hook", "application/json")
    assert got.headers["user-agent"].startswith("ipam/")
    with pytest.raises(WebhookVerificationError):
        got.verified(SECRET[:-4] + "AAAA")
    (row,) = await log_of(admin, hook)
    assert (row["state"], row["attempts"], row["response_status"]) == ("delivered", 1, 200)
    assert row["message_id"] == got.headers["webhook-id"]
    assert row["payload"] == told
    assert row["response"].startswith("thank you\ufffd!")
    assert len(row["response"]) == 1024
    assert row["latency_ms"] >= 0
    assert row["last_error"] is None
    again = await admin.post(f"/deliveries/{row['id']}/redeliver")
    assert again.status_code == 200
    await site.deliver()
    assert [each.headers["webhook-id"] for each in receiver.got] == [row["message_id"]] * 2


async def test_who_hears_of_what(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, site: Site, subnet: Any, receiver: Receiver
) -> None:
    """By types and tenants; a renewal only who asks for it; nothing of what was before the webhook."""
    other = await make("/tenants", name="other")
    wants = {
        "defaults": {},
        "pools": {"events": ["pool.created", "tenant.*"]},
        "renewals": {"events": ["lease.renewed"]},
        "other": {"tenant_id": other["id"]},
    }
    for name, fields in wants.items():
        await make("/webhooks", url=f"{receiver.url}/{name}", secret=SECRET, **fields)
    await pool.execute("update webhook set enabled = false")
    await site.webhook_events.step()
    await make("/prefixes", cidr="10.30.0.0/16")
    await site.webhook_events.step()
    await pool.execute("update webhook set enabled = true, created_at = now()")
    await make(f"/subnets/{subnet['id']}/pools", name="p", start_ip="10.20.1.9", end_ip="10.20.1.20")
    await make("/prefixes", cidr="10.40.0.0/16", tenant_id=other["id"])
    await site.lease("10.20.1.5", "laptop")
    await pool.execute("create table kept as select * from lease_event")
    await pool.execute("update kept set kind = 'n', xid = pg_current_xact_id(), version = version + 2")
    await pool.execute("insert into lease_event select * from kept")
    await site.deliver()
    found: dict[str, list[str]] = {name: [] for name in wants}
    for got in receiver.got:
        found[got.path.rpartition("/")[2]].append(got.verified()["type"])
    assert sorted(found["defaults"]) == ["lease.granted", "pool.created", "prefix.created"]
    assert found["pools"] == ["pool.created"]
    assert found["renewals"] == ["lease.renewed"]
    assert found["other"] == ["prefix.created"]
    pools = [got.message for got in receiver.got if got.message["type"] == "pool.created"]
    assert pools[0]["data"]["after"]["name"] == "p"
    assert (pools[0]["data"]["before"], pools[0]["data"]["token_name"]) == (None, "root")


async def test_a_webhook_that_is_made_during_a_reading_hears_what_follows(
    make: Any, site: Site, subnet: Any, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes, and an event of its own after it, between what a reading asks for."""
    ask = webhook_events.listeners

    async def ask_as_one_comes(connection: Any) -> Any:
        found = await ask(connection)
        monkeypatch.undo()
        await make("/webhooks", url=receiver.url, secret=SECRET, events=["lease.*"])
        await site.lease("10.20.1.5", "laptop")
        return found

    monkeypatch.setattr(webhook_events, "listeners", ask_as_one_comes)
    await site.webhook_events.step()
    await site.deliver()
    assert [got.message["data"]["hostname"] for got in receiver.got] == ["laptop"]


async def test_what_an_endpoint_gets_is_in_order(
    pool: asyncpg.Pool, site: Site, hook: Any, receiver: Receiver
) -> None:
    for number in range(250):
        await site.lease("10.20.1.5", f"host{number}")
    await site.deliver()
    assert [got.message["data"]["hostname"] for got in receiver.got] == [f"host{n}" for n in range(250)]
    assert len({got.headers["webhook-id"] for got in receiver.got}) == 250


async def test_a_full_last_page_holds_up_nothing(pool: asyncpg.Pool, site: Site, hook: Any) -> None:
    """A snapshot with as many events as a page takes is left, though nothing more is in it."""
    await site.lease("10.20.1.5", "first")
    await pool.execute("create table kept as select * from lease_event limit 1")
    await pool.execute("update kept set xid = pg_current_xact_id()")
    await pool.execute(
        "insert into lease_event select kept.* from kept, generate_series(2, $1)", event_stream.PAGE
    )
    assert await site.webhook_events.step()
    await site.lease("10.20.1.6", "last")
    while await site.webhook_events.step():
        pass
    await site.webhook_events.step()
    assert site.webhook_events.enqueued == event_stream.PAGE + 1


async def test_one_that_is_refused_is_tried_again_and_holds_up_no_other(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, site: Site, hook: Any, receiver: Receiver
) -> None:
    """Ten times within three days; then it is dead until somebody asks for it."""
    receiver.decide = lambda got: Reply(500 if b"bad" in got.body else 204, body=b"no")
    await site.lease("10.20.1.5", "bad")
    await site.lease("10.20.1.6", "good")
    pauses = []
    for attempt in range(1, 11):
        await site.deliver()
        row = (await log_of(admin, hook))[0]
        assert (row["attempts"], row["response_status"]) == (attempt, 500)
        pause = await pool.fetchval(
            "select extract(epoch from next_attempt_at - updated_at)::float8 from webhook_delivery order by no"
        )
        pauses.append(pause)
        await pool.execute(DUE)
    assert await site.deliveries() == [("lease.granted", "dead", 10), ("lease.granted", "delivered", 1)]
    assert pauses.pop() is None
    hours = [3600 * n for n in (2, 5, 10, 14, 20, 24)]
    for pause, least in zip(pauses, [5, 300, 1800, *hours], strict=True):
        assert least <= pause <= least * 1.1
    assert sum(pauses) > 3 * 86_400
    (row, _) = await log_of(admin, hook)
    assert (row["last_error"], row["response"]) == ("answered 500", "no")
    receiver.decide = lambda _: Reply()
    assert (await admin.post(f"/deliveries/{row['id']}/redeliver")).json()["attempts"] == 0
    await site.deliver()
    assert {state for _, state, _ in await site.deliveries()} == {"delivered"}


async def test_one_that_hangs_delays_nobody_else(
    admin: httpx.AsyncClient, make: Any, keyring: Keyring, quick: Site, hook: Any, receiver: Receiver
) -> None:
    """Another endpoint has been told, and that is noted, long before the first one's time is over; what it answers then
    is late."""
    forever = asyncio.Event()
    async with Receiver(lambda _: Reply(waits=forever)).serving() as hanging:
        slow = await make("/webhooks", url=hanging.url, secret=SECRET, events=["lease.*"])
        quick.webhook_sender.timing = msgspec.structs.replace(QUICK, attempt=60.0)
        for number in range(20):
            await quick.lease("10.20.1.5", f"host{number}")
        while await quick.webhook_events.step():
            pass
        while len(receiver.got) < 20:
            await quick.webhook_sender.step()
        await quick.webhook_sender.step()
        assert {row["state"] for row in await log_of(admin, hook)} == {"delivered"}
        assert len(hanging.got) == 1
        assert (await log_of(admin, slow))[0]["state"] == "pending"
        await quick.webhook_sender.close()
        quick.webhook_sender = WebhookSender(quick.pool, keyring.open, Guard([LOOPBACK]), QUICK)
        await quick.webhook_sender.step()
        while quick.webhook_sender.turns:
            await quick.webhook_sender.step()
            if len(hanging.got) > 2:
                break
        forever.set()
    rows = await log_of(admin, slow)
    assert rows[0]["last_error"] == "no answer within 0.3 s"
    assert (rows[0]["state"], rows[0]["response_status"]) == ("failed", None)


async def test_a_silent_endpoint_rests_and_gets_the_rest_in_order(
    pool: asyncpg.Pool, site: Site, hook: Any, receiver: Receiver
) -> None:
    """One attempt, not one of each delivery; the pause grows to a minute."""
    receiver.decide = lambda _: Reply(503)
    for number in range(10):
        await site.lease("10.20.1.5", f"host{number}")
    for count in range(1, 8):
        await site.deliver()
        assert len(receiver.got) == count
        rest = await pool.fetchval("select extract(epoch from rests_until - now())::float8 from webhook")
        assert rest == pytest.approx(min(2.0 ** (count - 1), 60), abs=2)
        await pool.execute("update webhook set rests_until = now()")
    receiver.decide = lambda _: Reply()
    receiver.got.clear()
    await site.deliver()
    assert [got.message["data"]["hostname"] for got in receiver.got] == [f"host{n}" for n in range(7, 10)]
    assert await pool.fetchval("select failures from webhook") == 0
    await pool.execute(DUE)
    await site.deliver()
    assert {state for _, state, _ in await site.deliveries()} == {"delivered"}


async def test_who_drains_notes_what_was_answered_and_leaves_the_rest(
    pool: asyncpg.Pool, keyring: Keyring, site: Site, hook: Any, receiver: Receiver
) -> None:
    def decide(_: Got) -> Reply:
        site.webhook_sender.ending = len(receiver.got) == 1
        return Reply()

    receiver.decide = decide
    for number in range(3):
        await site.lease("10.20.1.5", f"host{number}")
    await site.deliver()
    assert [state for _, state, _ in await site.deliveries()] == ["delivered", "delivered", "pending"]
    other = Site(pool, keyring)
    await other.deliver()
    assert [got.message["data"]["hostname"] for got in receiver.got] == ["host0", "host1", "host2"]
    await other.webhook_sender.close()


async def test_a_redirect_is_not_followed(
    admin: httpx.AsyncClient, site: Site, hook: Any, receiver: Receiver
) -> None:
    async with Receiver().serving() as inside:
        receiver.decide = lambda _: Reply(307, (f"location: {inside.url}",))
        await site.lease("10.20.1.5", "laptop")
        await site.deliver()
        assert inside.got == []
    (row,) = await log_of(admin, hook)
    assert (row["state"], row["response_status"]) == ("failed", 307)
    assert row["last_error"] == "answered 307; redirects are not followed"


async def test_who_is_gone_is_disabled(
    admin: httpx.AsyncClient, site: Site, hook: Any, receiver: Receiver
) -> None:
    receiver.decide = lambda _: Reply(410)
    await site.lease("10.20.1.5", "laptop")
    await site.lease("10.20.1.6", "other")
    await site.deliver()
    assert len(receiver.got) == 1
    shown = (await admin.get(f"/webhooks/{hook['id']}")).json()
    assert (shown["enabled"], shown["disabled_reason"]) == (False, "the endpoint answered 410 Gone")
    assert await site.deliveries() == [("lease.granted", "dead", 1), ("lease.granted", "pending", 0)]
    entry = (await admin.get("/audit", params={"object_id": hook["id"]})).json()["items"][0]
    assert (entry["action"], entry["token_name"]) == ("updated", "worker")
    assert (entry["before"]["enabled"], entry["after"]["enabled"]) == (True, False)
    receiver.decide = lambda _: Reply()
    again = await admin.patch(f"/webhooks/{hook['id']}", json={"enabled": True})
    assert again.json()["disabled_reason"] is None
    await site.deliver()
    assert (await site.deliveries())[1] == ("lease.granted", "delivered", 1)


async def test_who_takes_nothing_does_not_fill_the_disk(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, site: Site, hook: Any
) -> None:
    site.webhook_events = webhook_events.WebhookEvents(pool, most_waiting=20)
    for number in range(21):
        await site.lease("10.20.1.5", f"host{number}")
    await site.webhook_events.step()
    shown = (await admin.get(f"/webhooks/{hook['id']}")).json()
    assert (shown["enabled"], shown["disabled_reason"]) == (False, "more than 20 deliveries are waiting")


async def test_for_a_day_both_secrets_sign(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, site: Site, hook: Any, receiver: Receiver, keyring: Keyring
) -> None:
    """Also when the key of secrets at rest was changed meanwhile."""
    from ipam_core import secrets as sealing

    made = await admin.post(f"/webhooks/{hook['id']}/rotate")
    assert made.status_code == 201, made.text
    fresh = made.json()["secret"]
    async with pool.acquire() as connection:
        assert await sealing.rotate(connection, keyring) == 2
    await site.lease("10.20.1.5", "laptop")
    await site.deliver()
    got = receiver.got[-1]
    assert len(got.headers["webhook-signature"].split(" ")) == 2
    assert got.verified(SECRET) == got.verified(fresh)
    shown = (await admin.get(f"/webhooks/{hook['id']}")).json()
    assert shown["previous_secret_until"] == made.json()["previous_secret_until"]
    await admin.patch(f"/webhooks/{hook['id']}", json={"description": "kept"})
    assert (await admin.get(f"/webhooks/{hook['id']}")).json()["previous_secret_until"] is not None
    await pool.execute("update webhook set previous_secret_until = now()")
    await site.lease("10.20.1.6", "laptop")
    await site.deliver()
    receiver.got[-1].verified(fresh)
    with pytest.raises(WebhookVerificationError):
        receiver.got[-1].verified(SECRET)
    assert (await admin.get(f"/webhooks/{hook['id']}")).json()["previous_secret_until"] is None


async def test_a_test_is_sent_although_nothing_happened(
    admin: httpx.AsyncClient, site: Site, hook: Any, receiver: Receiver
) -> None:
    sent = (await admin.post(f"/webhooks/{hook['id']}/test")).json()
    await site.deliver()
    (got,) = receiver.got
    assert got.verified() == {
        "type": "webhook.ping",
        "timestamp": sent["payload"]["timestamp"],
        "data": {"webhook_id": hook["id"]},
    }
    assert got.headers["webhook-id"] == sent["id"] == sent["message_id"]


async def test_without_permission_the_host_itself_is_not_spoken_to(
    admin: httpx.AsyncClient,
    make: Any,
    pool: asyncpg.Pool,
    keyring: Keyring,
    site: Site,
    subnet: Any,
    receiver: Receiver,
) -> None:
    """By address and by name."""
    sender = WebhookSender(pool, keyring.open, Guard())
    for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "169.254.169.254"):
        made = await make("/webhooks", url=f"http://{host}:{receiver.port}/", secret=SECRET)
        await admin.post(f"/webhooks/{made['id']}/test")
        while await sender.step():
            pass
        (row,) = await log_of(admin, made)
        assert row["state"] == "failed"
        assert "connections there are blocked" in row["last_error"], row
    assert receiver.got == []
    await sender.close()


async def test_who_is_enabled_again_does_not_hear_of_what_was_meanwhile(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, keyring: Keyring, site: Site, hook: Any, receiver: Receiver
) -> None:
    """Also by a worker that knows nothing but the database."""
    await admin.patch(f"/webhooks/{hook['id']}", json={"enabled": False})
    stored = await pool.fetchval("select position from worker_cursor where name = 'webhooks'")
    begun = event_stream.read_position(stored)
    old = msgspec.structs.replace(begun, drawn=begun.drawn - 6_000_000).text()
    await pool.execute("update worker_cursor set position = $1 where name = 'webhooks'", old)
    await site.lease("10.20.1.5", "unheard")
    await site.webhook_events.step()
    await admin.patch(f"/webhooks/{hook['id']}", json={"enabled": True})
    await site.lease("10.20.1.5", "heard")
    other = Site(pool, keyring)
    await other.deliver()
    assert [got.message["data"]["hostname"] for got in receiver.got] == ["heard"]
    await other.webhook_sender.close()


async def test_old_deliveries_are_forgotten(pool: asyncpg.Pool, site: Site, hook: Any) -> None:
    for number in range(4):
        await site.lease("10.20.1.5", f"host{number}")
    await site.deliver()
    ages = {1: ("delivered", 8), 2: ("delivered", 6), 3: ("dead", 31), 4: ("dead", 29)}
    numbers = [row["no"] for row in await pool.fetch("select no from webhook_delivery order by no")]
    for no, (state, days) in zip(numbers, ages.values(), strict=True):
        await pool.execute(
            "update webhook_delivery set state = $2, updated_at = now() - make_interval(days => $3) where no = $1",
            no,
            state,
            days,
        )
    async with pool.acquire() as connection:
        await webhook_events.SQL.forget_done(connection, delivered_days=7, dead_days=30, at_most=100)
    assert [state for _, state, _ in await site.deliveries()] == ["delivered", "dead"]
