"""Webhooks (Standard Webhooks 1.0) and what is delivered to them.

The secret is write-only; one that we make is shown once, by the answer that makes the webhook. A webhook
without events hears everything but the renewals of leases.
"""

import base64
import binascii
import os
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from ipam_core.errors import ValidationError
from ipam_core.model.base import Command, Id, Model, Text
from ipam_core.model.dns_server import Url, check_url
from ipam_core.model.event import PATTERNS

MARK = "whsec_"
OCTETS = range(24, 65)
NEW_OCTETS = 32

Secret = Annotated[str, Meta(max_length=255, extra_json_schema={"format": "webhook-secret"})]
EventPattern = Annotated[str, Meta(extra_json_schema={"enum": sorted(PATTERNS)})]


class WebhookFields(Command, kw_only=True, frozen=True):
    """Fields that may be changed later."""

    url: Url
    """Where messages are posted to, by HTTP or HTTPS, without credentials in it. Only admins see all of it."""

    description: Text = ""
    events: Annotated[tuple[EventPattern, ...], Meta(max_length=256)] = ()
    """Event types, all types of a kind (`lease.*`), or `*`. Empty: all but lease.renewed."""

    enabled: bool = True
    """False: no events are sent."""

    secret: Secret | UnsetType = UNSET
    """Secret that signs messages (Standard Webhooks): whsec_ and 24 to 64 octets in base64. It is never shown again.
    Left out in a create: the service generates one and shows it once."""


class NewWebhook(WebhookFields, kw_only=True, frozen=True):
    tenant_id: Id | None = None
    """Tenant whose events are sent. Null: all tenants."""


class Webhook(Model, kw_only=True, frozen=True):
    """Receiver of events. `previous_secret_until`: time until which messages are also signed with the previous
    secret; null: with one secret only."""

    tenant_id: str | None
    url: str
    description: str
    events: list[str]
    enabled: bool
    disabled_reason: str | None
    """Reason for which the service disabled the webhook. Null: it did not."""

    previous_secret_until: str | None
    """Time until which messages are also signed with the previous secret, after a rotation. Null: with one secret
    only."""


class WebhookWithSecret(Webhook, kw_only=True, frozen=True):
    secret: str | UnsetType = UNSET


class Delivery(Model, kw_only=True, frozen=True):
    """Attempt to deliver an event to a webhook or a notification. `message_id` is the header webhook-id. `response` is
    the beginning of the last response."""

    webhook_id: str | None
    """Webhook of the delivery. Null: it belongs to a notification."""

    notification_id: str | None
    """Notification of the delivery. Null: it belongs to a webhook."""

    message_id: str
    """Header webhook-id, the same in each attempt. A mail has the id of the delivery in its Message-ID."""

    event: str
    """Type of the event."""

    state: str
    """`pending`, `delivered`, `failed` (it will be retried) or `dead` (it will not)."""

    attempts: int
    """Number of attempts."""

    response_status: int | None
    """HTTP status, or SMTP reply code, of the last response. Null: there was none."""

    latency_ms: int | None
    """Duration of the last attempt in milliseconds. Null: there was none."""

    response: str | None
    """Beginning of the last response. Null: there was none, or the reader is not an admin."""

    last_error: str | None
    """Reason why the last attempt failed. Null: it did not fail."""

    next_attempt_at: str | None
    """Time of the next attempt. Null: there will be none."""

    delivered_at: str | None
    """When the endpoint accepted the event. Null: not yet."""

    payload: dict[str, Any]
    """Body of the request, as far as the reader may see it; for a notification, the event that its text is made
    of."""


class DeadDelivery(Delivery, kw_only=True, frozen=True):
    """Delivery that failed for good. `url` is shown as in the webhook."""

    url: str
    """Where it was sent; of a mail, mailto: and its recipients. Only admins see more than the host."""


def check_webhook(fields: WebhookFields) -> None:
    check_url(fields.url)
    for at, event in enumerate(fields.events):
        if event not in PATTERNS:
            raise ValidationError(f"events[{at}]", f"there is no event {event!r}")
    if fields.secret is not UNSET:
        check_secret(fields.secret)


def check_secret(secret: str) -> None:
    try:
        octets = base64.b64decode(secret.removeprefix(MARK), validate=True)
    except (binascii.Error, ValueError):
        octets = b""
    if not secret.startswith(MARK) or len(octets) not in OCTETS:
        raise ValidationError("secret", f"must be {MARK} and 24 to 64 octets in base64")


def new_secret() -> str:
    return MARK + base64.b64encode(os.urandom(NEW_OCTETS)).decode()


def with_secret(webhook: Webhook, secret: str | UnsetType) -> WebhookWithSecret:
    return WebhookWithSecret(**msgspec.structs.asdict(webhook), secret=secret)
