"""Notifications, and their test. What a worker makes of events for them are deliveries, as for webhooks."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ipam_core.db import queries
from ipam_core.errors import Conflict, ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.event import TEST
from ipam_core.model.families import FAMILIES
from ipam_core.model.ids import new_id
from ipam_core.model.notification import (
    NewNotification,
    Notification,
    NotificationFields,
    check_notification,
)
from ipam_core.model.values import rfc3339
from ipam_core.model.webhook import Delivery
from ipam_core.services import redaction
from ipam_core.services.entity import crud
from ipam_core.services.entity.change_log import Recorded
from ipam_core.services.entity.entity import Connection, Entity, Filter, Write, view_text
from ipam_core.services.entity.filters import TENANT, equal, flag, texts
from ipam_core.services.entity.writers import moves, refuse_url, written_by_tenant
from ipam_core.services.webhooks import DELIVERIES, lock_parent, refuse_many_tests

SQL = queries.load("notification")

DESTINATION = ("kind", "url", "topic", "recipients")
TARGETS = ("url", "recipients")


async def test(connection: Connection, actor: Actor, id_: str) -> Delivery:
    """Queue a delivery of `notification.test`. Raises NotFound, Conflict if the notification is disabled, and
    TooManyMessages."""
    async with connection.transaction():
        parent, row = await crud.lock(connection, NOTIFICATIONS, actor, id_)
        if not row["enabled"]:
            raise Conflict("the notification is disabled", {"enabled": False})
        await refuse_many_tests(connection, TEST, notification_no=row["no"])
        delivery, data = new_id(), {"notification_id": id_, "name": row["name"]}
        payload = {"type": TEST, "timestamp": rfc3339(datetime.now(UTC)), "data": data}
        await SQL.post_delivery(
            connection, id=delivery, notification_no=row["no"], event=TEST, payload=payload
        )
        await SQL.tell_senders(connection)
        made = DELIVERIES.present(await crud.fetch(connection, DELIVERIES, actor, str(delivery)))
        write = Write(connection, actor, parent, None, None)
        await crud.record(write, DELIVERIES, row, Recorded("delivery", None, made))
    return redaction.delivery(actor, made)


async def validate(write: Write) -> Mapping[str, Any]:
    wanted: NotificationFields = write.command
    check_notification(wanted)
    by_tenant = await written_by_tenant(write, DESTINATION, TARGETS, SQL.stored_by_tenant)
    if moves(write, DESTINATION):
        refuse_target(write, by_tenant=by_tenant)
    reason = None if write.current is None or wanted.enabled else write.current["disabled_reason"]
    return {"disabled_reason": reason, "by_tenant": by_tenant}


def refuse_target(write: Write, *, by_tenant: bool) -> None:
    """Raise ValidationError for a URL at which no connection may be opened, and for mail addresses that a tenant may
    not write to."""
    wanted: NotificationFields = write.command
    if wanted.url is not None:
        refuse_url(write, wanted.url, by_tenant=by_tenant)
    for at, address in enumerate(wanted.recipients):
        if write.actor.outbound and (
            said := write.actor.outbound.refusal_of_mail(address, of_tenant=by_tenant)
        ):
            raise ValidationError(f"recipients[{at}]", said)


NOTIFICATIONS = Entity(
    family=FAMILIES["notifications"],
    model=Notification,
    create=NewNotification,
    patch=NotificationFields,
    view=view_text(SQL.notification_view),
    keys=("tenant_no",),
    columns=(*NotificationFields.__struct_fields__, "disabled_reason", "by_tenant"),
    scope="notification.tenant_no",
    lock_parent=lock_parent,  # type: ignore[arg-type]  # it takes the entity's own command
    validate=validate,
    parents=frozenset({"tenant_id"}),
    filters={
        **TENANT,
        "name": equal("notification.name"),
        "kind": equal("notification.kind"),
        "enabled": equal("notification.enabled", flag),
        "event": Filter("{} = any(notification.events)", str),
        "q": texts("notification.name", "notification.description"),
    },
    seen=redaction.notification,
)
