"""A primary that falls silent, and the standby that takes its place: the same processes serve on.

A process that is killed refuses the next connection at once, and whoever asks goes on to the next host. What stops in
earnest does not: a machine that hangs takes connections and answers nothing, one without power or behind a broken
switch not even takes them.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from outage.clusters import Cluster, cluster, standby_of
from outage.databases import fetch
from outage.processes import Role, await_true
from outage.storms import judge, renew, storm
from outage.wires import FAR, NEAR, Wire

# What was being committed when it froze waits there for a standby; its outcome was told to nobody.
OURS = """
select count(*) from pg_stat_activity
where application_name like 'ipam%' and backend_type = 'client backend' and wait_event is distinct from 'SyncRep'"""
PREFIXES = (f"172.{number}.0.0/16" for number in range(16, 32))


def test_a_primary_that_freezes_is_left(oldest: Cluster, tmp_path: Path) -> None:
    """Every process of it stops. Nothing that was acknowledged is lost, because each commit waited for the standby.
    When it wakes, it finds no session of ours, and nobody goes back to it. (A server that is started then takes the
    first host that accepts writes: keeping the woken primary away, fencing, is the operator's.)"""
    with standby_of(oldest) as standby, serving(oldest, standby, tmp_path) as (server, api):
        fails_over(server, api, oldest.freeze, standby)
        oldest.thaw()
        await_true(lambda: fetch(oldest.dsn, OURS) == 1, "rid of our sessions")  # but the one that asks
        with storm(server.address, first_client=1_000_000) as running:
            running.goes_on(500)
            result = running.result()
        judge(standby.dsn, result)
        assert write(api) == 201
        assert fetch(standby.dsn, "select count(*) from prefix where description = 'after'") == 2


def test_a_primary_whose_packets_are_lost_is_left(
    cluster_template: Path, data_dir: Path, tmp_path: Path
) -> None:
    """The wire to it is cut: no reset, no ICMP message, and its neighbour entry stands."""
    with (
        Wire() as wire,
        wire.far(),
        cluster(cluster_template, data_dir.parent, FAR) as primary,
        wire.near(),
        standby_of(primary, NEAR) as standby,
        serving(primary, standby, tmp_path) as roles,
    ):
        fails_over(*roles, wire.cut, standby)
        primary.kill()  # it would wait for its standby


def fails_over(server: Role, api: Role, silence: Callable[[], None], standby: Cluster) -> None:
    with storm(server.address) as running:
        running.goes_on(1500)
        silence()
        await_true(lambda: server.readiness()[0] == 503, "not ready")
        fetch(standby.dsn, "select pg_promote()")
        running.goes_on(1500)
        result = running.result()
    server.ready()
    api.ready()
    judge(standby.dsn, result)
    renew(server.address, result)
    assert write(api) == 201
    await_true(lambda: "promoted or restored" in server.said(), "aware of another history")
    for role in (server, api):
        assert "Traceback" not in role.said()


def write(api: Role) -> int:
    found = httpx.post(
        f"http://{api.api}/api/v1/prefixes", json={"cidr": next(PREFIXES), "description": "after"}
    )
    return found.status_code


@contextmanager
def serving(primary: Cluster, standby: Cluster, folder: Path) -> Iterator[tuple[Role, Role]]:
    url = f"postgresql://ipam:outage@{primary.host},{standby.host}/postgres?target_session_attrs=read-write"
    with Role(folder, "dhcp", database_url=url) as server, Role(folder, "api", database_url=url) as api:
        server.ready()
        api.ready()
        yield server, api
