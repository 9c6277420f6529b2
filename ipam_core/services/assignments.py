"""Assignments: an address that a host bears without DHCP. It may lie inside an exclude.

A single one of a given address has a shortcut, as reservations have (see there).
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from msgspec import UNSET
from msgspec.structs import asdict

from ipam_core.db import queries
from ipam_core.errors import NotFound, ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.ids import new_id, parse_id
from ipam_core.model.reservation import Assignment, AssignmentFields, NewAssignment, check_host
from ipam_core.model.values import Address, Network, rfc3339
from ipam_core.services import licence_cap
from ipam_core.services.entity.entity import Change, Connection, Noun, Place, view_text
from ipam_core.services.entity.filters import SUBNET, equal, host_filters, hostname, texts
from ipam_core.services.entity.parents import SQL as PLACES
from ipam_core.services.entity.parents import enter_subnet, find_tenant, inside_subnet, reenter_subnet
from ipam_core.services.entity.taken_address import taken
from ipam_core.services.free import next_free
from ipam_core.services.reservations import SQL as HOLDERS
from ipam_core.services.reservations import call_plainly, cidr_of, known

SQL = queries.load("assignment")
ASSIGN = SQL.assign.sql


async def enter(
    connection: Connection, actor: Actor, _parents: Mapping[str, str], command: NewAssignment
) -> Place:
    """The subnet that is named, or that of the tenant in which the address lies."""
    if command.subnet_id is not None:
        return await enter_subnet(connection, actor, {"subnet_id": command.subnet_id}, command)
    if command.ip is UNSET:
        raise ValidationError("ip", "ip or subnet_id is needed")
    tenant_no = await find_tenant(connection, actor, None)
    row = await PLACES.enter_subnet_around(connection, tenant_no=tenant_no, ip=command.ip)
    if row is None:
        raise NotFound("subnet", f"around {command.ip}")
    return inside_subnet(row)


async def admit(change: Change) -> Mapping[str, Any]:
    wanted: AssignmentFields = change.command
    if wanted.ip is UNSET:
        if change.current is not None:  # what a merge patch says is null
            raise ValidationError("ip", "must be an address")
        return {"ip": await next_free(change)}
    check_host(wanted.ip, change.place.cidr)
    if change.current is None or wanted.ip != change.current["ip"]:
        await take(change, wanted.ip)
    return {}


async def take(change: Change, ip: Address) -> None:
    """Refuses an address that a client has, for nothing would tell that client; one in quarantine is used by a machine
    without a lease, perhaps this one."""
    place = change.place
    holder = await HOLDERS.find_holder(
        change.connection, subnet_no=place.subnet_no, tenant_no=place.tenant_no, ip=ip
    )
    if holder is not None and holder["type"] != "quarantine":
        assert place.tenant_no is not None
        raise taken(place.tenant_no, holder)
    change.batch.claim(change, ip, must=holder is None)


async def assign(
    connection: Connection, actor: Actor, _parents: Mapping[str, str], wanted: NewAssignment
) -> Assignment | None:
    """The assignment of a given address, made in one round trip; in two where its subnet is not named."""
    if wanted.ip is UNSET or actor.announce is None:
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
        actor.managed_ip_cap or None,
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
    """The subnet's id and its network, by which the address is judged before the subnet is held."""
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


ASSIGNMENTS = Noun(
    name="assignment",
    table="assignment",
    plural="assignments",
    model=Assignment,
    create=NewAssignment,
    patch=AssignmentFields,
    view=view_text(SQL.assignment_view),
    keys=("subnet_no",),
    columns=AssignmentFields.__struct_fields__,
    scope="subnet.tenant_no",
    enter=enter,  # type: ignore[arg-type]  # it takes the noun's own command
    reenter=reenter_subnet,
    admit=admit,
    settle=licence_cap.settle,
    shortcut=assign,
    parents=frozenset({"subnet_id", "tenant_id"}),
    filters={
        **host_filters("assignment.ip"),
        **SUBNET,
        "hostname": equal("lower(assignment.hostname)", hostname, indexed=True),
        "q": texts("host(assignment.ip)", "assignment.hostname", "assignment.description"),
    },
)
