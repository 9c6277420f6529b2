"""Values as people read them: local time with its zone, percentages, lists with commas, yes and no."""

import re
from collections.abc import Mapping
from datetime import datetime
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any

import msgspec

from ipam_core.model.csv_cells import guarded
from ipam_core.printing import printable

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
DIGITS = re.compile(r"(\d+)")
SHARES = frozenset({"utilisation", "peak_utilisation", "cache_threshold"})
# Of what has happened seconds matter; of what will be they are noise.
TO_THE_SECOND = frozenset({"at", "timestamp"})


def text(value: Any, name: str = "") -> str:
    """Return the text of a cell. `name`: of the field."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and name in SHARES:
        return f"{value:.1%}"
    if isinstance(value, list) and not any(isinstance(each, list | dict) for each in value):
        return ",".join(text(each) for each in value)
    if not isinstance(value, str):
        return msgspec.json.encode(value).decode()
    return local_time(value, name in TO_THE_SECOND) if MOMENT.fullmatch(value) else printable(value)


def local_time(rfc3339: str, seconds: bool = True) -> str:
    at = datetime.fromisoformat(rfc3339).astimezone()
    return f"{at:{'%Y-%m-%d %H:%M:%S' if seconds else '%Y-%m-%d %H:%M'} %Z}"


def csv_cell(value: Any, raw: bool = False) -> Any:
    """Return a cell for programs: moments and numbers as the API has them, a list as it may be typed. Unless `raw`, no
    spreadsheet takes it for a formula, and characters that control a terminal are escaped."""
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    cell = value if isinstance(value, str) else text(value)
    return cell if raw else guarded(printable(cell))


def order(value: Any) -> tuple[Any, ...]:
    """Return the sort key of a cell: numbers and addresses by size, text as people count it."""
    if isinstance(value, bool | int | float):
        return (0, value)
    if isinstance(value, str) and (network := as_network(value)):
        return (1, network.version, int(network.network_address), network.prefixlen)
    plain = value if isinstance(value, str) else text(value)
    return (2, *(part.zfill(12) if part.isdecimal() else part for part in DIGITS.split(plain.lower())))


def as_network(value: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(value, strict=False)
    except ValueError:
        return None


def subject(item: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """Return the subject of an audit entry or an event, by the first of the names that the object has."""
    facts = item.get("data", item)
    state = facts.get("after") or facts.get("before") or facts
    found = next((str(state[name]) for name in names if state.get(name)), None)
    return found or str(facts.get("object_id") or "")
