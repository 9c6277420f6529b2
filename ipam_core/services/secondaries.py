"""The secondaries of zones: how far behind each is, since when, and what was last refused."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec

from ipam_core.db import queries
from ipam_core.dns.serials import is_later
from ipam_core.errors import NotFound
from ipam_core.model.actor import Actor
from ipam_core.model.dns_secondary import DnsSecondary, LaggingSecondary, State
from ipam_core.model.families import FAMILIES
from ipam_core.model.ids import parse_id
from ipam_core.model.page import Page
from ipam_core.model.values import encode_value
from ipam_core.services import events
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.services.events import Told

SQL = queries.load("dns_secondary")

LAGGING_SHOWN = 100
PATIENCE_SECONDS = 300.0
"""For which a secondary may be behind before an event tells so: with a lost NOTIFY it follows by its own refresh."""


async def list_secondaries(connection: Connection, actor: Actor, zone_id: str) -> Page[DnsSecondary]:
    """Return all of a zone, in the zone's order; there are 64 at most. Raises NotFound."""
    row = await SQL.find_zone(connection, id=parse_id(zone_id), tenant_no=actor.tenant_no)
    if row is None:
        raise NotFound(FAMILIES["dns-zones"].label, zone_id)
    rows = SQL.secondaries(connection, zone_no=row["no"])
    return Page([present(found) async for found in rows], None)


async def list_lagging(
    connection: Connection, actor: Actor, tenant_id: UUID | None
) -> list[LaggingSecondary]:
    """Return the first ones that do not follow, of the tenant or of all tenants that the actor may see."""
    rows = SQL.lagging(connection, tenant_no=actor.tenant_no, tenant_id=tenant_id, at_most=LAGGING_SHOWN)
    return [
        LaggingSecondary(
            **msgspec.structs.asdict(present(row)), zone_id=str(row["zone_id"]), zone=row["zone"]
        )
        async for row in rows
    ]


def present(row: Mapping[str, Any]) -> DnsSecondary:
    state = state_of(row["serial"], row["zone_serial"])
    is_behind = state == "behind"
    return DnsSecondary(
        dns_server_id=str(row["dns_server_id"]),
        name=row["name"],
        address=row["address"],
        port=row["port"],
        state=state,
        serial=row["serial"],
        zone_serial=row["zone_serial"],
        serials_behind=behind(row) if is_behind else None,
        behind_since=encode_value(row["differs_since"]) if is_behind else None,
        seen_at=encode_value(row["seen_at"]),
        last_refusal=row["refusal"],
        last_refusal_at=encode_value(row["refused_at"]),
    )


def state_of(serial: int | None, zone_serial: int | None) -> State:
    if zone_serial is None:
        return "not_served"
    if serial is None:
        return "unknown"
    if serial == zone_serial:
        return "current"
    return "behind" if is_later(zone_serial, serial) else "ahead"


def behind(row: Mapping[str, Any]) -> int:
    """Return how many serials; where the deltas do not reach back, the distance of the two numbers."""
    newer: int = row["newer"]
    distance: int = (row["zone_serial"] - row["serial"]) % 2**32
    return newer or distance


async def count_behind(connection: Connection, now: datetime | None = None) -> tuple[int, int, float]:
    """Return how many secondaries of served zones are behind, how many are ahead or unknown, and for how many seconds
    the one that is behind the longest has been so. Raise an event for each whose state has changed."""
    now = now or datetime.now(UTC)
    rows = [row async for row in SQL.secondaries(connection, zone_no=None)]
    found = [(state_of(row["serial"], row["zone_serial"]), row["differs_since"]) for row in rows]
    await raise_events(connection, rows, now)
    lags = [(now - since).total_seconds() for state, since in found if state == "behind"]
    lost = sum(state in ("ahead", "unknown") for state, _ in found)
    return len(lags), lost, max(lags, default=0.0)


async def raise_events(connection: Connection, rows: Sequence[Row], now: datetime) -> None:
    """Raise one event for each change of state. Several servers watch the secondaries: the first one to store the new
    state raises it."""
    told = [(row, state) for row in rows if (state := telling(row, now)) not in (None, row["told_state"])]
    if not told:
        return
    async with connection.transaction():
        changed = SQL.change_states(
            connection,
            zones=[row["zone_no"] for row, _ in told],
            servers=[row["server_no"] for row, _ in told],
            states=[state for _, state in told],
        )
        before = {(each["zone_no"], each["server_no"]): each["before"] async for each in changed}
        await events.record_all(
            connection,
            [
                event_of(row, state)
                for row, state in told
                if (key := (row["zone_no"], row["server_no"])) in before
                and (state != "current" or before[key])
            ],
        )


def telling(row: Row, now: datetime) -> str | None:
    """Return the state of which events tell; None: the one that was told last still holds, or nothing is known."""
    state = state_of(row["serial"], row["zone_serial"])
    if state == "not_served" or (state == "unknown" and row["refusal"] is None):
        return None
    if state == "behind" and (now - row["differs_since"]).total_seconds() < PATIENCE_SECONDS:
        return None
    return state


def event_of(row: Row, state: str) -> Told:
    shown = present(row)
    data = {"zone_id": str(row["zone_id"]), "zone": row["zone"]} | {
        field: getattr(shown, field)
        for field in (
            "dns_server_id",
            "name",
            "address",
            "port",
            "state",
            "serial",
            "zone_serial",
            "serials_behind",
            "behind_since",
            "last_refusal",
        )
    }
    kind = "dns.secondary_current" if state == "current" else "dns.secondary_behind"
    return Told(kind, data, row["tenant_no"])
