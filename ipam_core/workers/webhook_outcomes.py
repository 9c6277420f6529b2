"""Outcomes of endpoints and of attempts, as they are written."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from ipam_core import faults
from ipam_core.db import queries
from ipam_core.db.outage import AWAY
from ipam_core.model.actor import Actor
from ipam_core.services.entity import change_log, crud
from ipam_core.services.entity.change_log import Recorded
from ipam_core.services.entity.entity import Connection, Entity, Row
from ipam_core.services.webhooks import WEBHOOKS

SQL = queries.load("webhook_worker")

NOBODY = Actor(role="admin", token_name="worker")  # noqa: S106 - as the audit trail names it


class Receivers(NamedTuple):
    """A family that deliveries go to: the queries of its worker (claim_endpoints, due, release, disable), and its
    entity."""

    sql: Any
    entity: Entity[Any]

    @property
    def name(self) -> str:
        return self.entity.name


OF_WEBHOOKS = Receivers(SQL, WEBHOOKS)


class Outcome(NamedTuple):
    """Outcome of one attempt. `silent`: the endpoint did not answer at all, or has too much to do. `gone`: it wants no
    more. `refused`: it will never accept this delivery."""

    delivered: bool
    status: int | None = None
    latency_ms: int | None = None
    response: str | None = None
    error: str | None = None
    silent: bool = False
    gone: bool = False
    refused: bool = False


class Note(NamedTuple):
    """The outcome of an attempt at a delivery, as that was read; `pause`: seconds until the next one, None: there is
    none."""

    delivery: Row
    outcome: Outcome
    pause: float | None

    @property
    def state(self) -> str:
        if self.outcome.delivered:
            return "delivered"
        final = self.outcome.gone or self.outcome.refused or self.pause is None
        return "dead" if final else "failed"

    def row(self) -> dict[str, Any]:
        return {
            "no": self.delivery["no"],
            "attempts": self.delivery["attempts"],
            "state": self.state,
            "status": self.outcome.status,
            "latency_ms": self.outcome.latency_ms,
            "response": self.outcome.response,
            "error": self.outcome.error,
            "pause": self.pause,
        }


class Release(msgspec.Struct, frozen=True):
    """Release of an endpoint that was silent `failures` times in a row, and rests for some seconds."""

    no: int
    claimed_until: datetime
    failures: int
    rest: float


async def write(
    connection: Connection,
    notes: Sequence[Note],
    releases: Sequence[Release],
    receivers: Receivers = OF_WEBHOOKS,
) -> None:
    """Write outcomes in a transaction, webhooks before deliveries, which is the order of the deletion of a webhook."""
    gone = {note.delivery["receiver_no"] for note in notes if note.outcome.gone}
    if gone:
        await disable(connection, sorted(gone), "the endpoint answered 410 Gone", receivers)
    if releases:
        await receivers.sql.release(connection, releases=releases)
    if notes:
        await write_notes(connection, notes)


async def write_notes(connection: Connection, notes: Sequence[Note]) -> None:
    """Write all notes; of many that fail together each half by itself, until the one that causes it is found. That one
    is written without what its endpoint said."""
    try:
        async with connection.transaction():
            await SQL.note(connection, notes=[note.row() for note in notes])
    except AWAY:
        raise
    except Exception as error:  # noqa: BLE001 - the other outcomes are written
        faults.caught("webhook outcome", error, delivery=str(notes[0].delivery["id"]))
        if len(notes) > 1:
            middle = len(notes) // 2
            await write_notes(connection, notes[:middle])
            await write_notes(connection, notes[middle:])
        elif notes[0].outcome.response or notes[0].outcome.error:
            await write_notes(connection, [without_words(notes[0])])


def without_words(note: Note) -> Note:
    return note._replace(outcome=note.outcome._replace(response=None, error=None))


async def disable(
    connection: Connection, numbers: Sequence[int], reason: str, receivers: Receivers = OF_WEBHOOKS
) -> None:
    """Disable webhooks by their numbers; the audit trail records it, and listeners to webhooks get an event."""
    entity = receivers.entity
    async with connection.transaction():
        rows = receivers.sql.disable(connection, numbers=list(numbers), reason=reason)
        for row in [row async for row in rows]:
            after = await crud.read(connection, entity, NOBODY, str(row["id"]))
            before = msgspec.structs.replace(after, enabled=True, disabled_reason=None)
            await change_log.record(
                connection, NOBODY, [Recorded(entity.name, before, after)], row["tenant_no"], None
            )
