"""Reservations: an address of the subnet for one client, in or out of a pool, never inside an exclude. Without an
address one is a profile: host name, options and class of its client; without a subnet it holds in all of the tenant's.

They are made by the hundred thousand, so a single one has a shortcut: one call of a database function. What it accepts
is what all others are accepted by: `check_reservation` here, and in the database the constraints and the functions that
the end of every transaction calls (see write_batch). Whatever it refuses is done again step by step, to word the
refusal.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import asyncpg
from msgspec import UNSET
from msgspec.structs import asdict

from ipam_core.db import queries
from ipam_core.errors import ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.base import Command
from ipam_core.model.families import FAMILIES
from ipam_core.model.ids import new_id, parse_id
from ipam_core.model.reservation import (
    CNAME,
    AssignmentFields,
    NewReservation,
    NewReservationAnywhere,
    Reservation,
    check_aliases,
    check_everywhere,
    check_reservation,
)
from ipam_core.model.values import (
    Address,
    Network,
    encode_value,
    parse_mac,
    parse_network,
    parse_octets,
    parse_text_or_octets,
    rfc3339,
    text_or_octets,
)
from ipam_core.services import managed_limit
from ipam_core.services.client_classes import find_class
from ipam_core.services.entity.entity import Child, Connection, Entity, Parent, Row, Write, view_text
from ipam_core.services.entity.filters import (
    SUBNET,
    alias_of,
    aliases_of,
    equal,
    host_filters,
    hostname,
    id_text,
    label_filters,
    sought,
    tags_of,
)
from ipam_core.services.entity.parents import SQL as PARENTS
from ipam_core.services.entity.parents import lock_subnet, lock_subnet_of, lock_tenant
from ipam_core.services.free import next_free, usable_ends
from ipam_core.services.options import OPTIONS

SQL = queries.load("reservation")

RESERVE = SQL.reserve.sql
# Of the function, and the class of what constraints refuse.
NOT_PLAIN, INTEGRITY = "IP001", "23"
SPECIAL = ("prefix", "excluded_prefix", "class_id", "remote_id", "subscriber_id")
MOST_KNOWN = 10_000
known: dict[UUID, Network] = {}
"""Networks of subnets as they were seen last, so that a reservation can be judged before its subnet is held."""


async def validate(write: Write) -> Mapping[str, Any]:
    wanted: NewReservation = write.command
    class_no = {"class_no": await find_class(write)}
    if write.parent.subnet_no is None:
        check_everywhere(wanted)
        check_aliases(wanted.aliases, wanted.hostname, has_address=False)
        return class_no | {"ip": None}
    check_reservation(wanted, write.parent.cidr)
    chosen = await choose_address(write, wanted)
    has_address = chosen.get("ip", wanted.ip) is not None
    check_aliases(wanted.aliases, wanted.hostname, has_address=has_address)
    if write.current is not None and gives_nothing(write.current["ip"], write.current["prefix"]):
        await count_if_given(write)
    return class_no | dict(chosen)


async def choose_address(write: Write, wanted: NewReservation) -> Mapping[str, Any]:
    if wanted.ip is UNSET:
        return {"ip": await address_left_open(write)}
    if wanted.ip is not None and (write.current is None or wanted.ip != write.current["ip"]):
        write.batch.claim(write, wanted.ip, must=False, refuse_taken=True)
    return {}


async def address_left_open(write: Write) -> Address | None:
    """Return the next free one, unless a prefix is all that is wanted. A merge patch leaves out what it says is
    null."""
    if write.current is not None or write.command.prefix is not None:
        return None
    return await next_free(write)


async def count_if_given(write: Write) -> None:
    """Count a reservation with an address; one without does not count toward the managed address limit."""
    wanted: NewReservation = write.command
    nothing = wanted.ip is None or (wanted.ip is UNSET and write.current is not None)
    if write.parent.subnet_no is not None and not gives_nothing(
        None if nothing else wanted.ip, wanted.prefix
    ):
        await managed_limit.count_new(write)


def gives_nothing(ip: Any, prefix: Any) -> bool:
    return ip is None and prefix is None


# --- where


async def lock_parent(
    connection: Connection, actor: Actor, parents: Mapping[str, str], command: Command
) -> Parent:
    """Return the subnet of the path or the body, else the tenant. Raises NotFound."""
    subnet_id = parents.get("subnet_id") or getattr(command, "subnet_id", None)
    if subnet_id is None:
        found = await lock_tenant(connection, actor, parents, command)
        return found._replace(keys={"subnet_no": None, "tenant_no": found.tenant_no})
    found = await lock_subnet(connection, actor, {"subnet_id": subnet_id}, command)
    return found._replace(keys=dict(found.keys) | {"tenant_no": None})


async def lock(connection: Connection, actor: Actor, id_: UUID) -> Parent | None:
    """Return its subnet, else its tenant."""
    found = await lock_subnet_of(connection, actor, id_)
    if found is not None:
        return found._replace(keys=dict(found.keys) | {"tenant_no": None})
    row = await SQL.locate(connection, id=id_, tenant_no=actor.tenant_no)
    if row is None:
        return None
    await PARENTS.hold_level(connection, tenant_no=row["tenant_no"])
    return Parent({"subnet_no": None, "tenant_no": row["tenant_no"]}, row["tenant_no"])


# --- in one round trip


async def reserve(
    connection: Connection, actor: Actor, parents: Mapping[str, str], wanted: NewReservation
) -> Reservation | None:
    """Return the reservation of a given or the next free address, made in one round trip."""
    subnet_id = parse_id(parents.get("subnet_id", ""))
    if subnet_id is None or wanted.ip is None or actor.announce is None or is_special(wanted):
        return None
    cidr = await cidr_of(connection, subnet_id)
    if cidr is None or not is_right(wanted, cidr):
        known.pop(subnet_id, None)
        return None
    ip = None if wanted.ip is UNSET else wanted.ip
    first, last = (None, None) if ip else usable_ends(cidr)
    shown = RESERVATIONS.shown(
        asdict(wanted) | {"ip": ip, "id": new_id(), "subnet_id": subnet_id, "tenant_id": None}
    )
    row = await call_plainly(
        connection, RESERVE, subnet_id, actor.tenant_no, cidr, first, last, shown["id"], ip, wanted.mac, wanted.duid,
        wanted.client_id, wanted.circuit_id, wanted.hostname, wanted.description, shown, actor.token_id,
        actor.token_name, actor.remote_address, actor.request_id, actor.managed_address_limit or None,
    )  # fmt: skip
    if row is None:
        known.pop(subnet_id, None)
        return None
    actor.announce(row["in_subnet"])
    moment = rfc3339(row["made_at"])
    shown |= {"ip": encode_value(row["given_ip"]), "created_at": moment, "updated_at": moment}
    return Reservation(**shown)


def is_special(wanted: NewReservation) -> bool:
    """Return whether it says what the shortcut does not write."""
    return has_extras(wanted) or any(getattr(wanted, name) is not None for name in SPECIAL)


def has_extras(wanted: NewReservation | AssignmentFields) -> bool:
    """Return whether it says what no shortcut writes."""
    return bool(wanted.tags or wanted.custom or wanted.aliases or wanted.alias_records != CNAME)


async def call_plainly(connection: Connection, query: str, *values: Any) -> Row | None:
    """Return what a shortcut's function answers; None: it has refused, and nothing is left behind."""
    try:
        row: Row = await connection.fetchrow(query, *values)
    except asyncpg.PostgresError as error:
        if error.sqlstate != NOT_PLAIN and error.sqlstate[:2] != INTEGRITY:
            raise
        return None
    return row


async def cidr_of(connection: Connection, subnet_id: UUID) -> Network | None:
    if subnet_id not in known:
        cidr: Network | None = await SQL.cidr_of(connection, id=subnet_id)
        if cidr is None:
            return None
        if len(known) >= MOST_KNOWN:
            known.clear()
        known[subnet_id] = cidr
    return known[subnet_id]


def is_right(wanted: NewReservation, cidr: Network) -> bool:
    try:
        check_reservation(wanted, cidr)
    except ValidationError:
        return False
    return True


RESERVATIONS = Entity(
    family=FAMILIES["reservations"],
    model=Reservation,
    create=NewReservation,
    create_alone=NewReservationAnywhere,
    patch=NewReservation,
    view=view_text(SQL.reservation_view),
    keys=("subnet_no", "tenant_no"),
    columns=tuple("class_no" if name == "class_id" else name for name in NewReservation.__struct_fields__),
    scope="coalesce(reservation.tenant_no, subnet.tenant_no)",
    lock_parent=lock_parent,
    lock=lock,
    validate=validate,
    after_create=count_if_given,
    parents=frozenset({"subnet_id", "tenant_id"}),
    filters={
        **host_filters("reservation.ip"),
        **SUBNET,
        "prefix": equal("reservation.prefix", parse_network),
        "mac": equal("reservation.mac", parse_mac, indexed=True),
        "duid": equal("reservation.duid", parse_octets, indexed=True),
        "client_id": equal("reservation.client_id", parse_octets, indexed=True),
        "circuit_id": equal("reservation.circuit_id", parse_text_or_octets, indexed=True),
        "remote_id": equal("reservation.remote_id", parse_text_or_octets, indexed=True),
        "subscriber_id": equal("reservation.subscriber_id", parse_text_or_octets, indexed=True),
        "hostname": equal("lower(reservation.hostname)", hostname, indexed=True),
        "class_id": equal("client_class.id", id_text),
        "alias": alias_of("reservation"),
        **label_filters("reservation", indexed=True),
        "q": sought(
            "reservation",
            "host(reservation.ip)",
            "reservation.mac",
            "reservation.hostname",
            "reservation.description",
            aliases_of("reservation"),
            tags_of("reservation"),
            macs=("reservation.mac",),
        ),
    },
    children=(Child(OPTIONS, "reservation_no"),),
    writers=dict.fromkeys(("circuit_id", "remote_id", "subscriber_id"), text_or_octets),
    shortcut=reserve,
)
