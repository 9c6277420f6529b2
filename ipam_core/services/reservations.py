"""Reservations: an address of the subnet for one client, in or out of a pool, never inside an exclude.

They are made by the hundred thousand, so a plain one has a shortcut: one call of a database function that locks,
checks, writes and records. It only ever says yes; every refusal is found and worded by the long way.
"""

from collections.abc import Mapping
from typing import Any

import asyncpg

from ipam_core.db import queries
from ipam_core.errors import Conflict
from ipam_core.model.actor import Actor
from ipam_core.model.ids import new_id, parse_id
from ipam_core.model.reservation import NewReservation, Reservation, check_reservation
from ipam_core.model.values import (
    Address,
    encode_value,
    parse_mac,
    parse_network,
    parse_octets,
    parse_text_or_octets,
    rfc3339,
    text_or_octets,
)
from ipam_core.services import cap
from ipam_core.services.filters import SUBNET, equal, host_filters, hostname, texts
from ipam_core.services.free import next_free
from ipam_core.services.noun import Change, Child, Connection, NotPlain, Noun, view_text
from ipam_core.services.options import OPTIONS
from ipam_core.services.places import enter_subnet, reenter_subnet

SQL = queries.load("reservation")

CREATE = SQL.create_reservation.sql
NOT_PLAIN, INTEGRITY = "IP001", "23"

REASONS = {
    "exclude": "the address lies inside an exclude",
    "assignment": "the address is assigned already in the subnet",
    "reservation": "the address is reserved already in the subnet",
    "gateway": "the address is the subnet's gateway",
}


async def admit(change: Change) -> Mapping[str, Any]:
    wanted: NewReservation = change.command
    check_reservation(wanted, change.place.cidr)
    if wanted.ip is None and wanted.prefix is None:
        return {"ip": await next_free(change)}
    if wanted.ip is not None:
        await refuse_taken(change, wanted.ip, "exclude", "assignment", "gateway")
    return {}


async def refuse_taken(change: Change, ip: Address, *by: str) -> None:
    """Raises Conflict, naming the holder, if objects of these types are in the way of a host's address."""
    holder = await SQL.find_holder(change.connection, subnet_no=change.place.subnet_no, ip=ip, types=by)
    if holder is not None:
        shown = {name: encode_value(value) for name, value in holder.items() if value is not None}
        raise Conflict(REASONS[holder["type"]], {"field": "ip", "conflicts_with": shown})


async def create_plain(
    connection: Connection, actor: Actor, parents: Mapping[str, str], wanted: NewReservation
) -> Reservation | None:
    """The reservation of a given address, made in one round trip."""
    if wanted.ip is None or wanted.prefix is not None or actor.managed_ip_cap:
        return None
    id_, subnet_id = new_id(), parents["subnet_id"]
    shown = {name: encode_value(getattr(wanted, name)) for name in wanted.__struct_fields__}
    if wanted.circuit_id is not None:
        shown["circuit_id"] = text_or_octets(wanted.circuit_id)
    shown |= {"id": str(id_), "subnet_id": subnet_id}
    announce = None if connection.is_in_transaction() else actor.announce
    try:
        row = await connection.fetchrow(
            CREATE, parse_id(subnet_id), actor.tenant_no, id_, wanted.ip, wanted.mac, wanted.duid,
            wanted.client_id, wanted.circuit_id, wanted.hostname, wanted.description, shown,
            actor.token_id, actor.token_name, actor.remote_address, actor.request_id, announce is not None,
        )  # fmt: skip
    except asyncpg.PostgresError as error:
        if error.sqlstate != NOT_PLAIN and error.sqlstate[:2] != INTEGRITY:
            raise
        raise NotPlain from None
    if announce is not None:
        announce(row["in_subnet"])
    moment = rfc3339(row["made_at"])
    return Reservation(**shown, created_at=moment, updated_at=moment)


RESERVATIONS = Noun(
    name="reservation",
    table="reservation",
    plural="reservations",
    model=Reservation,
    create=NewReservation,
    patch=NewReservation,
    view=view_text(SQL.reservation_view),
    keys=("subnet_no",),
    columns=NewReservation.__struct_fields__,
    scope="subnet.tenant_no",
    enter=enter_subnet,
    reenter=reenter_subnet,
    admit=admit,
    settle=cap.settle,
    parents=frozenset({"subnet_id", "tenant_id"}),
    filters={
        **host_filters("reservation.ip"),
        **SUBNET,
        "prefix": equal("reservation.prefix", parse_network),
        "mac": equal("reservation.mac", parse_mac, indexed=True),
        "duid": equal("reservation.duid", parse_octets, indexed=True),
        "client_id": equal("reservation.client_id", parse_octets, indexed=True),
        "circuit_id": equal("reservation.circuit_id", parse_text_or_octets, indexed=True),
        "hostname": equal("lower(reservation.hostname)", hostname, indexed=True),
        "q": texts(
            "host(reservation.ip)", "reservation.mac", "reservation.hostname", "reservation.description"
        ),
    },
    children=(Child(OPTIONS, "reservation_no"),),
    writers={"circuit_id": text_or_octets},
    shortcut=create_plain,
)
