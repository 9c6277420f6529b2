"""Rows of addresses in pools that machines visibly use (decisions: Never leased), for the engine and for people."""

from collections.abc import Iterable, Mapping
from typing import Any

from ipam_core.services.addresses_in_use import MOST_RELAYS

Rows = Iterable[Mapping[str, Any]]

SHOWN = 3  # addresses in a warning
EXPLAINED = 8  # in an explanation
USERS = {"gateway": "the gateway", "relay": "a relay", "server": "a host with a DHCP server"}
KEPT = "the client keeps it until its lease ends"


def withheld(rows: Rows) -> list[Any]:
    """Return the addresses that are given to nobody; one that a client has stays with the client."""
    return [row["address"] for row in rows if not row["leased"]]


def relay_room(rows: Rows) -> int:
    """Return how many relays a server may withhold before all servers know them."""
    return max(0, MOST_RELAYS - sum(1 for row in rows if row["is_seen"]))


def described(rows: Rows) -> list[str]:
    return [f"{row['address']} ({row['kind']}{', leased' * row['leased']})" for row in rows]


def warning(addresses: list[str]) -> str:
    shown = ", ".join(addresses[:SHOWN])
    more = f" and {len(addresses) - SHOWN} more" if len(addresses) > SHOWN else ""
    return f"addresses in pools are used by machines and are not leased: {shown}{more}"


def in_use_notes(rows: Rows) -> list[str]:
    """Return the sentences of an explanation, one an address."""
    rows = list(rows)
    more = [f"{len(rows) - EXPLAINED} more addresses in pools are in use"] if len(rows) > EXPLAINED else []
    return [
        f"{row['address']} lies in a pool and is in use by {USERS[row['kind']]}: "
        + (KEPT if row["leased"] and row["kind"] != "gateway" else "it is not leased")
        for row in rows[:EXPLAINED]
    ] + more
