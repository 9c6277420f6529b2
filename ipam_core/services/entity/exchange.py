"""Exchanges within one bulk: two objects of the request may want the same value until its last operation.

A bulk runs first with every constraint judged at its statement. If a constraint refuses what a later operation may
move, all is rolled back, and the bulk runs once more with that constraint deferred to its end. So a bulk that exchanges
nothing pays nothing, and no operation needs a savepoint (more than 64 of them slow every other session's snapshots).
No row is parked meanwhile, so the audit trail shows the values of the request.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import asyncpg

from ipam_core.errors import Conflict
from ipam_core.services.entity import conflicts
from ipam_core.services.entity.entity import Connection
from ipam_core.services.entity.write_batch import Batch


class Exchange:
    """The exchanges of one request. `changes`: the id of each object that an operation updates or deletes, with the
    operation's index; `fields`: all fields that the bodies name."""

    def __init__(self, connection: Connection, changes: Iterable[tuple[str, int]], fields: set[str]) -> None:
        self.connection = connection
        self.changes = dict(changes)
        self.fields = fields
        self.last_change = max(self.changes.values(), default=-1)
        self.deferred: dict[str, str] = {}  # the entities by constraints
        self.batch: Batch

    async def begin(self, batch: Batch) -> None:
        """Begin one run, in its transaction."""
        self.batch = batch
        batch.changes.update(self.changes)
        if self.deferred:
            await self.connection.execute(f"set constraints {', '.join(self.deferred)} deferred")

    def defer(self, error: asyncpg.IntegrityConstraintViolationError) -> bool:
        """Return whether another run may do what this one was refused: its constraint can wait, and a later operation
        changes something. The table's other constraints on fields of the request wait with it, to save further runs."""
        name, entity, index = error.constraint_name, vars(error).get("entity"), self.batch.index
        if name not in conflicts.DEFERRABLE or name in self.deferred or not entity:
            return False
        if index is None or index >= self.last_change:
            return False
        self.deferred[name] = entity
        for other in conflicts.DEFERRABLE:
            if other.startswith(f"{error.table_name}_") and conflicts.REFUSALS[other].field in self.fields:
                self.deferred[other] = entity
        return True

    async def look_outside(self) -> None:
        """Raise the conflict of the operation just done with an object that is not of the request: a deferred
        constraint does not report it until the end."""
        for id_ in self.batch.latest:
            for name in self.deferred:
                other = await self.met(name, id_)
                if other is not None and not self.batch.has(str(other["id"])):
                    raise conflicts.refused(name, other)

    async def met(self, name: str, id_: str) -> Mapping[str, Any] | None:
        """Return the object that a written one meets by the constraint."""
        written = self.batch.written.get(id_)
        if written is None or written.entity != self.deferred[name]:
            return None
        return await conflicts.find(self.connection, name, written.values)

    async def settle(self) -> None:
        """Judge what waited, after the last operation. Raises the Conflict that names the last operation on one of the
        two objects."""
        self.batch.index = None
        for id_, (index, take) in list(self.batch.postponed.items()):
            with self.blaming(index, id_):
                await take()
        if not self.deferred:
            return
        try:
            async with self.connection.transaction():
                await self.connection.execute("set constraints all immediate")
        except asyncpg.IntegrityConstraintViolationError as error:
            if error.constraint_name not in self.deferred:
                raise
            raise await self.blame(error.constraint_name) from None

    async def blame(self, name: str) -> Conflict:
        """Look for the pair from the last operation backwards."""
        backwards = sorted(self.batch.written, key=lambda id_: -self.batch.written[id_].operation)
        for id_ in backwards:
            other = await self.met(name, id_)
            if other is not None:
                conflict = conflicts.refused(name, other)
                vars(conflict)["index"] = self.batch.written[id_].operation
                return conflict
        return conflicts.refused(name, None)

    @contextmanager
    def blaming(self, index: int, id_: str) -> Iterator[None]:
        """Blame the last operation that took something of the object at `index`, or of its holder, for a refusal."""
        try:
            yield
        except Conflict as conflict:
            other = str((conflict.details or {})["conflicts_with"].get("id"))
            changes = self.batch.changes
            vars(conflict)["index"] = max(index, changes.get(id_, 0), changes.get(other, 0))
            raise
