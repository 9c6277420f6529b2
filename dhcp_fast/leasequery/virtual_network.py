"""Choice of whose leases a requester of leasequeries may ask for.

A requester is a relay and belongs, as relays do, to one tenant: that of the most specific trusted entry which
contains it,
else the default one (decisions: Ownership of packets). Where the entry allows it, the requester names another tenant
as a virtual network (RFC 6607: options 221 of DHCPv4 and 68 of DHCPv6 hold the same).
"""

from typing import Any

from ipam_core.model.values import Address


def tenants_of(plan: Any, requester: Address, network: bytes | None) -> list[int]:
    """Return the number of that tenant by the engine's plan; empty where the named network is nobody's."""
    entry = plan.relay_entry(int(requester))
    if entry is None:
        return [plan.default_tenant]
    if not network or not entry.vss:
        return [entry.tenant_no]
    tenant_no = plan.network_tenant(network)
    return [tenant_no] if tenant_no else []
