"""Reports about relays for operators: relays that no longer serve a tenant until they are bound to
it, and trusted relays of a tenant whose address any host could forge (decisions: Ownership of
packets).
"""

import asyncio
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Network

import asyncpg
import structlog

from dhcp_fast.plan.relays import TrustedRelay
from ipam_core.model.values import Network
from ipam_core.services.relay_check import Unbound, find_unbound, summary

LOOK_SECONDS = 60.0
SCANNED = 10_000  # leases of each tenant; `ipam relays check` looks at all
PATIENCE = 15.0
SHOWN = 3

log = structlog.get_logger()


class RelayOwnership:
    """`look` now and then; `warnings` are for /readyz and /nodes. `networks`: of the setting trusted_relays."""

    def __init__(self, networks: Sequence[Network], family: int) -> None:
        self.networks = networks
        self.family = family
        self.found: list[Unbound] = []

    async def look(self, pool: asyncpg.Pool, *, tells: bool) -> None:
        """Look again. `tells`: whether this process writes the log's line, once for each state of things."""
        async with asyncio.timeout(PATIENCE), pool.acquire() as connection:
            found = await find_unbound(connection, self.networks, SCANNED)
        found = [each for each in found if each.family == self.family]
        if tells and found and found != self.found:
            log.warning("relays or links are not bound to their tenant", unbound=summary(found)[0])
        self.found = found

    def warnings(self, relays: Sequence[TrustedRelay], tenants: Mapping[int, str]) -> list[str]:
        return summary(self.found) + unrestricted(relays, tenants, self.family)


def unrestricted(relays: Sequence[TrustedRelay], tenants: Mapping[int, str], family: int) -> list[str]:
    """Return the relays without a restriction. One of a tenant is known by an address that anybody may put into a
    packet."""
    if family == 6:  # its entries are matched against the source itself
        return []
    bound = [relay for relay in relays if relay.tenant_no and not relay.sources]
    if not bound:
        return []
    some = ", ".join(
        f"{network_of(relay)} (tenant {tenants.get(relay.tenant_no)})" for relay in bound[:SHOWN]
    )
    more = f" and {len(bound) - SHOWN} more" if len(bound) > SHOWN else ""
    return [f"trusted relays of a tenant without sources, whose packets may come from anywhere: {some}{more}"]


def network_of(relay: TrustedRelay) -> IPv4Network:
    return IPv4Network((relay.network, relay.mask.bit_count()))
