"""Migrations: whole or not at all, once, whoever else migrates or died migrating."""

import asyncio

import asyncpg

from ipam_core.db.migrate import migrate


async def test_an_empty_database_gets_every_step_once(empty_database: str) -> None:
    assert await asyncio.to_thread(migrate, empty_database) == ["0001.plan", "0002.leases", "0003.operations"]
    assert await asyncio.to_thread(migrate, empty_database) == []


async def test_codecs(pool: asyncpg.Pool) -> None:
    row = await pool.fetchrow("select $1::jsonb, $2::\"char\"", {"b": [1]}, "q")
    assert tuple(row) == ({"b": [1]}, "q")
