"""Delay of a change of a record: from the API's answer, which follows the COMMIT, to that of `ipam dns`."""

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import asyncpg
import dns.asyncquery
import dns.message
import httpx

from api.app import create_app
from benchmarks.dns_servers import FORWARD, Peer, Site, fill, migrated, our_server, zones_of
from ipam_core.db.connect import create_pool
from ipam_core.secrets import Keyring
from ipam_core.settings import Settings

BASE = "http://127.0.0.1:8080/api/v1"
PAUSES = 0.05, 0.4  # seconds between changes: at any moment of what looks by itself twice a second
ASK_SECONDS = 0.001
LONGEST_SECONDS = 10.0
PUBLISHED_SECONDS = 120.0  # until zones that were written whole have been published


@contextlib.asynccontextmanager
async def api(site: Site, dsn: str) -> AsyncIterator[tuple[httpx.AsyncClient, asyncpg.Pool]]:
    """Provide the API in this process, as an admin calls it."""
    pool = await create_pool(dsn)
    app = create_app(
        Settings(rate_limit=0, token_rate_limit=0), pool, sealer=Keyring(site.folder / "secret.key")
    )
    app.authenticator.owner = lambda *_: os.geteuid()  # there is no socket
    transport = httpx.ASGITransport(app, client=("127.0.0.1", 40000))  # type: ignore[arg-type]  # ASGI typed its own way
    async with httpx.AsyncClient(transport=transport, base_url=BASE, timeout=30) as client:
        made = await client.post("/tokens", json={"name": "benchmark", "role": "admin"})
        client.headers["authorization"] = f"Bearer {made.json()['token']}"
        yield client, pool
    await pool.close()


async def create(client: httpx.AsyncClient, path: str, **body: Any) -> Any:
    answer = await client.post(path, json=body)
    if answer.status_code != 201:
        raise RuntimeError(f"{path}: {answer.text}")
    return answer.json()


async def measure_changes(site: Site, names: int, count: int) -> list[float]:
    """Return milliseconds of each change, after one that waits until the zones, just written whole, are published."""
    drawn = Random(1)  # noqa: S311 - where in the zone, and when
    dsn = await migrated(site, "changes")
    await fill(dsn, zones_of(names))
    async with our_server(site.folder, dsn) as peer, api(site, dsn) as (client, pool):
        found = []
        for number in range(-1, count):
            await asyncio.sleep(drawn.uniform(*PAUSES))
            name, data = f"h{drawn.randrange(names)}", f"192.0.2.{number % 254 + 1}"
            id_ = await pool.fetchval("select id from dns_record where name = $1 and type = 'A'", name)
            answer = await client.patch(f"/dns-records/{id_}", json={"data": data})
            began = time.monotonic()
            if answer.status_code != 200:
                raise RuntimeError(answer.text)
            await answered(
                peer, f"{name}.{FORWARD}", data, LONGEST_SECONDS if number >= 0 else PUBLISHED_SECONDS
            )
            if number >= 0:
                found.append(1000 * (time.monotonic() - began))
        return found


async def answered(
    peer: Peer, name: str, data: str, longest: float = LONGEST_SECONDS, pause: float = ASK_SECONDS
) -> None:
    """Wait until the name has this address. Raises TimeoutError."""
    query = dns.message.make_query(name, "A")
    async with asyncio.timeout(longest):
        while True:
            answer = await dns.asyncquery.udp(query, "127.0.0.1", port=peer.port, timeout=5)
            if {rdata.to_text() for rrset in answer.answer for rdata in rrset} == {data}:
                return
            await asyncio.sleep(pause)
