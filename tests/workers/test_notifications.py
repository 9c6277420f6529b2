"""Notifications: which events they are about, what a chat receives, how many messages a storm makes."""

from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import httpx
import pytest
from workers.receiver import Got, Receiver, Reply
from workers.site import LOOPBACK, Site

from ipam_core.outbound.guard import Guard
from ipam_core.secrets import Keyring
from ipam_core.services import events
from ipam_core.workers.notification_events import MOST, PERIOD, Window
from ipam_core.workers.notification_sender import NotificationSender
from ipam_core.workers.webhook_sender import Timing

POOL = {"pool_id": "1", "name": "office", "start_ip": "10.20.1.10", "end_ip": "10.20.1.20", "cidr": "10.20.1.0/24",
        "subnet_id": "0192f0c1-6f00-7000-8000-000000000007", "used": 11, "usable": 11, "utilisation": 1.0}  # fmt: skip
NODE = {
    "node_id": "1",
    "name": "dhcp-a",
    "role": "dhcp",
    "version": "1",
    "state": "ready",
    "silent_seconds": 31,
}
QUICK = Timing(attempt=5.0)


async def tell(pool: asyncpg.Pool, type_: str, data: dict[str, Any], tenant: str | None = None) -> None:
    """Record an event of the service, as a server does."""
    async with pool.acquire() as connection:
        no = await connection.fetchval("select no from tenant where name = $1", tenant)
        await events.record(connection, type_, data, no)


async def ready(site: Site) -> None:
    """Events are read from here on."""
    await site.webhook_events.step()


@pytest.fixture
async def prefix(make: Any) -> dict[str, Any]:
    found: dict[str, Any] = await make("/prefixes", cidr="10.20.0.0/16")
    return found


@pytest.fixture
async def subnet(make: Any, prefix: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = await make("/subnets", prefix_id=prefix["id"], cidr="10.20.1.0/24", name="office")
    return found


async def test_each_chat_gets_a_body_of_its_own(site: Site, make: Any, pool: asyncpg.Pool) -> None:
    async with Receiver().serving() as receiver:
        await ready(site)
        for kind in ("slack", "teams", "mattermost"):
            await make("/notifications", name=kind, kind=kind, url=f"{receiver.url}/{kind}")
        url = receiver.url.removesuffix("hook")
        await make("/notifications", name="ntfy", kind="ntfy", url=url, topic="noc")
        await tell(pool, "pool.exhausted", POOL, "default")
        await site.deliver()
        found = {got.path: got.message for got in receiver.got}
    said = "Critical: Pool office in 10.20.1.0/24 is full: 11 of 11 in use."
    assert found["/hook/slack"]["text"] == said
    assert found["/hook/slack"]["blocks"][0]["text"] == {"type": "plain_text", "text": said, "emoji": False}
    (card,) = found["/hook/teams"]["attachments"]
    assert card["contentType"] == "application/vnd.microsoft.card.adaptive"
    assert card["content"]["body"][0]["inlines"][0]["text"] == said
    assert "Pool office in 10\\.20\\.1\\.0/24 is full\\: 11 of 11 in use" in found["/hook/mattermost"]["text"]
    assert (found["/"]["topic"], found["/"]["priority"]) == ("noc", 5)
    assert found["/"]["title"] == said
    assert all("webhook-signature" not in got.headers for got in receiver.got)
    assert await site.deliveries() == [("pool.exhausted", "delivered", 1)] * 4


async def test_without_events_it_is_about_what_needs_attention(
    site: Site, subnet: dict[str, Any], make: Any, pool: asyncpg.Pool, admin: httpx.AsyncClient
) -> None:
    async with Receiver().serving() as receiver:
        await ready(site)
        await make("/notifications", name="all", kind="slack", url=f"{receiver.url}/all")
        await make(
            "/notifications", name="urgent", kind="slack", url=f"{receiver.url}/urgent", severity="critical"
        )
        await make(
            "/notifications", name="leases", kind="slack", url=f"{receiver.url}/leases", events=["lease.*"]
        )
        await site.lease("10.20.1.10", "laptop")
        await admin.patch(f"/subnets/{subnet['id']}", json={"description": "x"})
        await tell(pool, "node.degraded", NODE | {"detail": "the disk is full"})
        await tell(pool, "node.down", NODE)
        await site.deliver()
        said = [(got.path.rpartition("/")[2], got.message["text"]) for got in receiver.got]
    assert sorted(said) == [
        ("all", "Critical: The DHCPv4 server dhcp-a is down: no heartbeat for 31 seconds."),
        ("all", "Warning: The DHCPv4 server dhcp-a reports a problem."),
        ("leases", "10.20.1.10 was leased to laptop (02:00:00:00:00:01)."),
        ("urgent", "Critical: The DHCPv4 server dhcp-a is down: no heartbeat for 31 seconds."),
    ]


async def test_filters_by_network_zone_and_tenant(site: Site, make: Any, pool: asyncpg.Pool) -> None:
    tenant = await make("/tenants", name="acme")
    ddns = {"id": "1", "action": "add", "ip": "10.9.9.9", "fqdn": "Printer.example.net.", "error": "taken"}
    async with Receiver().serving() as receiver:
        await ready(site)
        for name, fields in {
            "near": {"networks": ["10.20.0.0/16", "2001:db8::/32"]},
            "far": {"networks": ["10.21.0.0/16"]},
            "zone": {"zones": ["Example.net."]},
            "other-zone": {"zones": ["ample.net"]},
            "tenant": {"tenant_id": tenant["id"]},
        }.items():
            await make("/notifications", name=name, kind="slack", url=f"{receiver.url}/{name}", **fields)
        await tell(pool, "pool.exhausted", POOL, "default")
        await tell(pool, "ddns.failed", ddns, "acme")
        await site.deliver()
        said = sorted(
            (got.path.rpartition("/")[2], got.message["text"].split(" ")[1]) for got in receiver.got
        )
    assert said == [("near", "Pool"), ("tenant", "The"), ("zone", "The")]


async def test_who_changed_what_with_a_link(
    pool: asyncpg.Pool, keyring: Keyring, make: Any, admin: httpx.AsyncClient, prefix: dict[str, Any]
) -> None:
    site = Site(pool, keyring)
    site.notification_sender = NotificationSender(
        pool, Guard([LOOPBACK], public_url="https://ipam.example.net")
    )
    async with Receiver().serving() as receiver:
        await ready(site)
        await make(
            "/notifications",
            name="changes",
            kind="ntfy",
            url=receiver.url[:-4],
            topic="t",
            events=["subnet.*"],
        )
        made = await make("/subnets", prefix_id=prefix["id"], cidr="10.20.1.0/24", name="office")
        await site.deliver()
        (got,) = receiver.got
    assert got.message["title"] == "Subnet office was created by root."
    assert got.message["click"] == f"https://ipam.example.net/console/subnets/{made['id']}"
    await site.notification_sender.close()


async def test_a_storm_makes_ten_messages_and_summaries(
    site: Site, subnet: dict[str, Any], make: Any, pool: asyncpg.Pool
) -> None:
    """A second window of the same storm is one summary; after a quiet one events have messages of their own again."""
    over = "update notification_window set began_at = began_at - interval '6 minutes'"

    async def storm(first: int) -> None:
        for n in range(first, first + 40):
            await site.lease(f"10.20.1.{n}", "x", mac=f"0200000000{n:02x}")
        await site.deliver()

    async with Receiver().serving() as receiver:
        await ready(site)
        await make("/notifications", name="all", kind="slack", url=receiver.url, events=["lease.*"])
        await storm(10)
        assert len(receiver.got) == MOST
        await pool.execute(over)
        await site.deliver()
        assert len(receiver.got) == MOST + 1
        assert "30 more events" in receiver.got[-1].message["text"]
        assert "30 lease.granted" in receiver.got[-1].message["text"]
        await storm(60)
        assert len(receiver.got) == MOST + 1
        await pool.execute(over)
        await site.deliver()
        assert "40 more events" in receiver.got[-1].message["text"]
        await pool.execute(over)
        await site.lease("10.20.1.200", "calm", mac="0200000000fe")
        await site.deliver()
        assert len(receiver.got) == MOST + 3
        assert "calm" in receiver.got[-1].message["text"]


async def test_a_storm_hides_nothing_worse(site: Site, make: Any, pool: asyncpg.Pool) -> None:
    """Each severity has its own bound and its own summary, also when another worker goes on."""
    async with Receiver().serving() as receiver:
        await ready(site)
        events_ = ["node.*", "ddns.failed"]
        await make("/notifications", name="all", kind="slack", url=receiver.url, events=events_)
        failed = {"id": "1", "action": "add", "ip": "10.9.9.9", "fqdn": "x.example.net.", "error": "taken"}
        for _ in range(MOST + 5):
            await tell(pool, "ddns.failed", failed, "default")
        await site.deliver()
        assert len(receiver.got) == MOST
        for _ in range(MOST + 2):
            await tell(pool, "node.down", NODE)
        await tell(pool, "node.up", NODE)
        await site.deliver()
        said = [got.message["text"].split(":")[0] for got in receiver.got[MOST:]]
        assert said.count("Critical") == MOST
        assert len(said) == MOST + 1
        await pool.execute("update notification_window set began_at = began_at - interval '6 minutes'")
        await site.deliver()
        last = [got.message["text"] for got in receiver.got[2 * MOST + 1 :]]
    assert len(last) == 2
    assert [("2 node.down" in each, "5 ddns.failed" in each) for each in last] == [
        (True, False),
        (False, True),
    ]


def test_a_window_counts_from_its_first_message() -> None:
    now, window = datetime.now(UTC), Window()
    assert [window.admit("a", now) for _ in range(MOST + 2)] == [True] * MOST + [False] * 2
    assert not window.is_due(now + PERIOD - timedelta(seconds=1))
    assert window.is_due(now + PERIOD)
    assert window.summed(now + PERIOD)["count"] == 2
    assert not window.admit("a", now + PERIOD)
    assert Window(now, MOST, {}).admit("a", now + PERIOD)


async def test_a_refusing_chat_is_retried_and_a_gone_one_disabled(
    site: Site, make: Any, pool: asyncpg.Pool, admin: httpx.AsyncClient
) -> None:
    status = 500

    def decide(_: Got) -> Reply:
        return Reply(status)

    async with Receiver(decide).serving() as receiver:
        made = await make("/notifications", name="chat", kind="mattermost", url=receiver.url)
        path = f"/notifications/{made['id']}"
        assert (await admin.post(f"{path}/test")).json()["state"] == "pending"
        await site.deliver()
        assert await site.deliveries() == [("notification.test", "failed", 1)]
        status = 410
        await pool.execute("update webhook_delivery set next_attempt_at = now()")
        await site.deliver()
    assert await site.deliveries() == [("notification.test", "dead", 2)]
    shown = (await admin.get(path)).json()
    assert (shown["enabled"], shown["disabled_reason"]) == (False, "the endpoint answered 410 Gone")
    trail = (await admin.get(f"/audit?object_id={made['id']}")).json()["items"]
    assert [(entry["action"], entry["token_name"]) for entry in trail] == [
        ("updated", "worker"),
        ("created", "root"),
    ]
    listed = (await admin.get(f"{path}/deliveries")).json()["items"]
    assert [(row["notification_id"], row["webhook_id"]) for row in listed] == [(made["id"], None)]
    assert (await admin.post(f"{path}/test")).status_code == 409
    assert (await admin.post(f"/deliveries/{listed[0]['id']}/redeliver")).status_code == 409
    inbox = (await admin.get("/dashboard/inbox")).json()["dead_deliveries"]["items"]
    assert [row["url"] for row in inbox] == [receiver.url]
    assert (await admin.delete(path)).status_code == 204
    assert await pool.fetchval("select count(*) from webhook_delivery") == 0


async def test_closed_destinations_are_closed_to_notifications(
    site: Site, make: Any, pool: asyncpg.Pool
) -> None:
    """The guard judges when the connection is opened."""
    sender = NotificationSender(pool, Guard())
    async with Receiver().serving() as receiver:
        made = await make("/notifications", name="host", kind="slack", url=receiver.url)
        await pool.execute(
            "insert into webhook_delivery (id, notification_no, event, payload) select gen_random_uuid(), no, $2, $3"
            " from notification where id = $1",
            made["id"], "node.down", {"type": "node.down", "timestamp": "t", "data": NODE},
        )  # fmt: skip
        while await sender.step():
            pass
        assert receiver.got == []
    await sender.close()
    assert "outbound_allow" in await pool.fetchval("select last_error from webhook_delivery")
