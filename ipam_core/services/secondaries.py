"""The secondaries of zones: how far behind each is, since when, and what was last refused."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ipam_core.db import queries
from ipam_core.dns.serials import is_later
from ipam_core.errors import NotFound
from ipam_core.model.actor import Actor
from ipam_core.model.dns_secondary import DnsSecondary, State
from ipam_core.model.ids import parse_id
from ipam_core.model.page import Page
from ipam_core.model.values import encode_value
from ipam_core.services.entity.entity import Connection

SQL = queries.load("dns_secondary")


async def list_secondaries(connection: Connection, actor: Actor, zone_id: str) -> Page[DnsSecondary]:
    """Return all of a zone, in the zone's order; there are 64 at most. Raises NotFound."""
    row = await SQL.find_zone(connection, id=parse_id(zone_id), tenant_no=actor.tenant_no)
    if row is None:
        raise NotFound("dns zone", zone_id)
    rows = SQL.secondaries(connection, zone_no=row["no"])
    return Page([present(found) async for found in rows], None)


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
    the one that is behind the longest has been so."""
    now = now or datetime.now(UTC)
    found = [
        (state_of(row["serial"], row["zone_serial"]), row["differs_since"])
        async for row in SQL.secondaries(connection, zone_no=None)
    ]
    lags = [(now - since).total_seconds() for state, since in found if state == "behind"]
    lost = sum(state in ("ahead", "unknown") for state, _ in found)
    return len(lags), lost, max(lags, default=0.0)
