"""The three logs as one stream: nothing lost whoever commits first, in order, from any position, in pages."""

import asyncio
from typing import Any

import asyncpg
import msgspec
import pytest
from workers.site import Site

from ipam_core.errors import ValidationError
from ipam_core.model.event import TYPES, types_of
from ipam_core.services import event_stream, events
from ipam_core.services.event_items import Item
from ipam_core.services.event_stream import Position

EVENT = "insert into event (id, type, data) values (gen_random_uuid(), 'node.up', jsonb_build_object('name', $1::text))"


class Reader:
    """Reads on and on, as one follower does."""

    def __init__(self, pool: asyncpg.Pool, position: Position, types: frozenset[str] = TYPES) -> None:
        self.pool = pool
        self.position = position
        self.types = types

    async def read(self, at_most: int = 1000) -> list[Item]:
        """All there is now."""
        found: list[Item] = []
        async with self.pool.acquire() as connection:
            while True:
                reading = await event_stream.read(connection, self.position, self.types, at_most=at_most)
                found += reading.items
                self.position = event_stream.read_position(reading.after.text())
                if not reading.after.is_between:
                    return found

    async def names(self, at_most: int = 1000) -> list[str]:
        return [item.data["name"] for item in await self.read(at_most)]


@pytest.fixture
async def reader(pool: asyncpg.Pool) -> Reader:
    async with pool.acquire() as connection:
        return Reader(pool, await event_stream.head(connection), frozenset({"node.up"}))


async def test_who_commits_late_is_not_lost_and_holds_up_nobody(pool: asyncpg.Pool, reader: Reader) -> None:
    """Three transactions that began one after the other and end the other way round."""
    async with pool.acquire() as first, pool.acquire() as second:
        one, two = first.transaction(), second.transaction()
        await one.start()
        await first.execute(EVENT, "one")
        await two.start()
        await second.execute(EVENT, "two")
        await pool.execute(EVENT, "three")
        assert await reader.names() == ["three"]
        await two.commit()
        await pool.execute(EVENT, "four")
        assert sorted(await reader.names()) == ["four", "two"]
        assert await reader.names() == []
        await one.commit()
        assert await reader.names() == ["one"]
        assert await reader.names() == []


async def test_one_object_is_told_of_in_the_order_of_its_writes(
    pool: asyncpg.Pool, make: Any, site: Site
) -> None:
    """Whoever began first wrote last."""
    prefix = await make("/prefixes", cidr="10.20.0.0/16")
    await make("/subnets", prefix_id=prefix["id"], cidr="10.20.1.0/24")
    async with pool.acquire() as connection:
        reader = Reader(pool, await event_stream.head(connection), frozenset({"lease.granted"}))
    async with pool.acquire() as early:
        transaction = early.transaction()
        await transaction.start()
        await early.fetchval("select pg_current_xact_id()")
        await site.lease("10.20.1.5", "first")
        own = Site(OnlyOne(early), site.keyring)  # type: ignore[arg-type]  # as much of a pool as it uses
        await own.lease("10.20.1.5", "second")
        await transaction.commit()
    assert [item.data["hostname"] for item in await reader.read()] == ["first", "second"]


class OnlyOne:
    """One session as a pool."""

    def __init__(self, connection: Any) -> None:
        self.execute = connection.execute


async def test_pages_are_of_any_size(pool: asyncpg.Pool, reader: Reader) -> None:
    """Within a transaction too, and beside one that is under way."""
    async with pool.acquire() as connection, connection.transaction():
        for number in range(7):
            await connection.execute(EVENT, f"{number:02}")
    for number in range(7, 20):
        await pool.execute(EVENT, f"{number:02}")
    begun = reader.position
    for size in (1, 2, 3, 19, 20, 21, 1000):
        reader.position = begun
        assert await reader.names(size) == [f"{number:02}" for number in range(20)], size


async def test_after_any_item_the_stream_goes_on_behind_it(pool: asyncpg.Pool, make: Any, site: Site) -> None:
    """Whatever else is asked for then."""
    async with pool.acquire() as connection:
        begun = await event_stream.head(connection)
    for number in range(5):
        await make("/prefixes", cidr=f"10.{number}.0.0/16")
        await pool.execute(EVENT, str(number))
        await make("/tenants", name=f"tenant{number}")
    async with pool.acquire() as connection:
        for size in (1, 4, 6, 100):
            position, items, positions = begun, [], []
            while True:
                reading = await event_stream.read(connection, position, at_most=size)
                items += reading.items
                positions += [reading.position_of(item) for item in reading.items]
                position = reading.after
                if not position.is_between:
                    break
            assert len(items) == 15
            for types in (TYPES, types_of(["prefix.*", "node.up"])):
                for number, after in enumerate(positions):
                    rest = await Reader(pool, event_stream.read_position(after.text()), types).read(size)
                    wanted = {item.place for item in items[number + 1 :] if item.type in types}
                    assert {item.place for item in rest} == wanted, (size, number)
                    assert len(rest) == len(wanted)


async def test_since_and_another_history(pool: asyncpg.Pool, reader: Reader) -> None:
    """What was promoted or restored is read again from a minute before; ids are the same."""
    for name in ("old", "new"):
        await pool.execute(EVENT, name)
    before = {item.id: item.data["name"] for item in await reader.read()}
    await pool.execute("update event set at = now() - interval '10 minutes' where data ->> 'name' = 'old'")
    async with pool.acquire() as connection:
        moved = msgspec.structs.replace(reader.position, history="another")
        assert await Reader(pool, moved, reader.types).names() == ["new"]
        ago = await pool.fetchval("select now() - interval '11 minutes'")
        both = await Reader(pool, await event_stream.since(connection, ago), reader.types).read(1)
        assert [item.data["name"] for item in both] == ["old", "new"]
        assert before[both[1].id] == "new"
        by_id = await event_stream.position_after(connection, both[1].id)
        assert await Reader(pool, by_id, reader.types).names() == ["new"]


async def test_what_is_no_position_is_refused(pool: asyncpg.Pool) -> None:
    good = Position(history="h", seen="3:5:3,4", drawn=1)
    assert event_stream.read_position(good.text()) == good
    wrong = [
        msgspec.structs.replace(good, **fields).text()
        for fields in (
            {"seen": "3:5"},
            {"seen": "5:3:"},
            {"until": "3:5:4,3"},
            {"until": "3:5:7"},
            {"drawn": 2**63},
            {"after": (-1, 0, 0)},
            {"after": (2**64, 0, 0)},
            {"page_end": (1, 5, 0)},
        )
    ]
    async with pool.acquire() as connection:
        for text in (*wrong, "", "x", "e30", "W10", "é", "WyJlIiwiMSIsIngiXQ"):
            with pytest.raises(ValidationError):
                await event_stream.position_after(connection, text)


async def test_writers_at_once_lose_nothing(pool: asyncpg.Pool, reader: Reader) -> None:
    """Eight write, some roll back, one reads beside them in small pages; each is told once."""
    done: list[str] = []

    async def write(writer: int) -> None:
        async with pool.acquire() as connection:
            for number in range(30):
                transaction = connection.transaction()
                await transaction.start()
                await connection.execute(EVENT, f"{writer}/{number}")
                await asyncio.sleep(0.001 * (writer % 3))
                if number % 7 == 6:
                    await transaction.rollback()
                else:
                    await transaction.commit()
                    done.append(f"{writer}/{number}")

    writing = asyncio.gather(*(write(n) for n in range(6)))
    found: list[str] = []
    while not writing.done():
        found += await reader.names(5)
    await writing
    found += await reader.names(5)
    assert sorted(found) == sorted(done)
    for writer in range(6):
        mine = [int(name.partition("/")[2]) for name in found if name.startswith(f"{writer}/")]
        assert mine == sorted(mine)


async def test_only_events_of_the_log_are_recorded(pool: asyncpg.Pool) -> None:
    async with pool.acquire() as connection:
        with pytest.raises(ValueError, match=r"lease\.granted"):
            await events.record(connection, "lease.granted", {}, None)
