"""Lists: filters by a noun's table, keyset pages in the order of creation.

Each combination of filters is a statement of its own, so the planner sees exactly the conditions that hold
and an index on one of them is used. Values are always parameters; the texts are the nouns' constants.
"""

from collections.abc import Mapping
from typing import Any

from ipam_core.errors import ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.page import Page, read_cursor, read_limit, write_cursor
from ipam_core.services.noun import Connection, Filter, M, Noun

PAGING = ("limit", "cursor")


class Conditions:
    """The conditions of one list and the values of their parameters."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.values: list[Any] = []

    def place(self, value: Any) -> str:
        """The placeholder of one more value."""
        self.values.append(value)
        return f"${len(self.values)}"

    def add(self, condition: str, value: Any) -> None:
        self.texts.append(condition.replace("{}", self.place(value)))

    def add_filters(self, filters: Mapping[str, Filter], query: Mapping[str, str]) -> None:
        for name, text in query.items():
            if name in PAGING:
                continue
            if name not in filters:
                raise ValidationError(name, "there is no such query parameter")
            self.add(filters[name].condition, read_filter(name, filters[name], text))

    def page(self, view: str, order: str, limit: int) -> str:
        """One row more than asked for tells whether there is a next page."""
        where = " and ".join(self.texts) or "true"
        return f"{view} where {where} order by {order} limit {limit + 1}"


def read_filter(name: str, filter_: Filter, text: str) -> Any:
    if "\x00" in text:
        raise ValidationError(name, "must not contain a NUL character")
    try:
        return filter_.parse(text)
    except ValueError as error:
        raise ValidationError(name, str(error)) from None


async def find(
    connection: Connection,
    noun: Noun[M],
    actor: Actor,
    query: Mapping[str, str],
    parents: Mapping[str, str] | None = None,
) -> Page[M]:
    """A page of a noun's objects; `parents` are filters that the path sets, whose objects must exist."""
    limit = read_limit(query.get("limit"))
    conditions = Conditions()
    conditions.texts.append(noun.where)
    if actor.tenant_no is not None:
        conditions.add(noun.scope + " = {}", actor.tenant_no)
    conditions.add_filters(noun.filters, dict(query) | dict(parents or {}))
    if "cursor" in query:
        conditions.add(f"{noun.table}.no > {{}}::integer", read_cursor(query["cursor"], int)[0])
    rows = await connection.fetch(conditions.page(noun.view, f"{noun.table}.no", limit), *conditions.values)
    more = len(rows) > limit
    rows = rows[:limit]
    return Page([noun.present(row) for row in rows], write_cursor(rows[-1]["no"]) if more else None)
