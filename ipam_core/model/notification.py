"""Notifications: messages for people about events, in a chat or by mail.

A webhook is for programs; a notification is a short text that needs no code at the other end. Without `events` it is
about what needs attention, never about single leases or changes.
"""

import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

from msgspec import Meta

from ipam_core.errors import ValidationError
from ipam_core.model.base import Command, Id, Model, Text
from ipam_core.model.dns_server import Url, check_url
from ipam_core.model.dns_zone import DomainName
from ipam_core.model.event import DIRECT, PATTERNS, SYSTEM, TYPES, types_of
from ipam_core.model.values import Network
from ipam_core.model.webhook import EventPattern

NotificationKind = Literal["slack", "teams", "mattermost", "ntfy", "mail"]
Severity = Literal["info", "warning", "critical"]
SEVERITIES: tuple[Severity, ...] = ("info", "warning", "critical")

CRITICAL = frozenset({"pool.exhausted", "node.down"})
WARNING = frozenset(
    {
        "pool.utilization_high",
        "pool.decline_storm",
        "client.identity_shared",
        "ddns.failed",
        "ddns.conflict",
        "dns.secondary_behind",
        "relay.untrusted",
        "node.degraded",
        "license.threshold",
        "lease.declined",
    }
)
BY_DEFAULT = SYSTEM - DIRECT - {"ddns.applied"}
"""Types of a notification without `events`."""

MailAddress = Annotated[str, Meta(max_length=254, extra_json_schema={"format": "mail-address"})]
Topic = Annotated[str, Meta(pattern="^[-_A-Za-z0-9]{1,64}$")]
ADDRESS = re.compile(r"[A-Za-z0-9.#$&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
"""Without % and !, by which some servers route a mail on to another domain (RFC 5321 appendix F.2)."""

OF_KIND = {"url": ("slack", "teams", "mattermost", "ntfy"), "topic": ("ntfy",), "recipients": ("mail",)}
"""Fields that these kinds need and the others do not take."""


class NotificationFields(Command, kw_only=True, frozen=True):
    """Fields that may be changed later."""

    name: Annotated[str, Meta(min_length=1, max_length=255)]
    """Name of the notification, unique in the tenant."""

    kind: NotificationKind
    """Target: `slack`, `teams` (a workflow that posts a message when a webhook request is received), `mattermost`,
    `ntfy`, or `mail` through the SMTP server of the settings."""

    description: Text = ""
    enabled: bool = True
    """False: no events are sent."""

    url: Url | None = None
    """For chats: URL of the incoming webhook; for `ntfy`: the server, such as https://ntfy.sh/. Only admins see more
    than the host. Null: for `mail`."""

    topic: Topic | None = None
    """For `ntfy`: the topic. Null: for other kinds, and for all but admins."""

    priority: Annotated[int, Meta(ge=1, le=5)] | None = None
    """For `ntfy`: priority of all messages, 1 to 5. Null: 3 for info, 4 for warning, 5 for critical."""

    recipients: Annotated[tuple[MailAddress, ...], Meta(max_length=20)] = ()
    """For `mail`: addresses, at most 20."""

    events: Annotated[tuple[EventPattern, ...], Meta(max_length=256)] = ()
    """Event types, all types of a kind (`pool.*`), or `*`. Empty: pools, DNS updates that failed, secondaries,
    relays, nodes and the managed address limit; no leases and no changes."""

    severity: Severity = "info"
    """Lowest severity that is sent: `info`, `warning` or `critical`."""

    networks: Annotated[tuple[Network, ...], Meta(max_length=256)] = ()
    """Send only events about addresses or networks within these. Empty: all events."""

    zones: Annotated[tuple[DomainName, ...], Meta(max_length=256)] = ()
    """Send only events about names at or below these zones. Empty: all events."""


class NewNotification(NotificationFields, kw_only=True, frozen=True):
    tenant_id: Id | None = None
    """Tenant whose events are sent. Null: all tenants."""


class Notification(Model, kw_only=True, frozen=True):
    """Messages for people about events."""

    tenant_id: str | None
    name: str
    kind: NotificationKind
    description: str
    enabled: bool
    disabled_reason: str | None
    """Reason for which the service disabled the notification. Null: it did not."""

    url: str | None
    topic: str | None
    priority: int | None
    recipients: list[str]
    events: list[str]
    severity: Severity
    networks: list[str]
    zones: list[str]


def check_notification(fields: NotificationFields) -> None:
    """Raise ValidationError where the kind lacks a field that it needs, or has one of another kind."""
    for name, kinds in OF_KIND.items():
        given = bool(getattr(fields, name))
        if given and fields.kind not in kinds:
            raise ValidationError(name, f"is only for the kind {' or '.join(kinds)}, not for {fields.kind}")
        if not given and fields.kind in kinds:
            raise ValidationError(name, f"is required for the kind {fields.kind}")
    if fields.priority is not None and fields.kind != "ntfy":
        raise ValidationError("priority", f"is only for the kind ntfy, not for {fields.kind}")
    if fields.url is not None:
        check_target(fields.kind, fields.url)
    for at, address in enumerate(fields.recipients):
        if not ADDRESS.fullmatch(address):
            raise ValidationError(f"recipients[{at}]", "must be a mail address such as noc@example.net")
    for at, event in enumerate(fields.events):
        if event not in PATTERNS:
            raise ValidationError(f"events[{at}]", f"there is no event {event!r}")


def check_target(kind: str, url: str) -> None:
    """Raise ValidationError for a URL to which the kind cannot post."""
    check_url(url)
    if kind == "ntfy" and urlsplit(url).path not in ("", "/"):
        raise ValidationError(
            "url", "must be the ntfy server, such as https://ntfy.sh/; put the topic into the field topic"
        )


def severity_of(type_: str) -> Severity:
    return "critical" if type_ in CRITICAL else "warning" if type_ in WARNING else "info"


def chosen_types(events: list[str], severity: Severity) -> frozenset[str]:
    """Return the types that a notification is about. Raises ValueError for a pattern that stands for nothing."""
    named = types_of(events) if events else BY_DEFAULT
    least = SEVERITIES.index(severity)
    return frozenset(each for each in named & TYPES if SEVERITIES.index(severity_of(each)) >= least)
