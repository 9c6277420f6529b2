"""The real application over real PostgreSQL, spoken to by HTTP clients of a given token."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import msgspec
import pytest
from harness.shared_database import database, emptied_database, fresh_pool, pool, pool_of_module
from litestar import Litestar

from api.app import create_app, create_routes
from api.http.gate import Gate
from api.openapi import page
from ipam_core.processes import local_access, log
from ipam_core.secrets import Keyring
from ipam_core.settings import Settings

# A file's tests have one database after the other.
__all__ = ["database", "emptied_database", "fresh_pool", "pool", "pool_of_module"]

BASE = "http://127.0.0.1:8080/api/v1"

# Limits have tests of their own; the others are not to meet them.
SETTINGS = Settings(rate_limit=0, token_rate_limit=0)


@pytest.fixture(scope="session", autouse=True)
def plain_log() -> None:
    """As the door sets it: without the values of variables, and fast."""
    log.begin(Settings(log_level="warning"))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return msgspec.structs.replace(SETTINGS, data_dir=tmp_path)


@pytest.fixture(autouse=True)
def own_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests in this process come by no socket whose owner the kernel could name: they are this account's."""
    monkeypatch.setattr(local_access, "owner", lambda *_: os.geteuid())


@pytest.fixture
def keyring(tmp_path: Path) -> Keyring:
    return Keyring(tmp_path / "secret.key")


@pytest.fixture(scope="session")
def routes() -> Litestar:
    """They are the same in every test, and half of what a test costs to make."""
    return create_routes()


@pytest.fixture
def swagger_ui(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand-ins for the files of Swagger UI, which the build of the console copies from npm."""
    for name in page.FILES:
        (tmp_path / name).write_bytes(f"/* {name} */\n".encode() * 500)
    monkeypatch.setattr(page, "BUILT", tmp_path)
    return tmp_path


@pytest.fixture
def app(pool: asyncpg.Pool, settings: Settings, keyring: Keyring, routes: Litestar) -> Gate:
    return create_app(settings, pool, sealer=keyring, routes=routes)


Connect = Callable[..., httpx.AsyncClient]


@pytest.fixture
def connect(app: Gate) -> Connect:
    """A client: with a token or without, from this host or another, with headers on every request."""

    def client(token: str | None = None, peer: str = "127.0.0.1", **headers: str) -> httpx.AsyncClient:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if token is not None:
            named["authorization"] = f"Bearer {token}"
        transport = httpx.ASGITransport(app, client=(peer, 40000))  # type: ignore[arg-type]
        return httpx.AsyncClient(transport=transport, base_url=BASE, headers=named, timeout=30)

    return client


@pytest.fixture
def stranger(connect: Connect) -> httpx.AsyncClient:
    """A client on this host without a token."""
    return connect()


@pytest.fixture
async def admin_token(stranger: httpx.AsyncClient) -> str:
    made = await stranger.post("/tokens", json={"name": "root", "role": "admin"})
    assert made.status_code == 201, made.text
    return str(made.json()["token"])


@pytest.fixture
def admin(connect: Connect, admin_token: str) -> httpx.AsyncClient:
    return connect(admin_token)


Make = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
def make(admin: httpx.AsyncClient) -> Make:
    """Creates an object that the test needs and answers it."""

    async def create(path: str, **fields: Any) -> dict[str, Any]:
        made = await admin.post(path, json=fields)
        assert made.status_code == 201, made.text
        found: dict[str, Any] = made.json()
        return found

    return create


@pytest.fixture
async def subnet(make: Make) -> dict[str, Any]:
    """10.0.0.0/24 in 10.0.0.0/16, gateway .1."""
    prefix = await make("/prefixes", cidr="10.0.0.0/16")
    return await make("/subnets", prefix_id=prefix["id"], cidr="10.0.0.0/24", gateway="10.0.0.1")


Refused = Callable[[httpx.Response, int, str], dict[str, Any]]


@pytest.fixture
def refused() -> Refused:
    """Asserts a refusal's status, code and exact shape; answers the error's details."""

    def check(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
        assert response.status_code == status, response.text
        assert response.headers["content-type"] == "application/json"
        envelope = msgspec.json.decode(response.content)
        assert set(envelope) == {"error"}
        error: dict[str, Any] = envelope["error"]
        assert {"code", "message", "request_id"} <= set(error) <= {"code", "message", "request_id", "details"}
        assert error["code"] == code, error
        assert error["request_id"] == response.headers["x-request-id"]
        details: dict[str, Any] = error.get("details", {})
        return details

    return check
