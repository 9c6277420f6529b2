"""The audit trail: the change rows, newest first. Secrets never enter them.

Who made a change is shown to the author's tenant and to admins of all tenants (decisions: Redaction).
"""

from collections.abc import Mapping

from ipam_core.db import queries
from ipam_core.errors import NotFound
from ipam_core.model.actor import Actor
from ipam_core.model.history import AuditEntry
from ipam_core.model.page import Page, read_limit, write_cursor
from ipam_core.model.values import encode_value, parse_address, parse_instant
from ipam_core.services import redaction
from ipam_core.services.entity.entity import Connection, Filter, Row, view_text
from ipam_core.services.entity.filters import SUBNET, equal, id_text, one_of, texts
from ipam_core.services.entity.lists import Conditions
from ipam_core.services.entity.scans import NUMBER, read_numbers, walk_back

SQL = queries.load("audit")
VIEW = view_text(SQL.audit_view)

FIRST_STEP = 1000
FILTERS = {
    **SUBNET,
    "object_type": equal("change.object_type"),
    "object_id": equal("change.object_id"),
    "action": equal("change.action", one_of("created", "updated", "deleted")),
    "token_id": equal("change.token_id", id_text),
    "token_name": equal("change.token_name"),
    "remote_address": equal("change.remote_address", parse_address),
    "request_id": equal("change.request_id"),
    "since": Filter("change.at >= {}", parse_instant),
    "until": Filter("change.at < {}", parse_instant),
    "q": texts("change.object_type", "change.token_name", "change.before", "change.after"),
}

OWN_AUTHOR = "author.tenant_no = change.tenant_no"
FILTERS_OF_TENANT = FILTERS | {
    name: FILTERS[name]._replace(condition=f"({OWN_AUTHOR} and {FILTERS[name].condition})")
    for name in redaction.AUTHOR
}
FILTERS_OF_TENANT["q"] = texts(
    "change.object_type",
    f"(case when {OWN_AUTHOR} then change.token_name end)",
    "change.before",
    "change.after",
)
"""For readers of one tenant: a filter must not find what the entry would not show."""
HIDDEN = ("no", "author_tenant_no")


def present(row: Row, actor: Actor) -> AuditEntry:
    whole = {name: encode_value(value) for name, value in row.items() if name not in HIDDEN}
    shown = redaction.change(actor, whole, row["author_tenant_no"])
    return AuditEntry(id=str(row["no"]), created_at=shown["at"], updated_at=shown["at"], **shown)


async def find(connection: Connection, actor: Actor, query: Mapping[str, str]) -> Page[AuditEntry]:
    """Return a page of what the actor may see. Raises ValidationError for a parameter that is unknown or cannot be
    read."""
    limit = read_limit(query.get("limit"))
    conditions = visible(actor)
    conditions.add_filters(FILTERS if actor.tenant_no is None else FILTERS_OF_TENANT, query)
    span = await SQL.span(connection)
    top = read_numbers(query["cursor"], 1)[0] if "cursor" in query else span["last"] + 1
    low, high = conditions.placeholder(0), conditions.placeholder(0)
    conditions.texts.append(f"change.no >= {low}::bigint and change.no < {high}::bigint")

    async def read(first: int, end: int, wanted: int) -> list[Row]:
        text = conditions.page(VIEW, "change.no desc", wanted - 1)
        found: list[Row] = await connection.fetch(text, *conditions.values[:-2], first, end)
        return found

    # An object's own changes are found by their index, all at once.
    step = span["last"] + 1 if "object_id" in query else FIRST_STEP
    rows, edge = await walk_back(read, top, span["first"], step, limit + 1)
    page = rows[:limit]
    after = page[-1]["no"] if len(rows) > limit else edge if edge > span["first"] else None
    return Page([present(row, actor) for row in page], None if after is None else write_cursor(str(after)))


async def read(connection: Connection, actor: Actor, id_: str) -> AuditEntry:
    """Return one entry; raises NotFound, also for one of another tenant."""
    conditions = visible(actor)
    if NUMBER.fullmatch(id_):
        conditions.add("change.no = {}::bigint", int(id_))
        rows = await connection.fetch(conditions.page(VIEW, "change.no", 1), *conditions.values)
        if rows:
            return present(rows[0], actor)
    raise NotFound("audit entry", id_)


def visible(actor: Actor) -> Conditions:
    conditions = Conditions()
    if actor.tenant_no is not None:
        conditions.add("change.tenant_no = {}", actor.tenant_no)
    return conditions
