"""Definition of a family of objects for the generic verbs: one Entity a family.

An entity's SQL file holds its view: the row joined with the public ids around it, in the shape of its model. All
other statements of an entity are made here from its table and columns; the written row goes through the very
same view, because a CTE that bears the table's name stands before the table.
"""

# ruff: noqa: S608 - every piece of these statements is a constant of an entity's table

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar
from uuid import UUID

import asyncpg

from ipam_core.model.actor import Actor
from ipam_core.model.base import Command, Model
from ipam_core.model.families import Family, Level
from ipam_core.model.values import Network, encode_value

M = TypeVar("M", bound=Model)
KEYS = {"no", "sort_key", "parent_no"}
"""What rows hold for us alone."""
LEVELS = {Level.TENANT: "tenant_no", Level.ALL: "0"}
"""The numbers of the levels that are locked with an existing row."""
Connection: TypeAlias = asyncpg.Connection
Row = Mapping[str, Any]


class Filter(NamedTuple):
    """A query parameter of a list: a condition with {} where the value stands, and how its text is read.
    `indexed`: few rows meet it, and an index leads to them."""

    condition: str
    parse: Callable[[str], Any]
    indexed: bool = False


class Sort(NamedTuple):
    """An order of a list: what is compared, its type in the database, its kind in a cursor, and the way back."""

    expression: str
    cast: str
    kind: type
    read: Callable[[Any], Any]


class Parent(NamedTuple):
    """Parent of a written object, locked: the columns that refer to it, its tenant, and the subnet whose fence was
    raised."""

    keys: Mapping[str, Any]
    tenant_no: int | None
    subnet_no: int | None = None
    row: Row | None = None

    @property
    def cidr(self) -> Network:
        assert self.row is not None
        found: Network = self.row["cidr"]
        return found


class Write(NamedTuple):
    """A write in hand: who, where, what the fields shall be and what the row was (None: it is new)."""

    connection: Connection
    actor: Actor
    parent: Parent
    command: Any
    current: Row | None
    # Work that the write postpones to the end of its transaction (see write_batch).
    batch: Any = None
    # Of a new row.
    new_id: UUID | None = None

    @property
    def no(self) -> int:
        return self.current["no"] if self.current else 0

    @property
    def id(self) -> UUID:
        found = self.current["id"] if self.current else self.new_id
        assert isinstance(found, UUID)
        return found


class Child(NamedTuple):
    """Objects that stand below this one: counted in a refusal to delete, deleted by a cascade."""

    entity: "Entity[Any]"
    column: str


LockParent = Callable[[Connection, Actor, Mapping[str, str], Command], Awaitable[Parent]]
Lock = Callable[[Connection, Actor, UUID], Awaitable[Parent | None]]
Validate = Callable[[Write], Awaitable[Mapping[str, Any]]]
Rule = Callable[[Write], Awaitable[None]]
# Creates a plain object in one statement. None: the object is not plain, or the database refused it without a reason.
Shortcut = Callable[[Connection, Actor, Mapping[str, str], Any], Awaitable[Any]]
AfterWrite = Callable[[Write, Row | None], Awaitable[None]]
LockBelow = Callable[[Connection, Actor, UUID, Parent], Awaitable[None]]


async def accept_all(_write: Write) -> Mapping[str, Any]:
    """Return the rule of entities that have none."""
    return {}


def shown_whole(_actor: Actor, model: Any) -> Any:
    """Return the object as it is: most are the same to all who may read them."""
    return model


async def do_nothing(_write: Write) -> None:
    """Do nothing: the rule of entities that have none."""


async def leave_as_it_is(_write: Write, _row: Row | None) -> None:
    """Leave the row as it is: the rule of entities that have none."""


def view_text(query: Any) -> str:
    """Return the text of an entity's view, to which conditions are added."""
    text: str = query.sql
    return text.rstrip().removesuffix(";")


@dataclass(frozen=True, kw_only=True)
class Entity(Generic[M]):
    """One family of objects.

    `keys` are the columns that say where an object lives, never changed; `columns` those that a command's
    fields of the same name fill, or that `validate` returns. `scope` is the SQL of the tenant's number in the
    view. The hooks, in the order in which a write calls them:

    lock_parent    locks what a new object shall stand below; raises NotFound
    lock           locks an existing object and what it stands below; None: there is no such object
                   (both may be left out: the level of the family says what is locked, see parents)
    validate       refuses what a write must not say (ValidationError, Conflict, Forbidden); returns the values of
                   columns that no field of the command fills
    after_create   runs when the new row stands
    after_write    runs when a new or changed row stands, with its view, and when the row is deleted, without
    before_delete  may refuse a deletion, with its cascade (Conflict, Forbidden)
    lock_below     locks what a cascade will delete
    """

    family: Family
    model: type[M]
    view: str
    scope: str
    # The number of the tenant by the table's own columns.
    owner: str = "tenant_no"
    lock: Lock | None = None
    create: type[Command] = Command
    # Of those of a family that are made below none of its parents.
    create_alone: type[Command] = Command
    patch: type[Command] = Command
    keys: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    lock_parent: LockParent | None = None
    validate: Validate = accept_all
    after_create: Rule = do_nothing
    before_delete: Rule = do_nothing
    after_write: AfterWrite = leave_as_it_is
    where: str = "true"
    parents: frozenset[str] = frozenset()
    filters: Mapping[str, Filter] = field(default_factory=dict)
    children: tuple[Child, ...] = ()
    writers: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    sorts: Mapping[str, Sort] = field(default_factory=dict)
    # Rows of lists may show more than the object: their model, and the SQL of each column more.
    listed: type[M] | None = None
    listed_columns: Mapping[str, str] = field(default_factory=dict)
    # For entities above subnets.
    lock_below: LockBelow | None = None
    shortcut: Shortcut | None = None
    # `seen` returns the part of an object that an actor may see. Then: the SQL of objects that only admins may see, and
    # the filters that all others have instead, which compare with the values that they are shown.
    seen: Callable[[Actor, M], M] = shown_whole
    admins_only: str = "false"
    filters_concealed: Mapping[str, Filter] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.family.singular

    @property
    def label(self) -> str:
        return self.family.label

    @property
    def plural(self) -> str:
        return self.family.plural

    @property
    def table(self) -> str:
        return self.family.table

    @property
    def row_model(self) -> type[M]:
        return self.listed or self.model

    @cached_property
    def list_view(self) -> str:
        """select LISTED COLUMNS, THE VIEW'S from TABLE join ...; a list adds where, order and limit."""
        return self.view_with(self.listed_columns)

    def view_with(self, columns: Mapping[str, str]) -> str:
        """Return the view with more columns first: select EXPRESSION as NAME, ..., COLUMNS from TABLE join ...."""
        more = "".join(f"{expression} as {name}, " for name, expression in columns.items())
        return self.view.replace("select ", "select " + more, 1)

    @cached_property
    def select_one(self) -> str:
        """VIEW where TABLE.id = $1 and ...: the view's row of an id, null in $2 meaning any tenant."""
        return (
            f"{self.view} where {self.table}.id = $1 and {self.where}"
            f" and ($2::integer is null or {self.scope} = $2)"
        )

    @cached_property
    def select_shared(self) -> str:
        """SELECT_ONE and not ADMINS_ONLY: the same for actors who are no admins."""
        return self.select_one if self.admins_only == "false" else f"{self.select_one} and {self.shared}"

    @cached_property
    def shared(self) -> str:
        """The SQL of objects that every role may see."""
        return f"not ({self.admins_only})"

    def filters_for(self, actor: Actor) -> Mapping[str, Filter]:
        """Return the filters that the actor may use."""
        return self.filters if actor.role == "admin" else {**self.filters, **self.filters_concealed}

    @cached_property
    def insert(self) -> str:
        """with TABLE as (insert into TABLE (id, KEYS, COLUMNS) ... returning *) VIEW: the view of the new row.
        Values are the id, those of `keys` and those of `columns`, in this order."""
        names = ("id", *self.keys, *self.columns)
        values = ", ".join(f"${n}" for n in range(1, len(names) + 1))
        return (
            f"with {self.table} as (insert into {self.table} ({', '.join(names)}) values ({values})"
            f" returning *) {self.view}"
        )

    @cached_property
    def update(self) -> str:
        """with TABLE as (update TABLE set COLUMN = $2, ... where no = $1 returning *) VIEW: the view of the row
        as it is now. Values are the number and those of `columns`."""
        pairs = ", ".join(f"{name} = ${n}" for n, name in enumerate(self.columns, 2))
        return (
            f"with {self.table} as (update {self.table} set {pairs}, updated_at = now() where no = $1"
            f" returning *) {self.view}"
        )

    @cached_property
    def delete(self) -> str:
        """delete from TABLE where no = any($1): the numbers of rows without anything below them."""
        return f"delete from {self.table} where no = any($1::integer[])"

    @cached_property
    def lock_row(self) -> str:
        """Takes the id and the actor's tenant (null: any); gives `no` and `tenant_no`. The level comes before the
        row, as in the creation of an object."""
        own = f"where {self.table}.id = $1 and ($2::integer is null or {self.owner} = $2)"
        level = LEVELS.get(self.family.level)
        if level is None:
            return f"select no, {self.owner} as tenant_no from {self.table} {own} for update"
        return (
            f"with level as materialized (select no, pg_advisory_xact_lock(hashtext('tenant'), {level})"
            f" from {self.table} {own}) select {self.table}.no, {self.table}.tenant_no from {self.table}"
            f" join level on level.no = {self.table}.no for update of {self.table}"
        )

    def present(self, row: Row) -> M:
        """Return the model of a row of the view."""
        return self.model(**self.shown(row))

    def present_listed(self, row: Row) -> M:
        """Return the model of a row of the list's view."""
        return self.row_model(**self.shown(row))

    def shown(self, row: Row) -> dict[str, Any]:
        shown = {name: encode_value(value) for name, value in row.items() if name not in KEYS}
        for name in self.writers.keys() & shown.keys():  # a column of lists is in no object
            shown[name] = None if row[name] is None else self.writers[name](row[name])
        return shown
