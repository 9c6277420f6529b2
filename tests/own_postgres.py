"""`fresh_database` of a PostgreSQL of its own, for a test that asks of all transactions there, or whose load the other
tests are not to wait for."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ipam_core.db.embedded.server import EmbeddedPostgres


@pytest.fixture
def fresh_database(prepared_dir: Path) -> Iterator[str]:
    server = EmbeddedPostgres(prepared_dir, "nobody")
    try:
        yield server.start()
    finally:
        server.stop()
