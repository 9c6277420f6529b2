"""Real PostgreSQL for every test that wants one.

One embedded server serves a whole run: under pytest-xdist the controlling process runs it and tells its
workers. The schema is migrated once, into a template; each test gets a copy of its own.
"""

import asyncio
import shutil
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import psycopg
import pytest
from harness import prepared_folder
from harness.marks import shares_server
from harness.memory_folder import memory_folder

from ipam_core.db.connect import create_pool
from ipam_core.db.embedded.programs import OWN_ACCOUNT
from ipam_core.db.embedded.server import EmbeddedPostgres, running_dsn, superuser_dsn
from ipam_core.db.migrate import migrate

pytest_plugins = ["harness.plugin"]

TEMPLATE = "template_ipam"
SERVER = pytest.StashKey[tuple[EmbeddedPostgres, str]]()

# PostgreSQL looks at every buffer that it has whenever it makes or drops a database, and would have gigabytes of them.
# Four processes of tests share it: two servers of four workers at once have more sessions than an installation may.
CHEAP = {"shared_buffers": "128MB", "max_connections": "250"}


@pytest.fixture(scope="session")
def postgres_dsn(request: pytest.FixtureRequest) -> str:
    """The DSN of the run's server; its database is nobody's."""
    return server_of_run(request.config)[1]


@pytest.fixture(scope="session")
def run_folder(request: pytest.FixtureRequest) -> Path:
    """The run's own, which goes at its end; its server's data lies there too."""
    return server_of_run(request.config)[0]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput["run_folder"] = str(server_of_run(node.config)[0])


def server_of_run(config: pytest.Config) -> tuple[Path, str]:
    """The run's folder and its server's DSN: another process's if it told of one, else our own, which then begins."""
    told = getattr(config, "workerinput", {}).get("run_folder") or config.getoption("--run-folder")
    if told is None:
        server, dsn = start_server(config)
        return server.path, dsn
    assert running_dsn(Path(told)) is not None, f"no server runs in {told}"
    return Path(told), superuser_dsn(Path(told))


def start_server(config: pytest.Config) -> tuple[EmbeddedPostgres, str]:
    if SERVER not in config.stash:
        folder = Path(tempfile.mkdtemp(prefix="ipam-test-", dir=memory_folder() or "/tmp"))
        folder.chmod(0o711)
        server = EmbeddedPostgres(folder, OWN_ACCOUNT, CHEAP)
        server.start()
        config.stash[SERVER] = server, superuser_dsn(folder)  # tests make databases and roles
        make_template(config.stash[SERVER][1])
    return config.stash[SERVER]


def make_template(dsn: str) -> None:
    asyncio.run(execute(dsn, f"create database {TEMPLATE}"))
    migrate(with_database(dsn, TEMPLATE))


def pytest_unconfigure(config: pytest.Config) -> None:
    if SERVER in config.stash:
        server, _ = config.stash[SERVER]
        server.stop()
        shutil.rmtree(server.path)


@pytest.fixture(scope="session")
def clerk(postgres_dsn: str) -> Iterator[psycopg.Connection[Any]]:
    """A session in which databases are made and dropped: to begin one costs a third of that."""
    with psycopg.connect(postgres_dsn, autocommit=True) as session:
        yield session


@contextmanager
def made(clerk: psycopg.Connection[Any], dsn: str, like: str = "") -> Iterator[str]:
    """A database of its own, and its DSN."""
    name = f"test_{uuid.uuid4().hex}"
    clerk.execute(f"create database {name} {like}")
    yield with_database(dsn, name)
    clerk.execute(f"drop database {name} with (force)")


# Copying files costs half of what writing each page to the log does.
COPIED = f"template {TEMPLATE} strategy file_copy"


@pytest.fixture
def database(
    request: pytest.FixtureRequest, postgres_dsn: str, clerk: psycopg.Connection[Any]
) -> Iterator[str]:
    """The DSN of a migrated database of this test alone; of its file, where that has one server (engine/shared.py)."""
    if shares_server(request.node):
        yield request.getfixturevalue("module_database")
        return
    with made(clerk, postgres_dsn, COPIED) as dsn:
        yield dsn


@pytest.fixture
def fresh_database(postgres_dsn: str, clerk: psycopg.Connection[Any]) -> Iterator[str]:
    """The DSN of a migrated database of this test alone, whatever its file shares."""
    with made(clerk, postgres_dsn, COPIED) as dsn:
        yield dsn


@pytest.fixture(scope="module")
def module_database(postgres_dsn: str, clerk: psycopg.Connection[Any]) -> Iterator[str]:
    """The same for all tests of a module, which look at what its fixture did there."""
    with made(clerk, postgres_dsn, COPIED) as dsn:
        yield dsn


@pytest.fixture
def empty_database(postgres_dsn: str, clerk: psycopg.Connection[Any]) -> Iterator[str]:
    """The DSN of a database of this test alone that nobody has migrated."""
    with made(clerk, postgres_dsn) as dsn:
        yield dsn


@pytest.fixture
async def pool(database: str) -> AsyncIterator[asyncpg.Pool]:
    """A pool of sessions on this test's database."""
    async with await create_pool(database, max_size=8) as pool:
        yield pool


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A short path that does not exist yet, below a folder that every account can pass."""
    with reachable_folder() as folder:
        yield folder / "data"


@pytest.fixture
def prepared_dir(data_dir: Path, run_folder: Path) -> Path:
    """The same with a stopped server's data in it, which has the schema."""
    prepared_folder.copy_of_server(run_folder, data_dir)
    return data_dir


@pytest.fixture
def disk_dir() -> Iterator[Path]:
    """The same on a file system from which programs may run."""
    with reachable_folder("/tmp") as folder:
        yield folder / "data"


@contextmanager
def reachable_folder(place: str | None = None) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="ipam-test-", dir=place or memory_folder() or "/tmp"))
    folder.chmod(0o711)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def with_database(dsn: str, name: str) -> str:
    return urlunsplit(urlsplit(dsn)._replace(path=f"/{name}"))


async def execute(dsn: str, statement: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
