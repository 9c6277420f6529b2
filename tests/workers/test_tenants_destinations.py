"""What admins of one tenant can make the service connect to, by every way, and what they see of the answer."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import asyncpg
import httpx
import pytest
from litestar import Litestar
from outbound.hostile import Latency
from workers.conftest import BASE
from workers.receiver import SECRET
from workers.site import LOOPBACK

from api.app import create_app
from api.http.gate import Gate
from ipam_core.outbound.guard import Guard
from ipam_core.secrets import Keyring
from ipam_core.settings import Settings
from ipam_core.workers.ddns_sender import DdnsSender
from ipam_core.workers.webhook_sender import WebhookSender

PLANTED = "INTERNAL-SECRET-FROM-LOOPBACK"
HOSTS = ("127.0.0.1", "localhost", "2130706433", "0x7f.1", "127.1", "0.0.0.0")
URL_HOSTS = (*HOSTS, "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "me:pw@127.0.0.1")
TSIG = {"key_name": "k", "secret": "c2VjcmV0"}


class Canary:
    """A service on loopback that nobody but the host should reach; it answers HTTP with a secret."""

    def __init__(self) -> None:
        self.port = 0
        self.touched = 0
        self.answer: Callable[[str], bytes] = lambda _: planted(401, {"detail": PLANTED, "error": PLANTED})

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["Canary"]:
        async with await asyncio.start_server(self.serve, "127.0.0.1", 0) as server:
            self.port = server.sockets[0].getsockname()[1]
            yield self

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.touched += 1
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            writer.write(self.answer(head.decode("latin-1")))
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        writer.close()


def planted(status: int, body: Any, *headers: str) -> bytes:
    content = json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status} {PLANTED}", f"x-more: {PLANTED}", "content-type: application/json", *headers]
    return "\r\n".join([*lines, f"content-length: {len(content)}", "", ""]).encode() + content


@pytest.fixture
async def canary() -> AsyncIterator[Canary]:
    async with Canary().serving() as serving:
        yield serving


@pytest.fixture(params=["another tenant", "the default tenant"])
async def tenant(request: pytest.FixtureRequest, make: Any, admin: httpx.AsyncClient) -> dict[str, Any]:
    """A tenant and a token that is limited to it: one of the default tenant is the operator's no more than others."""
    if request.param == "another tenant":
        tenant = await make("/tenants", name="b", dns_suffixes=["lab.example"])
    else:
        (tenant,) = (await admin.get("/tenants", params={"is_default": True})).json()["items"]
    token = await make("/tokens", name="b", role="admin", tenant_id=tenant["id"])
    return {"id": tenant["id"], "token": token["token"]}


Asking = Callable[..., Any]


@pytest.fixture
async def ask(
    tenant: dict[str, Any], pool: asyncpg.Pool, keyring: Keyring, routes: Litestar, admin: httpx.AsyncClient
) -> Asking:
    """Requests of the tenant's admin; `guard` is what the settings permit."""

    closed, limits = Guard(), Settings(rate_limit=0, token_rate_limit=0)

    @cache
    def app_of(guard: Guard) -> Gate:
        app = create_app(limits, pool, sealer=keyring, routes=routes, guard=guard)
        app.authenticator.outbound = None  # stored as before that was judged
        return app

    async def asked(method: str, path: str, body: Any = None, guard: Guard | None = None) -> httpx.Response:
        app = app_of(guard or closed)
        transport = httpx.ASGITransport(app, client=("127.0.0.1", 40000))  # type: ignore[arg-type]  # ASGI typed its own way
        headers = {"authorization": f"Bearer {tenant['token']}"}
        async with httpx.AsyncClient(
            transport=transport, base_url=BASE, headers=headers, timeout=60
        ) as client:
            return await client.request(method, path, json=body)

    return asked


async def made(ask: Asking, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = await ask("POST", path, body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


# --- where they may go


@pytest.mark.parametrize("host", [*URL_HOSTS, "10.0.0.1", "169.254.169.254", "[fd00::1]", "[64:ff9b::a00:1]"])
async def test_netbox(ask: Asking, canary: Canary, host: str) -> None:
    for way in ("import", "export"):
        body = {"url": f"http://{host}:{canary.port}", "token": "nbt_a.b", "dry_run": True}
        answer = await ask("POST", f"/netbox/{way}", body)
        assert answer.status_code == 422, answer.text
        assert answer.json()["error"]["details"]["field"] == "url"
        assert PLANTED not in answer.text
    assert canary.touched == 0


@pytest.mark.parametrize("host", [*HOSTS, "10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "fe80::1%lo"])
@pytest.mark.parametrize("adapter", ["bind_tsig", "powerdns_http"])
async def test_dns_servers(ask: Asking, canary: Canary, adapter: str, host: str) -> None:
    """Tried, reconciled, and sent updates to."""
    shown = f"[{host}]" if ":" in host else host
    where: dict[str, Any] = {"address": host, "port": canary.port, **TSIG}
    if adapter == "powerdns_http":
        where = {"url": f"http://{shown}:{canary.port}/", "secret": "APIKEY"}
    server = await ask("POST", "/dns-servers", {"name": "ns", "adapter": adapter, **where})
    if server.status_code == 422:  # an address of the link cannot be part of a URL
        return
    zone = {"name": "lab.example", "dns_server_id": server.json()["id"]}
    zone = await made(ask, "/dns-zones", zone)
    tested = await ask("POST", f"/dns-servers/{server.json()['id']}/test")
    assert not tested.json()["ok"]
    assert "connections there are blocked" in tested.text or "cannot be resolved" in tested.text
    reconciled = await ask("POST", f"/dns-zones/{zone['id']}/reconcile", {})
    assert reconciled.status_code == 503, reconciled.text
    assert canary.touched == 0


async def test_updates_of_the_worker(
    ask: Asking, canary: Canary, pool: asyncpg.Pool, keyring: Keyring
) -> None:
    for adapter, where in (
        ("bind_tsig", {"address": "127.0.0.1", "port": canary.port, **TSIG}),
        ("powerdns_http", {"url": f"http://localhost:{canary.port}", "secret": "APIKEY"}),
    ):
        server = await made(ask, "/dns-servers", {"name": adapter, "adapter": adapter, **where})
        await pool.execute(
            "insert into ddns_update (id, tenant_no, dns_server_no, action, ip, fqdn, forward_zone, ttl, identities,"
            " adapter, conflict_mode, source) select gen_random_uuid(), tenant_no, no, 'add', '10.0.0.1'::inet + no,"
            " adapter, 'a', 600, '{}', adapter, 'no_check_without_dhcid', 'lease' from dns_server where id = $1",
            server["id"],
        )
    sender = DdnsSender(pool, keyring.open, Guard())
    while await sender.step():
        pass
    await sender.close()
    rows = await pool.fetch("select state, last_error from ddns_update")
    assert len(rows) == 2
    assert all("connections there are blocked" in row["last_error"] for row in rows), rows
    assert canary.touched == 0


@pytest.mark.parametrize("host", [*URL_HOSTS[:-1], "10.0.0.1", "[fd00::1]"])
async def test_webhooks(ask: Asking, canary: Canary, pool: asyncpg.Pool, keyring: Keyring, host: str) -> None:
    hook = await made(ask, "/webhooks", {"url": f"http://{host}:{canary.port}/", "secret": SECRET})
    await ask("POST", f"/webhooks/{hook['id']}/test")
    sender = WebhookSender(pool, keyring.open, Guard())
    while await sender.step():
        pass
    await sender.close()
    said = await pool.fetchval("select last_error from webhook_delivery")
    assert "connections there are blocked" in said or "cannot be resolved" in said, said
    assert canary.touched == 0


@pytest.mark.parametrize("by_bulk", [False, True])
async def test_who_wrote_the_destination_counts(
    ask: Asking,
    admin: httpx.AsyncClient,
    pool: asyncpg.Pool,
    tenant: dict[str, Any],
    by_bulk: bool,
) -> None:
    """A tenant's admin who moves the operator's server takes its reach away; the operator's next address gives it back,
    and a change of something else does neither."""

    async def change(as_operator: bool, path: str, body: dict[str, Any]) -> None:
        if by_bulk:
            body = {"operations": [{"op": "update", "path": path, "body": body}]}
        method, path = ("POST", "/bulk") if by_bulk else ("PATCH", path)
        answer = await (admin.request(method, path, json=body) if as_operator else ask(method, path, body))
        assert answer.status_code == 200, answer.text

    answer = await admin.post(
        "/dns-servers",
        json={"name": "ns", "adapter": "bind_tsig", "address": "ns.example", "tenant_id": tenant["id"]},
    )
    path = f"/dns-servers/{answer.json()['id']}"
    for as_operator, body, by_tenant in (
        (False, {"description": "x"}, False),
        (False, {"port": 5353}, True),
        (True, {"description": "y"}, True),
        (True, {"port": 54}, True),
        (True, {"address": "ns2.example"}, False),
        (False, {"address": "ns2.example"}, False),
        (False, {"address": "127.0.0.1"}, True),
    ):
        await change(as_operator, path, body)
        assert await pool.fetchval("select by_tenant from dns_server") == by_tenant, body
    hook = await admin.post("/webhooks", json={"url": "http://a.example/", "tenant_id": tenant["id"]})
    path = f"/webhooks/{hook.json()['id']}"
    for as_operator, body, by_tenant in (
        (False, {"description": "x"}, False),
        (False, {"url": "http://10.0.0.1/"}, True),
        (True, {"enabled": False}, True),
        (True, {"url": "http://b.example/"}, False),
    ):
        await change(as_operator, path, body)
        assert await pool.fetchval("select by_tenant from webhook") == by_tenant, body


# --- what they see, where a setting lets them go there

LISTED = [LOOPBACK]


async def test_nothing_of_an_answer_is_shown(
    ask: Asking, canary: Canary, pool: asyncpg.Pool, keyring: Keyring
) -> None:
    """Neither its words nor its headers, reason or version; the status is."""
    shown: list[str] = []
    url = f"http://127.0.0.1:{canary.port}"
    server = await made(
        ask, "/dns-servers", {"name": "p", "adapter": "powerdns_http", "url": url, "secret": "k"}
    )
    zone = await made(ask, "/dns-zones", {"name": "lab.example", "dns_server_id": server["id"]})
    hook = await made(ask, "/webhooks", {"url": url, "secret": SECRET})
    answers = [
        planted(
            status, {"detail": PLANTED, "error": PLANTED, "netbox-version": PLANTED, PLANTED: ["x"]}, *headers
        )
        for status in (200, 302, 400, 401, 403, 404, 409, 422, 429, 500, 503)
        for headers in ((), (f"location: http://{PLANTED}/", "retry-after: 0"))
    ] + [
        planted(200, {"version": PLANTED, "rrsets": PLANTED}),
        planted(200, {"netbox-version": "3." + PLANTED}),
        planted(200, {"netbox-version": "4.1", "results": [PLANTED], "next": PLANTED}),
        planted(200, {"netbox-version": "4.1", "results": [], "next": f"http://x/?{PLANTED}=1"}),
        f"HTTP/1.1 {PLANTED}\r\n\r\n".encode(),
        f"{PLANTED}\r\n\r\n".encode(),
        f"HTTP/1.1 200 OK\r\ncontent-encoding: {PLANTED}\r\n\r\n".encode(),
    ]
    guard = Guard(LISTED)
    for answer in answers:
        canary.answer = lambda _, answer=answer: answer  # type: ignore[misc]  # the loop's own
        body = {"url": url, "token": "nbt_a.b", "dry_run": True}
        for path in ("/netbox/import", "/netbox/export"):
            shown.append((await ask("POST", path, body, guard)).text)
        shown.append((await ask("POST", f"/dns-servers/{server['id']}/test", None, guard)).text)
        shown.append((await ask("POST", f"/dns-zones/{zone['id']}/reconcile", {}, guard)).text)
    await pool.execute(
        "insert into ddns_update (id, tenant_no, dns_server_no, action, ip, fqdn, forward_zone, ttl, identities,"
        " adapter, conflict_mode, source) select gen_random_uuid(), tenant_no, no, 'add', '10.0.0.1', 'h.a', 'a',"
        " 600, '{}', adapter, 'no_check_without_dhcid', 'lease' from dns_server"
    )
    canary.answer = lambda _: answers[4]
    await ask("POST", f"/webhooks/{hook['id']}/test")
    senders = DdnsSender(pool, keyring.open, Guard(LISTED)), WebhookSender(pool, keyring.open, Guard(LISTED))
    for sender in senders:
        while await sender.step():
            pass
        await sender.close()
    for path in ("/ddns-updates", "/deliveries", f"/webhooks/{hook['id']}/deliveries"):
        shown.append((await ask("GET", path)).text)
    assert canary.touched > len(answers)
    assert [text for text in shown if PLANTED in text] == []
    assert "HTTP 400" in shown[-3]
    assert "answered 400" in shown[-2]
    tables = await pool.fetch("select response, last_error from webhook_delivery")
    assert [dict(row) for row in tables] == [{"response": None, "last_error": "answered 400"}]


async def test_a_hostile_powerdns_holds_up_nobody(ask: Asking, canary: Canary) -> None:
    """The review's bomb, and an answer that trickles: the API goes on meanwhile."""
    bomb = b"x" * 700_000
    url = f"http://127.0.0.1:{canary.port}"
    body = {"name": "p", "adapter": "powerdns_http", "url": url, "secret": "k"}
    server = await made(ask, "/dns-servers", body)
    guard = Guard(LISTED)
    for answer in (
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n" + bomb,
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n" + b"[" * 60_000,
        b"HTTP/1.1 200 OK\r\n\r\n" + b" " * 10_000_000,
    ):
        canary.answer = lambda _, answer=answer: answer  # type: ignore[misc]  # the loop's own
        async with Latency() as latency:
            tested = await ask("POST", f"/dns-servers/{server['id']}/test", None, guard)
        assert not tested.json()["ok"]
        assert latency.busiest < 0.5
