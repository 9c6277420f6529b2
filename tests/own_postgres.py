"""`fresh_database` of a PostgreSQL of its own, for a test that asks of all transactions there, or whose load the other
tests are not to wait for."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ipam_core.db.embedded.programs import OWN_ACCOUNT
from ipam_core.db.embedded.server import EmbeddedPostgres, superuser_dsn


@pytest.fixture
def fresh_database(prepared_dir: Path) -> Iterator[str]:
    server = EmbeddedPostgres(prepared_dir, OWN_ACCOUNT)
    try:
        server.start()
        yield superuser_dsn(prepared_dir)  # for tests that make roles
    finally:
        server.stop()
