"""The API makes the network, the workers follow; both on the real database."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
from harness.shared_database import database, emptied_database, fresh_pool, pool, pool_of_module
from litestar import Litestar
from workers.site import Site

from api.app import create_app, create_routes
from ipam_core.secrets import Keyring
from ipam_core.settings import Settings

# A file's tests have one database after the other.
__all__ = ["database", "emptied_database", "fresh_pool", "pool", "pool_of_module"]

BASE = "http://127.0.0.1:8080/api/v1"


@pytest.fixture
def keyring(tmp_path: Path) -> Keyring:
    return Keyring(tmp_path / "secret.key")


@pytest.fixture(scope="session")
def routes() -> Litestar:
    """They are the same in every test, and half of what a test costs to make."""
    return create_routes()


@pytest.fixture
async def admin(pool: asyncpg.Pool, keyring: Keyring, routes: Litestar) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(Settings(rate_limit=0, token_rate_limit=0), pool, sealer=keyring, routes=routes)
    app.authenticator.owner = lambda *_: os.geteuid()  # there is no socket
    app.authenticator.outbound = None  # stored as before that was judged: workers judge by themselves
    transport = httpx.ASGITransport(app, client=("127.0.0.1", 40000))  # type: ignore[arg-type]  # ASGI typed its own way
    async with httpx.AsyncClient(transport=transport, base_url=BASE, timeout=30) as client:
        made = await client.post("/tokens", json={"name": "root", "role": "admin"})
        client.headers["authorization"] = f"Bearer {made.json()['token']}"
        yield client


@pytest.fixture
def make(admin: httpx.AsyncClient) -> Any:
    async def create(path: str, **body: Any) -> Any:
        answer = await admin.post(path, json=body)
        assert answer.status_code == 201, answer.text
        return answer.json()

    return create


@pytest.fixture
async def site(pool: asyncpg.Pool, keyring: Keyring) -> AsyncIterator[Site]:
    made = Site(pool, keyring)
    yield made
    await made.sender.close()
    await made.webhook_sender.close()
    await made.notification_sender.close()
