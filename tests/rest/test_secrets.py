"""Secrets are written and never come back: not by any GET, not in the audit trail, not in refusals or logs."""

import io
from collections.abc import Iterator
from typing import Any

import asyncpg
import httpx
import msgspec
import pytest
import structlog

from api.routes import HANDLERS
from ipam_core.secrets import Keyring
from ipam_core.settings import Settings

pytestmark = pytest.mark.own_database

SECRETS = {
    "tsig": "VFNJRy1TRUNSRVQtMTIzNA==",
    "password": "P4ssw0rd-Kerberos",
    "webhook": "whsec_" + "V2ViSG9va1NlY3JldA" * 2,
}
CHANGED = {"tsig": "Q0hBTkdFRC1UU0lHLTQ1Ng==", "webhook": "whsec_" + "Q2hhbmdlZFNlY3JldFgx" * 2}
LISTS = [path for handler in HANDLERS if "GET" in handler.http_methods for path in handler.paths]


@pytest.fixture
async def stored(admin: httpx.AsyncClient, make: Any, subnet: dict[str, Any]) -> dict[str, str]:
    """Ids by path parameter, of objects that have secrets; all of them written twice."""
    bind = await make(
        "/dns-servers", name="bind", adapter="bind_tsig", address="192.0.2.53", secret=SECRETS["tsig"]
    )
    kerberos = {"adapter": "ad_gsstsig", "address": "dc", "principal": "svc-dhcp"}
    await make("/dns-servers", name="ad", **kerberos, secret=SECRETS["password"])
    hook = await make("/webhooks", url="https://hooks.example/", secret=SECRETS["webhook"])
    await admin.patch(f"/dns-servers/{bind['id']}", json={"secret": CHANGED["tsig"], "port": 53})
    await admin.patch(f"/webhooks/{hook['id']}", json={"secret": CHANGED["webhook"]})
    await admin.post(f"/webhooks/{hook['id']}/test")
    return {"id": bind["id"], "webhook_id": hook["id"], "hook": hook["id"], "subnet_id": subnet["id"]}


def leaks(text: str) -> list[str]:
    spelled = [*SECRETS.values(), *CHANGED.values()]
    return [secret for secret in spelled if secret in text or secret.encode().hex() in text]


async def test_no_read_shows_a_secret(admin: httpx.AsyncClient, stored: dict[str, str]) -> None:
    for path in LISTS:
        for name in ("hook", "id", "webhook_id", "subnet_id"):
            target = path.replace("{id:str}", stored[name])
            target = target.replace("{webhook_id:str}", stored["webhook_id"])
            answer = await admin.get(target.replace("{subnet_id:str}", stored["subnet_id"]))
            assert not leaks(answer.text), path
    server = (await admin.get(f"/dns-servers/{stored['id']}")).json()
    assert server["has_secret"] is True
    assert "secret" not in server
    assert "secret" not in (await admin.get(f"/webhooks/{stored['hook']}")).json()


async def test_no_table_holds_a_secret_in_the_clear(stored: dict[str, str], pool: asyncpg.Pool) -> None:
    tables = await pool.fetch("select tablename from pg_tables where schemaname = 'public'")
    assert len(tables) > 20
    for table in tables:
        rows = await pool.fetch(f"select t::text as row from {table['tablename']} t")
        assert not [row for row in rows if leaks(row["row"])], table["tablename"]


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What the process would log, as the door sets it."""
    kept, lines = structlog.get_config(), io.StringIO()
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(lines))
    yield lines
    structlog.configure(**kept)


async def test_refusals_and_logs_keep_quiet(
    admin: httpx.AsyncClient, stored: dict[str, str], log: io.StringIO, pool: asyncpg.Pool
) -> None:
    secret = SECRETS["password"]
    for path, body in (
        ("/dns-servers", {"name": "x", "adapter": "bind_tsig", "address": "x", "secret": secret}),
        ("/dns-servers", {"name": "bind", "adapter": "embedded", "secret": secret}),
        ("/dns-servers", {"name": "x", "adapter": "embedded", "secret": secret, "extra": 1}),
        ("/dns-servers", {"name": "x", "adapter": "embedded", "secret": [secret]}),
        ("/webhooks", {"url": "https://x/", "secret": "whsec_" + secret}),
    ):
        answer = await admin.post(path, json=body)
        assert answer.status_code in (409, 422)
        assert not leaks(answer.text)
    await pool.execute("alter table dns_server rename to elsewhere")
    broken = await admin.post("/dns-servers", json={"name": "x", "adapter": "embedded", "secret": secret})
    assert broken.status_code == 500
    assert not leaks(broken.text)
    assert "API request" in log.getvalue()
    assert broken.headers["x-request-id"] in log.getvalue()
    assert not leaks(log.getvalue())


async def test_a_secret_stays_until_it_is_changed_or_cleared(
    admin: httpx.AsyncClient, stored: dict[str, str], pool: asyncpg.Pool, keyring: Keyring
) -> None:
    async def opened(name: str) -> str | None:
        row = await pool.fetchrow("select id, secret from dns_server where name = $1", name)
        return None if row["secret"] is None else keyring.open("dns_server", row["id"], row["secret"])

    item = f"/dns-servers/{stored['id']}"
    assert await opened("bind") == CHANGED["tsig"]
    assert await opened("ad") == SECRETS["password"]
    await admin.patch(item, json={"description": "x"})
    assert await opened("bind") == CHANGED["tsig"]
    cleared = await admin.patch(item, json={"secret": None})
    assert (cleared.status_code, cleared.json()["has_secret"]) == (200, False)
    assert await opened("bind") is None
    hook = await pool.fetchrow("select id, secret from webhook")
    assert keyring.open("webhook", hook["id"], hook["secret"]) == CHANGED["webhook"]


async def test_without_the_key_nothing_secret_is_written(
    admin: httpx.AsyncClient, stored: dict[str, str], keyring: Keyring, refused: Any
) -> None:
    """Another process may have rotated the key, whose new file is not here yet."""
    keyring.keys = {}
    keyring.path.unlink()
    body = {"name": "new", "adapter": "embedded", "secret": "x"}
    refused(await admin.post("/dns-servers", json=body), 503, "unavailable")
    assert (await admin.patch(f"/dns-servers/{stored['id']}", json={"description": "y"})).status_code == 200
    del body["secret"]
    assert (await admin.post("/dns-servers", json=body)).status_code == 201


def test_settings_know_where_the_key_is() -> None:
    plain = Settings()
    assert plain.secret_key_path == plain.data_dir / "secret.key"
    named = msgspec.structs.replace(plain, secret_key_file=plain.data_dir / "other")
    assert named.secret_key_path == plain.data_dir / "other"


@pytest.mark.parametrize(
    "change",
    [
        {"address": "203.0.113.9"},
        {"port": 5353},
        {"url": "http://evil.example/"},
        {"adapter": "embedded"},
        {"key_name": "another-key"},
        {"key_name": None},
        {"key_algorithm": "hmac-sha1"},
        {"server_id": "another"},
        {"realm": "EVIL.EXAMPLE"},
        {"principal": "someone"},
    ],
)
async def test_a_secret_is_not_sent_elsewhere_or_used_otherwise(
    admin: httpx.AsyncClient, make: Any, refused: Any, change: dict[str, Any]
) -> None:
    tsig = {"key_name": "k", "key_algorithm": "hmac-sha256", "secret": "c2VjcmV0"}
    made = await make("/dns-servers", name="n", adapter="bind_tsig", address="192.0.2.53", **tsig)
    item = f"/dns-servers/{made['id']}"
    assert refused(await admin.patch(item, json=change), 422, "validation_error")["field"] == "secret"
    operation = {"op": "update", "path": item, "body": change}
    answer = await admin.post("/bulk", json={"operations": [operation]})
    assert refused(answer, 422, "validation_error")["field"] == "secret"
    unmoved = await admin.patch(item, json={"address": "192.0.2.53", "description": "x"})
    assert unmoved.status_code == 200, unmoved.text
    again = await admin.patch(item, json=change | {"secret": "bmV3IQ=="})
    assert (again.status_code, again.json()["has_secret"]) == (200, True)
    cleared = await admin.patch(item, json={"port": 9953, "secret": None})
    assert (cleared.status_code, cleared.json()["has_secret"]) == (200, False)
    assert (await admin.patch(item, json={"port": 9954})).status_code == 200


async def test_only_admins_see_all_of_a_notifications_address(
    admin: httpx.AsyncClient, connect: Any, make: Any
) -> None:
    """Neither in the notification nor in the audit trail, the events and the inbox."""
    body = {"name": "chat", "kind": "slack", "url": "https://hooks.example/T0/s3cr3t?key=k3y"}
    made = await make("/notifications", **body)
    await admin.post(f"/notifications/{made['id']}/test")
    await admin.patch(f"/notifications/{made['id']}", json={"description": "x"})
    for role in ("viewer", "operator"):
        token = await make("/tokens", name=role, role=role)
        other = connect(token["token"])
        shown = (await other.get(f"/notifications/{made['id']}")).json()
        assert shown == (await admin.get(f"/notifications/{made['id']}")).json() | {
            "url": "https://hooks.example/"
        }
        for path in ("/notifications", "/events", "/deliveries", "/dashboard/inbox", "/dashboard", "/audit"):
            assert "s3cr3t" not in (await other.get(path)).text
        table = await other.get("/notifications", headers={"accept": "text/csv"})
        assert "hooks.example" in table.text
        assert "s3cr3t" not in table.text
        assert (await other.get("/notifications", params={"q": "s3cr3t"})).json()["items"] == []
    assert (await admin.get(f"/notifications/{made['id']}")).json()["url"] == body["url"]


async def test_only_admins_see_all_of_a_webhooks_address(
    admin: httpx.AsyncClient, connect: Any, make: Any
) -> None:
    made = await make("/webhooks", url="https://hooks.example:8443/T0/s3cr3t?key=k3y")
    for role in ("viewer", "operator"):
        token = await make("/tokens", name=role, role=role)
        other = connect(token["token"])
        shown = [
            (await other.get(f"/webhooks/{made['id']}")).json()["url"],
            (await other.get("/webhooks")).json()["items"][0]["url"],
        ]
        assert shown == ["https://hooks.example:8443/"] * 2
        table = await other.get("/webhooks", headers={"accept": "text/csv"})
        assert "s3cr3t" not in table.text
        assert (await other.get("/webhooks", params={"q": "s3cr3t"})).json()["items"] == []
    assert (await admin.get(f"/webhooks/{made['id']}")).json()["url"] == made["url"]
    assert len((await admin.get("/webhooks", params={"q": "hooks.example"})).json()["items"]) == 1
