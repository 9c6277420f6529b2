"""Relays that nobody trusts: noted by the DHCP servers when they drop their packets, shown to who may trust them.

They are no tenant's, so a token of one tenant does not see them.
"""

from collections.abc import Mapping, Sequence

from ipam_core.db import queries
from ipam_core.model.actor import Actor
from ipam_core.model.page import Page, read_cursor, read_limit, write_cursor
from ipam_core.model.relay import UnknownRelay
from ipam_core.model.values import Address, encode_value, parse_address, parse_instant, parse_network
from ipam_core.services import events
from ipam_core.services.entity.entity import Connection, Filter, Row, view_text
from ipam_core.services.entity.filters import family
from ipam_core.services.entity.lists import Conditions, read_filter

SQL = queries.load("unknown_relay")
VIEW = f"select * from ({view_text(SQL.unknown_relay_view)}) as unknown_relay"  # noqa: S608 - a constant

KEPT = 10_000
TOLD_AT_ONCE = 10
FILTERS = {
    "within": Filter("unknown_relay.address <<= {}::inet", parse_network),
    "family": Filter("family(unknown_relay.address) = {}", family),
    "since": Filter("unknown_relay.last_seen_at >= {}", parse_instant),
}


async def note_unknown(connection: Connection, rows: Sequence[tuple[Address, int]]) -> None:
    """Add packets counted by relay address since the last note; of addresses that are new an event tells, of some at
    a time, because they can be forged."""
    if not rows:
        return
    async with connection.transaction():
        noted = SQL.note_unknown(
            connection, addresses=[address for address, _ in rows], counts=[count for _, count in rows]
        )
        fresh = [row async for row in noted if row["is_new"]]
        for row in fresh[:TOLD_AT_ONCE]:
            told = {name: encode_value(row[name]) for name in ("address", "count", "first_seen_at")}
            await events.record(connection, "relay.untrusted", told, None)
        await SQL.forget_oldest(connection, kept=KEPT)


async def find(connection: Connection, actor: Actor, query: Mapping[str, str]) -> Page[UnknownRelay]:
    """Return a page in the order of addresses, empty for a token of one tenant. Raises ValidationError for a parameter
    that is unknown or cannot be read."""
    limit = read_limit(query.get("limit"))
    conditions = Conditions()
    if actor.tenant_no is not None:
        conditions.texts.append("false")
    conditions.add_filters(FILTERS, query)
    if "cursor" in query:
        last = read_cursor(query["cursor"], str)[0]
        after = read_filter("cursor", Filter("", parse_address), last)
        conditions.add("unknown_relay.address > {}::inet", after)
    text = conditions.page(VIEW, "unknown_relay.address", limit)
    rows = await connection.fetch(text, *conditions.values)
    found = [present(row) for row in rows[:limit]]
    return Page(found, write_cursor(found[-1].address) if len(rows) > limit else None)


def present(row: Row) -> UnknownRelay:
    shown = {name: encode_value(value) for name, value in row.items()}
    return UnknownRelay(
        id=shown["address"],
        created_at=shown["first_seen_at"],
        updated_at=shown["last_seen_at"],
        **shown,
    )
