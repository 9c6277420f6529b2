"""The API's commands: `ipam api` serves it, `ipam token create` makes a token on the host.

They read the settings and wire things; everything below takes values. The token command works on the database
itself, because it is the way back in when the last admin token is lost.
"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

import click
import msgspec

from ipam_core import settings
from ipam_core.db.embedded.server import running_dsn
from ipam_core.db.url import find_url
from ipam_core.printing import say
from ipam_core.processes import log
from ipam_core.processes.loading import loading
from ipam_core.settings import Settings, default_data_dir

# Where the Makefile keeps the data of `make run`.
RUN_DATA_DIR = Path("data")


@click.command()
@click.pass_obj
def api(config: Path | None) -> None:
    """Serve the management API."""
    with loading():
        import uvloop

        from api.server import serve
        from dhcp_fast.explain import explain

    chosen = settings.load(config)
    log.begin(chosen)
    uvloop.run(serve(chosen, find_url(chosen), explain))


def find_database_here(chosen: Settings) -> str:
    """Return the URL of the database (db/url.py). Without a setting it may be that of `make run` in the current folder.
    Raises SettingsError where there is none."""
    if chosen.database_url is None and chosen.data_dir == default_data_dir():
        found = running_dsn(chosen.data_dir) or running_dsn(RUN_DATA_DIR)
        if found is not None:
            return found
    return find_url(chosen)


@click.group()
def token() -> None:
    """Create API tokens on this host."""


@token.command()
@click.option("--name", required=True, help="Name of the token.")
@click.option(
    "--role", type=click.Choice(["admin", "operator", "viewer"]), required=True, help="Role of the token."
)
@click.option("--tenant", help="Name or id of the tenant to which the token is limited.")
@click.option("--expires", type=click.DateTime(), help="Time at which the token expires, in UTC.")
@click.option(
    "--allow",
    multiple=True,
    metavar="CIDR",
    help="Network from which the token may be used. May be repeated.",
)
@click.pass_obj
def create(config: Path | None, /, **fields: Any) -> None:
    """Create a token and print its secret, which is shown only once."""
    from api.local_token import create_token
    from ipam_core.db.outage import run_in_database

    chosen = settings.load(config)
    say(run_in_database(create_token(find_database_here(chosen), command_of(**fields))))


@click.group()
def zones() -> None:
    """Check zones of several tenants for conflicts."""


@zones.command(name="check")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@click.pass_obj
def check_zones(config: Path | None, as_json: bool) -> None:
    """List enabled zones that conflict with zones or DNS suffixes of other tenants, and records hidden by another zone.
    Reads the database. Exits with status 1 if there are any."""
    from api.local_zones import find
    from ipam_core.db.outage import run_in_database

    chosen = settings.load(config)
    found = run_in_database(find(find_database_here(chosen)))
    report(found, "no enabled zone conflicts with another one, and no record is hidden", as_json=as_json)


@click.group()
def relays() -> None:
    """Check the tenants of relays."""


@relays.command(name="check")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@click.pass_obj
def check_relays(config: Path | None, as_json: bool) -> None:
    """List relays and links that are not bound to the tenant whose clients they served, with the commands to bind them.
    Reads the plan, all active leases and the interfaces of live servers. Exits with status 1 if there are any."""
    from api.local_relays import find
    from ipam_core.db.outage import run_in_database

    chosen = settings.load(config)
    found = run_in_database(find(find_database_here(chosen), chosen.trusted_relays))
    report(found, "all relays and links are bound to their tenants", as_json=as_json)


def report(found: Sequence[Any], nothing: str, *, as_json: bool) -> NoReturn:
    """Print what a check found, and exit with status 1 if there is anything."""
    if as_json:
        say(msgspec.json.encode(found))
    else:
        for line in map(str, found or [nothing]):
            say(line)
    raise SystemExit(1 if found else 0)


def command_of(
    name: str, role: str, tenant: str | None, expires: datetime | None, allow: tuple[str, ...]
) -> dict[str, Any]:
    """Return the body as the API would take it."""
    fields: dict[str, Any] = {"name": name, "role": role, "tenant_id": tenant, "allowed_cidrs": list(allow)}
    if expires is not None:
        fields["expires_at"] = expires.isoformat() + "Z"
    return fields
