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
    """What may be changed later."""

    url: Url
    description: Text = ""
    events: Annotated[tuple[EventPattern, ...], Meta(max_length=256)] = ()
    enabled: bool = True
    secret: Secret | UnsetType = UNSET


class NewWebhook(WebhookFields, kw_only=True, frozen=True):
    tenant_id: Id | None = None


class Webhook(Model, kw_only=True, frozen=True):
    """Receiver of events. `previous_secret_until`: time until which messages are also signed with the previous
    secret; null: with one secret only."""

    tenant_id: str | None
    url: str
    description: str
    events: list[str]
    enabled: bool
    disabled_reason: str | None
    previous_secret_until: str | None


class WebhookWithSecret(Webhook, kw_only=True, frozen=True):
    secret: str | UnsetType = UNSET


class Delivery(Model, kw_only=True, frozen=True):
    """Attempt to deliver an event to a webhook or a notification. `message_id` is the header webhook-id. `response` is
    the beginning of the last response."""

    webhook_id: str | None
    notification_id: str | None
    message_id: str
    event: str
    state: str
    attempts: int
    response_status: int | None
    latency_ms: int | None
    response: str | None
    last_error: str | None
    next_attempt_at: str | None
    delivered_at: str | None
    payload: dict[str, Any]


class DeadDelivery(Delivery, kw_only=True, frozen=True):
    """Delivery that failed for good. `url` is shown as in the webhook."""

    url: str


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
