"""Events as all their readers see them: rows of three logs (`change`, `lease_event`, `event`) in one shape.

A row's place is its transaction, its log and its key there. Within a log and for one object the keys are in the order
in which things happened, because a writer holds the object when it takes one.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from ipam_core.db import queries
from ipam_core.model.actor import Actor
from ipam_core.model.event import LEASES, OBJECTS, SYSTEM, Event
from ipam_core.model.history import EVENTS as LEASE_WORDS
from ipam_core.model.page import write_cursor
from ipam_core.model.values import encode_value, rfc3339
from ipam_core.services import lease_events, redaction
from ipam_core.services.entity.entity import Row, view_text
from ipam_core.services.lease_walk import micros

Place = tuple[int, int, int]  # transaction, log, key

KINDS = {f"lease.{word}": kind for kind, word in LEASE_WORDS.items()}
AUTHOR_TENANT = "author_tenant_no"
HIDDEN = ("xid", "key", "happened", "scope_no", AUTHOR_TENANT)  # columns that are not shown


class Item(NamedTuple):
    """One event. `tenant_no`: the tenant that it belongs to, None: none. `author_tenant_no`: of a change, the tenant of
    the token that made it."""

    place: Place
    at: datetime
    type: str
    tenant_no: int | None
    tenant_id: str | None
    data: dict[str, Any]
    author_tenant_no: int | None = None

    @property
    def id(self) -> str:
        """The same in lists, streams and deliveries, however often it is read."""
        return write_cursor(LOGS[self.place[1]].table[0], str(self.place[2]), str(micros(self.at)))

    def data_for(self, actor: Actor) -> dict[str, Any]:
        """Return the part of the data that the actor may see."""
        return redaction.event_data(actor, self.type, self.data, self.author_tenant_no)

    def shown(self, actor: Actor) -> Event:
        """Return the event as the actor may see it."""
        at = rfc3339(self.at)
        return Event(
            id=self.id,
            created_at=at,
            updated_at=at,
            timestamp=at,
            type=self.type,
            tenant_id=self.tenant_id,
            data=self.data_for(actor),
        )


class Log(NamedTuple):
    """One of the three. `type_` is the SQL of what tells the types apart, `word` what it says for a type."""

    rank: int
    table: str
    key: str
    view: str
    types: frozenset[str]
    type_: str
    read: Callable[[Row], tuple[str, dict[str, Any]]]
    word: Callable[[str], str] = str

    def words(self, types: frozenset[str]) -> list[str]:
        """Return values of `type_` that stand for these types."""
        return [self.word(each) for each in sorted(types & self.types)]

    def item(self, row: Row) -> Item:
        type_, data = self.read(row)
        place = row["xid"], self.rank, row["key"]
        tenant_id = row["tenant_id"]
        author = row.get(AUTHOR_TENANT)
        return Item(
            place, row["happened"], type_, row["scope_no"], tenant_id and str(tenant_id), data, author
        )


def read_change(row: Row) -> tuple[str, dict[str, Any]]:
    data = {name: encode_value(value) for name, value in row.items() if name not in (*HIDDEN, "no", "at")}
    return f"{row['object_type']}.{row['action']}", data


def read_lease_event(row: Row) -> tuple[str, dict[str, Any]]:
    shown = lease_events.present({name: value for name, value in row.items() if name not in HIDDEN})
    data = msgspec.structs.asdict(shown)
    for name in ("id", "created_at", "updated_at", "at", "ended_at", "end"):  # the end is not known yet
        del data[name]
    return f"lease.{data.pop('event')}", data | {"version": row["version"]}


def read_event(row: Row) -> tuple[str, dict[str, Any]]:
    return row["type"], row["data"]


def view(table: str, key: str, text: Any) -> str:
    """Return the view that the log's own list shows, with what places a row before it."""
    more = {
        "xid": f"{table}.xid::text::bigint",
        "key": f"{table}.{key}",
        "happened": f"{table}.at",
        "scope_no": f"{table}.tenant_no",
    }
    told = "".join(f"{expression} as {named}, " for named, expression in more.items())
    return view_text(text).replace("select ", "select " + told, 1)


CHANGES = Log(
    0,
    "change",
    "no",
    view("change", "no", queries.load("audit").audit_view),
    OBJECTS,
    "change.object_type || '.' || change.action",
    read_change,
)
LEASE_EVENTS = Log(
    1,
    "lease_event",
    "version",
    view("lease_event", "version", queries.load("lease_event").lease_event_view),
    LEASES,
    "lease_event.kind::text",
    read_lease_event,
    KINDS.__getitem__,
)
EVENTS = Log(
    2,
    "event",
    "no",
    view("event", "no", queries.load("event").event_view),
    SYSTEM,
    "event.type",
    read_event,
)
LOGS: Sequence[Log] = (CHANGES, LEASE_EVENTS, EVENTS)
