"""BIND and NSD as secondaries of ours: they copy a zone with a key, are told of changes, and follow by IXFR."""

from pathlib import Path

import asyncpg
import pytest
from answers.serving import add, add_zone, eventually, serving
from answers.test_secondary_watch import until
from answers.test_transfers import add_secondary
from peers.servers import KEY_NAME, Peer, bind_secondary, nsd_secondary
from ports import free_port

pytestmark = pytest.mark.peers

SECONDARIES = {"bind": bind_secondary, "nsd": nsd_secondary}
ZONE = "example.org"


@pytest.mark.parametrize("kind", SECONDARIES)
async def test_a_secondary_follows(database: str, pool: asyncpg.Pool, tmp_path: Path, kind: str) -> None:
    many = [(f"h{n}", "TXT", f'"{"x" * 200}"') for n in range(500)]
    zone_no = await add_zone(
        pool, ZONE, ("www", "A", "192.0.2.1"), ("mail", "MX", "10 www.example.org."), *many
    )
    port = free_port()
    await add_secondary(pool, tmp_path, port, KEY_NAME)
    async with serving(database, tmp_path) as served:
        await served.eventually(f"www.{ZONE}.", "A", {"192.0.2.1"})
        folder = tmp_path / kind
        folder.mkdir()
        async with SECONDARIES[kind](folder, port, ZONE, served.port) as peer:
            assert await peer.ask(f"mail.{ZONE}", "MX") == {"10 www.example.org."}
            assert await peer.ask(f"h499.{ZONE}", "TXT") == {f'"{"x" * 200}"'}
            await add(pool, zone_no, "later", "A", "192.0.2.9")
            await eventually(lambda: says(peer, "later", {"192.0.2.9"}))
            await pool.execute("delete from dns_record where name = 'www'")
            await eventually(lambda: says(peer, "www", set()))
            counts = served.server.transfers.counts
            assert counts["full"] == 1
            assert counts["incremental"] >= 1
            assert served.server.notifier.counts["answered"] >= 1
            seen = await until(pool, lambda it: it.state == "current")
            assert seen.serial == seen.zone_serial


async def says(peer: Peer, name: str, wanted: set[str]) -> bool:
    return await peer.ask(f"{name}.{ZONE}", "A") == wanted
