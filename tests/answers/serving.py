"""A DNS server in this process, on a database of its own and a port of 127.0.0.1 and ::1."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import asyncpg
import dns.asyncquery
import dns.message
from ports import free_port

from dhcp_fast.dns_server.server import DnsServer
from ipam_core.setting_values import Endpoint
from ipam_core.settings import Settings

SECONDS = 30.0


class Serving:
    """The server and its port."""

    def __init__(self, server: DnsServer, port: int, health: Endpoint) -> None:
        self.server = server
        self.port = port
        self.health = health

    async def ask(self, name: str, kind: str, *, tcp: bool = False, host: str = "127.0.0.1") -> Any:
        query = dns.message.make_query(name, kind)
        over = dns.asyncquery.tcp if tcp else dns.asyncquery.udp
        return await over(query, host, port=self.port, timeout=5)

    async def data(self, name: str, kind: str) -> set[str]:
        answer = await self.ask(name, kind)
        return {rdata.to_text() for rrset in answer.answer for rdata in rrset}

    async def eventually(self, name: str, kind: str, wanted: set[str]) -> None:
        await eventually(lambda: self.says(name, kind, wanted))

    async def says(self, name: str, kind: str, wanted: set[str]) -> bool:
        return await self.data(name, kind) == wanted


async def eventually(true: Callable[[], Awaitable[bool]]) -> None:
    deadline = time.monotonic() + SECONDS
    while not await true():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


@contextlib.asynccontextmanager
async def serving(dsn: str, folder: Path, **fields: Any) -> AsyncIterator[Serving]:
    """From when its zones are read."""
    port, page = free_port(), Endpoint("127.0.0.1", free_port())
    listening = (Endpoint("127.0.0.1", port), Endpoint("::1", port))
    settings = Settings(
        dns_listen=listening, health_listen=page, secret_key_file=folder / "secret.key", **fields
    )
    server = DnsServer(settings, dsn)
    task = asyncio.create_task(server.run())
    try:
        deadline = time.monotonic() + SECONDS
        while server.loader.not_ready() and not task.done():
            assert time.monotonic() < deadline, server.loader.not_ready()
            await asyncio.sleep(0.02)
        if task.done():
            task.result()
        yield Serving(server, port, page)
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


ADD_ZONE = """
insert into dns_zone (id, tenant_no, name, dns_enabled, mname, default_ttl, minimum_seconds)
select gen_random_uuid(), no, $1, true, 'ns1.' || $1, 300, 60 from tenant limit 1 returning no"""
ADD_RECORD = """
insert into dns_record (id, zone_no, name, type, data, ttl) values (gen_random_uuid(), $1, $2, $3, $4, 60)"""


async def add_zone(pool: asyncpg.Pool, name: str, *records: tuple[str, str, str]) -> int:
    async with pool.acquire() as connection, connection.transaction():
        zone_no: int = await connection.fetchval(ADD_ZONE, name)
        for record in records:
            await connection.execute(ADD_RECORD, zone_no, *record)
    return zone_no


async def add(pool: asyncpg.Pool, zone_no: int, *record: str) -> None:
    await pool.execute(ADD_RECORD, zone_no, *record)
