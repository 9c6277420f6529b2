"""The classes that clients make of templates by the values that they bring: noted by the DHCP servers, shown to who
asks what a template sees."""

from collections.abc import Mapping, Sequence
from typing import Any

from ipam_core.db import queries
from ipam_core.dhcp.conditions import Subject, template_leaf, value_text
from ipam_core.errors import NotFound
from ipam_core.model.actor import Actor
from ipam_core.model.client_class import ClassValue, name_with_value
from ipam_core.model.ids import parse_id
from ipam_core.model.page import Page, read_cursor, read_limit, write_cursor
from ipam_core.model.values import parse_instant, parse_octets, rfc3339
from ipam_core.services.entity.entity import Connection, Filter, Row, view_text
from ipam_core.services.entity.lists import Conditions, read_filter

SQL = queries.load("class_value")
VIEW = f"select * from ({view_text(SQL.class_value_view)}) as class_value"  # noqa: S608 - a constant

KEPT = 1024
FILTERS = {"since": Filter("class_value.last_seen_at >= {}", parse_instant)}


async def note_values(connection: Connection, rows: Sequence[tuple[int, bytes, int]]) -> None:
    """Add packets counted by class and value since the last note."""
    if not rows:
        return
    classes, values, packets = zip(*rows, strict=True)
    await SQL.note_values(connection, class_nos=list(classes), values=list(values), packets=list(packets))
    await SQL.forget_oldest(connection, class_nos=sorted(set(classes)), kept=KEPT)


async def find(connection: Connection, actor: Actor, id_: str, query: Mapping[str, str]) -> Page[ClassValue]:
    """Return a page of a template's values, in the order of their octets; none of a class that is no template. Raises
    NotFound, and ValidationError for a parameter that is unknown or cannot be read."""
    limit = read_limit(query.get("limit"))
    row = await SQL.find_class(connection, id=parse_id(id_), tenant_no=actor.tenant_no)
    if row is None:
        raise NotFound("client_class", id_)
    conditions = Conditions()
    conditions.add("class_value.class_no = {}", row["no"])
    conditions.add_filters(FILTERS, query)
    if "cursor" in query:
        last = read_cursor(query["cursor"], str)[0]
        conditions.add("class_value.value > {}", read_filter("cursor", Filter("", parse_octets), last))
    rows = await connection.fetch(conditions.page(VIEW, "class_value.value", limit), *conditions.values)
    found = [present(row, each) for each in rows[:limit]]
    return Page(found, write_cursor(rows[limit - 1]["value"].hex()) if len(rows) > limit else None)


def present(template: Mapping[str, Any], row: Row) -> ClassValue:
    text = value_text(subject_of(template), row["value"])
    first, last = rfc3339(row["first_seen_at"]), rfc3339(row["last_seen_at"])
    return ClassValue(
        id=f"{template['id']}-{row['value'].hex()}",
        name=name_with_value(template["name"], text),
        value=text,
        packets=row["packets"],
        first_seen_at=first,
        last_seen_at=last,
        created_at=first,
        updated_at=last,
    )


def subject_of(template: Mapping[str, Any]) -> Subject:
    """Return the subject of a template's values; other classes have none to show."""
    return template_leaf(template["match"]).subject
