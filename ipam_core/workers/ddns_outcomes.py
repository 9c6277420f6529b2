"""Outcomes of DNS updates, written for many at once: a transaction an update would cost more than sending it."""

import random
from collections.abc import Sequence
from typing import NamedTuple

from ipam_core.db import queries
from ipam_core.errors import IpamError
from ipam_core.model.values import encode_value
from ipam_core.services import events
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.workers.adapters import NameConflict, PutOff, Unreachable, UpdateError
from ipam_core.workers.ddns_changes import scope_of

SQL = queries.load("ddns")

APPLIED, CONFLICT, RETRYING, FAILED = "applied", "conflict", "retrying", "failed"
SUPERSEDED = "superseded"
UNTOLD = (RETRYING, SUPERSEDED)
TOLD = ("id", "action", "ip", "fqdn")  # of the update, by its event

FIRST_PAUSE_SECONDS = 2.0
LONGEST_PAUSE_SECONDS = 3600.0
MOST_ATTEMPTS = 60
LONGEST_ERROR = 2000  # characters


class Outcome(NamedTuple):
    """Outcome of one update. `kind` of error, for metrics; `pause`: seconds until it is tried again; `frees`: the name
    is nobody's from now on."""

    row: Row
    state: str
    error: str | None = None
    kind: str = ""
    pause: float = 0.0
    frees: bool = False


def outcome_of(row: Row, error: Exception) -> Outcome:
    """Return the outcome of an update that was refused."""
    if isinstance(error, NameConflict):
        return Outcome(row, CONFLICT, str(error))
    if isinstance(error, PutOff):
        return Outcome(row, SUPERSEDED, str(error))
    if isinstance(error, Unreachable):
        return to_retry(row, "unreachable", str(error))
    if isinstance(error, UpdateError | IpamError):
        # The server's policy, a key or a zone may be mended without our hearing of it.
        return to_retry(row, "refused", str(error))
    return to_retry(row, "unmakeable", f"the update cannot be created: {type(error).__name__}: {error}")


def to_retry(row: Row, kind: str, error: str) -> Outcome:
    """Return the time of the next attempt: later each time, until the update is abandoned."""
    if row["attempts"] >= MOST_ATTEMPTS:
        return Outcome(row, FAILED, error, kind)
    longest = min(FIRST_PAUSE_SECONDS * 2 ** (row["attempts"] - 1), LONGEST_PAUSE_SECONDS)
    pause = longest * (0.5 + random.random() / 2)  # noqa: S311 - spreads load, keeps no secret
    return Outcome(row, RETRYING, error, kind, pause)


async def note(connection: Connection, outcomes: Sequence[Outcome]) -> None:
    """Write the outcomes of one tenant's updates to one server, their events and the owners of their names, in one
    transaction."""
    where = scope_of(outcomes[0].row)
    settled = [ownership(each) for each in outcomes if each.state == APPLIED and each.row["forward_zone"]]
    async with connection.transaction():
        if settled:
            await SQL.settle_owners(connection, **where, names=settled)
        await SQL.finish(connection, outcomes=[written(each) for each in outcomes])
        await events.record_all(connection, [told(each) for each in outcomes if each.state not in UNTOLD])


def ownership(outcome: Outcome) -> dict[str, object]:
    """Return what an update that was applied means for the owner of its name."""
    row = outcome.row
    return {
        "zone": row["forward_zone"],
        "fqdn": row["fqdn"],
        "applied": row["action"] == "add",
        "frees": outcome.frees,
    }


def written(outcome: Outcome) -> dict[str, object]:
    return {
        "no": outcome.row["no"],
        "state": outcome.state,
        "error": None if outcome.error is None else storable(outcome.error),
        "pause": outcome.pause,
    }


def storable(text: str) -> str:
    """Return a text that came from a server as the database takes it: no NUL, no half of a surrogate pair, not longer
    than a page."""
    return text[:LONGEST_ERROR].replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def told(outcome: Outcome) -> events.Told:
    error = None if outcome.error is None else storable(outcome.error)
    data = {name: encode_value(outcome.row[name]) for name in TOLD} | {"error": error}
    return events.Told(f"ddns.{outcome.state}", data, outcome.row["tenant_no"])
