"""A fresh embedded cluster has the next segments of its log before it needs them."""

import os
from pathlib import Path

import asyncpg
import pytest

from ipam_core.db.embedded.log_segments import SEGMENT, make_ahead, name_after
from ipam_core.db.embedded.programs import OWN_ACCOUNT, Account
from ipam_core.db.embedded.server import EmbeddedPostgres

FIRST = "000000010000000000000001"
WRITE = "select pg_logical_emit_message(false, 'test', repeat('-', $1))"


@pytest.mark.parametrize(
    ("name", "number", "next_one"),
    [
        (FIRST, 1, "000000010000000000000002"),
        ("0000000100000000000000FE", 1, "0000000100000000000000FF"),
        ("0000000100000000000000FE", 2, "000000010000000100000000"),
        ("000000020000000A000000FF", 257, "000000020000000C00000000"),
    ],
)
def test_a_segment_bears_the_next_number_of_its_timeline(name: str, number: int, next_one: str) -> None:
    assert name_after(name, number) == next_one


def segments(log: Path) -> dict[str, int]:
    """Names and inodes."""
    return {path.name: path.stat().st_ino for path in log.iterdir() if len(path.name) == len(FIRST)}


async def test_the_server_writes_over_them_and_recovers_from_them(data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir, OWN_ACCOUNT, ahead=3)
    try:
        dsn = server.start()
        connection = await asyncpg.connect(dsn)
        log = data_dir / "postgres/pg_wal"
        ahead = dict(sorted(segments(log).items())[-3:])
        stats = [(log / name).stat() for name in ahead]
        assert [stat.st_size for stat in stats] == [SEGMENT] * 3
        assert all(stat.st_blocks * 512 >= SEGMENT for stat in stats), "blocks are there, not holes"
        await connection.execute("create table kept as select 7 as number")
        for _ in range(3):
            await connection.execute(WRITE, SEGMENT)
        await connection.execute("insert into kept values (8)")
        assert ahead.items() <= segments(log).items()
        kept = await connection.fetchval("select pg_walfile_name(pg_current_wal_lsn())")
        assert kept > min(ahead)
        await connection.close()
        os.kill(server.pid, 9)
        server.recover()
        connection = await asyncpg.connect(dsn)
        assert await connection.fetchval("select array_agg(number order by number) from kept") == [7, 8]
        await connection.close()
    finally:
        server.stop()


def test_none_is_made_on_a_disk_that_has_little_room(tmp_path: Path) -> None:
    (tmp_path / FIRST).write_bytes(b"")
    make_ahead(tmp_path, Account.find("nobody"), 1 << 40)
    assert list(segments(tmp_path)) == [FIRST]
