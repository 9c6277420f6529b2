"""Connections over TCP are bounded, and a crowd of idle ones keeps nobody out."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import dns.message
import dns.versioned
import pytest
from answers.serving import Serving, add_zone, serving
from answers.test_transfers import add_secondary, copy, keyring

from dhcp_fast.dns_server import streams
from ipam_core import faults

Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@contextlib.asynccontextmanager
async def asked(database: str, pool: asyncpg.Pool, folder: Path) -> AsyncIterator[Serving]:
    await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"), ("big", "TXT", '"' + "x" * 250 + '"'))
    async with serving(database, folder) as served:
        await served.eventually("www.example.org.", "A", {"192.0.2.1"})
        await served.server.secondaries.read.wait()
        yield served


async def connect(served: Serving, count: int, host: str) -> list[Ends]:
    return [
        await asyncio.open_connection("127.0.0.1", served.port, local_addr=(host, 0)) for _ in range(count)
    ]


async def asks(ends: Ends, name: str = "www.example.org.", kind: str = "A") -> dns.message.Message:
    reader, writer = ends
    data = dns.message.make_query(name, kind).to_wire()
    writer.write(len(data).to_bytes(2, "big") + data)
    async with asyncio.timeout(5):
        size = int.from_bytes(await reader.readexactly(2), "big")
        return dns.message.from_wire(await reader.readexactly(size))


async def test_idle_connections_of_nine_addresses_keep_nobody_out(
    database: str, pool: asyncpg.Pool, tmp_path: Path
) -> None:
    async with asked(database, pool, tmp_path) as served:
        crowd = [await connect(served, 64, f"127.0.1.{n}") for n in range(1, 10)]
        for n in range(30):
            (fresh,) = await connect(served, 1, f"127.0.2.{n + 1}")
            assert (await asks(fresh)).answer
        places = served.server.streams.everybody
        assert places.count == streams.MOST_CONNECTIONS
        assert places.evicted == 9 * 64 + 30 - streams.MOST_CONNECTIONS
        assert places.refused == 0
        # What was asked lately is not what makes room.
        assert (await asks(fresh)).answer
        assert (await asks(crowd[8][-1])).answer


async def test_one_address_has_its_share(database: str, pool: asyncpg.Pool, tmp_path: Path) -> None:
    async with asked(database, pool, tmp_path) as served:
        ends = await connect(served, 70, "127.0.1.1")
        assert (await asks(ends[-1])).answer
        assert served.server.streams.everybody.count == 64
        async with asyncio.timeout(5):
            assert [await reader.read() for reader, _ in ends[:6]] == [b""] * 6


async def test_a_secondary_has_a_place_of_its_own(database: str, pool: asyncpg.Pool, tmp_path: Path) -> None:
    """However many others there are: here nobody else has a place."""
    async with asked(database, pool, tmp_path) as served:
        await add_secondary(pool, tmp_path)
        served.server.secondaries.wake()
        async with asyncio.timeout(15):
            while not served.server.secondaries.addresses:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        served.server.streams.everybody.most = 0
        (stranger,) = await connect(served, 1, "127.0.0.2")
        with contextlib.suppress(ConnectionError):
            assert await stranger[0].read() == b""
        zone = await copy(served, dns.versioned.Zone("example.org.", relativize=False), keyring())
        assert zone.get_soa().serial
        assert served.server.streams.everybody.refused == 1


async def test_who_reads_nothing_makes_room_and_ends(
    database: str, pool: asyncpg.Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It asks on and on: what it does not read stays with it, and it is idle as far as others are concerned."""
    monkeypatch.setattr(streams, "SLOW_SECONDS", 1.0)
    async with asked(database, pool, tmp_path) as served:
        places = served.server.streams.everybody
        for n in range(20):
            await pool.execute(
                "insert into dns_record (id, zone_no, name, type, data, ttl)"
                " select gen_random_uuid(), no, 'big', 'TXT', $1, 60 from dns_zone",
                '"' + f"{n:250}" + '"',
            )
        (greedy,) = await connect(served, 1, "127.0.1.1")
        greedy[0]._transport.pause_reading()  # type: ignore[attr-defined]
        data = dns.message.make_query("big.example.org.", "TXT").to_wire()
        piece = (len(data).to_bytes(2, "big") + data) * 2000
        for _ in range(20):
            greedy[1].write(piece)
        async with asyncio.timeout(20):
            while places.count:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert (await served.ask("www.example.org.", "A", tcp=True)).answer
        greedy[1].transport.abort()


async def test_a_fault_of_one_conversation_is_its_own(
    database: str, pool: asyncpg.Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with asked(database, pool, tmp_path) as served:
        before = faults.faults.counts["dns connection", "ZeroDivisionError"]
        neighbour, broken = [*await connect(served, 1, "127.0.1.1"), *await connect(served, 1, "127.0.1.2")]
        respond = served.server.streams.respond

        def planted(data: bytes, peer: object) -> object:
            if str(peer) == "127.0.1.2":
                raise ZeroDivisionError
            return respond(data, peer)  # type: ignore[arg-type]

        monkeypatch.setattr(served.server.streams, "respond", planted)
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await asks(broken)
        assert (await asks(neighbour)).answer
        assert faults.faults.counts["dns connection", "ZeroDivisionError"] == before + 1
        assert served.server.streams.everybody.count == 1
