"""`ipam release` and `ipam reserve`: a lease taken back, and a lease kept for its client."""

from typing import Any

import click
import msgspec

from api.cli.bare import paired
from api.cli.cells import text
from api.cli.connection import speaking
from api.cli.fields import judged
from api.cli.help import FieldsCommand
from api.cli.names import Names, NoSuchName, item_path, tenant_option
from api.cli.objects import key_option, new_fields, typed
from api.cli.outcomes import tell_made
from api.cli.shapes import fields_of
from api.cli.tables import json_option
from api.client import ApiError, Client
from ipam_core.model.families import FAMILIES
from ipam_core.model.lease import ReserveLease
from ipam_core.model.reservation import IDENTITIES, NewReservation
from ipam_core.printing import confirm, say

LEASES, SUBNETS = FAMILIES["leases"], FAMILIES["subnets"]
ACTIVE = {"state": "active"}
DECLINED = {"state": "declined"}

Lease = dict[str, Any]


@click.command()
@click.argument("each", nargs=-1, metavar="[LEASE|ADDRESS|MAC|NAME]...")
@click.option("--subnet", metavar="NAME", help="Release all active leases of this subnet.")
@click.option("--declined", is_flag=True, help="With --subnet: release its quarantined addresses instead.")
@click.option("--yes", is_flag=True, help="Release several without asking.")
@tenant_option
@json_option
@speaking
def release(
    each: tuple[str, ...],
    subnet: str | None,
    declined: bool,
    yes: bool,
    tenant: str | None,
    client: Client,
    as_json: bool,
) -> None:
    """Release leases: their clients are refused at the next renewal. A quarantined address becomes free again."""
    if bool(each) == bool(subnet):
        raise click.UsageError("name at least one lease, or use --subnet")
    names = Names(client, tenant)
    if subnet:
        id_ = names.reference(SUBNETS, subnet)
        found = client.items("/leases", subnet_id=id_, **(DECLINED if declined else ACTIVE))
        leases = [lease for lease in found if not declined or lease["quarantined_until"]]
    else:
        leases = [find_held(names, name) for name in each]
    if not leases:
        say("no address in quarantine" if declined else "no active leases", err=True)
    if len(leases) > 1 and not yes:
        confirm(f"Release {len(leases)} leases?")
    take_back(client, leases, as_json)


def find_held(names: Names, name: str) -> Lease:
    """Return the active lease, else the address in quarantine."""
    try:
        return names.find(LEASES, name, ACTIVE)
    except NoSuchName as error:
        try:
            return names.find(LEASES, name, DECLINED)
        except NoSuchName:
            raise error from None


def take_back(client: Client, leases: list[Lease], as_json: bool) -> None:
    """Revoke leases one after the other; one that has ended meanwhile stops none of the others."""
    refused = 0
    for lease in leases:
        try:
            released = client.request("POST", item_path(LEASES, lease["id"], "release"))
        except ApiError as error:
            if error.error_code not in ("conflict", "not_found"):
                raise
            refused += 1
            say(f"ipam: {lease['ip']}: {error}", err=True)
            continue
        say(msgspec.json.encode(released) if as_json else f"released {line_of(released)}")
    if refused:
        raise click.exceptions.Exit(1)


def line_of(lease: Lease) -> str:
    client = (lease["mac"], lease["duid"], lease["hostname"])
    return " ".join([lease["ip"], *(text(each) for each in client if each)])


@click.command(cls=FieldsCommand, model=ReserveLease)
@click.argument("lease", metavar="LEASE|ADDRESS|MAC|NAME")
@click.argument("told", nargs=-1, metavar="[FIELD=VALUE]...")
@key_option
@tenant_option
@json_option
@speaking
def reserve(
    lease: str, told: tuple[str, ...], key: str | None, tenant: str | None, client: Client, as_json: bool
) -> None:
    """Create a reservation for the client of an active lease; or of an ADDRESS for a client: `ipam reserve 10.0.0.20
    02:00:00:00:00:20`."""
    names = Names(client, tenant)
    if has_identity(told):
        new = FAMILIES["reservations"]
        fields = new_fields(names, new, new.new, (f"ip={lease}", *told))
        path = new.create_path(fields)
        with judged(new.new, fields):
            made = client.post_once(path, fields, key)
        tell_made(new, made, set(fields), as_json, names)
        return
    found = names.find(LEASES, lease, ACTIVE)
    body = typed(told, ReserveLease)
    with judged(ReserveLease, body):
        made = client.post_once(item_path(LEASES, found["id"], "reserve"), body, key)
    tell_made(FAMILIES["reservations"], made, {"subnet_id", "ip", "mac", *body}, as_json, names)


def has_identity(told: tuple[str, ...]) -> bool:
    """Return whether the words identify a client, by a field or by a MAC address alone."""
    words = paired(told, set(fields_of(NewReservation)))
    return any(word.partition("=")[0] in IDENTITIES for word in words)
