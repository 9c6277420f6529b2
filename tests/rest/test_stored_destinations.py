"""Destinations that no connection may reach are refused when they are stored: literals in any notation and the names
of this host itself. What other names mean is judged when a connection is opened (tests/outbound/test_guard.py)."""

import itertools
from collections.abc import Callable
from ipaddress import ip_network
from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.outbound.mail import MailServer
from ipam_core.settings import Settings

HERE = [
    "127.0.0.1",
    "127.9.9.9",
    "[::1]",
    "[::]",
    "0.0.0.0",
    "2130706433",
    "0x7f.1",
    "\u2460\u2461\u2466.\u24ea.\u24ea.\u2460",  # circled digits
    "127\u30020\u30020\u30021",  # ideographic full stops
    "\uff4c\uff4f\uff43\uff41\uff4c\uff48\uff4f\uff53\uff54",  # fullwidth letters
    "0177.0.0.1",
    "127.1",
    "0",
    "[::ffff:127.0.0.1]",
    "localhost",
    "LOCALHOST.",
    "hooks.localhost",
    "ip6-localhost",
]
SPECIAL = ["169.254.169.254", "[fe80::1]", "224.0.0.1", "2852039166", "0xa9fea9fe", "[fd00:ec2::254]"]
PRIVATE = ["10.1.2.3", "192.168.1.1", "[fd12::1]", "167837955"]
OUTSIDE = ["203.0.113.9", "[2001:db8::9]", "hooks.example.net", "1e3.example", "10.example.net"]


@pytest.fixture
def settings() -> Settings:
    return Settings(rate_limit=0, token_rate_limit=0, outbound_allow=(ip_network("127.77.0.0/16"),))


@pytest.fixture
async def of_tenant(connect: Callable[..., httpx.AsyncClient], make: Any) -> Any:
    tenant = await make("/tenants", name="acme")
    token = await make("/tokens", name="acme", role="admin", tenant_id=tenant["id"])
    return connect(token["token"])


async def statuses(who: httpx.AsyncClient, hosts: list[str]) -> list[int]:
    return [(await who.post("/webhooks", json={"url": f"http://{host}/hook"})).status_code for host in hosts]


async def test_webhooks(
    admin: httpx.AsyncClient, of_tenant: httpx.AsyncClient, make: Any, refused: Any
) -> None:
    closed = HERE + SPECIAL
    assert await statuses(admin, closed) == [422] * len(closed)
    assert await statuses(of_tenant, closed + PRIVATE) == [422] * len(closed + PRIVATE)
    assert await statuses(admin, PRIVATE + OUTSIDE) == [201] * len(PRIVATE + OUTSIDE)
    assert await statuses(of_tenant, OUTSIDE) == [201] * len(OUTSIDE)
    answer = await admin.post("/webhooks", json={"url": "http://169.254.169.254/latest"})
    assert refused(answer, 422, "validation_error")["field"] == "url"
    assert "169.254.169.254 is a link-local" in answer.json()["error"]["message"]


async def test_notifications(
    admin: httpx.AsyncClient, of_tenant: httpx.AsyncClient, app: Any, refused: Any
) -> None:
    """Their URLs as those of webhooks; mail of a tenant goes to listed domains only."""

    async def create(who: httpx.AsyncClient, **fields: Any) -> httpx.Response:
        return await who.post("/notifications", json={"name": f"n{next(numbers)}"} | fields)

    numbers = itertools.count()
    for host in HERE + SPECIAL:
        answer = await create(admin, kind="slack", url=f"http://{host}/hook")
        assert refused(answer, 422, "validation_error")["field"] == "url"
    for host in PRIVATE:
        assert (await create(admin, kind="slack", url=f"http://{host}/hook")).status_code == 201
        assert (await create(of_tenant, kind="slack", url=f"http://{host}/hook")).status_code == 422
    mail = {"kind": "mail", "recipients": ["noc@example.net"]}
    assert (await create(admin, **mail)).status_code == 201
    answer = await create(of_tenant, **mail)
    assert refused(answer, 422, "validation_error")["field"] == "recipients[0]"
    assert "smtp_tenant_domains" in answer.json()["error"]["message"]
    app.authenticator.outbound.mail = MailServer(domains=("example.net",))
    made = await create(of_tenant, **mail)
    assert made.status_code == 201
    item = f"/notifications/{made.json()['id']}"
    assert (await of_tenant.patch(item, json={"recipients": ["noc@other.example"]})).status_code == 422
    assert (
        await of_tenant.patch(item, json={"kind": "slack", "url": "https://a.example/"})
    ).status_code == 422
    changed = {"kind": "slack", "url": "https://a.example/", "recipients": []}
    assert (await of_tenant.patch(item, json=changed)).status_code == 200


async def test_who_wrote_a_notification_stays_who_wrote_its_destination(
    admin: httpx.AsyncClient, of_tenant: httpx.AsyncClient, app: Any, pool: asyncpg.Pool
) -> None:
    """Whoever edits another field neither vouches for its destination nor is judged by it."""
    app.authenticator.outbound.mail = MailServer(domains=("acme.example",))
    by_tenant = "select by_tenant from notification where id = $1"
    for name, fields in {
        "mail": {"kind": "mail", "recipients": ["noc@acme.example", "desk@acme.example"]},
        "chat": {"kind": "slack", "url": "https://hooks.example.net/x"},
    }.items():
        made = (await of_tenant.post("/notifications", json={"name": name, **fields})).json()
        edited = await admin.patch(f"/notifications/{made['id']}", json={"description": "checked"})
        assert edited.status_code == 200, edited.text
        assert await pool.fetchval(by_tenant, made["id"]) is True
        vouched = await admin.patch(
            f"/notifications/{made['id']}",
            json={"kind": "mail", "url": None, "recipients": ["boss@acme.example"]},
        )
        assert vouched.status_code == 200, vouched.text
        assert await pool.fetchval(by_tenant, made["id"]) is False
    lists = {"name": "far", "kind": "mail", "recipients": ["noc@example.net"], "tenant_id": made["tenant_id"]}
    far = (await admin.post("/notifications", json=lists)).json()
    paused = await of_tenant.patch(f"/notifications/{far['id']}", json={"enabled": False, "name": "quiet"})
    assert paused.status_code == 200, paused.text
    assert await pool.fetchval(by_tenant, far["id"]) is False
    more = {"recipients": ["noc@example.net", "noc@acme.example"]}
    assert (await of_tenant.patch(f"/notifications/{far['id']}", json=more)).status_code == 422


@pytest.mark.parametrize(
    "address", ["x%evil.example@acme.example", "x!evil@acme.example", "x@evil.example@acme.example"]
)
async def test_no_mail_is_routed_on_by_its_recipient(
    of_tenant: httpx.AsyncClient, app: Any, refused: Any, address: str
) -> None:
    """Some servers send it to the domain within the part before the last @."""
    app.authenticator.outbound.mail = MailServer(domains=("acme.example",))
    answer = await of_tenant.post(
        "/notifications", json={"name": "n", "kind": "mail", "recipients": ["noc@acme.example", address]}
    )
    assert refused(answer, 422, "validation_error")["field"] == "recipients[1]"


async def test_a_change_is_judged_and_exceptions_hold(
    admin: httpx.AsyncClient, of_tenant: httpx.AsyncClient, make: Any, refused: Any
) -> None:
    """Also on behalf of a tenant; a stored destination that is not changed is not judged again."""
    for who in (admin, of_tenant):
        made = (await who.post("/webhooks", json={"url": "https://127.77.0.1/hook"})).json()
        moved = await who.patch(f"/webhooks/{made['id']}", json={"url": "https://127.78.0.1/hook"})
        assert refused(moved, 422, "validation_error")["field"] == "url"
        assert (await who.patch(f"/webhooks/{made['id']}", json={"enabled": False})).status_code == 200
    answer = await admin.post(
        "/bulk",
        json={
            "operations": [
                {"op": "update", "path": f"/webhooks/{made['id']}", "body": {"url": "http://[::1]/"}}
            ]
        },
    )
    assert refused(answer, 422, "validation_error")["field"] == "url"


async def test_dns_servers(
    settings: Settings, admin: httpx.AsyncClient, of_tenant: httpx.AsyncClient, make: Any, refused: Any
) -> None:
    """An operator's DNS server, which is a zone's secondary too, may be on this host; a tenant's may not."""

    async def add(who: httpx.AsyncClient, name: str, **fields: Any) -> httpx.Response:
        return await who.post("/dns-servers", json={"name": name, **fields})

    for at, address in enumerate(("127.0.0.1", "10.0.0.53", "localhost")):
        assert (await add(admin, f"n{at}", adapter="bind_tsig", address=address)).status_code == 201
        answer = await add(of_tenant, f"n{at}", adapter="bind_tsig", address=address)
        assert refused(answer, 422, "validation_error")["field"] == "address"
    for who in (admin, of_tenant):
        answer = await add(who, "m", adapter="bind_tsig", address="169.254.169.254")
        assert refused(answer, 422, "validation_error")["field"] == "address"
        url = "http://169.254.169.254:8081"
        answer = await add(who, "p", adapter="powerdns_http", url=url, secret="x")
        assert refused(answer, 422, "validation_error")["field"] == "url"
    answer = await add(
        admin, "db", adapter="powerdns_http", url=f"http://127.0.0.1:{settings.api_listen.port}", secret="x"
    )
    assert refused(answer, 422, "validation_error")["field"] == "url"
    assert "a service of this host" in answer.json()["error"]["message"]
    server = await make("/dns-servers", name="ok", adapter="bind_tsig", address="ns1.example.net")
    moved = await admin.patch(f"/dns-servers/{server['id']}", json={"address": "169.254.1.1"})
    assert refused(moved, 422, "validation_error")["field"] == "address"
