"""The core's front doors: `ipam migrate` and `ipam up`."""

import asyncio
from pathlib import Path

import click

from ipam_core import settings
from ipam_core.db.embedded import EmbeddedPostgres, running_dsn
from ipam_core.db.migrate import migrate as apply_migrations
from ipam_core.settings import Settings


@click.command()
@click.option("--demo", is_flag=True, help="Put a small network into an empty database.")
@click.pass_obj
def up(config: Path | None, demo: bool) -> None:
    """Run everything: PostgreSQL when no database is named, the API and the DHCP server."""
    from ipam_core.up import up as serve  # `ipam migrate` needs none of it

    chosen = settings.load(config, defaults={"dhcp4_listen": ["127.0.0.1:6767"]})
    asyncio.run(serve(chosen, demo))


@click.command()
@click.pass_obj
def migrate(config: Path | None) -> None:
    """Bring the database to this version's schema."""
    chosen = settings.load(config)
    dsn = chosen.database_url or running_dsn(chosen.data_dir)
    applied = apply_migrations(dsn) if dsn else migrate_embedded(chosen)
    click.echo(f"applied {', '.join(applied)}" if applied else "nothing to apply")


def migrate_embedded(chosen: Settings) -> list[str]:
    server = EmbeddedPostgres(chosen.data_dir, chosen.postgres_user)
    try:
        return apply_migrations(server.start())
    finally:
        server.stop()
