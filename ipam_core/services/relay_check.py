"""Relays and links that served a tenant by address ranges until this release, and are silent until an admin binds them.

A relay belongs to the tenant of its entry (decisions: Ownership of packets). Releases before took whichever
tenant had a subnet around the relay's address; nothing is migrated, because only an admin without a tenant knows whose
a relay is. What is found here follows from the plan, the leases that run and the servers' interfaces.
"""

import shlex
from collections.abc import Mapping, Sequence
from ipaddress import ip_address, ip_network
from typing import Any

import msgspec

from ipam_core.db import queries
from ipam_core.model.values import Network
from ipam_core.services.entity.entity import Connection

SQL = queries.load("relay_check")

MOST = 1000
SHOWN = 3
VIRTUAL_NETWORK = 151  # sub-option of option 82, RFC 6607


class Unbound(msgspec.Struct, kw_only=True, frozen=True):
    """`place`: the relay, the network of its relays, or the interface. `why`: what says that it is the tenant's.
    `bind`: the commands that make it so."""

    place: str
    tenant: str
    why: str
    bind: str
    family: int

    def __str__(self) -> str:
        return f"{self.place} (tenant {self.tenant}): {self.why}. To bind it: {self.bind}"


async def find_unbound(
    connection: Connection, networks: Sequence[Network], scanned: int | None = None
) -> list[Unbound]:
    """Return relays without an entry. `scanned`: how many leases of each tenant are looked at, None: all."""
    if not await SQL.several_tenants(connection):
        return []
    told = {"networks": list(networks), "most": MOST}
    by_lease = [of_relay(row) async for row in SQL.leasing_relays(connection, scanned=scanned, **told)]
    seen = [(ip_address(found.place), found.tenant) for found in by_lease]
    by_plan = [
        of_subnet(row)
        async for row in SQL.unbound_subnets(connection, **told)
        if not any(relay in row["within"] and row["tenant"] == tenant for relay, tenant in seen)
    ]
    links = [of_link(row) async for row in SQL.unbound_links(connection, most=MOST)]
    return by_lease + by_plan + links


def of_relay(row: Mapping[str, Any]) -> Unbound:
    relay = ip_address(str(row["relay"]))
    why = f"{row['leases']} active leases came by this relay, which {row['entry']} gives to another tenant"
    if names_network(row["relay_info"] or b"", relay.version):
        bind = f"ipam update trusted-relays {row['entry']} vss=true, if its virtual networks are to choose the tenant"
    else:
        bind = binding(ip_network(relay), row)
    return Unbound(place=str(relay), tenant=row["tenant"], why=why, bind=bind, family=relay.version)


def of_subnet(row: Mapping[str, Any]) -> Unbound:
    """Return the entry by the subnet's gateway, since relays most often are their subnet's gateway."""
    gateway = row["gateway"]
    network = row["within"] if gateway is None else ip_network(gateway)
    why = f"its subnet {row['cidr']} is below {row['entry']}, which names no tenant"
    bind = binding(network, row)
    return Unbound(place=str(network), tenant=row["tenant"], why=why, bind=bind, family=network.version)


def binding(network: Network, row: Mapping[str, Any]) -> str:
    """Return the entry's binding. A network is trusted once, so an entry of the same one makes room first."""
    create = f"ipam create trusted-relays cidr={network} tenant_id={row['tenant_id']}"
    return create if row["entry"] != network else f"ipam delete trusted-relays {network}; {create}"


def of_link(row: Mapping[str, Any]) -> Unbound:
    return Unbound(
        place=row["interface"],
        tenant=row["tenant"],
        why=f"its address {row['address']} is in the subnet {row['cidr']}, to which it is not bound",
        bind=f"ipam update subnets {row['subnet_id']} interface={shlex.quote(row['interface'])}",
        family=row["cidr"].version,
    )


def names_network(relay_info: bytes, version: int) -> bool:
    """Return whether option 82, as the lease keeps it, has a virtual network; of DHCPv6 the plan alone is looked at."""
    at = 0
    while version == 4 and at + 2 <= len(relay_info):
        if relay_info[at] == VIRTUAL_NETWORK:
            return True
        at += 2 + relay_info[at + 1]
    return False


def summary(found: Sequence[Unbound]) -> list[str]:
    """Return one warning for people, empty where all is bound."""
    if not found:
        return []
    some = ", ".join(f"{each.place} (tenant {each.tenant})" for each in found[:SHOWN])
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return [
        f"relays or links that are not bound to their tenant and serve nobody of it: {some}{more}; "
        "`ipam relays check` lists them and how to bind each"
    ]
