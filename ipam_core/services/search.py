"""Search over the plan and the leases: one statement, best match first, in the list shape."""

from typing import Any

import msgspec

from ipam_core.db import queries
from ipam_core.errors import ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.lease import lease_id
from ipam_core.model.page import read_cursor, read_limit, write_cursor
from ipam_core.model.search import Found, Hit, read_search
from ipam_core.model.values import rfc3339
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.services.leases import starts

SQL = queries.load("search")
FOLLOWER = queries.load("search_follower")

# Before the first row of the order (rank, kind, key).
START = (-1, 0, "")

# How many rows an index may give to one search. They are of all tenants, so one of a tenant reads further.
MOST = 1000
MOST_OF_ALL = 100_000


async def find(connection: Connection, actor: Actor, query: dict[str, str]) -> Found:
    """Return a page of hits, the best first. Raises ValidationError for a text of no or more than 255 characters."""
    limit = read_limit(query.get("limit"))
    rank, kind, key = read_cursor(query["cursor"], int, int, str) if "cursor" in query else START
    if unknown := set(query) - {"q", "limit", "cursor"}:
        raise ValidationError(min(unknown), "is not a query parameter of this operation")
    as_of = await FOLLOWER.as_of(connection)
    rows = await look(connection, actor, query.get("q", ""), limit + 1, rank=rank, kind=kind, key=key)
    last = rows[limit - 1] if len(rows) > limit else None
    cursor = write_cursor(last["rank"], last["kind"], last["key"]) if last else None
    return Found([present(row) for row in rows[:limit]], cursor, None if as_of is None else rfc3339(as_of))


async def look(connection: Connection, actor: Actor, text: str, limit: int, **after: Any) -> list[Row]:
    if not text.strip() or "\x00" in text or len(text) > 255:
        raise ValidationError("q", "must be a text of 1 to 255 characters")
    meant = read_search(text)
    return [
        row
        async for row in SQL.search(
            connection,
            tenant_no=actor.tenant_no,
            address=meant.address,
            network=meant.network,
            firsts=[first for first, _ in meant.ranges],
            lasts=[last for _, last in meant.ranges],
            mac=meant.mac,
            octets=meant.octets,
            hardware=bytes.fromhex(meant.mac.replace(":", "")) if meant.mac else None,
            name=meant.name,
            pattern=starts(meant.name) if meant.name else None,
            begins=starts(text.strip()),
            whole=text.strip().lower(),
            question=msgspec.to_builtins(meant.question),
            tag=meant.tag,
            vlan=meant.vlan_id,
            most=MOST if actor.tenant_no is None else MOST_OF_ALL,
            at_most=limit,
            **after,
        )
    ]


def present(row: Row) -> Hit:
    id_ = str(row["id"]) if row["id"] else lease_id(row["tenant_no"], row["ip"])
    subnet_id = None if row["subnet_id"] is None else str(row["subnet_id"])
    return Hit(row["type"], id_, row["label"], row["match"], subnet_id)
