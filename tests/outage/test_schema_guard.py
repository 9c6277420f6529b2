"""A schema that is not this build's: one that is behind is awaited and named, one from the future is refused."""

import subprocess
import time
from pathlib import Path

import httpx
import pytest
from outage.databases import execute
from outage.processes import COMMAND, Role, await_true

from ipam_core.db import schema
from ipam_core.db.migrate import migrate

NEWEST = schema.number(schema.known()[-1])
BEHIND = f"this build needs {NEWEST}: run ipam migrate"
FUTURE = f"the database is at 0099.future, which this build ({NEWEST}) does not know: upgrade ipam"
RECORD_FUTURE = """
insert into schema_step (name, additive, checksum, release) values ('0099.future', false, '', '99.0')"""
MAKE_OLD = "delete from schema_step where name = 'functions/vacancy'"


def ask(role: Role) -> httpx.Response:
    return httpx.get(f"http://{role.api}/api/v1/subnets", verify=False)


def test_an_api_before_its_migration(empty_database: str, tmp_path: Path) -> None:
    """Unready, with the command that is missing; requests are told so, and served once it has run."""
    with Role(tmp_path, "api", database_url=empty_database) as api:
        await_true(lambda: api.readiness()[0] == 503 and "it does not" not in api.readiness()[1], "unready")
        assert api.readiness()[1] == f"The schema is empty, {BEHIND}"
        answer = ask(api)
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")
        assert BEHIND in answer.json()["error"]["message"]
        assert "retry-after" in answer.headers
        assert api.said().count("requests cannot be served") == 1
        migrate(empty_database)
        api.ready()
        assert ask(api).status_code == 200


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_dhcp_server_before_its_migration(workers: str, empty_database: str, tmp_path: Path) -> None:
    """The reason stands on its page, and once in its log for each process however often it looks."""
    with Role(tmp_path, "dhcp", database_url=empty_database, dhcp_workers=workers) as server:
        await_true(lambda: server.readiness()[0] == 503, "answering")
        await_true(lambda: BEHIND in server.readiness()[1], "told")
        time.sleep(1.5)  # it looks twice a second
        assert 1 <= server.said().count("The schema is empty") <= (1 if workers == "1" else 3)
        migrate(empty_database)
        server.ready()


def test_a_schema_with_older_functions(database: str, tmp_path: Path) -> None:
    execute(database, MAKE_OLD)
    with Role(tmp_path, "dhcp", database_url=database) as server:
        older = f"The schema is {NEWEST} with older functions/vacancy, {BEHIND}"
        await_true(lambda: older in server.readiness()[1], "told")
        migrate(database)
        server.ready()


@pytest.mark.parametrize(
    "command", [["api"], ["dhcp"], ["dhcp", "2"], ["worker"], ["migrate"], ["up"]], ids=" ".join
)
def test_a_schema_from_the_future_is_refused(command: list[str], database: str, tmp_path: Path) -> None:
    """In one line, with the status of a wrong setting."""
    execute(database, RECORD_FUTURE)
    workers = {"dhcp_workers": command[1]} if len(command) > 1 else {}
    role = Role(tmp_path, command[0], database_url=database, **workers)
    role.start()
    assert (role.ended(), FUTURE in role.said()) == (2, True), role.said()


def test_a_server_goes_on_while_a_newer_version_migrates(database: str, tmp_path: Path) -> None:
    """An upgrade goes from host to host; who starts afterwards must be new."""
    with (
        Role(tmp_path, "api", database_url=database) as api,
        Role(tmp_path, "dhcp", database_url=database) as dhcp,
    ):
        api.ready()
        dhcp.ready()
        execute(database, RECORD_FUTURE)
        execute(
            database,
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()",
        )
        api.ready()
        dhcp.ready()
        assert ask(api).status_code == 200


def test_migrate_says_so_when_nothing_is_missing(database: str) -> None:
    command = [*COMMAND, "migrate"]
    told = subprocess.run(
        command, env={"IPAM_DATABASE_URL": database}, capture_output=True, text=True, check=True
    )
    assert told.stdout == "nothing to apply\n"


def test_a_step_in_the_middle_is_named() -> None:
    assert schema.state({"0001.a", "0003.c"}, {"0002.b"}) == "0003 without 0002.b"
