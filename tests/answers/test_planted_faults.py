"""Rows of secondaries that no API lets in, and a NOTIFY that fails in our code: the other secondaries are served."""

import asyncio
from pathlib import Path
from typing import Any

import asyncpg
import dns.versioned
import pytest
from answers.serving import add, add_zone, eventually, serving
from answers.test_transfers import add_secondary, copy, keyring

from dhcp_fast.dns_server import notify
from dhcp_fast.dns_server.secondaries import Secondaries
from ipam_core import faults


async def test_a_secondary_that_cannot_be_read(database: str, pool: asyncpg.Pool, tmp_path: Path) -> None:
    """A zone's name that is none, a host that no name server could be asked for, an algorithm that nobody knows."""
    await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"))
    await add_zone(pool, "bad..example")
    await add_secondary(pool, tmp_path)
    await add_secondary(pool, tmp_path, key="odd.", name="odd")
    await add_secondary(pool, tmp_path, name="unasked")
    await pool.execute("update dns_server set key_algorithm = 'hmac-md4' where name = 'odd'")
    await pool.execute("update dns_server set address = repeat('a', 70) || '.example' where name = 'unasked'")
    before = faults.faults.counts["dns secondary", "EmptyLabel"]
    async with serving(database, tmp_path) as served:
        await served.eventually("www.example.org.", "A", {"192.0.2.1"})
        await served.server.secondaries.read.wait()
        zone = await copy(served, dns.versioned.Zone("example.org.", relativize=False), keyring())
        assert zone.get_soa().serial
        assert faults.faults.counts["dns secondary", "EmptyLabel"] > before
        assert len(served.server.secondaries.keys) == 1


async def test_reading_them_fails_and_works_again(
    database: str, pool: asyncpg.Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Zones are answered meanwhile."""
    broken = True
    real = Secondaries.looked_up

    async def looked_up(self: Secondaries, rows: Any) -> Any:
        if broken:
            raise ZeroDivisionError
        return await real(self, rows)

    monkeypatch.setattr(Secondaries, "looked_up", looked_up)
    monkeypatch.setattr(faults, "FIRST_REST", 0.05)
    before = faults.faults.counts["dns secondaries", "ZeroDivisionError"]
    await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"))
    async with serving(database, tmp_path) as served:
        await served.eventually("www.example.org.", "A", {"192.0.2.1"})

        async def failed() -> bool:
            return faults.faults.counts["dns secondaries", "ZeroDivisionError"] > before

        await eventually(failed)
        broken = False
        async with asyncio.timeout(20):
            await served.server.secondaries.read.wait()


async def test_a_notify_that_fails_is_one_secondary_s(
    database: str, pool: asyncpg.Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = notify.notification

    def planted(zone: Any, secondary: Any) -> Any:
        if secondary.port == 1:
            raise ZeroDivisionError
        return real(zone, secondary)

    monkeypatch.setattr(notify, "notification", planted)
    before = faults.faults.counts["dns notify", "ZeroDivisionError"]
    zone_no = await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"))
    async with serving(database, tmp_path) as served:
        await add_secondary(pool, tmp_path, 1, None, name="bad")
        await add_secondary(pool, tmp_path, served.port, None, name="good")
        served.server.secondaries.wake()
        await served.eventually("www.example.org.", "A", {"192.0.2.1"})

        async def known() -> bool:
            return len(served.server.secondaries.by_zone) == 1

        await eventually(known)
        await add(pool, zone_no, "more", "A", "192.0.2.2")

        async def answered() -> bool:
            return served.server.notifier.counts["answered"] > 0

        await eventually(answered)
    assert faults.faults.counts["dns notify", "ZeroDivisionError"] > before
