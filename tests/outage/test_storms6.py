"""SIGKILL in a DHCPv6 storm, of the server and of PostgreSQL: what was acknowledged stands, and none is given twice.

Each client asks for an address and a prefix, so one message is two writes.
"""

import signal
from pathlib import Path

from outage.databases import Database
from outage.processes import await_true
from outage.servers6 import serving
from outage.storms import judge, renew, storm


def test_a_killed_server_loses_no_lease_and_gives_none_twice(database: str, tmp_path: Path) -> None:
    """Thrice in one storm. Then each client renews: the server that is left knows every lease of the killed ones."""
    with serving(database, tmp_path) as (server, place, kind):
        with storm(place, kind=kind) as running:
            for _ in range(3):
                running.goes_on(1000)
                assert server.end(signal.SIGKILL) == -signal.SIGKILL
                server.start()
            running.goes_on(1000)
            result = running.result()
        assert judge(database, result, family=6).clients >= 4000
        renew(place, result, kind=kind)


def test_killed_postgresql_loses_no_acknowledged_lease(own_database: Database, tmp_path: Path) -> None:
    """Every process of it at once, twice; each time it is away until /readyz has said why."""
    with serving(own_database.dsn, tmp_path) as (server, place, kind):
        pid = server.pid
        with storm(place, kind=kind) as running:
            for _ in range(2):
                running.goes_on(1000)
                own_database.kill()
                await_true(lambda: server.readiness()[0] == 503, "not ready")
                own_database.start()
                server.ready()
            running.goes_on(1000)
            result = running.result()
        assert judge(own_database.dsn, result, family=6).clients >= 3000
        renew(place, result, kind=kind)
        assert server.pid == pid
        assert "Traceback" not in server.said()
