"""The key of the secrets: made once, the same everywhere, another one refused, rotated without a loss."""

import asyncio
import subprocess
import sys
from pathlib import Path

import asyncpg
import httpx
import pytest
import uvicorn
from workers.receiver import SECRET as HOOK

from api.app import create_app
from api.server import Beginning
from ipam_core import secrets
from ipam_core.db.connect import create_pool
from ipam_core.db.migrate import migrate
from ipam_core.errors import SecretKeyError, Unavailable
from ipam_core.model.ids import new_id
from ipam_core.secrets import Keyring
from ipam_core.settings import Settings

ROW = new_id()
IPAM = [sys.executable, "-P", "-m", "api.cli"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "keys" / "secret.key"


def contents(path: Path) -> bytes:
    """Empty when it is not there."""
    return path.read_bytes() if path.exists() else b""


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def put(path: Path, octets: bytes | None) -> None:
    path.unlink()
    if octets is not None:
        path.write_bytes(octets)


async def store(connection: asyncpg.Connection, keyring: Keyring, secret: str) -> None:
    """A DNS server that has one."""
    id_ = new_id()
    await connection.execute(
        "insert into dns_server (id, tenant_no, name, adapter, secret)"
        " select $2, no, gen_random_uuid()::text, 'bind_tsig', $1 from tenant",
        await keyring.seal(connection, "dns_server", id_, secret),
        id_,
    )


async def stored(connection: asyncpg.Connection, keyring: Keyring) -> list[str]:
    rows = await connection.fetch("select id, secret from dns_server order by no")
    return [keyring.open("dns_server", row["id"], row["secret"]) for row in rows]


async def test_the_key_is_made_once_and_only_its_fingerprint_is_stored(
    pool: asyncpg.Pool, path: Path
) -> None:
    async with pool.acquire() as connection:
        await store(connection, Keyring(path), "s3cret")
        assert mode(path) == 0o600
        key = contents(path)
        await store(connection, Keyring(path), "another")
        assert contents(path) == key
        assert await stored(connection, Keyring(path)) == ["s3cret", "another"]
        rows = await connection.fetch("select d.*::text || k.*::text as row from dns_server d, secret_key k")
        assert not [
            row for row in rows if "3cret" in row["row"].replace("s3cret,", "") or str(key) in row["row"]
        ]


async def test_a_process_with_another_key_or_none_is_refused(pool: asyncpg.Pool, path: Path) -> None:
    async with pool.acquire() as connection:
        await Keyring(path).adopt(connection)
        other = Keyring(path.with_name("other.key"))
        with pytest.raises(SecretKeyError, match=r"other\.key cannot be used: it is missing"):
            await other.adopt(connection)
        assert contents(other.path) == b""
        other.write([b"k" * 32])
        with pytest.raises(SecretKeyError, match="contains another key"):
            await other.adopt(connection)
        with pytest.raises(Unavailable):
            await other.seal(connection, "dns_server", ROW, "x")
        for junk in (b"", b"short\n", b"\xff\n", b"AAAA\n"):
            put(other.path, junk)
            with pytest.raises(SecretKeyError):
                await Keyring(other.path).adopt(connection)


async def test_what_was_altered_or_moved_is_not_opened(pool: asyncpg.Pool, path: Path) -> None:
    """To another kind, another row, or an older version that is bound to less."""
    keyring = Keyring(path)
    async with pool.acquire() as connection:
        value = await keyring.seal(connection, "dns_server", ROW, "x")
    assert keyring.open("dns_server", ROW, value) == "x"
    altered = value[:-1] + bytes([value[-1] ^ 1])
    for purpose, row, wrong in (
        ("webhook", ROW, value),
        ("dns_server", new_id(), value),
        ("dns_server", ROW, altered),
        ("dns_server", ROW, b"\x01" + value[1:]),
        ("dns_server", ROW, b"\x03" + value[1:]),
    ):
        with pytest.raises(SecretKeyError, match="altered"):
            keyring.open(purpose, row, wrong)


OTHER_VERSION = (
    "insert into node (id, name, role, version, state, heartbeat_at)"
    " values (gen_random_uuid(), 'old', 'worker', '0.0.9', 'ready', now())"
)


async def test_secrets_of_before_are_read_and_bound_to_their_rows(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, keyring: Keyring
) -> None:
    """By a write of the row, whatever it changes, or by a rotation. While an older process is alive, which could not
    read them then, they stay as they are."""
    await pool.execute(OTHER_VERSION)
    tsig = {"adapter": "bind_tsig", "address": "ns.example", "key_name": "k", "secret": "c2VjcmV0"}
    server = (await admin.post("/dns-servers", json={"name": "ns", **tsig})).json()
    hook = (await admin.post("/webhooks", json={"url": "https://a.example/", "secret": HOOK})).json()
    assert (await admin.post(f"/webhooks/{hook['id']}/rotate")).status_code == 201

    async def versions() -> list[int]:
        query = (
            "select get_byte(secret, 0) as v from dns_server union all select get_byte(secret, 0) from webhook"
            " union all select get_byte(previous_secret, 0) from webhook"
        )
        return [row["v"] for row in await pool.fetch(query)]

    async def written() -> None:
        for path in (f"/dns-servers/{server['id']}", f"/webhooks/{hook['id']}"):
            answer = await admin.patch(path, json={"description": "x"})
            assert answer.status_code == 200, answer.text

    await written()
    assert await versions() == [1, 1, 1]
    row = await pool.fetchrow("select id, secret, null from dns_server")
    assert keyring.open("dns_server", row["id"], row["secret"]) == "c2VjcmV0"
    await pool.execute("update node set state = 'stopped'")
    async with pool.acquire() as connection:
        await secrets.rotate(connection, Keyring(keyring.path))
    assert await versions() == [2, 2, 2]
    await pool.execute("update node set state = 'ready'")
    async with pool.acquire() as connection:
        await secrets.rotate(connection, Keyring(keyring.path))
    assert await versions() == [1, 1, 1]
    await pool.execute("update node set heartbeat_at = now() - interval '1 hour'")
    await written()
    assert await versions() == [2, 2, 2]
    row = await pool.fetchrow("select id, secret, previous_secret from webhook")
    assert keyring.open("webhook_previous", row["id"], row["previous_secret"]) == HOOK
    assert keyring.open("webhook", row["id"], row["secret"]).startswith("whsec_")
    before = await pool.fetchval("select secret from dns_server")
    await written()
    assert await pool.fetchval("select secret from dns_server") == before


async def test_a_rotation_seals_all_anew_and_running_processes_follow(pool: asyncpg.Pool, path: Path) -> None:
    running = Keyring(path)
    async with pool.acquire() as connection:
        await store(connection, running, "one")
        before, old = await connection.fetchval("select secret from dns_server"), contents(path)
        assert await secrets.rotate(connection, Keyring(path)) == 1
        assert len(contents(path).split()) == 1
        assert contents(path) != old
        assert await connection.fetchval("select secret from dns_server") != before
        await store(connection, running, "two")
        assert await stored(connection, running) == ["one", "two"]
        changed = await connection.fetchrow("select * from change where object_type = 'secret_key'")
        assert (changed["action"], changed["before"], changed["after"]) == ("updated", None, None)
        put(path, old)
        with pytest.raises(SecretKeyError):
            await Keyring(path).adopt(connection)


async def test_a_rotation_that_fails_loses_nothing(pool: asyncpg.Pool, path: Path) -> None:
    """Both keys stand in the file then; the database's is one of them."""
    async with pool.acquire() as connection:
        await store(connection, Keyring(path), "one")
        await connection.execute("update dns_server set secret = secret || 'x'")
        with pytest.raises(SecretKeyError):
            await secrets.rotate(connection, Keyring(path))
        assert len(contents(path).split()) == 2
        await store(connection, Keyring(path), "two")
        await connection.execute("delete from dns_server where no = 1")
        assert await stored(connection, Keyring(path)) == ["two"]
        assert await secrets.rotate(connection, Keyring(path)) == 1
        assert await stored(connection, Keyring(path)) == ["two"]


async def test_the_commands_rotate_and_refuse(pool: asyncpg.Pool, database: str, path: Path) -> None:
    environment = {
        "IPAM_DATABASE_URL": database,
        "IPAM_SECRET_KEY_FILE": str(path),
        "IPAM_API_LISTEN": "127.0.0.1:0",
        "IPAM_HEALTH_LISTEN": "127.0.0.1:0",
    }
    async with pool.acquire() as connection:
        await store(connection, Keyring(path), "one")
    done = await asyncio.to_thread(
        subprocess.run,
        [*IPAM, "secrets", "rotate"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("1 secrets encrypted with the new key")
    async with pool.acquire() as connection:
        assert await stored(connection, Keyring(path)) == ["one"]
    put(path, None)
    refused = await asyncio.to_thread(
        subprocess.run,
        [*IPAM, "api"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"ipam: The secret key file {path} cannot be used: it is missing:")
    assert contents(path) == b""


async def test_a_database_that_comes_later_is_asked_then(
    empty_database: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not migrated yet, or away: the API waits with 503 for it, and ends if it holds another key's secrets."""
    monkeypatch.setattr("api.server.CHECK_SECONDS", 0.01)
    server = uvicorn.Server(uvicorn.Config("unused"))
    async with await create_pool(empty_database) as pool:
        app = create_app(Settings(), pool)
        first = Beginning(app, pool, Keyring(path))
        await first.look()
        assert not first.done
        assert "run ipam migrate" in str(app.closed)
        checking = asyncio.create_task(first.await_database(server))
        await asyncio.to_thread(migrate, empty_database)
        await checking
        assert (server.should_exit, app.closed) == (False, None)
        with pytest.raises(SecretKeyError, match="is missing"):
            await Beginning(app, pool, Keyring(path.with_name("other.key"))).await_database(server)
        assert server.should_exit is True
