"""DNS zones and their records.

A write to a zone or to one of its records holds the zone, so what is found beside a record, above all an alias, is so
at the COMMIT. What follows leases is written beside that without waiting (workers/ddns): the publisher, which gives a
zone its serial, leaves out what does not go together (dns/rrsets).
"""

from collections.abc import Mapping
from typing import Any, NoReturn
from uuid import UUID

from ipam_core.db import queries
from ipam_core.dns import content, target_warnings
from ipam_core.dns.names import domain_text, mailbox, network_zone, owner_name, zone_name
from ipam_core.dns.rdata import record_data, record_type
from ipam_core.dns.serials import FARTHEST, is_later, may_be_raised, strands
from ipam_core.errors import Conflict, NotFound, ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.base import Command
from ipam_core.model.dns_zone import DnsRecord, DnsZone, DnsZoneFields, NewDnsRecord, NewDnsZone
from ipam_core.model.families import FAMILIES
from ipam_core.model.ids import parse_id
from ipam_core.model.values import encode_value, parse_address
from ipam_core.services import child_zones, dns_tree
from ipam_core.services.dns_servers import find_server
from ipam_core.services.entity.entity import Child, Connection, Entity, Filter, Parent, Row, Write, view_text
from ipam_core.services.entity.filters import TENANT, equal, flag, id_text, one_of, sought
from ipam_core.services.entity.parents import SQL as PARENTS

SQL = queries.load("dns_zone")
DELEGATIONS = queries.load("dns_delegation")

STATIC, DELEGATION = "static", "delegation"
MOST_PAST = 10_000
"""Zones of a tenant that are deleted and whose serials are kept."""
SOURCES = (STATIC, "lease", "assignment", "reservation", DELEGATION)


def asked_name(text: str) -> str:
    """Return the name that a list is filtered by; a network stands for its reverse zone. Raises ValidationError."""
    return network_zone(text, "name") or lower(text)


async def validate_zone(write: Write) -> Mapping[str, Any]:
    wanted: DnsZoneFields = write.command
    if wanted.dns_enabled and wanted.updated_elsewhere:
        raise_updated_elsewhere()
    name = zone_name(wanted.name) if isinstance(wanted, NewDnsZone) else held(write)["name"]
    if wanted.dns_enabled and not is_enabled(write):
        await dns_tree.check_enabling(write, name)
    values: dict[str, Any] = {
        "dns_server_no": await find_server(write, wanted.dns_server_id),
        "secondary_ids": await find_secondaries(write, wanted.secondary_ids),
        "mname": None if wanted.mname is None else domain_text("mname", wanted.mname),
        "rname": None if wanted.rname is None else mailbox(wanted.rname),
        "name": name,
    }
    return values | await serials_of(write, name)


async def serials_of(write: Write, name: str) -> dict[str, int | None]:
    """Return the zone's serial and the one that it is raised to. Raises ValidationError for one to which secondaries do
    not follow."""
    wanted: int | None = write.command.serial
    if write.current is None:
        past = await SQL.past_serial(write.connection, tenant_no=write.parent.tenant_no, name=name)
        if wanted is not None and past is not None and is_later(past, wanted):
            raise_smaller(past)
        return {"serial": wanted or past or 1, "wanted_serial": None}
    own = dict(await SQL.serials(write.connection, no=write.no))
    is_published = own.pop("published") is not None
    shown: int = write.current["serial"]
    if wanted is None or wanted == shown:
        return own
    if not is_later(wanted, shown):
        raise_smaller(shown)
    if not may_be_raised(shown, wanted):
        raise ValidationError(
            "serial",
            f"must be later than {shown} by {FARTHEST} at most, so that secondaries which are some changes behind "
            "follow too (RFC 1982): raise it in two steps, and let all secondaries follow in between",
        )
    await refuse_stranding(write, shown, wanted)
    return own | {"wanted_serial" if is_published else "serial": wanted}


async def refuse_stranding(write: Write, serial: int, wanted: int) -> None:
    """Raise Conflict for a raise that comes before all secondaries have followed the one before: they would take the
    new serial for an earlier one and never copy the zone again (RFC 1982 section 3.2, RFC 1912 section 3.1)."""
    async for row in SQL.serials_held(write.connection, no=write.no):
        if strands(serial, wanted, row["serial"]):
            who = f"secondary {row['name']} has" if row["name"] else "a secondary may still have"
            reason = (
                f"{who} serial {row['serial']} and would not follow to {wanted}. "
                f"Repeat the request when it has {serial}, or remove it from secondary_ids"
            )
            raise Conflict(reason, {"field": "serial", "serial": serial, "held": row["serial"]})


def raise_smaller(serial: int) -> NoReturn:
    raise ValidationError(
        "serial", f"must be later than {serial} (RFC 1982): secondaries follow no earlier one"
    )


async def before_delete_zone(write: Write) -> None:
    """Delete the delegations of the zones below it with the zone; they are no children that refuse a deletion. Its
    serial stays."""
    await SQL.keep_past(write.connection, no=write.no, most=MOST_PAST)
    await DELEGATIONS.drop_all(write.connection, zone_no=write.no)


async def after_write_zone(write: Write, row: Row | None) -> None:
    """Move records to the zone that answers for them, and write the delegations of zones below in those above."""
    before, after = is_enabled(write), row is not None and row["dns_enabled"]
    name: str = (row or held(write))["name"]
    if after and not before:
        assert row is not None
        await child_zones.take_records(write, row, present_record)
    if before or after:
        await child_zones.delegate(write.connection, [name], widened=[name] if before != after else [])


def held(write: Write) -> Row:
    """Return the zone as it was."""
    assert write.current is not None
    return write.current


def is_enabled(write: Write) -> bool:
    """Return whether the zone was enabled before the write."""
    return write.current is not None and write.current["dns_enabled"]


def raise_updated_elsewhere() -> None:
    """Refuse to serve a zone that another server updates (cutover rule 6): the two would differ from the first update
    on."""
    reason = (
        "the zone is marked as updated by another server (updated_elsewhere), so dns_enabled must not be set"
    )
    raise Conflict(reason, {"field": "dns_enabled", "conflicts_with": {"field": "updated_elsewhere"}})


async def find_secondaries(write: Write, ids: tuple[str, ...]) -> list[UUID]:
    """Raise ValidationError where one is no DNS server of the tenant, or has no address to tell."""
    found: dict[UUID, None] = {}
    for id_ in ids:
        row = await PARENTS.share_dns_server(
            write.connection, id=parse_id(id_), tenant_no=write.parent.tenant_no
        )
        if row is None:
            raise ValidationError("secondary_ids", f"there is no DNS server {id_}")
        if row["address"] is None:
            raise ValidationError("secondary_ids", f"the DNS server {id_} has no address")
        found[row["id"]] = None
    return list(found)


async def lock_zone(
    connection: Connection, actor: Actor, parents: Mapping[str, str], _command: Command
) -> Parent:
    id_ = parents["zone_id"]
    row = await PARENTS.lock_dns_zone_itself(connection, id=parse_id(id_), tenant_no=actor.tenant_no)
    if row is None:
        raise NotFound(FAMILIES["dns-zones"].label, id_)
    return Parent({"zone_no": row["no"]}, row["tenant_no"], None, row)


async def lock_zone_of(connection: Connection, actor: Actor, id_: UUID) -> Parent | None:
    row = await PARENTS.lock_dns_zone_of_record(connection, id=id_, tenant_no=actor.tenant_no)
    return Parent({"zone_no": row["no"]}, row["tenant_no"], None, row) if row else None


async def validate_record(write: Write) -> Mapping[str, Any]:
    wanted: NewDnsRecord = write.command
    assert write.parent.row is not None
    zone: str = write.parent.row["name"]
    await refuse_following(write)
    name, kind = owner_name(wanted.name, zone), record_type(wanted.type)
    content.check_place(name, kind)
    data = record_data(kind, wanted.data, zone)
    if write.current is None or (write.current["name"], write.current["type"]) != (name, kind):
        await child_zones.refuse_hidden(write, name, kind)
    await refuse_obstructed(write, name, kind, data)
    return {"name": name, "type": kind, "data": data}


async def after_write_record(write: Write, row: Row | None) -> None:
    """Update the zone above, which follows the NS records of this one and the addresses of its servers."""
    records = [each for each in (write.current, row) if each is not None]
    await child_zones.follow(write.connection, write.parent.keys["zone_no"], records)


def present_record(row: Row) -> DnsRecord:
    return DNS_RECORDS.present(row)


async def refuse_following(write: Write) -> None:
    """Raise Conflict for a record that follows a lease, a reservation or an assignment: it changes with that."""
    if write.current is not None and write.current["source"] != STATIC:
        source = write.current["source"]
        raise Conflict(f"the record follows a {source}, and changes with it", {"source": source})


async def refuse_obstructed(write: Write, name: str, kind: str, data: str) -> None:
    """Raise Conflict that names the record in the way, and for an RRset that is full (dns/content.py)."""
    where = {"zone_no": write.parent.keys["zone_no"], "name": name, "type": kind, "no": write.no}
    async for other in SQL.near(write.connection, **where, above=content.above(name)):
        if reason := content.obstacle(name, kind, data, other["name"], other["record_type"], other["data"]):
            shown = {key: encode_value(value) for key, value in other.items()}
            raise Conflict(reason, {"field": "name", "conflicts_with": shown})
    beside = await SQL.count_beside(write.connection, **where, large=content.LARGE)
    if beside["count"] >= content.MOST_IN_RRSET:
        raise Conflict(content.full(name, kind), {"field": "name", "limit": content.MOST_IN_RRSET})
    size = beside["large"] + len(data)
    if beside["count"] and len(data) > content.LARGE and size > content.MOST_LARGE:
        reason = content.too_large(name, kind, size)
        raise Conflict(reason, {"field": "data", "limit": content.MOST_LARGE})


def warnings_of(looked_at: Mapping[str, Any]) -> list[str]:
    """Return the warnings of a record. `looked_at`: the record and what is near its target; empty: there is none."""
    if not looked_at:
        return []
    names = target_warnings.near(tuple(each) for each in looked_at["near"])
    return target_warnings.warnings(
        looked_at["name"], looked_at["type"], looked_at["data"], looked_at["zone"], names
    )


def lower(text: str) -> str:
    return text.lower().removesuffix(".")


def addresses(text: str) -> list[str]:
    """Return the addresses with commas between them, as records have them."""
    return [str(parse_address(each)) for each in text.split(",")]


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
    before_delete=refuse_following,
    after_write=after_write_record,
    parents=frozenset({"zone_id", "tenant_id"}),
    writers={"warnings": warnings_of},
    filters={
        **TENANT,
        "zone_id": equal("dns_zone.id", id_text),
        "name": equal("dns_record.name", lower),
        "type": equal("dns_record.type", str.upper),
        "data": equal("dns_record.data"),
        "ip": Filter(
            "(dns_record.type in ('A', 'AAAA') and dns_record.data = any({}::text[]))",
            addresses,
            indexed=True,
        ),
        "source": equal("dns_record.source", one_of(*SOURCES)),
        "fqdn": Filter(
            "(dns_record.name || '.' || dns_zone.name = {} or dns_record.name = '@' and dns_zone.name = {})",
            lower,
        ),
        "q": sought("dns_record", "dns_record.name", "dns_record.data", "dns_record.description"),
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
        "wanted_serial",
        *(field for field in DnsZoneFields.__struct_fields__ if field != "dns_server_id"),
    ),
    scope="dns_zone.tenant_no",
    validate=validate_zone,
    before_delete=before_delete_zone,
    after_write=after_write_zone,
    parents=frozenset({"tenant_id", "name"}),
    filters={
        **TENANT,
        "name": equal("dns_zone.name", asked_name),
        "dns_server_id": equal("dns_server.id", id_text),
        "dns_enabled": equal("dns_zone.dns_enabled", flag),
        "updated_elsewhere": equal("dns_zone.updated_elsewhere", flag),
        "q": sought("dns_zone", "dns_zone.name", "dns_zone.description"),
    },
    children=(Child(DNS_RECORDS, "zone_no"),),
)
