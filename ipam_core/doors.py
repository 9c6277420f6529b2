"""The core's front doors: `ipam migrate` and `ipam up`."""

from pathlib import Path

import click

from ipam_core import settings
from ipam_core.db.embedded import EmbeddedPostgres, running_dsn
from ipam_core.db.migrate import migrate as apply_migrations
from ipam_core.settings import Settings


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
