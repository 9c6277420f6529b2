"""Beginning and end of the DHCP process: it waits for what may still come, and says in one line what cannot."""

import asyncio
import os
import signal
import socket
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from outage.databases import Database, execute, fetch
from outage.processes import Role, await_true
from outage.storms import judge, storm

from dhcp_fast.bench.servers import bench_plan
from dhcp_fast.probe.client import Client
from ipam_core.db.embedded.server import superuser_dsn
from ipam_core.db.migrate import migrate

MAC = bytes.fromhex("020000000001")
END_SECONDS = 5.0
CHANGED = (
    "insert into change (object_type, object_id, action) values ('tenant', gen_random_uuid(), 'updated')"
)


def serve_one(server: Role) -> None:
    with Client(server.address, mac=MAC) as client:
        client.select(client.discover().reply)


def serve_once_migrated(server: Role, dsn: str) -> None:
    migrate(dsn)
    server.ready()
    asyncio.run(bench_plan.insert(dsn))
    execute(dsn, CHANGED)
    serve_one(server)


# --- what may still come


def test_a_database_that_is_not_there_yet_is_awaited(own_database: Database, tmp_path: Path) -> None:
    own_database.server.stop()
    with Role(tmp_path, "dhcp", database_url=own_database.dsn) as server:
        await_true(lambda: server.readiness()[0] == 503, "answering")
        assert "the database cannot be read" in server.readiness()[1]
        assert server.page("/healthz")[0] == 200
        own_database.server.start()
        server.ready()
        serve_one(server)
    assert fetch(own_database.dsn, "select count(*) from node") == 1


def test_a_schema_that_is_not_there_yet_is_awaited(empty_database: str, tmp_path: Path) -> None:
    with Role(tmp_path, "dhcp", database_url=empty_database) as server:
        await_true(lambda: "run ipam migrate" in server.readiness()[1], "telling that the schema is missing")
        serve_once_migrated(server, empty_database)


def test_a_schema_that_is_still_being_made_is_awaited(empty_database: str, tmp_path: Path) -> None:
    """A migration makes the tables first and the default tenant last."""
    migrate(empty_database)
    execute(empty_database, "delete from tenant")
    with Role(tmp_path, "dhcp", database_url=empty_database) as server:
        await_true(lambda: "no default tenant" in server.readiness()[1], "telling what is missing")
        serve_once_migrated(server, empty_database)


def test_an_account_that_may_not_connect_yet_is_awaited(own_database: Database, tmp_path: Path) -> None:
    """One that is being changed, say."""
    superuser = superuser_dsn(own_database.server.path)
    execute(superuser, "alter role ipam nologin")
    with Role(tmp_path, "dhcp", database_url=own_database.dsn) as server:
        await_true(lambda: "not permitted to log in" in server.readiness()[1], "telling who may not connect")
        execute(superuser, "alter role ipam login")
        server.ready()
        serve_one(server)


# --- what cannot be, in one line


def refusal(role: Role, expected: int = 2) -> str:
    """What a start that must fail says, which is one line, and its status is that of a wrong setting."""
    role.start()
    status = role.ended()
    said = role.said()
    assert (status, said.count("\n")) == (expected, 1), said
    return said


MENDED_BY_TIME = 1  # whoever started it tries again, as systemd does after a boot race


def test_a_dhcp_address_in_use(plan_database: str, tmp_path: Path) -> None:
    role = Role(tmp_path, "dhcp", database_url=plan_database)
    with socket.socket(type=socket.SOCK_DGRAM) as taken:
        taken.bind(role.address)
        said = f"ipam: dhcp4_listen: {role.dhcp} cannot be served: Address already in use\n"
        assert refusal(role, MENDED_BY_TIME) == said


def test_a_health_address_in_use(plan_database: str, tmp_path: Path) -> None:
    role = Role(tmp_path, "dhcp", database_url=plan_database)
    with socket.socket() as taken:
        taken.bind((role.health.host, role.health.port))
        taken.listen()
        said = f"ipam: health_listen: {role.health} cannot be served: Address already in use\n"
        assert refusal(role, MENDED_BY_TIME) == said


@pytest.mark.parametrize("key", ["api_listen", "health_listen"])
def test_an_address_of_the_api_in_use(plan_database: str, tmp_path: Path, key: str) -> None:
    role = Role(tmp_path, "api", database_url=plan_database)
    endpoint = role.api if key == "api_listen" else role.health
    with socket.socket() as taken:
        taken.bind((endpoint.host, endpoint.port))
        taken.listen()
        said = refusal(role, MENDED_BY_TIME)
    assert said == f"ipam: {key}: {endpoint} cannot be served: Address already in use\n"


def test_an_address_that_no_interface_has(plan_database: str, tmp_path: Path) -> None:
    """It may come, so the server waits for it; nothing else is served, so it is not ready."""
    with Role(tmp_path, "dhcp", database_url=plan_database, dhcp4_listen="192.0.2.1:6767") as server:
        said = "nothing is served: no interface has the address of 192.0.2.1:6767"
        await_true(lambda: server.readiness()[1] == said, "telling what is missing")


def test_an_interface_that_is_not_there(plan_database: str, tmp_path: Path) -> None:
    """The others are served."""
    with Role(tmp_path, "dhcp", database_url=plan_database, dhcp4_interfaces="nonesuch0") as server:
        server.ready()
        serve_one(server)


def test_an_interface_without_cap_net_raw(plan_database: str, tmp_path: Path) -> None:
    role = Role(
        tmp_path, "dhcp", before=without("net_raw"), database_url=plan_database, dhcp4_interfaces="lo"
    )
    assert "ipam: dhcp4_interfaces: serving an interface needs CAP_NET_RAW" in refusal(role)


def test_port_67_without_cap_net_bind_service(plan_database: str, tmp_path: Path) -> None:
    role = Role(
        tmp_path,
        "dhcp",
        before=in_a_network_of_its_own("net_bind_service"),
        database_url=plan_database,
        dhcp4_listen="127.0.0.1:67",
    )
    assert "127.0.0.1:67 cannot be served" in (said := refusal(role))
    assert "CAP_NET_BIND_SERVICE" in said


def without(capability: str) -> Sequence[str]:
    """A command prefix that takes the capability from root; another account does not have it."""
    return ("setpriv", f"--bounding-set=-{capability}") if os.geteuid() == 0 else ()


def in_a_network_of_its_own(capability: str) -> Sequence[str]:
    """Without the capability, where low ports ask for it: a container's own network may give them to everybody."""
    user = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    then = ("sh", "-c", f'ip link set lo up && exec setpriv --bounding-set=-{capability} "$@"', "sh")
    return ("unshare", *user, "--net", *then)


def test_a_server_that_may_forget_what_it_committed(own_database: Database, tmp_path: Path) -> None:
    """Rule 11."""
    superuser = superuser_dsn(own_database.server.path)
    execute(superuser, "alter system set fsync = off")
    execute(superuser, "select pg_reload_conf()")
    said = refusal(Role(tmp_path, "dhcp", database_url=own_database.dsn))
    assert "fsync=off" in said


@pytest.mark.parametrize("place", ["localhost:port/ipam", "localhost/ipam?sslmode=perhaps"])
def test_an_address_of_the_database_that_cannot_be_read(tmp_path: Path, place: str) -> None:
    said = refusal(Role(tmp_path, "dhcp", database_url=f"postgresql://ipam@{place}"))
    assert "database_url: " in said.lower()


def test_no_database_named_and_none_running(tmp_path: Path) -> None:
    said = refusal(Role(tmp_path, "dhcp"))
    assert said.startswith("ipam: database_url: is not set")


# --- the end


@pytest.fixture(params=[signal.SIGTERM, signal.SIGINT])
def ending(request: pytest.FixtureRequest) -> signal.Signals:
    found: signal.Signals = request.param
    return found


def test_the_end_in_a_storm_is_in_order(plan_database: str, tmp_path: Path, ending: signal.Signals) -> None:
    with Role(tmp_path, "dhcp", database_url=plan_database) as server:
        server.ready()
        with storm(server.address) as running:
            running.goes_on(1000)
            assert timed_end(server, ending) == 0
            result = running.result()
        judge(plan_database, result)
    assert fetch(plan_database, "select state from node") == "stopped"
    assert "Traceback" not in server.said()


def test_the_end_does_not_wait_for_a_database_that_hangs(own_database: Database, tmp_path: Path) -> None:
    with Role(tmp_path, "dhcp", database_url=own_database.dsn) as server:
        server.ready()
        with own_database.frozen():
            assert timed_end(server, signal.SIGTERM) == 0


def test_the_end_of_one_that_still_waits_for_its_database(tmp_path: Path) -> None:
    with Role(tmp_path, "dhcp", database_url="postgresql://ipam@127.0.0.1:1/ipam") as server:
        await_true(lambda: server.readiness()[0] == 503, "answering")
        assert timed_end(server, signal.SIGTERM) == 0


def timed_end(server: Role, how: signal.Signals) -> int:
    began = time.monotonic()
    status = server.end(how)
    assert time.monotonic() - began < END_SECONDS
    return status
