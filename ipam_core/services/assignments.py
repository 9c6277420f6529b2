"""Assignments: an address that a host bears without DHCP. It may lie inside an exclude.

A single one of a given address has a shortcut, as reservations have (see there).
"""

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from msgspec import UNSET
from msgspec.structs import asdict

from ipam_core.db import queries
from ipam_core.errors import NotFound, ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.families import FAMILIES
from ipam_core.model.ids import new_id, parse_id
from ipam_core.model.reservation import Assignment, AssignmentFields, NewAssignment, check_aliases, check_host
from ipam_core.model.values import Address, Network, rfc3339
from ipam_core.services import managed_limit
from ipam_core.services.entity.entity import Connection, Entity, Parent, Write, view_text
from ipam_core.services.entity.filters import (
    SUBNET,
    alias_of,
    aliases_of,
    equal,
    host_filters,
    hostname,
    label_filters,
    sought,
    tags_of,
)
from ipam_core.services.entity.parents import SQL as PARENTS
from ipam_core.services.entity.parents import find_tenant, inside_subnet, lock_subnet
from ipam_core.services.entity.taken_address import taken
from ipam_core.services.free import next_free
from ipam_core.services.reservations import SQL as HOLDERS
from ipam_core.services.reservations import call_plainly, cidr_of, has_extras, known

SQL = queries.load("assignment")
ASSIGN = SQL.assign.sql


async def lock_parent(
    connection: Connection, actor: Actor, _parents: Mapping[str, str], command: NewAssignment
) -> Parent:
    """Return the subnet that is named, or that of the tenant in which the address lies."""
    if command.subnet_id is not None:
        return await lock_subnet(connection, actor, {"subnet_id": command.subnet_id}, command)
    if command.ip is UNSET:
        raise ValidationError("ip", "give ip, or subnet_id for the next free address")
    tenant_no = await find_tenant(connection, actor, None)
    row = await PARENTS.lock_subnet_around(connection, tenant_no=tenant_no, ip=command.ip)
    if row is None:
        raise NotFound("subnet", f"around {command.ip}")
    return inside_subnet(row)


async def validate(write: Write) -> Mapping[str, Any]:
    wanted: AssignmentFields = write.command
    check_aliases(wanted.aliases, wanted.hostname, has_address=True)
    if wanted.ip is UNSET:
        if write.current is not None:  # a merge patch with null
            raise ValidationError("ip", "must be an address")
        return {"ip": await next_free(write)}
    check_host(wanted.ip, write.parent.cidr)
    if write.current is None or wanted.ip != write.current["ip"]:
        await take(write, wanted.ip)
    return {}


async def take(write: Write, ip: Address) -> None:
    """Refuse an address that a client has, for nothing would tell that client; one in quarantine is used by a machine
    without a lease, perhaps this one."""
    parent = write.parent
    write.batch.checks_anew(write)
    holder = await HOLDERS.find_holder(
        write.connection, subnet_no=parent.subnet_no, tenant_no=parent.tenant_no, ip=ip
    )
    if holder is not None and holder["type"] != "quarantine":
        if write.batch.postpone(write, holder["id"], partial(take, write, ip)):
            return
        assert parent.tenant_no is not None
        raise taken(parent.tenant_no, holder)
    write.batch.claim(write, ip, must=holder is None)


async def assign(
    connection: Connection, actor: Actor, _parents: Mapping[str, str], wanted: NewAssignment
) -> Assignment | None:
    """Return the assignment of a given address, made in one round trip; in two where its subnet is not named."""
    if wanted.ip is UNSET or actor.announce is None or has_extras(wanted):
        return None
    subnet_id, cidr = await look_for_subnet(connection, actor, wanted.subnet_id, wanted.ip)
    if subnet_id is None or cidr is None:
        return None
    if not is_host(wanted.ip, cidr):
        known.pop(subnet_id, None)
        return None
    shown = ASSIGNMENTS.shown(asdict(wanted) | {"id": new_id(), "subnet_id": subnet_id})
    row = await call_plainly(
        connection, ASSIGN, subnet_id, actor.tenant_no, cidr, shown["id"], wanted.ip, wanted.hostname,
        wanted.description, shown, actor.token_id, actor.token_name, actor.remote_address, actor.request_id,
        actor.managed_address_limit or None,
    )  # fmt: skip
    if row is None:
        known.pop(subnet_id, None)
        return None
    actor.announce(row["in_subnet"])
    moment = rfc3339(row["made_at"])
    return Assignment(**shown | {"created_at": moment, "updated_at": moment})


async def look_for_subnet(
    connection: Connection, actor: Actor, named: str | None, ip: Address
) -> tuple[UUID | None, Network | None]:
    """Return the subnet's id and its network, by which the address is judged before the subnet is held."""
    if named is None:
        row = await SQL.subnet_around(connection, tenant_no=actor.tenant_no, ip=ip)
        return (row["id"], row["cidr"]) if row else (None, None)
    subnet_id = parse_id(named)
    return subnet_id, await cidr_of(connection, subnet_id) if subnet_id else None


def is_host(ip: Address, cidr: Network) -> bool:
    try:
        check_host(ip, cidr)
    except ValidationError:
        return False
    return True


ASSIGNMENTS = Entity(
    family=FAMILIES["assignments"],
    model=Assignment,
    create=NewAssignment,
    patch=AssignmentFields,
    view=view_text(SQL.assignment_view),
    keys=("subnet_no",),
    columns=AssignmentFields.__struct_fields__,
    scope="subnet.tenant_no",
    lock_parent=lock_parent,  # type: ignore[arg-type]  # it takes the entity's own command
    validate=validate,
    after_create=managed_limit.count_new,
    shortcut=assign,
    parents=frozenset({"subnet_id", "tenant_id"}),
    filters={
        **host_filters("assignment.ip"),
        **SUBNET,
        "hostname": equal("lower(assignment.hostname)", hostname, indexed=True),
        "alias": alias_of("assignment"),
        **label_filters("assignment", indexed=True),
        "q": sought(
            "assignment",
            "host(assignment.ip)",
            "assignment.hostname",
            "assignment.description",
            aliases_of("assignment"),
            tags_of("assignment"),
        ),
    },
)
