"""Limits on what one tenant creates, and the objects that count towards them (decisions: Limits per caller).

Objects are counted at the end of their transaction. The lock of a limited tenant lasts until the COMMIT, so of two
writers the later one counts the objects of the earlier one. A tenant without limits takes no lock.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ipam_core.db import queries
from ipam_core.errors import LimitReached
from ipam_core.model.families import PLAIN, WITH_SECRETS, in_words
from ipam_core.services.entity.entity import Connection, Row

SQL = queries.load("tenant_use")

KEYS = "idempotency_key"
SETTINGS = {"webhook": "limits.webhooks", "notification": "limits.webhooks"}
OTHER_SETTING = "limits.objects_per_family"
OTHER_REMEDY = "delete some"
REMEDIES = {KEYS: "wait until some are 24 hours old, or send requests without a key"}
OF_NO_TENANT = ("tenant", "trusted_relay")
COUNTED = {
    family.singular: family.plural
    for family in (*PLAIN, *WITH_SECRETS)
    if family.singular not in OF_NO_TENANT
} | {KEYS: f"{KEYS}s"}
"""The plural of each kind of object that a tenant creates."""
BY_FAMILY = {kind: plural for kind, plural in COUNTED.items() if kind not in SETTINGS}
"""Those that share one limit."""


class Made(NamedTuple):
    """A new object. `operation`: the index of the one that made it, None if there is one only."""

    tenant_no: int
    kind: str
    operation: int | None


def refuse_excess(made: Sequence[Made], found: Row) -> None:
    """Raise LimitReached if a limit was passed; it names the first operation that had no room."""
    kind = found["limited_kind"]
    if kind is None:
        return
    indices = [each.operation for each in made if each[:2] == (found["limited_tenant"], kind)]
    excess = found["limit_used"] - found["limit_set"]
    error = limit_reached(kind, found["limit_set"], found["limit_used"] - len(indices))
    index = indices[-min(excess, len(indices))]
    if index is not None:
        vars(error)["index"] = index
    raise error


def limit_reached(kind: str, limit: int, usage: int) -> LimitReached:
    setting = SETTINGS.get(kind, OTHER_SETTING)
    what = in_words(COUNTED[kind])
    return LimitReached(what, setting, limit, usage, REMEDIES.get(kind, OTHER_REMEDY))


async def refuse_planned(
    connection: Connection, tenant_no: int | None, kind: str, made: int, gone: int
) -> None:
    """Raise LimitReached if a plan that is only rehearsed would pass the limit."""
    found = await SQL.room(connection, tenant_no=tenant_no, kind=kind)
    limit, usage = found["limit_set"], found["limit_used"] - gone
    if made and limit is not None and usage + made > limit:
        raise limit_reached(kind, limit, usage)


async def refuse_excess_keys(connection: Connection, tenant_no: int | None) -> None:
    """Raise LimitReached if the idempotency key just kept is one too many for the tenant of its token."""
    if tenant_no is None:
        return
    made = [Made(tenant_no, KEYS, None)]
    found = await SQL.limits_reached(connection, tenants=[tenant_no], kinds=[KEYS])
    if found is not None:
        refuse_excess(made, found)
