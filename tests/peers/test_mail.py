"""Notifications by mail through a real SMTP server: with and without TLS, logins, refusals, headers."""

from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import msgspec
import pytest
from peers.mail_server import DESK, DOMAIN, NOC, PASSWORD, SENDER, MailPeer, chasquid
from workers.site import LOOPBACK, Site

from ipam_core.outbound.guard import Guard
from ipam_core.outbound.mail import MailServer
from ipam_core.services import events
from ipam_core.workers.notification_sender import NotificationSender
from ipam_core.workers.webhook_sender import Timing

pytestmark = [pytest.mark.peers, pytest.mark.peer("chasquid")]

UNKNOWN = f"nobody@{DOMAIN}"
NODE = {
    "node_id": "1",
    "name": "dhcp-a",
    "role": "dhcp",
    "version": "1",
    "state": "ready",
    "silent_seconds": 31,
}


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MailPeer]:
    with chasquid(tmp_path_factory.mktemp("chasquid")) as found:
        yield found


@pytest.fixture
def server(peer: MailPeer) -> MailServer:
    """The settings of a login by STARTTLS."""
    for each in (peer.folder / "mail").iterdir():
        each.unlink()
    return MailServer(
        host="127.0.0.1", port=peer.starttls, security="starttls", ca=peer.ca, user=SENDER,
        password_file=peer.password, sender=SENDER,
    )  # fmt: skip


class Mailing:
    """A site whose worker sends mail by some settings."""

    def __init__(self, site: Site, pool: asyncpg.Pool, admin: httpx.AsyncClient) -> None:
        self.site, self.pool, self.admin = site, pool, admin

    async def send(self, server: MailServer, *recipients: str, **fields: Any) -> dict[str, Any]:
        """Test a notification once, and return its delivery."""
        body = {"name": "noc", "kind": "mail", "recipients": recipients} | fields
        answer = await self.admin.post("/notifications", json=body)
        assert answer.status_code == 201, answer.text
        sent = await self.admin.post(f"/notifications/{answer.json()['id']}/test")
        return await self.step(server, sent.json()["id"])

    async def step(self, server: MailServer, id_: str) -> dict[str, Any]:
        """Send what is due, and return the delivery. Nothing is due again before the test ends: an attempt at a silent
        server lasts longer than the pause before a second one."""
        guard = Guard([LOOPBACK], mail=server, public_url="https://ipam.example.net")
        sender = NotificationSender(self.pool, guard, Timing(retries=(3600.0,)))
        while await self.site.webhook_events.step():
            pass
        while await sender.step():
            pass
        await sender.close()
        found: dict[str, Any] = (await self.admin.get(f"/deliveries/{id_}")).json()
        return found


@pytest.fixture
def mailing(site: Site, pool: asyncpg.Pool, admin: httpx.AsyncClient) -> Mailing:
    return Mailing(site, pool, admin)


async def test_a_mail_arrives_with_proper_headers(
    peer: MailPeer, server: MailServer, mailing: Mailing
) -> None:
    name = "n\u00f6c\u202e" + "x" * 200
    sent = await mailing.send(server, NOC, DESK, name=name)
    assert (sent["state"], sent["response_status"], sent["last_error"]) == ("delivered", 250, None)
    mails = await peer.until(2)
    assert {mail["Message-ID"] for mail in mails} == {f"<{sent['id']}@{DOMAIN}>"}
    mail = mails[0]
    assert mail["Subject"].startswith("This is a test of the notification n\u00f6c x")
    assert mail["From"].addresses[0].addr_spec == SENDER
    assert [each.addr_spec for each in mail["To"].addresses] == [NOC, DESK]
    assert abs((datetime.now(UTC) - parsedate_to_datetime(mail["Date"])).total_seconds()) < 60
    assert mail["Auto-Submitted"] == "auto-generated"
    assert (mail.get_content_type(), mail.get_content_charset()) == ("text/plain", "utf-8")
    lines = mail.get_content().splitlines()
    assert lines[0].startswith("This is a test of the notification n\u00f6c x")
    assert lines[-1] == "https://ipam.example.net/console/audit"


async def test_no_name_of_an_object_becomes_a_header(
    peer: MailPeer, server: MailServer, mailing: Mailing, pool: asyncpg.Pool
) -> None:
    await mailing.site.webhook_events.step()
    body = {"name": "noc", "kind": "mail", "recipients": [NOC]}
    assert (await mailing.admin.post("/notifications", json=body)).status_code == 201
    name = "dhcp\r\nBcc: desk@example.net\r\n\r\n.\r\nQUIT\u2028"
    async with pool.acquire() as connection:
        await events.record(connection, "node.down", NODE | {"name": name}, None)
    while await mailing.site.webhook_events.step():
        pass
    id_ = str(await pool.fetchval("select id from webhook_delivery"))
    assert (await mailing.step(server, id_))["state"] == "delivered"
    (mail,) = await peer.until(1)
    assert mail["Bcc"] is None
    assert mail["Subject"] == (
        "Critical: The DHCPv4 server dhcp  Bcc: desk@example.net    .  QUIT  is down: no heartbeat for 31 seconds."
    )


@pytest.mark.parametrize("way", ["tls", "none"])
async def test_other_ways_to_connect(peer: MailPeer, server: MailServer, mailing: Mailing, way: str) -> None:
    """TLS from the first octet, and neither TLS nor login as on a relay of the site."""
    port = {"tls": peer.tls, "none": peer.plain}[way]
    login = {} if way == "tls" else {"user": None, "password_file": None}
    sent = await mailing.send(msgspec.structs.replace(server, port=port, security=way, **login), NOC)
    assert sent["state"] == "delivered", sent["last_error"]
    assert len(await peer.until(1)) == 1


async def test_a_server_that_cannot_be_trusted_or_reached_gets_no_mail(
    peer: MailPeer, server: MailServer, mailing: Mailing, tmp_path: Path
) -> None:
    """It is tried again later; the reason is in the delivery."""
    wrong = tmp_path / "wrong"
    wrong.write_text("x")
    for number, (changed, reason) in enumerate(
        (
            ({"ca": None}, "certificate verify failed"),
            ({"password_file": wrong}, "the SMTP server refused the login (535)"),
            ({"password_file": tmp_path / "none"}, "smtp_password_file"),
            ({"port": peer.tls}, "127.0.0.1"),
            ({"host": None}, "no SMTP server is configured"),
        )
    ):
        sent = await mailing.send(msgspec.structs.replace(server, **changed), NOC, name=str(number))
        assert (sent["state"], sent["attempts"]) == ("failed", 1), changed
        assert reason in sent["last_error"], sent["last_error"]
        assert PASSWORD not in str(sent)
    assert peer.received() == []
    unverified = msgspec.structs.replace(server, ca=None, verify=False)
    assert (await mailing.send(unverified, NOC, name="unverified"))["state"] == "delivered"


async def test_refused_recipients(peer: MailPeer, server: MailServer, mailing: Mailing) -> None:
    """One of two is named in the response; if there is no other one, no attempt would help."""
    sent = await mailing.send(server, NOC, UNKNOWN)
    assert (sent["state"], sent["response"]) == ("delivered", f"not accepted: {UNKNOWN} (550)")
    sent = await mailing.send(server, UNKNOWN, name="nobody")
    assert (sent["state"], sent["attempts"], sent["response_status"]) == ("dead", 1, 550)
    assert sent["last_error"] == "the SMTP server refused all recipients (550)"
    assert len(await peer.until(1)) == 1


async def test_a_second_attempt_bears_the_same_message_id(
    peer: MailPeer, server: MailServer, mailing: Mailing
) -> None:
    sent = await mailing.send(server, NOC)
    assert (await mailing.admin.post(f"/deliveries/{sent['id']}/redeliver")).status_code == 200
    assert (await mailing.step(server, sent["id"]))["state"] == "delivered"
    assert {mail["Message-ID"] for mail in await peer.until(2)} == {f"<{sent['id']}@{DOMAIN}>"}


async def test_tenants_write_to_listed_domains_only(
    peer: MailPeer, server: MailServer, mailing: Mailing, make: Any, pool: asyncpg.Pool
) -> None:
    """The worker judges too: the setting may be another one when a mail is sent. No words of the server are shown."""
    tenant = await make("/tenants", name="acme")
    sent = await mailing.send(server, NOC, tenant_id=tenant["id"])
    assert (sent["state"], sent["response"]) == ("delivered", None)
    await pool.execute("update notification set by_tenant = true")
    await mailing.admin.post(f"/deliveries/{sent['id']}/redeliver")
    sent = await mailing.step(server, sent["id"])
    assert sent["state"] == "dead"
    assert f"tenants may not send mail to {DOMAIN}" in sent["last_error"]
    await mailing.admin.post(f"/deliveries/{sent['id']}/redeliver")
    listed = msgspec.structs.replace(server, domains=(DOMAIN,))
    assert (await mailing.step(listed, sent["id"]))["state"] == "delivered"
