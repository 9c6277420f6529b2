"""SIGKILL in a DHCPv6 storm, of the server and of PostgreSQL: what was acknowledged stands, and none is given twice.

Each client asks for an address and a prefix, so one message is two writes.
"""

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from outage.databases import Database
from outage.processes import Role, await_true, free
from outage.storms import judge, renew, storm

from dhcp_fast.load.generator import server_id
from dhcp_fast.load.generator.storm import Storm
from dhcp_fast.load.generator.storm6 import Storm6
from dhcp_fast.load.servers import bench_plan6

Place = tuple[str, int]


@contextmanager
def serving(dsn: str, folder: Path) -> Iterator[tuple[Role, Place, Callable[..., Storm]]]:
    """A server on ::1, its address, and the storm for it: clients name their server."""
    asyncio.run(bench_plan6.insert(dsn, cache_threshold=0))
    listen = free(socket.SOCK_DGRAM, "::1")
    told = {"dhcp6_listen": f"[::1]:{listen.port}", "dhcp4_listen": ""}
    with Role(folder, "dhcp", "--family", "6", database_url=dsn, **told) as server:
        server.ready()
        place = (listen.host, listen.port)
        named = server_id.ask(place, bench_plan6.LINK)
        yield server, place, partial(Storm6, features=bench_plan6.features(named, delegation=True))


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
