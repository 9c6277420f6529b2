"""What the cluster serves: a network of each family whose relay is where the clients are, and a zone."""

from ipaddress import ip_network

from cluster.addresses import CLIENTS, CLIENTS6

from api.local_token import create_token
from ipam_core.db.connect import connect
from ipam_core.services.demo import make
from ipam_core.services.dns_zones import DNS_RECORDS, DNS_ZONES
from ipam_core.services.pools import POOLS
from ipam_core.services.prefixes import PREFIXES
from ipam_core.services.subnets import SUBNETS
from ipam_core.services.trusted_relays import TRUSTED_RELAYS

NETWORKS = (
    ("10.64.0.0/16", CLIENTS, ("10.64.1.0", "10.64.255.254")),
    ("fd64::/64", CLIENTS6, ("fd64::1:0", "fd64::1:ffff")),
)
ZONE = "lab.example"
ADMIN = {"name": "cluster", "role": "admin", "tenant_id": None}


async def insert(dsn: str) -> str:
    """The secret of an administrator's token."""
    connection = await connect(dsn)
    try:
        async with connection.transaction():
            for cidr, relay, (start, end) in NETWORKS:
                prefix = await make(connection, PREFIXES, {"cidr": cidr})
                fields = {"cidr": cidr, "prefix_id": prefix, "relay_addresses": [relay]}
                subnet = await make(connection, SUBNETS, fields)
                await make(connection, POOLS, {"start_ip": start, "end_ip": end}, subnet_id=subnet)
                await make(connection, TRUSTED_RELAYS, {"cidr": str(ip_network(relay))})
            zone = await make(connection, DNS_ZONES, {"name": ZONE, "dns_enabled": True})
            record = {"name": "www", "type": "A", "data": "192.0.2.80"}
            await make(connection, DNS_RECORDS, record, zone_id=zone)
    finally:
        await connection.close()
    return await create_token(dsn, ADMIN)
