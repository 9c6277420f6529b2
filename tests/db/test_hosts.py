"""Which of the hosts of a database URL a session is made with: silent ones, wrong ones and the last good one."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest

from ipam_core.db import hosts
from ipam_core.db.asyncpg_internals import read_target
from ipam_core.db.connect import connect, connect_any, create_pool
from ipam_core.db.migrate import migrate


@contextmanager
def listening(backlog: int) -> Iterator[int]:
    """The port of a socket that nobody accepts from: the kernel answers for it, its owner never does."""
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(backlog)
        yield deaf.getsockname()[1]


@pytest.fixture
def frozen() -> Iterator[int]:
    """Like a machine whose processes hang: connections are made, and nothing comes."""
    with listening(16) as port:
        yield port


@pytest.fixture
def gone() -> Iterator[int]:
    """Like a machine without power: not even the SYN is answered, because the queue is full."""
    with listening(0) as port, socket.socket() as first, socket.socket() as second:
        first.connect(("127.0.0.1", port))
        second.setblocking(False)
        second.connect_ex(("127.0.0.1", port))
        yield port


@pytest.fixture
def refusing() -> Iterator[int]:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    hosts.last_good.clear()


def several(database: str, *ports: int, wish: str = "read-write", first: bool = True) -> str:
    """A URL that names these ports of this machine before (or behind) the database's own host."""
    parts = urlsplit(database)
    (folder,) = parse_qs(parts.query)["host"]
    found = [("127.0.0.1", port) for port in ports]
    every = [*found, (folder, 5432)] if first else [(folder, 5432), *found]
    names, numbers = ",".join(str(name) for name, _ in every), ",".join(str(port) for _, port in every)
    return parts._replace(query=f"host={names}&port={numbers}&target_session_attrs={wish}").geturl()


async def test_a_frozen_first_host_does_not_hide_the_second(database: str, frozen: int) -> None:
    session = await connect_any(several(database, frozen))
    assert await session.fetchval("select 1") == 1
    await session.close()


async def test_nor_does_one_that_drops_every_packet(database: str, gone: int) -> None:
    session = await connect_any(several(database, gone))
    assert await session.fetchval("select 1") == 1
    await session.close()


async def test_nor_do_several_of_each_kind(database: str, frozen: int, gone: int, refusing: int) -> None:
    """However many they are, each gets its turn within the time of one connection."""
    url = several(database, frozen, gone, refusing, frozen, gone, frozen)
    session = await connect_any(url)
    await session.close()


async def test_a_pool_finds_it_too(database: str, frozen: int) -> None:
    async with await create_pool(several(database, frozen), min_size=2) as pool:
        assert await pool.fetchval("select 1") == 1


async def test_the_last_good_host_is_asked_first(database: str, frozen: int) -> None:
    """So the silent host costs its second once."""
    url = several(database, frozen)
    addresses = read_target(url, {}).hosts
    assert hosts.preferred(addresses)[0] == ("127.0.0.1", frozen)
    await (await connect_any(url)).close()
    assert isinstance(hosts.preferred(addresses)[0], str)
    await (await connect_any(url)).close()


async def test_a_good_host_that_fell_silent_is_left(database: str, frozen: int) -> None:
    url = several(database, frozen)
    addresses = read_target(url, {}).hosts
    hosts.last_good[addresses] = ("127.0.0.1", frozen)
    session = await connect_any(url)
    await session.close()
    assert isinstance(hosts.last_good[addresses], str)


async def test_a_host_that_becomes_the_primary_is_found_while_a_frozen_one_is_waited_for(
    database: str, frozen: int
) -> None:
    """As after a failover: who was a standby when it was asked is asked again, before the frozen one is given up."""
    name = urlsplit(database).path[1:]
    session = await connect(database)
    await session.execute(f'alter database "{name}" set default_transaction_read_only = on')
    finding = asyncio.create_task(connect_any(several(database, frozen)))
    await asyncio.sleep(2.0)
    assert not finding.done()
    await session.execute(f'set default_transaction_read_only = off; alter database "{name}" reset all')
    async with asyncio.timeout(1.0):
        await (await finding).close()
    await session.close()


async def test_who_fails_is_named_and_why(
    frozen: int, refusing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "CONNECT_SECONDS", 1.0)
    with pytest.raises(hosts.NoHostError) as failed:
        await connect(f"postgresql://ipam@127.0.0.1:{frozen},127.0.0.1:{refusing}/ipam")
    frozens, refusings = str(failed.value).split("; ")
    assert frozens.startswith(f"no answer from 127.0.0.1:{frozen} within 1 s: ")
    assert refusings.startswith(f"nothing accepts connections at 127.0.0.1:{refusing}: ")


async def test_a_single_host_says_for_itself_what_it_has_against_us(database: str) -> None:
    with pytest.raises(asyncpg.InvalidCatalogNameError):
        await connect(urlsplit(database)._replace(path="/no_such").geturl())


async def test_a_wrong_url_is_a_wrong_url() -> None:
    with pytest.raises(asyncpg.ClientConfigurationError):
        await connect("postgresql://ipam@h/ipam?sslmode=some")


async def test_a_host_that_does_not_suit_is_passed_over(database: str, refusing: int) -> None:
    """No standby is here: whoever insists on one gets none, and who would prefer one gets the primary."""
    url = several(database, refusing, wish="standby")
    with pytest.raises(hosts.NoHostError, match="target_session_attrs"):
        await connect(url)
    session = await connect(several(database, refusing, wish="prefer-standby"))
    assert not await session.fetchval("select pg_is_in_recovery()")
    await session.close()


async def test_the_environment_names_hosts_too(
    database: str, frozen: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = urlsplit(database)
    (folder,) = parse_qs(parts.query)["host"]
    monkeypatch.setenv("PGHOST", f"127.0.0.1,{folder}")
    monkeypatch.setenv("PGPORT", f"{frozen},5432")
    session = await connect(parts._replace(query="").geturl())
    assert await session.fetchval("select 1") == 1
    await session.close()


async def test_migrations_find_it_too(database: str, frozen: int, gone: int) -> None:
    assert await asyncio.to_thread(migrate, several(database, frozen, gone)) == []


async def test_a_url_may_set_its_own_limit_for_migrations(database: str, frozen: int) -> None:
    assert await asyncio.to_thread(migrate, several(database, frozen) + "&connect_timeout=3") == []
