"""The domain's commands: `ipam backup`, `restore`, `migrate`, `rebuild-search`, `secrets`, `up` and `worker`."""

import asyncio
import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ipam_core import settings
from ipam_core.db.embedded.log_segments import AHEAD
from ipam_core.db.embedded.server import EmbeddedPostgres, running_dsn
from ipam_core.db.url import find_url
from ipam_core.processes.loading import loading
from ipam_core.settings import Settings

if TYPE_CHECKING:
    from ipam_core.db.migrate import Outcome, Phase
    from ipam_core.secrets import Keyring


# Ports that need no rights, on the machine itself: for a first look, from a terminal.
DEVELOPMENT = {
    "dhcp4_listen": ["127.0.0.1:6767"],
    "dhcp6_listen": ["[::1]:5547"],
    "dns_listen": ["127.0.0.1:5300"],
}


@click.command()
@click.option("--demo", is_flag=True, help="Create a small example network in an empty database.")
@click.option(
    "--standard-ports",
    is_flag=True,
    help="Where the settings have no addresses, use those of the other commands: ports 67 and 53 on all "
    "interfaces. Default: ports above 1024 on loopback.",
)
@click.pass_obj
def up(config: Path | None, demo: bool, standard_ports: bool) -> None:
    """Run all parts: API, DHCP and DNS servers, a worker, and PostgreSQL unless database_url is set."""
    with loading():
        from ipam_core.processes.up import up as serve  # `ipam migrate` needs none of it

    chosen = settings.load(config, defaults=defaults_of_up(standard_ports))
    asyncio.run(serve(chosen, demo))


def defaults_of_up(standard_ports: bool) -> Mapping[str, Any] | None:
    """Return the defaults that `ipam up` has instead of those of the settings."""
    return None if standard_ports else DEVELOPMENT


@click.command()
@click.option(
    "--pre",
    "phase",
    flag_value="pre",
    help="Before an upgrade: apply only steps that work with the previous version.",
)
@click.option(
    "--post", "phase", flag_value="post", help="After an upgrade of every process: apply the remaining steps."
)
@click.option(
    "--check",
    is_flag=True,
    help="Change nothing: list the steps that are missing. Exit status 1 if processes of this version wait for one.",
)
@click.pass_context
def migrate(context: click.Context, phase: "Phase | None", check: bool) -> None:
    """Migrate the database to the schema of this version. Steps that would break running processes of other versions
    are left for later."""
    from ipam_core.db.migrate import (
        advance,
        pending,
    )  # with psycopg, half of what `ipam worker` would load

    chosen = settings.load(context.obj)
    if check:
        missing = pending(find_url(chosen))
        click.echo("\n".join(told_of_missing(missing)))
        context.exit(1 if missing.applied else 0)
    with database_of(chosen, make=True) as dsn:
        outcome = advance(dsn, phase or "all")
    click.echo(f"applied {', '.join(outcome.applied)}" if outcome.applied else "nothing to apply")
    if outcome.left:
        click.echo(told_of_rest(outcome))


def told_of_missing(missing: "Outcome") -> list[str]:
    """Return a line for each phase that has missing steps."""
    first = f"missing, run ipam migrate --pre: {', '.join(missing.applied)}"
    lines = [first] if missing.applied else []
    return [*lines, *([told_of_rest(missing)] if missing.left else [])] or ["nothing to apply"]


def told_of_rest(outcome: "Outcome") -> str:
    """Return the steps that wait, and the other versions that run."""
    whom = f"; other versions run on {', '.join(outcome.others)}" if outcome.others else ""
    return f"left until the end of the upgrade (ipam migrate --post): {', '.join(outcome.left)}{whom}"


@contextlib.contextmanager
def database_of(chosen: Settings, *, make: bool = False) -> Iterator[str]:
    """Provide the DSN of the database that is set or runs in the data folder, else of the embedded one, which runs
    meanwhile; `make` makes one where there is none. Raises SettingsError."""
    server = EmbeddedPostgres(chosen.data_dir, chosen.postgres_user, ahead=AHEAD)
    if chosen.database_url or running_dsn(chosen.data_dir) or not (make or server.data.cluster.exists()):
        yield find_url(chosen)
        return
    try:
        yield server.start()
    finally:
        server.stop()


@click.command()
@click.pass_obj
def worker(config: Path | None) -> None:
    """Run a worker: it writes names into DNS, and sends webhooks and notifications. Any number of workers may run."""
    with loading():
        import uvloop

        from ipam_core.processes import log
        from ipam_core.processes.worker import serve

    chosen = settings.load(config)
    log.begin(chosen)
    uvloop.run(serve(chosen, find_url(chosen)))


@click.group()
def secrets() -> None:
    """Manage the key that encrypts stored secrets."""


@secrets.command()
@click.pass_obj
def rotate(config: Path | None) -> None:
    """Create a new key and encrypt every stored secret with it."""
    from ipam_core.db.outage import run_in_database
    from ipam_core.secrets import Keyring

    chosen = settings.load(config)
    dsn = find_url(chosen)
    count = run_in_database(rotate_in(dsn, Keyring(chosen.secret_key_path)))
    click.echo(
        f"{count} secrets encrypted with the new key; copy {chosen.secret_key_path} to the other hosts"
    )


async def rotate_in(dsn: str, keyring: "Keyring") -> int:
    from ipam_core import secrets as sealing
    from ipam_core.db.connect import connect

    connection = await connect(dsn)
    try:
        return await sealing.rotate(connection, keyring)
    finally:
        await connection.close()


@click.command("rebuild-search")
@click.pass_obj
def rebuild_search(config: Path | None) -> None:
    """Rebuild the search index from all leases and objects. The workers do it; search keeps working meanwhile."""
    from ipam_core.db.outage import run_in_database
    from ipam_core.services.search_build import rebuild

    run_in_database(rebuild(find_url(settings.load(config)), click.echo))


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.pass_obj
def backup(config: Path | None, folder: Path) -> None:
    """Back up the database and the key of its secrets into the new folder DIR. All processes keep running."""
    from ipam_core.backup import back_up
    from ipam_core.secrets import Keyring

    chosen = settings.load(config)
    with database_of(chosen) as dsn:
        made = back_up(dsn, Keyring(chosen.secret_key_path), folder)
    key = f"key {made.key[:8]}" if made.key else "no secrets yet"
    click.echo(f"{folder}: schema {made.schema}, {key}; store it where nobody else can read it")


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace a database that is not empty.")
@click.pass_obj
def restore(config: Path | None, folder: Path, force: bool) -> None:
    """Restore a backup from DIR: the database and its key. Keys that this host already has are kept."""
    from ipam_core.backup import restore as put_back
    from ipam_core.secrets import Keyring

    chosen = settings.load(config)
    with database_of(chosen, make=True) as dsn:
        applied = put_back(dsn, Keyring(chosen.secret_key_path), folder, force=force)
    click.echo(f"restored {folder}" + (f"; applied {', '.join(applied)}" if applied else ""))
