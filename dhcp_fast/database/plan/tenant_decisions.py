"""Reasons why an explained packet is one tenant's, and which relays a question may see.

A token of one tenant learns nothing of the relays of others: its question is decided as if their entries, and the
names of their virtual networks, did not exist (decisions: Ownership of packets).
"""

from collections.abc import Mapping
from typing import Any

from dhcp_fast.database.plan import plan_reader
from dhcp_fast.database.plan.plan_reader import Reader
from dhcp_fast.engine.engine import Engine
from dhcp_fast.plan.relays import RelayEntry
from ipam_core.model.explain import ExplainedTenant
from ipam_core.settings import Settings

REASONS = {
    "relay_network": "the relay agent sent its virtual network, which its entry allows (vss)",
    "client_network": "the client sent its virtual network, which the entry of the relay allows (client_vss)",
    "link": "the interface is on the link of its subnet",
    "lease": "the client has the lease of its source address",
    "reachable": "a relay agent or link of the tenant reaches the subnet of the client's source address",
    "default": "nothing determines the tenant of the client's source address, so it is the default tenant",
}


def set_visible_relays(engine: Engine, reader: Reader, settings: Settings, tenant_no: int | None) -> None:
    """Give the engine the relays and names that the question may see; `tenant_no` None: all."""
    default = reader.default_tenant
    relays = reader.relays + plan_reader.own_relays(settings, reader.FAMILY)
    names = reader.tenant_names
    if tenant_no is not None:
        relays = [relay for relay in relays if (relay.tenant_no or default) == tenant_no]
        names = {tenant_no: names[tenant_no]}
    plan_reader.set_relays(engine, relays, default, names)


def entry_row(reader: Reader, entry: RelayEntry | None) -> Mapping[str, Any] | None:
    """Return the entry's row in the database; None: there is no entry, or it is a network of the setting."""
    return next((row for row in reader.rows["relays"] if entry is not None and row["no"] == entry.no), None)


def entry_id(reader: Reader, entry: RelayEntry | None) -> str | None:
    row = entry_row(reader, entry)
    return None if row is None else str(row["id"])


def explained_tenant(reader: Reader, found: Mapping[str, Any]) -> ExplainedTenant | None:
    row = next((row for row in reader.rows["tenants"] if row["no"] == found.get("tenant")), None)
    if row is None or found["tenant_by"] is None:
        return None
    reason = REASONS.get(found["tenant_by"]) or relay_reason(reader, found["entry"])
    return ExplainedTenant(id=str(row["id"]), name=row["name"], chosen_by=found["tenant_by"], reason=reason)


def relay_reason(reader: Reader, entry: RelayEntry | None) -> str:
    row = entry_row(reader, entry)
    if row is None:
        return "the relay is in a network of the setting trusted_relays, which belongs to the default tenant"
    if row["tenant_no"]:
        return f"the relay is in the trusted relay {row['cidr']}, which belongs to the tenant"
    return f"the relay is in the trusted relay {row['cidr']}, which has no tenant, so it belongs to the default tenant"
