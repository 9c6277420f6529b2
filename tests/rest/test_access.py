"""Getting in: the bootstrap from the host only, tokens that are good, tokens that are not."""

import asyncio
from collections.abc import Callable
from typing import Any

import asyncpg
import httpx
import pytest
from litestar import Litestar

from api.app import create_app
from api.http.forwarding import find_client
from api.http.gate import Gate
from api.http.refusal_log import Refusals
from ipam_core.model.token import new_secret
from ipam_core.services.failed_logins import FailedLogins
from ipam_core.setting_values import Endpoint
from ipam_core.settings import Settings, network

ADMIN = {"name": "root", "role": "admin"}


async def test_the_host_itself_may_do_everything_before_the_first_token(stranger: httpx.AsyncClient) -> None:
    made = await stranger.post("/prefixes", json={"cidr": "10.0.0.0/8"})
    assert made.status_code == 201
    assert (await stranger.get(f"/prefixes/{made.json()['id']}")).status_code == 200


STRANGERS = [
    ("192.0.2.7", {}),
    ("2001:db8::7", {}),
    ("::ffff:192.0.2.7", {}),
    ("127.0.0.1", {"x_forwarded_for": "127.0.0.1"}),
    ("127.0.0.1", {"forwarded": "for=127.0.0.1"}),
    ("127.0.0.1", {"x_real_ip": "127.0.0.1"}),
    ("127.0.0.1", {"host": "rebound.example"}),
    ("127.0.0.1", {"host": "127.0.0.1.evil.example:8080"}),
    ("127.0.0.1", {"host": ""}),
    ("127.0.0.1", {"host": "0.0.0.0:8080"}),
    ("127.0.0.1", {"origin": "http://evil.example"}),
    ("127.0.0.1", {"origin": "null"}),
]


async def test_nobody_else_may_do_anything_before_it(connect: Any, refused: Any) -> None:
    for peer, headers in STRANGERS:
        client = connect(peer=peer, **headers)
        refused(await client.post("/tokens", json=ADMIN), 403, "forbidden")
        refused(await client.post("/prefixes", json={"cidr": "10.0.0.0/8"}), 403, "forbidden")
        refused(await client.get("/prefixes"), 403, "forbidden")


NEIGHBOURS = [
    ("127.0.0.9", {}),
    ("::1", {"host": "[::1]:8080"}),
    ("::ffff:127.0.0.1", {}),
    ("127.0.0.1", {"host": "localhost:8080"}),
    ("127.0.0.1", {"host": "ipam.localhost", "origin": "http://ipam.localhost"}),
    ("127.0.0.1", {"origin": "http://127.0.0.1:8080"}),
]


async def test_names_of_this_host_are_taken(connect: Any) -> None:
    for peer, headers in NEIGHBOURS:
        assert (await connect(peer=peer, **headers).get("/prefixes")).status_code == 200


@pytest.mark.parametrize(
    ("extra", "field"),
    [({"role": "viewer"}, "role"), ({"expires_at": "2100-01-01T00:00:00Z"}, "expires_at")],
)
async def test_the_first_token_is_an_admins_for_ever(
    stranger: httpx.AsyncClient, extra: dict[str, str], field: str, refused: Any
) -> None:
    answer = await stranger.post("/tokens", json=ADMIN | extra)
    assert refused(answer, 422, "validation_error")["field"] == field


async def test_the_first_token_is_of_no_tenant(stranger: httpx.AsyncClient, refused: Any) -> None:
    tenant = (await stranger.get("/tenants")).json()["items"][0]
    answer = await stranger.post("/tokens", json=ADMIN | {"tenant_id": tenant["id"]})
    assert refused(answer, 422, "validation_error")["field"] == "tenant_id"


async def test_after_the_first_token_everybody_needs_one(
    stranger: httpx.AsyncClient, admin: httpx.AsyncClient, refused: Any
) -> None:
    for answer in (
        await stranger.get("/prefixes"),
        await stranger.get("/nothing"),
        await stranger.post("/tokens", json=ADMIN),
        await stranger.put("/prefixes"),
    ):
        refused(answer, 401, "unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"
    assert (await admin.get("/prefixes")).status_code == 200


async def test_the_bootstrap_does_not_come_back(
    stranger: httpx.AsyncClient, admin: httpx.AsyncClient, pool: asyncpg.Pool, refused: Any
) -> None:
    await pool.execute("update token set revoked_at = now()")
    refused(await stranger.get("/prefixes"), 401, "unauthorized")


async def test_unknown_expired_and_revoked_get_the_same_answer(
    connect: Any, make: Any, admin: httpx.AsyncClient, pool: asyncpg.Pool, refused: Any
) -> None:
    revoked = await make("/tokens", name="r", role="viewer")
    expired = await make("/tokens", name="e", role="viewer", expires_at="2100-01-01T00:00:00+02:00")
    assert expired["expires_at"] == "2099-12-31T22:00:00.000Z"
    assert (await connect(revoked["token"]).get("/prefixes")).status_code == 200
    assert (await admin.delete(f"/tokens/{revoked['id']}")).status_code == 204
    await pool.execute("update token set expires_at = now() where name = 'e'")
    bodies = set()
    for secret in (revoked["token"], expired["token"], new_secret(), "x", "", "é"):
        answer = await connect().get("/prefixes", headers=[(b"authorization", f"Bearer {secret}".encode())])
        refused(answer, 401, "unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"
        bodies.add(answer.json()["error"]["message"])
    assert len(bodies) == 1


NO_BEARERS = ["Basic cm9vdDp4", "{token}", "Token {token}", "Bearer {token}x", "Bearer  "]


async def test_only_bearer_tokens_count(connect: Any, admin_token: str, refused: Any) -> None:
    for header in NO_BEARERS:
        answer = await connect(authorization=header.format(token=admin_token)).get("/prefixes")
        refused(answer, 401, "unauthorized")


async def test_a_token_may_be_limited_to_networks(connect: Any, make: Any, refused: Any) -> None:
    made = await make("/tokens", name="x", role="viewer", allowed_cidrs=["192.0.2.0/24", "2001:db8::/32"])
    assert (await connect(made["token"], peer="192.0.2.9").get("/prefixes")).status_code == 200
    assert (await connect(made["token"], peer="2001:db8::9").get("/prefixes")).status_code == 200
    refused(await connect(made["token"], peer="192.0.3.9").get("/prefixes"), 403, "forbidden")
    forged = connect(made["token"], peer="192.0.3.9", x_forwarded_for="192.0.2.9")
    refused(await forged.get("/prefixes"), 403, "forbidden")


class TestTrustedProxies:
    @pytest.fixture
    def settings(self) -> Settings:
        return Settings(rate_limit=0, token_rate_limit=0, trusted_proxies=(network("127.0.0.1/32"),))

    async def test_a_trusted_proxy_says_who_is_remote(self, connect: Any, refused: Any) -> None:
        near = connect(x_forwarded_for="127.0.0.5")
        far = connect(x_forwarded_for="192.0.2.1")
        assert (await near.get("/prefixes")).status_code == 200
        refused(await far.get("/prefixes"), 403, "forbidden")


PROXIES = (network("10.0.0.0/8"), network("2001:db8::/32"))


XFF, FORWARDED, REAL = "x-forwarded-for", "forwarded", "x-real-ip"


@pytest.mark.parametrize(
    ("peer", "headers", "address", "local"),
    [
        ("192.0.2.1", {}, "192.0.2.1", False),
        ("127.0.0.1", {}, "127.0.0.1", True),
        ("fe80::7%eth0", {}, "fe80::7", False),
        ("127.0.0.1", {"via": "1.1 x"}, "127.0.0.1", False),
        ("192.0.2.1", {XFF: "127.0.0.1"}, "192.0.2.1", False),
        (None, {}, None, False),
        ("unix", {}, None, False),
    ],
)
def test_forwarding_headers_count_only_from_trusted_proxies(
    peer: str | None, headers: dict[str, str], address: str | None, local: bool
) -> None:
    client = find_client(peer, headers, PROXIES, XFF)
    assert (client.address and str(client.address), client.local) == (address, local)


@pytest.mark.parametrize(
    ("header", "value", "address"),
    [
        (XFF, "198.51.100.7", "198.51.100.7"),
        (XFF, "127.0.0.1, 198.51.100.7, 10.0.0.2", "198.51.100.7"),
        (XFF, "10.0.0.3, 10.0.0.2", "10.0.0.3"),
        (XFF, "192.0.2.9, 203.0.113.5:51234", "203.0.113.5"),
        (XFF, "192.0.2.9, [2001:db9::7]:51234", "2001:db9::7"),
        (XFF, "192.0.2.9, [2001:db9::7]", "2001:db9::7"),
        (XFF, "192.0.2.9, 2001:db9::7", "2001:db9::7"),
        (XFF, "::ffff:198.51.100.7", "198.51.100.7"),
        (XFF, "192.0.2.9, junk", None),
        (XFF, "192.0.2.9, unknown, 10.0.0.2", None),
        (XFF, "192.0.2.9, fe80::1%eth0", None),
        (XFF, "192.0.2.9,", None),
        (XFF, "", None),
        (XFF, "192.0.2.9, 203.0.113.5:51234:8", None),
        (FORWARDED, 'for="[2001:db9::7]:4711";proto=https, for=10.0.0.9', "2001:db9::7"),
        (FORWARDED, "for=192.0.2.9, proto=https; For=198.51.100.7:80", "198.51.100.7"),
        (FORWARDED, 'for=192.0.2.9, for="_hidden"', None),
        (FORWARDED, "for=192.0.2.9, for=unknown", None),
        (FORWARDED, "for=192.0.2.9, proto=https", None),
        (FORWARDED, "for=192.0.2.9, for=192.0.2.9;for=198.51.100.7", None),
        (FORWARDED, 'for="192.0.2.9, for=198.51.100.7', "198.51.100.7"),
        (FORWARDED, "for=192.0.2.9, for=198.51.100.7:_a", "198.51.100.7"),
        (REAL, "198.51.100.7", "198.51.100.7"),
        ("via", "1.1 x", None),
        ("x-forwarded-proto", "https", None),
    ],
)
@pytest.mark.parametrize("peer", ["10.0.0.1", "127.0.0.1", "2001:db8::1"])
def test_the_first_hop_that_is_no_proxy_is_the_client(
    peer: str, header: str, value: str, address: str | None
) -> None:
    trusted = (*PROXIES, network("127.0.0.1/32"))
    believed = header if header in (XFF, FORWARDED, REAL) else XFF
    client = find_client(peer, {header: value}, trusted, believed)
    assert (client.address and str(client.address), client.local) == (address, False)


@pytest.mark.parametrize(
    ("headers", "believed"),
    [
        ({}, XFF),
        ({"via": "1.1 x"}, XFF),
        ({"x-forwarded-proto": "https"}, XFF),
        ({XFF: "127.0.0.1, 203.0.113.5:51234"}, XFF),
        ({XFF: "127.0.0.1, unknown"}, XFF),
        ({XFF: "127.0.0.1", FORWARDED: "for=203.0.113.5"}, FORWARDED),
        ({XFF: "127.0.0.1"}, FORWARDED),
        ({XFF: "203.0.113.5", REAL: "127.0.0.1"}, XFF),
    ],
)
def test_a_proxy_on_this_host_makes_nobody_local_whom_it_does_not_name(
    headers: dict[str, str], believed: str
) -> None:
    assert not find_client("127.0.0.1", headers, (network("127.0.0.1/32"),), believed).local


class TestForgedAddresses:
    @pytest.fixture
    def settings(self) -> Settings:
        return Settings(rate_limit=3, token_rate_limit=0, trusted_proxies=PROXIES)

    async def test_an_unreadable_hop_forges_neither_networks_nor_the_limit(
        self, connect: Any, make: Any, pool: asyncpg.Pool, refused: Any
    ) -> None:
        made = await make("/tokens", name="x", role="admin", allowed_cidrs=["192.0.2.0/24"])
        for number in range(3):
            hidden = connect(made["token"], peer="10.0.0.1", x_forwarded_for=f"192.0.2.{number}, unknown")
            refused(await hidden.get("/prefixes"), 403, "forbidden")
        hidden = connect(made["token"], peer="10.0.0.1", x_forwarded_for="192.0.2.3, unknown")
        refused(await hidden.get("/prefixes"), 429, "rate_limited")
        seen = connect(made["token"], peer="10.0.0.1", x_forwarded_for="198.51.100.1, 192.0.2.9:51234")
        assert (await seen.post("/prefixes", json={"cidr": "10.9.0.0/16"})).status_code == 201
        found = await pool.fetchval("select remote_address from change order by no desc limit 1")
        assert str(found) == "192.0.2.9"

    async def test_several_lines_of_a_header_are_one_list(self, connect: Any, make: Any) -> None:
        made = await make("/tokens", name="x", role="viewer", allowed_cidrs=["192.0.2.0/24"])
        lines = [("x-forwarded-for", "192.0.2.9"), ("x-forwarded-for", "10.0.0.2")]
        answer = await connect(made["token"], peer="10.0.0.1").get("/prefixes", headers=lines)
        assert answer.status_code == 200, answer.text


class TestOwnAddress:
    @pytest.fixture
    def settings(self) -> Settings:
        return Settings(
            rate_limit=0,
            token_rate_limit=0,
            api_listen=Endpoint("192.0.2.10", 8080),
            trusted_proxies=(network("192.0.2.11/32"),),
        )

    async def ask(self, app: Gate, peer: str, path: str = "/tokens", **headers: str) -> httpx.Response:
        transport = httpx.ASGITransport(app, client=(peer, 40000))  # type: ignore[arg-type]
        base = "http://192.0.2.10:8080/api/v1"
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        async with httpx.AsyncClient(transport=transport, base_url=base, headers=named) as client:
            body = ADMIN if path == "/tokens" else {"cidr": "10.0.0.0/8"}
            return await client.post(path, json=body)

    async def test_the_host_makes_the_first_token_from_its_own_address(self, app: Gate, refused: Any) -> None:
        """Where the API does not listen on loopback, nothing else could (specification 5.2)."""
        for peer, headers in (
            ("192.0.2.7", {}),
            ("192.0.2.11", {}),
            ("192.0.2.11", {"x_forwarded_for": "192.0.2.10"}),
            ("192.0.2.10", {"x_forwarded_for": "192.0.2.10"}),
            ("192.0.2.10", {"via": "1.1 x"}),
            ("192.0.2.10", {"host": "rebound.example"}),
            ("192.0.2.10", {"origin": "http://evil.example"}),
        ):
            refused(await self.ask(app, peer, **headers), 403, "forbidden")
        refused(await self.ask(app, "192.0.2.10", "/prefixes"), 403, "forbidden")
        assert (await self.ask(app, "192.0.2.10")).status_code == 201


async def test_head_is_get_without_its_body(admin: httpx.AsyncClient, subnet: dict[str, Any]) -> None:
    root = "http://127.0.0.1:8080"
    paths = ["/prefixes", f"/subnets/{subnet['id']}", "/openapi.json", "/tokens/self", "/nothing", "/bulk"]
    for path in (*paths, f"{root}/docs", f"{root}/nothing"):
        for accept in ("application/json", "text/csv"):
            whole = await admin.get(path, headers={"accept": accept})
            head = await admin.head(path, headers={"accept": accept})
            assert (head.status_code, head.content) == (whole.status_code, b"")
            for name in ("content-type", "content-length", "etag", "vary", "allow"):
                if whole.status_code == 200:
                    assert head.headers.get(name) == whole.headers.get(name), (path, name)


async def test_refusals_are_logged(
    admin: httpx.AsyncClient, connect: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[dict[str, Any]] = []
    monkeypatch.setattr(
        "api.http.refusal_log.log.warning", lambda event, **told: lines.append(told), raising=False
    )
    viewer = await make("/tokens", name="x", role="viewer")
    wrong = new_secret()
    for answer, token in (
        (await connect(wrong, peer="192.0.2.7").get("/prefixes"), wrong[:14]),
        (await connect(peer="192.0.2.7", authorization="Bearer password").get("/prefixes"), None),
        (await connect(viewer["token"], peer="192.0.2.7").post("/prefixes", json={}), viewer["prefix"]),
    ):
        assert answer.status_code in (401, 403)
        told = lines.pop(0)
        assert (told["address"], told["token"]) == ("192.0.2.7", token)
        assert (told["status"], told["request_id"]) == (answer.status_code, answer.headers["x-request-id"])
    for _ in range(100):
        await connect().get("/prefixes")
    assert len(lines) < 60
    await admin.get("/nothing")
    assert not [line for line in lines if line["status"] == 404]


def test_a_flood_of_refusals_hides_no_other_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few lines of one source, of many sources and of very many; a known token is logged beside all of them."""
    lines: list[dict[str, Any]] = []
    monkeypatch.setattr(
        "api.http.refusal_log.log.warning",
        lambda event, **told: lines.append({"event": event} | told),
        raising=False,
    )
    now = [0.0]
    refusals = Refusals(lambda: now[0])
    for _ in range(10_000):
        refusals.note(401, {}, "192.0.2.1", known=False)
    assert len(lines) == 5
    refusals.note(401, {"address": "192.0.2.2"}, "192.0.2.2", known=False)
    assert lines[-1]["address"] == "192.0.2.2"
    for number in range(100_000):
        refusals.note(401, {}, f"2001:db8:{number % 50_000:x}::/64", known=False)
    shown = 300 + 60  # the first of each source that is told apart, and some more
    assert len(lines) == shown
    assert len(refusals.kinds[False].left_out) <= 300
    refusals.note(403, {"token": "known"}, "id", known=True)
    assert lines[-1]["token"] == "known"
    now[0] = 60.0
    refusals.note(429, {}, "192.0.2.1", known=False)
    told, last = lines[-2:]
    assert (told["event"], told["refusals"]) == ("refusals_left_out", 10_000 + 1 + 100_000 - shown)
    assert told["most"]["192.0.2.1"] == 9_995
    assert last == {"event": "refused", "status": 429, "code": "rate_limited"}


def test_few_repeat_their_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    monkeypatch.setattr(
        "api.http.refusal_log.log.warning", lambda event, **_: lines.append(event), raising=False
    )
    refusals = Refusals(lambda: 0.0)
    for number in range(1000):
        refusals.note(401, {}, str(number % 100), known=False)
    assert len(lines) == 100 + 60


async def test_failed_logins_are_in_the_audit_trail(
    app: Gate, pool: asyncpg.Pool, admin: httpx.AsyncClient, connect: Any, make: Any
) -> None:
    tenant = await make("/tenants", name="a")
    own = connect((await make("/tokens", name="own", role="admin", tenant_id=tenant["id"]))["token"])
    viewer = connect((await make("/tokens", name="viewer", role="viewer"))["token"])
    tokens = {
        name: await make(
            "/tokens", name=name, role="viewer", tenant_id=tenant["id"], allowed_cidrs=["10.0.0.0/8"]
        )
        for name in ("address", "revoked", "expired")
    }
    await admin.delete(f"/tokens/{tokens['revoked']['id']}")
    await pool.execute("update token set expires_at = now() where name = 'expired'")
    secrets = {name: token["token"] for name, token in tokens.items()} | {"unknown_token": new_secret()}
    for number, secret in enumerate(secrets.values(), 1):
        for _ in range(number):
            assert (await connect(secret, peer="192.0.2.7").get("/prefixes")).status_code in (401, 403)
    await connect().get("/prefixes")  # nothing was offered
    await viewer.post("/prefixes", json={})  # and this one is let in
    async with pool.acquire() as connection:
        await app.failed_logins.write(connection)
        await app.failed_logins.write(connection)
    found = (await admin.get("/audit", params={"object_type": "failed_login"})).json()["items"]
    assert {each["after"]["reason"]: (each["after"]["attempts"], each["token_name"]) for each in found} == {
        "address": (1, "address"), "revoked": (2, "revoked"), "expired": (3, "expired"), "unknown_token": (4, None),
    }  # fmt: skip
    assert {each["remote_address"] for each in found} == {"192.0.2.7"}
    assert {each["object_id"] for each in found} == {token["id"] for token in tokens.values()} | {"-"}
    shown = (await own.get("/audit", params={"object_type": "failed_login"})).json()["items"]
    assert {each["token_name"] for each in shown} == set(tokens)
    assert not [secret for secret in secrets.values() if secret[14:] in str(found)]
    assert "failed_login" not in (await viewer.get("/dashboard")).text
    assert "failed_login" not in (await viewer.get("/events")).text


async def test_failed_logins_are_written_while_the_service_runs(
    pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database that is away costs nothing that was counted."""
    monkeypatch.setattr("ipam_core.services.failed_logins.EVERY", 0.01)
    logins = FailedLogins()
    logins.note("192.0.2.1", "192.0.2.1", None, "r")
    await pool.execute("alter table change rename to elsewhere")
    async with pool.acquire() as connection:
        with pytest.raises(asyncpg.UndefinedTableError):
            await logins.write(connection)
    await pool.execute("alter table elsewhere rename to change")
    keeping = asyncio.create_task(logins.keep(pool))
    logins.note("192.0.2.1", "192.0.2.1", None, "r")
    found: list[asyncpg.Record] = []
    for _ in range(2000):
        await asyncio.sleep(0.01)
        if found := await pool.fetch("select after from change where object_type = 'failed_login'"):
            break
    keeping.cancel()
    assert [row["after"]["attempts"] for row in found] == [2]


@pytest.mark.parametrize(
    ("scheme", "seconds", "expected"),
    [
        ("https", 31_536_000, "max-age=31536000"),
        ("https", 60, "max-age=60"),
        ("https", 0, None),
        ("http", 60, None),
    ],
)
@pytest.mark.parametrize("path", ["/prefixes", "/nothing", "/docs"])
async def test_https_answers_bear_hsts(
    pool: asyncpg.Pool, routes: Litestar, scheme: str, seconds: int, expected: str | None, path: str
) -> None:
    app = create_app(Settings(api_hsts_seconds=seconds), pool, routes=routes)
    transport = httpx.ASGITransport(app)  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=transport, base_url=f"{scheme}://127.0.0.1:8080") as client:
        answer = await client.get(path if path == "/docs" else f"/api/v1{path}")
    assert answer.headers.get("strict-transport-security") == expected


async def test_failed_logins_are_bounded(pool: asyncpg.Pool) -> None:
    """In memory and in the trail, whatever strangers send; the most frequent are told."""
    logins = FailedLogins()
    for number in range(5000):
        logins.note(f"2001:db8:{number:x}::/64", "2001:db8::1", None, "r")
    for number in range(5000):
        logins.note("2001:db8:0::/64", "2001:db8::1", number.to_bytes(32, "big"), "r")
    assert len(logins.sources) == 1000
    assert max(map(len, logins.sources.values())) == 4
    async with pool.acquire() as connection:
        await logins.write(connection)
    rows = await pool.fetch("select after from change where object_type = 'failed_login' order by no")
    assert len(rows) == 11
    assert sum(row["after"]["attempts"] for row in rows) == 10_000
    assert (rows[0]["after"]["attempts"], rows[-1]["after"]["reason"]) == (4998, "others")


async def test_options_is_refused_with_the_methods_that_are_there(
    admin: httpx.AsyncClient, refused: Callable[..., Any]
) -> None:
    answer = await admin.request("OPTIONS", "/prefixes")
    refused(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, HEAD, POST"


@pytest.mark.parametrize("tag", ["", "abc", '"half', "*, *"])
async def test_a_precondition_that_cannot_be_read_is_not_ignored(
    admin: httpx.AsyncClient, subnet: dict[str, Any], refused: Callable[..., Any], tag: str
) -> None:
    answer = await admin.patch(f"/subnets/{subnet['id']}", json={"name": "x"}, headers={"if-match": tag})
    assert refused(answer, 422, "validation_error")["field"] == "If-Match"


async def test_a_filter_may_not_contradict_the_path(
    admin: httpx.AsyncClient, subnet: dict[str, Any], refused: Callable[..., Any]
) -> None:
    answer = await admin.get(f"/subnets/{subnet['id']}/pools", params={"subnet_id": "another"})
    assert refused(answer, 422, "validation_error")["field"] == "subnet_id"
