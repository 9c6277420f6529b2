"""Webhooks, their test, and the deliveries that a worker makes of events."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from msgspec import UNSET

from ipam_core.db import queries
from ipam_core.errors import Conflict, TooManyMessages
from ipam_core.model.actor import Actor
from ipam_core.model.event import ADMINS_ONLY, PING
from ipam_core.model.families import FAMILIES
from ipam_core.model.ids import new_id, oldest_id, parse_id
from ipam_core.model.values import rfc3339
from ipam_core.model.webhook import (
    Delivery,
    NewWebhook,
    Webhook,
    WebhookFields,
    WebhookWithSecret,
    check_webhook,
    new_secret,
    with_secret,
)
from ipam_core.services import redaction
from ipam_core.services.entity import crud
from ipam_core.services.entity.change_log import Recorded
from ipam_core.services.entity.entity import Connection, Entity, Filter, Parent, Write, view_text
from ipam_core.services.entity.filters import TENANT, equal, flag, id_text, one_of, texts
from ipam_core.services.entity.parents import find_tenant
from ipam_core.services.entity.secret_fields import kept, seal_secret
from ipam_core.services.entity.transition import transit
from ipam_core.services.entity.writers import moves, refuse_url, written_by_tenant

SQL = queries.load("webhook")

PREVIOUS = "webhook_previous"  # kind for which the previous secret is sealed
PREVIOUS_FOR = timedelta(days=1)
MOST_TESTS = 10
MOST_REDELIVERIES = {"webhook": 100, "notification": 10}
"""After an outage a program is sent many messages again; people are sent few (decisions: Notifications)."""
PERIOD = timedelta(minutes=5)
DONE = ("delivered", "failed", "dead")
OWNER = """coalesce((select tenant_no from webhook where webhook.no = webhook_no),
  (select tenant_no from notification where notification.no = notification_no))"""
HOST = r"regexp_replace(split_part(regexp_replace(webhook.url, '[?#].*', ''), '/', 3), '^.*@', '')"


async def create(connection: Connection, actor: Actor, command: NewWebhook) -> WebhookWithSecret:
    """Return the webhook; a secret that the client did not bring is made, and shown this once."""
    made = new_secret() if command.secret is UNSET else UNSET
    if made is not UNSET:
        command = msgspec.structs.replace(command, secret=made)
    return with_secret(await crud.create(connection, WEBHOOKS, actor, {}, command), made)


async def rotate(connection: Connection, actor: Actor, id_: str) -> WebhookWithSecret:
    """Return the webhook with a new secret, shown this once; for a day messages are signed by both. Raises NotFound."""
    made = new_secret()
    return with_secret(await crud.change(connection, WEBHOOKS, actor, id_, {"secret": made}), made)


async def test(connection: Connection, actor: Actor, id_: str) -> Delivery:
    """Return a delivery of `webhook.ping`, to be made by the worker like any other. Raises NotFound, Conflict where it
    is disabled, and TooManyMessages."""
    async with connection.transaction():
        parent, row = await crud.lock(connection, WEBHOOKS, actor, id_)
        if not row["enabled"]:
            raise Conflict("the webhook is disabled", {"enabled": False})
        delivery = new_id()
        await refuse_many_tests(connection, PING, webhook_no=row["no"])
        payload = {"type": PING, "timestamp": rfc3339(datetime.now(UTC)), "data": {"webhook_id": id_}}
        await SQL.post_delivery(connection, id=delivery, webhook_no=row["no"], event=PING, payload=payload)
        await SQL.tell_senders(connection)
        made = DELIVERIES.present(await crud.fetch(connection, DELIVERIES, actor, str(delivery)))
        write = Write(connection, actor, parent, None, None)
        await crud.record(write, DELIVERIES, row, Recorded("delivery", None, made))
    return redaction.delivery(actor, made)


async def refuse_many_tests(
    connection: Connection, event: str, *, webhook_no: int | None = None, notification_no: int | None = None
) -> None:
    """Raise TooManyMessages: whoever may test may not send somebody any number of messages. The receiver is locked."""
    found = await SQL.latest_tests(
        connection,
        since=oldest_id(2 * PERIOD.total_seconds()),  # the clock of the database may be another one
        event=event,
        period=PERIOD,
        webhook_no=webhook_no,
        notification_no=notification_no,
        at_most=MOST_TESTS,
    )
    if found["count"] >= MOST_TESTS:
        receiver = "webhook" if notification_no is None else "notification"
        raise TooManyMessages("tests", receiver, MOST_TESTS, max(found["seconds"], 1))


async def redeliver(connection: Connection, actor: Actor, id_: str) -> Delivery:
    """Return the delivery, due once more. Raises NotFound, Conflict where it is not done yet or its receiver is
    disabled, and TooManyMessages."""
    if await SQL.is_enabled(connection, id=parse_id(id_)) is False:
        await crud.read(connection, DELIVERIES, actor, id_)
        raise Conflict("its webhook or notification is disabled", {"enabled": False})
    async with connection.transaction():
        await refuse_many_redeliveries(connection, await crud.read(connection, DELIVERIES, actor, id_))
        delivery = await transit(connection, DELIVERIES, actor, id_, DONE, SQL.redeliver)
        await SQL.tell_senders(connection)
    return delivery


async def refuse_many_redeliveries(connection: Connection, delivery: Delivery) -> None:
    """Raise TooManyMessages. The redeliveries of a receiver follow one another until the transaction ends; they are
    counted in the audit trail, because a delivery only has its latest state."""
    receiver = "webhook" if delivery.notification_id is None else "notification"
    id_, limit = delivery.notification_id or delivery.webhook_id, MOST_REDELIVERIES[receiver]
    await SQL.hold_redeliveries(connection, receiver=id_)
    found = await SQL.latest_redeliveries(
        connection, receiver=parse_id(str(id_)), period=PERIOD, at_most=limit
    )
    if found["count"] >= limit:
        raise TooManyMessages("redeliveries", receiver, limit, max(found["seconds"], 1))


async def lock_parent(
    connection: Connection, actor: Actor, _parents: Mapping[str, str], command: NewWebhook
) -> Parent:
    """Lock the tenant. A webhook without one gets the events of all tenants; an actor of one tenant, those of that
    one."""
    tenant_no = actor.tenant_no
    if command.tenant_id is not None:
        tenant_no = await find_tenant(connection, actor, command.tenant_id)
    return Parent({"tenant_no": tenant_no}, tenant_no)


async def validate(write: Write) -> Mapping[str, Any]:
    wanted: WebhookFields = write.command
    check_webhook(wanted)
    reason = None if write.current is None or wanted.enabled else write.current["disabled_reason"]
    secret = await seal_secret(write, "webhook", SQL.stored_secret)
    by_tenant = await written_by_tenant(write, ("url",), ("url",), SQL.stored_by_tenant)
    if moves(write, ("url",)):
        refuse_url(write, wanted.url, by_tenant=by_tenant)
    return {"secret": secret, "disabled_reason": reason, "by_tenant": by_tenant, **await previous(write)}


async def previous(write: Write) -> Mapping[str, Any]:
    """Return the secret that makes way for another, so that receivers need not change at the same moment."""
    if write.current is None:
        return {"previous_secret": None, "previous_secret_until": None}
    stored = await SQL.stored_secrets(write.connection, no=write.no)
    if write.command.secret is UNSET:
        bound = await kept(write, PREVIOUS, stored["previous_secret"])
        return {"previous_secret": bound, "previous_secret_until": stored["previous_secret_until"]}
    assert write.actor.sealer is not None  # it has sealed the new one
    opened = write.actor.sealer.open("webhook", write.id, stored["secret"])
    sealed = await write.actor.sealer.seal(write.connection, PREVIOUS, write.id, opened)
    return {"previous_secret": sealed, "previous_secret_until": datetime.now(UTC) + PREVIOUS_FOR}


async def urls(connection: Connection, actor: Actor, ids: Iterable[str]) -> dict[str, str]:
    """Return the URLs by id, each as the actor may see it."""
    rows = SQL.urls(connection, ids=[parse_id(id_) for id_ in ids])
    return {str(row["id"]): redaction.url(actor, row["url"]) async for row in rows}


WEBHOOKS = Entity(
    family=FAMILIES["webhooks"],
    model=Webhook,
    create=NewWebhook,
    patch=WebhookFields,
    view=view_text(SQL.webhook_view),
    keys=("tenant_no",),
    columns=(
        *WebhookFields.__struct_fields__,
        "disabled_reason",
        "previous_secret",
        "previous_secret_until",
        "by_tenant",
    ),
    scope="webhook.tenant_no",
    lock_parent=lock_parent,  # type: ignore[arg-type]  # it takes the entity's own command
    validate=validate,
    parents=frozenset({"tenant_id"}),
    filters={
        **TENANT,
        "url": equal("webhook.url"),
        "enabled": equal("webhook.enabled", flag),
        "event": Filter("{} = any(webhook.events)", str),
        # The host alone, because not everybody may see the rest.
        "q": texts(HOST, "webhook.description"),
    },
    seen=redaction.webhook,
    filters_concealed={
        "url": equal(f"(split_part(webhook.url, '/', 1) || '//' || {HOST} || '/')"),
    },
)

DELIVERIES = Entity(
    family=FAMILIES["deliveries"],
    model=Delivery,
    view=view_text(SQL.delivery_view),
    scope="coalesce(webhook.tenant_no, notification.tenant_no)",
    owner=OWNER,
    filters={
        **TENANT,
        "webhook_id": equal("webhook.id", id_text),
        "notification_id": equal("notification.id", id_text),
        "event": equal("webhook_delivery.event"),
        "state": equal("webhook_delivery.state", one_of("pending", *DONE), indexed=True),
    },
    seen=redaction.delivery,
    admins_only=f"webhook_delivery.event in ({', '.join(repr(type_) for type_ in sorted(ADMINS_ONLY))})",
)
