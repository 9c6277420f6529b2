"""The domain's commands: `ipam migrate`, `ipam secrets`, `ipam up` and `ipam worker`."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ipam_core import settings
from ipam_core.db.embedded.server import EmbeddedPostgres, running_dsn
from ipam_core.db.migrate import Outcome, Phase, advance
from ipam_core.db.url import find_url
from ipam_core.settings import Settings

if TYPE_CHECKING:
    from ipam_core.secrets import Keyring


# Ports that need no rights, on the machine itself.
DEVELOPMENT = {
    "dhcp4_listen": ["127.0.0.1:6767"],
    "dhcp6_listen": ["[::1]:5547"],
    "dns_listen": ["127.0.0.1:5300"],
}


@click.command()
@click.option("--demo", is_flag=True, help="Put a small network into an empty database.")
@click.pass_obj
def up(config: Path | None, demo: bool) -> None:
    """Run everything: PostgreSQL when no database is named, the API, the DHCP and DNS servers, a worker."""
    from ipam_core.processes.up import up as serve  # `ipam migrate` needs none of it

    chosen = settings.load(config, defaults=DEVELOPMENT)
    asyncio.run(serve(chosen, demo))


@click.command()
@click.option(
    "--pre", "phase", flag_value="pre", help="Only what the version before lives with: before an upgrade."
)
@click.option("--post", "phase", flag_value="post", help="The rest too: when every process is upgraded.")
@click.pass_obj
def migrate(config: Path | None, phase: Phase | None) -> None:
    """Bring the database to this version's schema; what processes of other versions need stays while there are any."""
    chosen = settings.load(config)
    dsn = chosen.database_url or running_dsn(chosen.data_dir)
    outcome = advance(dsn, phase or "all") if dsn else migrate_embedded(chosen, phase or "all")
    click.echo(f"applied {', '.join(outcome.applied)}" if outcome.applied else "nothing to apply")
    if outcome.left:
        click.echo(told_of_rest(outcome))


def told_of_rest(outcome: Outcome) -> str:
    """What waits, and for whom."""
    whom = f"; other versions run on {', '.join(outcome.others)}" if outcome.others else ""
    return f"left for the end of the upgrade (ipam migrate --post): {', '.join(outcome.left)}{whom}"


def migrate_embedded(chosen: Settings, phase: Phase) -> Outcome:
    server = EmbeddedPostgres(chosen.data_dir, chosen.postgres_user)
    try:
        return advance(server.start(), phase)
    finally:
        server.stop()


@click.command()
@click.pass_obj
def worker(config: Path | None) -> None:
    """Follow what changes: names into DNS, webhooks to their endpoints; any number may run."""
    import uvloop

    from ipam_core.processes import log
    from ipam_core.processes.worker import serve

    chosen = settings.load(config)
    log.begin(chosen)
    uvloop.run(serve(chosen, find_url(chosen)))


@click.group()
def secrets() -> None:
    """Look after the key under which secrets are stored."""


@secrets.command()
@click.pass_obj
def rotate(config: Path | None) -> None:
    """Make a new key and seal every stored secret anew."""
    from ipam_core.secrets import Keyring

    chosen = settings.load(config)
    dsn = find_url(chosen)
    count = asyncio.run(rotate_in(dsn, Keyring(chosen.secret_key_path)))
    click.echo(f"{count} secrets sealed anew; copy {chosen.secret_key_path} to the other machines")


async def rotate_in(dsn: str, keyring: "Keyring") -> int:
    from ipam_core import secrets as sealing
    from ipam_core.db.connect import connect

    connection = await connect(dsn)
    try:
        return await sealing.rotate(connection, keyring)
    finally:
        await connection.close()
