"""Lists: filters by an entity's table, keyset pages in the order of creation or another that the entity offers.

Each combination of filters is a statement of its own, so the planner sees exactly the conditions that hold
and an index on one of them is used; where one has no index, the scan is bounded (see scans). Values are always
parameters; the texts are the entities' constants.
"""

from collections.abc import Mapping
from typing import Any

from ipam_core.errors import ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.page import (
    DEFAULT_LIMIT,
    MAX_LIMIT,
    Page,
    read_cursor,
    read_limit,
    unknown_cursor,
    write_cursor,
)
from ipam_core.services.entity.entity import Connection, Entity, Filter, M, Row, Sort
from ipam_core.services.entity.filters import find as find_filter
from ipam_core.services.entity.scans import Found, Key, Keyset, scan

PAGING = ("limit", "cursor")
SORT_KEY = "sort_key"
LIMITS = (1, 10, DEFAULT_LIMIT, 100, 250, MAX_LIMIT)


class Conditions:
    """The conditions of one list and the values of their parameters."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.values: list[Any] = []
        self.indexed = True
        """Whether an index leads to what all the conditions let pass."""

    def placeholder(self, value: Any) -> str:
        """Return the placeholder of one more value."""
        self.values.append(value)
        return f"${len(self.values)}"

    def add(self, condition: str, value: Any) -> None:
        self.texts.append(condition.replace("{}", self.placeholder(value)))

    def add_filters(self, filters: Mapping[str, Filter], query: Mapping[str, str]) -> None:
        for name, text in sorted(query.items()):
            if name in PAGING:
                continue
            filter_, asked = find_filter(filters, name, text)
            if filter_ is None:
                raise ValidationError(name, "is not a query parameter of this operation")
            self.add(filter_.condition, read_filter(name, filter_, asked))
            self.indexed = self.indexed and filter_.indexed

    def page(self, view: str, order: str, limit: int) -> str:
        """Return a page: VIEW where CONDITION and ... order by ORDER limit N: one row more than requested tells whether
        there is a next page. order by ORDER limit N: one row more than asked for tells whether there is a next page.

        The limit is rounded up to one of a few: each text is a statement that every session of the pool keeps prepared.
        A parameter would do that too, but the planner would take it for a tenth of the table."""
        where = " and ".join(self.texts) or "true"
        return f"{view} where {where} order by {order} limit {rounded_up(limit) + 1}"

    def copy(self) -> "Conditions":
        made = Conditions()
        made.texts, made.values = list(self.texts), list(self.values)
        return made


def rounded_up(limit: int) -> int:
    return next((each for each in LIMITS if each >= limit), limit)


def read_filter(name: str, filter_: Filter, text: str) -> Any:
    """Return the value of a parameter's text; raises ValidationError."""
    if "\x00" in text:
        raise ValidationError(name, "must not contain a NUL character")
    try:
        return filter_.parse(text)
    except ValueError as error:
        raise ValidationError(name, str(error)) from None


async def find(
    connection: Connection,
    entity: Entity[M],
    actor: Actor,
    query: Mapping[str, str],
    parents: Mapping[str, str] | None = None,
) -> Page[M]:
    """Return a page of an entity's objects; `parents` are filters that the path sets, whose objects must exist. Raises
    ValidationError for a parameter that is unknown or cannot be read."""
    limit = read_limit(query.get("limit"))
    asked = dict(query)
    sort = read_sort(entity, asked.pop("sort", None)) if entity.sorts else None
    conditions = Conditions()
    conditions.texts.append(entity.where)
    if actor.tenant_no is not None:
        conditions.add(entity.scope + " = {}", actor.tenant_no)
        conditions.indexed = False
    if actor.role != "admin":
        conditions.texts.append(entity.shared)
    conditions.add_filters(entity.filters_for(actor), asked | dict(parents or {}))
    if sort is not None:
        return await find_sorted(connection, entity, actor, conditions, sort, limit, query.get("cursor"))
    start: Key | None = read_cursor(query["cursor"], int) if "cursor" in query else None
    keys = Keyset(entity.table, (("no", "integer"),))
    found = await find_rows(connection, entity.list_view, keys, conditions, start, limit, ("no",))
    return Page(
        [entity.seen(actor, entity.present_listed(row)) for row in found.rows],
        write_cursor(*found.after) if found.after else None,
    )


async def find_rows(
    connection: Connection,
    view: str,
    keys: Keyset,
    conditions: Conditions,
    start: Key | None,
    limit: int,
    shown: tuple[str, ...],
) -> Found:
    """Return a page in the order of the key, in one statement or by windows: VIEW where CONDITIONS and (KEY) > ($m,
    ...) and (KEY) <= ($n, ...) order by KEY limit N."""

    async def fetch(after: Key | None, upto: Key | None, number: int) -> list[Row]:
        window = conditions.copy()
        for operator, key in ((">", after), ("<=", upto)):
            if key is not None:
                window.texts.append(keys.compared(operator, window.placeholder, key))
        rows: list[Row] = await connection.fetch(window.page(view, keys.names, number - 1), *window.values)
        return rows

    if not conditions.indexed:
        return await scan(connection, keys, start, limit, fetch, shown)
    rows = await fetch(start, None, limit + 1)
    return Found(rows[:limit], keys.of(rows[limit - 1], shown) if len(rows) > limit else None)


def read_sort(entity: Entity[M], text: str | None) -> tuple[str, Sort, bool] | None:
    """Return the order asked for; a hyphen before its name turns it round."""
    if text is None:
        return None
    name = text.removeprefix("-")
    if name not in entity.sorts:
        raise ValidationError(
            "sort", f"must be one of {', '.join(entity.sorts)}, with an optional leading hyphen"
        )
    return text, entity.sorts[name], text != name


async def find_sorted(
    connection: Connection,
    entity: Entity[M],
    actor: Actor,
    conditions: Conditions,
    wanted: tuple[str, Sort, bool],
    limit: int,
    cursor: str | None,
) -> Page[M]:
    """Return a sorted page: the key is what is sorted by, and the number that tells equals apart: select EXPRESSION as
    sort_key, ... where CONDITIONS and (EXPRESSION, TABLE.no) > ($m, $n) order by sort_key, TABLE.no limit N; < and desc
    where descending. Raises ValidationError for a cursor of another order."""
    name, sort, descending = wanted
    if cursor is not None:
        given, value, no = read_cursor(cursor, str, sort.kind, int)
        if given != name:
            raise ValidationError("cursor", "belongs to a list in another order; start without a cursor")
        text = f"({sort.expression}, {entity.table}.no)"
        key = f"({conditions.placeholder(read_key(sort, value))}::{sort.cast}, {conditions.placeholder(no)}::integer)"
        conditions.texts.append(f"{text} {'<' if descending else '>'} {key}")
    way = " desc" if descending else ""
    view = entity.view_with({SORT_KEY: sort.expression, **entity.listed_columns})
    text = conditions.page(view, f"{SORT_KEY}{way}, {entity.table}.no{way}", limit)
    rows = await connection.fetch(text, *conditions.values)
    last = rows[limit - 1] if len(rows) > limit else None
    items = [entity.seen(actor, entity.present_listed(row)) for row in rows[:limit]]
    return Page(items, write_cursor(name, sort.kind(last[SORT_KEY]), last["no"]) if last else None)


def read_key(sort: Sort, value: Any) -> Any:
    try:
        return sort.read(value)
    except ValueError:
        raise unknown_cursor() from None
