"""The IPv6 plan that a benchmark serves: four million addresses and as many prefixes, and the usual options.

All addresses differ in their last four octets alone, and all prefixes in their second four; the
storm identifies them by these. Written as SQL, in one transaction, before the server starts.
"""

from ipaddress import IPv6Address, IPv6Network
from typing import Any

from dhcp_fast.bench.generator.template6 import Features6
from dhcp_fast.bench.servers.bench_plan import add
from ipam_core.db.connect import connect

PREFIX = IPv6Network("2001:db8::/32")
SUBNET = IPv6Network("2001:db8:1::/64")
LINK = SUBNET[1]
POOL = SUBNET[0x10000], SUBNET[0x10000 + (1 << 22) - 1]
DELEGATED = IPv6Network("3fff:0:100::/42")
DELEGATED_LENGTH = 64
TRUSTED = IPv6Network("::1/128")
OPTIONS: dict[int, Any] = {
    23: {"addresses": ["2001:db8::53", "2001:db8::54"]},
    24: {"names": ["example.test"]},
}


async def insert(dsn: str, *, cache_threshold: float = 0.25) -> None:
    """Insert the plan. `cache_threshold` 0 makes every renewal a write."""
    connection = await connect(dsn)
    try:
        async with connection.transaction():
            tenant = await connection.fetchval("select no from tenant where is_default")
            prefix = await add(connection, "prefix", tenant_no=tenant, cidr=PREFIX)
            subnet = await add(
                connection,
                "subnet",
                tenant_no=tenant,
                prefix_no=prefix,
                cidr=SUBNET,
                cache_threshold=cache_threshold,
            )
            await add(connection, "pool", subnet_no=subnet, start_ip=POOL[0], end_ip=POOL[1])
            delegation = {"prefix": DELEGATED, "delegated_length": DELEGATED_LENGTH}
            await add(connection, "pool", subnet_no=subnet, **delegation)
            for code, payload in OPTIONS.items():
                told = {"tenant_no": tenant, "subnet_no": subnet, "family": 6}
                await add(connection, "dhcp_option", **told, code=code, payload=payload)
            await add(connection, "trusted_relay", cidr=TRUSTED)
    finally:
        await connection.close()


def features(server_id: bytes, *, delegation: bool) -> Features6:
    """Return what the storm's clients ask such a server for."""
    return Features6(
        server_id=server_id,
        link=LINK,
        pool=POOL[0],
        delegated=DELEGATED if delegation else None,
        delegated_length=DELEGATED_LENGTH,
    )


def address_of(octets: bytes) -> IPv6Address:
    """Return the address whose last four octets these are."""
    return IPv6Address(POOL[0].packed[:12] + octets)


def prefix_of(octets: bytes) -> IPv6Address:
    """Return the first address of the prefix whose second four octets these are."""
    first = DELEGATED.network_address.packed
    return IPv6Address(first[:4] + octets + first[8:])
