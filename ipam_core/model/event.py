"""Events: what happened that neither the history of leases nor the audit trail tells; webhooks carry them too."""

from typing import Any

from ipam_core.model.base import Model


class Event(Model, kw_only=True, frozen=True):
    at: str
    type: str
    tenant_id: str | None
    data: dict[str, Any]
