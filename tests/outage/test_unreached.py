"""A database that admits nobody: each process and each command says what is wrong and which setting to change."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.test_tls import write_pair
from click.testing import CliRunner
from conftest import reachable_folder
from outage.clusters import PASSWORD, Cluster
from outage.databases import execute
from outage.processes import Role, await_true
from ports import free_port

from api.cli import main
from ipam_core.db.connect import connect, why_unreached
from ipam_core.db.outage import reason
from ipam_core.setting_values import database_url

WRONG = "not-the-secret"
ROLES = """
create role shut login password 'outage';
create role few login connection limit 0 password 'outage';
create role guest login password 'outage';
create role nologin password 'outage';
"""


CLOSED = ("create database closed", "revoke connect on database closed from public")


@pytest.fixture(scope="module")
def postgres(cluster_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """PostgreSQL over TCP with a certificate for 127.0.0.1, and roles that may do less than ours."""
    with reachable_folder() as folder:
        made = Cluster(folder / "primary", ssl="on")
        made.copy(cluster_template)
        certificate, key = write_pair(tmp_path_factory.mktemp("tls"))
        for name, source in (("server.crt", certificate), ("server.key", key)):
            made.account.write(made.folder / name, source.read_text())
        rules = made.folder / "pg_hba.conf"
        rules.write_text("host all shut all reject\n" + rules.read_text())
        made.start()
        try:
            for statement in (ROLES, *CLOSED):
                execute(made.dsn, statement)
            yield made
        finally:
            made.stop()


def url(postgres: Cluster, login: str = f"ipam:{PASSWORD}", path: str = "postgres", host: str = "") -> str:
    return f"postgresql://{login}@{host or postgres.host}/{path}"


def why(dsn: str) -> str:
    found = asyncio.run(why_unreached(dsn))
    assert PASSWORD not in found
    assert WRONG not in found
    return found


def test_what_postgresql_refuses(postgres: Cluster) -> None:
    host = postgres.host
    assert why(url(postgres)) == ""
    assert why(url(postgres, f"ipam:{WRONG}")) == (
        f"{host} refuses the password of role ipam: correct it in database_url"
    )
    assert why(url(postgres, "ipam")) == f"{host} requires a password of role ipam: add it to database_url"
    assert why(url(postgres, path="elsewhere")) == (
        f"database elsewhere does not exist at {host}: create it, or correct its name in database_url"
    )
    assert why(url(postgres, f"few:{PASSWORD}")).startswith(f"{host} accepts no more connections (")
    shut = why(url(postgres, f"shut:{PASSWORD}"))
    assert shut.startswith(f"{host} does not admit role shut to database postgres (")
    assert shut.endswith("): add a line to its pg_hba.conf, or correct database_url")
    assert why(url(postgres, f"nologin:{PASSWORD}")).startswith(
        f"{host} has no role nologin that may log in ("
    )
    assert why(url(postgres, f"guest:{PASSWORD}", "closed")) == (
        f"role guest may not connect to database closed at {host}: grant it CONNECT"
    )


def test_tls_and_certificates(postgres: Cluster, oldest: Cluster, tmp_path: Path) -> None:
    other, _ = write_pair(tmp_path)
    own = tmp_path / "own.pem"
    own.write_text((postgres.folder / "server.crt").read_text())
    named = url(postgres, host=f"localhost:{postgres.port}")
    assert why(url(postgres, path=f"postgres?sslmode=verify-full&sslrootcert={own}")) == ""
    assert "offers no TLS, which sslmode in database_url requires" in why(oldest.dsn + "?sslmode=require")
    assert "is not trusted (" in why(url(postgres, path=f"postgres?sslmode=verify-ca&sslrootcert={other}"))
    assert "is for another name (" in why(f"{named}?sslmode=verify-full&sslrootcert={own}")
    missing = why(url(postgres, path="postgres?sslmode=verify-ca&sslrootcert=/no/such/file"))
    assert missing.startswith("a file that sslrootcert, sslcert, sslkey or sslcrl in database_url names")


def test_hosts_that_are_not_there(postgres: Cluster) -> None:
    port = free_port()
    assert why(url(postgres, host=f"127.0.0.1:{port}")).startswith(
        f"nothing accepts connections at 127.0.0.1:{port}: start PostgreSQL"
    )
    assert why(url(postgres, host=f"localhost:{port}")).startswith("nothing accepts connections at localhost")
    assert why(url(postgres, host="db.invalid")).startswith("the name of db.invalid:5432 cannot be resolved")
    assert why("postgresql://ipam@/ipam?host=/no/such/folder").startswith(
        "the socket /no/such/folder/.s.PGSQL."
    )


@pytest.mark.parametrize("password", ["pa#ss", "pa/ss", "pa?ss", "s[x", "s#x@y"])
def test_an_unreadable_url_shows_nothing_of_its_password(password: str) -> None:
    """The driver and Python repeat what they take for the port or the host."""
    told = f"postgresql://ipam:{password}@db/ipam"
    shown = []
    try:
        database_url(told)
    except ValueError as error:
        shown.append(str(error))
    shown.append(why(told))
    assert all("pa" not in each.replace("password", "") for each in shown), shown
    assert not any("%23" not in each for each in shown if "resolved" not in each), shown


PROCESSES = ("api", "dhcp", "dns", "worker")


def test_every_process_says_so_in_its_log_and_at_readyz(postgres: Cluster, tmp_path: Path) -> None:
    sentence = f"{postgres.host} refuses the password of role ipam: correct it in database_url"
    dsn = url(postgres, f"ipam:{WRONG}")
    running = [
        Role(tmp_path, name, database_url=dsn, dns_listen=f"127.0.0.1:{free_port()}") for name in PROCESSES
    ]
    try:
        for each in running:
            each.start()
        for each in running:
            await_true(
                lambda each=each: sentence in each.readiness()[1], f"{each.command}: {each.readiness()}"
            )
            assert each.readiness()[0] == 503
            lines = [json.loads(line) for line in each.said().splitlines()]
            assert any(sentence in str(line.get("error") or line.get("reason")) for line in lines), lines
            assert WRONG not in each.said()
    finally:
        for each in running:
            if each.process is not None:
                each.process.kill()
                each.process.wait()


@pytest.mark.parametrize(
    "command",
    [
        "migrate",
        "backup {folder}/copy",
        "token create --name a --role admin",
        "relays check",
        "rebuild-search",
    ],
)
def test_every_command_says_so(postgres: Cluster, tmp_path: Path, command: str) -> None:
    settings = {"IPAM_DATABASE_URL": url(postgres, f"ipam:{WRONG}"), "IPAM_DATA_DIR": str(tmp_path)}
    ran = CliRunner().invoke(main, command.format(folder=tmp_path).split(), env=settings)
    assert ran.exit_code == 1, ran.output
    sentence = f"{postgres.host} refuses the password of role ipam: correct it in database_url"
    assert f"the database is not available: {sentence}" in ran.output
    assert WRONG not in ran.output


async def test_a_session_that_may_do_too_little(postgres: Cluster) -> None:
    connection = await connect(url(postgres))
    try:
        await connection.execute("create table secret (); set role guest")
        with pytest.raises(Exception) as refused:  # noqa: PT011 - the sentence is the subject
            await connection.execute("select from secret")
        assert reason(refused.value).startswith("the role in database_url may not do this: make it the owner")
        with pytest.raises(Exception) as missing:  # noqa: PT011 - as above
            await connection.execute("select from nowhere")
        assert reason(missing.value).startswith("its schema is not of this version: run ipam migrate")
    finally:
        await connection.close()
