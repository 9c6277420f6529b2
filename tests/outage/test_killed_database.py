"""PostgreSQL dies, hangs or drops its sessions in a storm; the DHCP process lives on and serves again by itself."""

import signal
import threading
from pathlib import Path

import pytest
from outage.databases import Database, execute
from outage.processes import Role, await_true, signal_all
from outage.storms import judge, quiet, renew, storm

from dhcp_fast.bench.servers.processes import family
from dhcp_fast.database.unavailable import GRACE_SECONDS
from dhcp_fast.probe.client import Client, NoAnswer
from ipam_core.db.embedded.server import running_dsn

MAC = bytes.fromhex("020000000001")
TERMINATE = """
select pg_terminate_backend(pid) from pg_stat_activity
where application_name = 'ipam lease writer' and datname = current_database()"""


def test_killed_postgresql_loses_no_acknowledged_lease(own_database: Database, tmp_path: Path) -> None:
    """Every process of it at once, twice; each time it is away until /readyz has said why."""
    with Role(tmp_path, "dhcp", database_url=own_database.dsn) as server:
        server.ready()
        pid = server.pid
        with storm(server.address) as running:
            for _ in range(2):
                running.goes_on(1500)
                own_database.kill()
                await_true(lambda: server.readiness()[0] == 503, "not ready")
                assert "database" in server.readiness()[1]
                own_database.start()
                server.ready()
            running.goes_on(1500)
            result = running.result()
        assert judge(own_database.dsn, result).clients >= 4500
        renew(server.address, result)
        assert server.pid == pid
        assert "Traceback" not in server.said()


def test_without_a_database_nothing_is_acknowledged(own_database: Database, tmp_path: Path) -> None:
    """Rule 5, and "when PostgreSQL is away": an ACK or NAK would be the database's. An offer would be memory's, but is
    made to nobody who could not get it."""
    with (
        Role(tmp_path, "dhcp", database_url=own_database.dsn) as server,
        Client(server.address, mac=MAC, timeout=0.4, tries=2) as client,
    ):
        server.ready()
        lease = client.select(client.discover().reply)
        own_database.kill()
        with pytest.raises(NoAnswer):
            client.renew(lease.reply)
        await_true(lambda: server.readiness()[0] == 503, "not ready")
        quiet(GRACE_SECONDS + 0.5)
        with pytest.raises(NoAnswer):
            client.discover()
        assert server.metric("ipam_dhcp4_drops_total") >= 2
        own_database.start()
        server.ready()
        client.tries = 10
        client.discover()
        assert client.renew(lease.reply).reply.yiaddr == lease.reply.yiaddr


def test_a_young_request_is_answered_when_the_database_is_back(
    own_database: Database, tmp_path: Path
) -> None:
    """The one datagram that was sent while it was away, never repeated."""
    with (
        Role(tmp_path, "dhcp", database_url=own_database.dsn) as server,
        Client(server.address, mac=MAC, timeout=6.0, tries=1) as client,
    ):
        server.ready()
        offer = client.discover()
        own_database.kill()
        await_true(lambda: server.readiness()[0] == 503, "not ready")
        restart = threading.Thread(target=own_database.start)
        restart.start()
        lease = client.select(offer.reply)
        restart.join()
        assert lease.reply.yiaddr == offer.reply.yiaddr


def test_ipam_up_starts_killed_postgresql_again(prepared_dir: Path, tmp_path: Path) -> None:
    with Role(tmp_path, "up", "--demo", data_dir=str(prepared_dir)) as up:
        up.ready()
        with storm(up.address) as running:
            running.goes_on(1000)
            signal_all(postgresql(up), signal.SIGKILL)
            await_true(lambda: "PostgreSQL is running again" in up.said(), "recovered")
            running.goes_on(1000)
            result = running.result()
        dsn = running_dsn(prepared_dir)
        assert dsn is not None
        judge(dsn, result)
        renew(up.address, result)
        assert "dhcp ended" not in up.said()


def test_terminated_writers_connect_again(plan_database: str, tmp_path: Path) -> None:
    """An administrator ends both writers' sessions in the midst of their batches."""
    with Role(tmp_path, "dhcp", database_url=plan_database) as server:
        server.ready()
        with storm(server.address) as running:
            for _ in range(4):
                running.goes_on(400)
                execute(plan_database, TERMINATE)
            running.goes_on(400)
            result = running.result()
        judge(plan_database, result)
        renew(server.address, result)


def test_frozen_postgresql_is_given_up_and_found_again(own_database: Database, tmp_path: Path) -> None:
    """Rule 11: for eight seconds it neither answers nor closes. What its sessions commit when they wake was said to
    nobody; their clients ask again."""
    with Role(tmp_path, "dhcp", database_url=own_database.dsn) as server:
        server.ready()
        with storm(server.address) as running:
            running.goes_on(1000)
            with own_database.frozen():
                quiet(8.0)
                assert server.readiness()[0] == 503
                stalled = running.completed
            running.goes_on(1000)
            result = running.result()
        assert stalled < running.completed
        assert "the database does not answer; closing its sessions" in server.said()
        server.ready()
        judge(own_database.dsn, result)
        renew(server.address, result)


def postgresql(up: Role) -> list[int]:
    """The postmaster and its children."""
    return [pid for pid in family(up.pid) if Path(f"/proc/{pid}/comm").read_text().strip() == "postgres"]
