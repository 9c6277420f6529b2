"""The one place that decides what an actor may see of events and of the objects that quote them.

Lists, streams, deliveries, what a webhook receives, the audit trail, exports and the dashboard all ask here, so that no
door shows what another one conceals (decisions: Redaction).
"""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from ipam_core.model import credential_url
from ipam_core.model.actor import Actor
from ipam_core.model.credential_url import host_alone
from ipam_core.model.event import ADMINS_ONLY, LEASES, SHOWN_TO_ALL, SYSTEM
from ipam_core.model.notification import Notification
from ipam_core.model.webhook import Delivery, Webhook

STATES = ("before", "after")
AUTHOR = ("token_id", "token_name", "remote_address", "request_id")
"""Fields of a change that identify who made it."""
URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"<>]*")


def sees_type(actor: Actor, type_: str) -> bool:
    """Return whether events of this type are for the actor at all."""
    return actor.role == "admin" or type_ not in ADMINS_ONLY


def may_see(actor: Actor, type_: str, tenant_no: int | None) -> bool:
    """Return whether the actor may learn that an event of this type happened in this tenant (None: in none)."""
    return actor.tenant_no in (None, tenant_no) and sees_type(actor, type_)


def event_data(
    actor: Actor, type_: str, data: Mapping[str, Any], author_tenant_no: int | None
) -> dict[str, Any]:
    """Return the part of an event's data that the actor may see; `author_tenant_no` is the tenant of the token that
    made the change, None for a token of all tenants or none. Events leave the service, so that they show no admin a
    URL or topic that is a credential either."""
    if type_ in LEASES or type_ in SYSTEM:
        return dict(data)
    return without_urls(change(actor, data, author_tenant_no))


def without_urls(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a change with URLs of webhooks and notifications reduced to their hosts, without topics."""
    if data.get("object_type") not in credential_url.OF:
        return dict(data)
    return {name: with_host_alone(data[name]) if name in STATES else data[name] for name in data}


def with_host_alone(fields: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the fields without the path of a URL and without a topic."""
    if not fields or not fields.get("url"):
        return fields
    concealed = {"url": host_alone(fields["url"])} | ({"topic": None} if fields.get("topic") else {})
    return fields | concealed


def change(actor: Actor, data: Mapping[str, Any], author_tenant_no: int | None) -> dict[str, Any]:
    """Return the part of a change of an object that the actor may see: what it was and became is for admins, and who
    made it for those whose tenant's token it was."""
    if actor.role != "admin":
        return {name: data[name] for name in SHOWN_TO_ALL if name in data}
    if actor.tenant_no in (None, author_tenant_no):
        return dict(data)
    return {name: None if name in AUTHOR else value for name, value in data.items()}


def webhook(actor: Actor, shown: Webhook) -> Webhook:
    """Return the webhook as the actor may see it."""
    return msgspec.structs.replace(shown, url=url(actor, shown.url))


def notification(actor: Actor, shown: Notification) -> Notification:
    """Return the notification as the actor may see it. On a public ntfy server whoever knows a topic reads and writes
    it, so that it is a credential as the path of a URL is."""
    topic = shown.topic if actor.role == "admin" else None
    return msgspec.structs.replace(shown, url=shown.url and url(actor, shown.url), topic=topic)


def delivery(actor: Actor, shown: Delivery) -> Delivery:
    """Return the delivery as the actor may see it. Its payload was written for the webhook's tenant, which is the
    actor's, so only the role remains to be judged."""
    data = shown.payload.get("data") or {}
    error = shown.last_error and URL.sub(lambda found: host_alone(found[0]), shown.last_error)
    if actor.role == "admin":
        # A payload that an earlier version wrote has the whole URL.
        payload = shown.payload | {"data": without_urls(data)} if data else shown.payload
        return msgspec.structs.replace(shown, payload=payload, last_error=error)
    whose = {name: data[name] for name in ("tenant_id",) if name in data}
    payload = shown.payload | {"data": whose | event_data(actor, shown.event, data, actor.tenant_no)}
    return msgspec.structs.replace(shown, payload=payload, response=None, last_error=error)


def url(actor: Actor, whole: str) -> str:
    """Return the address of a webhook, for non-admins reduced to its host: such addresses often are credentials."""
    return whole if actor.role == "admin" else host_alone(whole)


def owner(tenant_no: int | None) -> Actor:
    """Return the actor for whom a webhook of this tenant receives its events: an admin of the tenant."""
    return Actor(role="admin", tenant_no=tenant_no)
