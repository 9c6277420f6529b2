"""Choice of events for a notification, and how many messages it gets of them.

In five minutes a notification gets ten messages of each severity. Further events of that time are counted by type, and
one summary follows at its end; while a storm lasts, one summary each five minutes is all that is sent. So a thousand
leases are ten mails and a summary, no event goes unmentioned, and a server that fails among them is told at once.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from ipaddress import ip_network
from typing import Any, NamedTuple

import msgspec

from ipam_core.db import queries
from ipam_core.model.event import SUMMARY
from ipam_core.model.ids import new_id
from ipam_core.model.notification import SEVERITIES, Severity, chosen_types, severity_of
from ipam_core.model.values import Network, rfc3339
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.services.event_items import Item

SQL = queries.load("notification_worker")

MOST = 10
PERIOD = timedelta(minutes=5)
ADDRESSES = ("ip", "cidr", "start_ip", "end_ip", "prefix", "address")
NAMES = ("fqdn", "zone", "name")


class Window(msgspec.Struct):
    """Window of one severity: messages `sent` since `began_at` (None: none was ever sent), and events `held` back, by
    type."""

    began_at: datetime | None = None
    sent: int = 0
    held: dict[str, int] = {}
    changed: bool = False

    def admit(self, type_: str, now: datetime) -> bool:
        """Return whether an event gets a message of its own; otherwise it is counted."""
        self.changed = True
        if self.began_at is None or (now >= self.began_at + PERIOD and not self.held):
            self.began_at, self.sent = now, 0
        if self.sent < MOST and not self.held:
            self.sent += 1
            return True
        self.held = self.held | {type_: self.held.get(type_, 0) + 1}
        return False

    def is_due(self, now: datetime) -> bool:
        """Return whether a summary of held events is to be sent."""
        return bool(self.held) and self.began_at is not None and now >= self.began_at + PERIOD

    def summed(self, now: datetime) -> dict[str, Any]:
        """Return the data of a summary, and begin the next window; it is as full as this one was, so that of a storm
        that lasts only summaries are sent."""
        assert self.began_at is not None
        data = {
            "since": rfc3339(self.began_at),
            "until": rfc3339(now),
            "events": self.held,
            "count": sum(self.held.values()),
        }
        self.began_at, self.sent, self.held, self.changed = now, MOST, {}, True
        return data


class Notified(NamedTuple):
    """A notification: whose events it is about (None: all), of which types, since when, and the networks and zones
    that one of them must concern; `windows` by severity."""

    no: int
    tenant_no: int | None
    types: frozenset[str]
    since: datetime
    networks: tuple[Network, ...]
    zones: tuple[str, ...]
    windows: dict[Severity, Window]

    def admit(self, type_: str, now: datetime) -> bool:
        """Return whether an event gets a message of its own; otherwise it is counted."""
        return self.windows[severity_of(type_)].admit(type_, now)

    def due(self, now: datetime) -> list[Window]:
        """Return the windows whose summary is to be sent, the worst first."""
        return [window for window in self.windows.values() if window.is_due(now)]

    def hears(self, item: Item) -> bool:
        mine = self.tenant_no is None or self.tenant_no == item.tenant_no
        return mine and item.type in self.types and item.at >= self.since and self.concerns(item.data)

    def concerns(self, data: Mapping[str, Any]) -> bool:
        """Return whether the event is about one of the networks or zones; without either every event is."""
        if not self.networks and not self.zones:
            return True
        described = [data, *(data[name] for name in ("after", "before") if isinstance(data.get(name), dict))]
        return any(self.is_near(each) or self.is_named(each) for each in described)

    def is_near(self, fields: Mapping[str, Any]) -> bool:
        return any(
            found.version == network.version and found.subnet_of(network)  # type: ignore[arg-type]  # one version
            for found in networks_in(fields)
            for network in self.networks
        )

    def is_named(self, fields: Mapping[str, Any]) -> bool:
        names = [canonical(fields[name]) for name in NAMES if isinstance(fields.get(name), str)]
        return any(name == zone or name.endswith(f".{zone}") for name in names for zone in self.zones)


def networks_in(fields: Mapping[str, Any]) -> Iterator[Network]:
    """Yield the addresses and networks of an event, addresses as networks of one address."""
    for name in ADDRESSES:
        value = fields.get(name)
        if isinstance(value, str):
            try:
                yield ip_network(value, strict=False)
            except ValueError:
                continue


def canonical(name: str) -> str:
    return name.rstrip(".").lower()


async def notified(connection: Connection) -> tuple[list[Notified], datetime]:
    """Return all enabled notifications, and the time of the database."""
    rows = [row async for row in SQL.listeners(connection)]
    return [made(row) for row in rows], rows[0]["now"] if rows else datetime.min


def made(row: Row) -> Notified:
    return Notified(
        row["no"],
        row["tenant_no"],
        chosen_types(row["events"], row["severity"]),
        row["created_at"],
        tuple(row["networks"]),
        tuple(map(canonical, row["zones"])),
        windows_of(row["windows"]),
    )


def windows_of(stored: Mapping[str, Any]) -> dict[Severity, Window]:
    """Return a window for each severity, the worst first."""
    return {each: msgspec.convert(stored.get(each, {}), Window) for each in reversed(SEVERITIES)}


def summaries(listening: Iterable[Notified], now: datetime) -> list[dict[str, Any]]:
    """Return the messages of windows that are over and hold events."""
    return [
        {
            "message_id": None,
            "event": SUMMARY,
            "payload": {"type": SUMMARY, "timestamp": rfc3339(now), "data": window.summed(now)},
            "deliveries": [{"id": str(new_id()), "notification_no": each.no}],
        }
        for each in listening
        for window in each.due(now)
    ]


async def keep(connection: Connection, listening: Iterable[Notified]) -> None:
    """Write down the windows that changed."""
    windows = [
        {
            "no": each.no,
            "severity": severity,
            "began_at": window.began_at,
            "sent": window.sent,
            "held": window.held,
        }
        for each in listening
        for severity, window in each.windows.items()
        if window.changed
    ]
    if windows:
        await SQL.set_windows(connection, windows=windows)
