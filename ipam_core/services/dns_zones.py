"""DNS zones and their static records.

Every write to a zone or to one of its records holds the zone and raises its serial, so what is found beside a
record, above all an alias, is so at the COMMIT.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from ipam_core.db import queries
from ipam_core.errors import Conflict, NotFound
from ipam_core.model.actor import Actor
from ipam_core.model.base import Command
from ipam_core.model.dns_zone import (
    DnsRecord,
    DnsZone,
    DnsZoneFields,
    NewDnsRecord,
    NewDnsZone,
    check_record,
    domain_text,
    mailbox,
    owner_name,
    record_data,
    zone_name,
)
from ipam_core.model.families import FAMILIES
from ipam_core.model.ids import parse_id
from ipam_core.model.values import encode_value
from ipam_core.services.dns_servers import find_server
from ipam_core.services.entity.entity import Child, Connection, Entity, Filter, Parent, Write, view_text
from ipam_core.services.entity.filters import TENANT, equal, flag, id_text, texts
from ipam_core.services.entity.parents import SQL as PARENTS

SQL = queries.load("dns_zone")

LAST_SERIAL = 2**32 - 1


async def validate_zone(write: Write) -> Mapping[str, Any]:
    wanted: DnsZoneFields = write.command
    values: dict[str, Any] = {
        "dns_server_no": await find_server(write, wanted.dns_server_id),
        "mname": None if wanted.mname is None else domain_text("mname", wanted.mname),
        "rname": None if wanted.rname is None else mailbox(wanted.rname),
        "serial": write.current["serial"] % LAST_SERIAL + 1 if write.current else 1,
    }
    if isinstance(wanted, NewDnsZone):
        values["name"] = zone_name(wanted.name)
    else:
        assert write.current is not None
        values["name"] = write.current["name"]
    return values


async def lock_zone(
    connection: Connection, actor: Actor, parents: Mapping[str, str], _command: Command
) -> Parent:
    id_ = parents["zone_id"]
    row = await PARENTS.lock_dns_zone_itself(connection, id=parse_id(id_), tenant_no=actor.tenant_no)
    if row is None:
        raise NotFound("dns zone", id_)
    return Parent({"zone_no": row["no"]}, row["tenant_no"], None, row)


async def lock_zone_of(connection: Connection, actor: Actor, id_: UUID) -> Parent | None:
    row = await PARENTS.lock_dns_zone_of_record(connection, id=id_, tenant_no=actor.tenant_no)
    return Parent({"zone_no": row["no"]}, row["tenant_no"], None, row) if row else None


async def validate_record(write: Write) -> Mapping[str, Any]:
    wanted: NewDnsRecord = write.command
    assert write.parent.row is not None
    zone: str = write.parent.row["name"]
    name = owner_name(wanted.name, zone)
    check_record(name, wanted.type)
    data = record_data(wanted.type, wanted.data, zone)
    await refuse_beside_alias(write, name, wanted.type)
    return {"name": name, "data": data}


async def refuse_beside_alias(write: Write, name: str, kind: str) -> None:
    """Raises Conflict that names the record in the way: a CNAME stands alone (RFC 1034 section 3.6.2)."""
    zone_no = write.parent.keys["zone_no"]
    other = await SQL.alias_in_the_way(write.connection, zone_no=zone_no, name=name, type=kind, no=write.no)
    if other is not None:
        shown = {key: encode_value(value) for key, value in other.items()}
        reason = "an alias stands alone: no other record may bear its name"
        raise Conflict(reason, {"field": "name", "conflicts_with": shown})


def lower(text: str) -> str:
    return text.lower().removesuffix(".")


DNS_RECORDS = Entity(
    family=FAMILIES["dns-records"],
    model=DnsRecord,
    create=NewDnsRecord,
    patch=NewDnsRecord,
    view=view_text(SQL.dns_record_view),
    keys=("zone_no",),
    columns=NewDnsRecord.__struct_fields__,
    scope="dns_zone.tenant_no",
    lock_parent=lock_zone,
    lock=lock_zone_of,
    validate=validate_record,
    parents=frozenset({"zone_id", "tenant_id"}),
    filters={
        **TENANT,
        "zone_id": equal("dns_zone.id", id_text),
        "name": equal("dns_record.name", lower),
        "type": equal("dns_record.type", str.upper),
        "data": equal("dns_record.data"),
        "fqdn": Filter(
            "(dns_record.name || '.' || dns_zone.name = {} or dns_record.name = '@' and dns_zone.name = {})",
            lower,
        ),
        "q": texts("dns_record.name", "dns_record.data", "dns_record.description"),
    },
)

DNS_ZONES = Entity(
    family=FAMILIES["dns-zones"],
    model=DnsZone,
    create=NewDnsZone,
    patch=DnsZoneFields,
    view=view_text(SQL.dns_zone_view),
    keys=("tenant_no",),
    columns=(
        "name",
        "dns_server_no",
        "serial",
        *(field for field in DnsZoneFields.__struct_fields__ if field != "dns_server_id"),
    ),
    scope="dns_zone.tenant_no",
    validate=validate_zone,
    parents=frozenset({"tenant_id", "name"}),
    filters={
        **TENANT,
        "name": equal("dns_zone.name", lower),
        "dns_server_id": equal("dns_server.id", id_text),
        "dns_enabled": equal("dns_zone.dns_enabled", flag),
        "q": texts("dns_zone.name", "dns_zone.description"),
    },
    children=(Child(DNS_RECORDS, "zone_no"),),
)
