"""Inbox in one read: the first of each list that needs attention.

Who wants the rest goes on in the list itself, by its filter and the cursor that stands here.
"""

from collections.abc import Mapping
from uuid import UUID

import msgspec

from ipam_core.errors import ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.inbox import Inbox
from ipam_core.model.page import Page
from ipam_core.model.webhook import DeadDelivery, Delivery
from ipam_core.services import leases, secondaries, unknown_relays, webhooks
from ipam_core.services.ddns_updates import DDNS_UPDATES
from ipam_core.services.entity import lists
from ipam_core.services.entity.entity import Connection
from ipam_core.services.entity.filters import TENANT, id_text
from ipam_core.services.webhooks import DELIVERIES

FILTERS = TENANT
QUERY = ("limit",)


async def read(connection: Connection, actor: Actor, query: Mapping[str, str]) -> Inbox:
    """Return what the actor may see of it. Raises ValidationError for a parameter that is unknown or cannot be read."""
    for name in query:
        if name not in (*QUERY, *FILTERS):
            raise ValidationError(name, "is not a query parameter of this operation")
    limit = {name: query[name] for name in QUERY if name in query}
    dead = await lists.find(connection, DELIVERIES, actor, {"state": "dead", **query})
    return Inbox(
        unknown_relays=await unknown_relays.find(connection, actor, limit),
        ddns_conflicts=await lists.find(connection, DDNS_UPDATES, actor, {"state": "conflict", **query}),
        dead_deliveries=Page(await with_urls(connection, actor, dead.items), dead.next_cursor),
        declined_leases=await leases.find(connection, actor, {"state": "declined", **query}),
        lagging_secondaries=await secondaries.list_lagging(connection, actor, tenant_of(query)),
    )


def tenant_of(query: Mapping[str, str]) -> UUID | None:
    """Return the id of the tenant that is asked for; None: all."""
    return id_text(query["tenant_id"]) if "tenant_id" in query else None


async def with_urls(connection: Connection, actor: Actor, dead: list[Delivery]) -> list[DeadDelivery]:
    """Return deliveries without those whose webhook or notification was deleted a moment ago."""
    receivers = [(delivery, delivery.webhook_id or delivery.notification_id) for delivery in dead]
    urls = await webhooks.urls(connection, actor, {id_ for _, id_ in receivers if id_})
    return [
        DeadDelivery(**msgspec.structs.asdict(delivery), url=urls[id_])
        for delivery, id_ in receivers
        if id_ in urls
    ]
