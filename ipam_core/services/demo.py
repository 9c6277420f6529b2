"""Demonstration plan of `ipam up --demo`: one small network of each family with an object of each kind.

The plan is created by the services that create every other plan, so the audit log contains it too. `ipam probe` sends
from 127.0.0.1 or ::1, which is the subnet's relay and is trusted. Clients that boot over the network match a class, and
names of clients appear in the zones that the DNS server answers.
"""

from typing import Any

from ipam_core.db import queries
from ipam_core.model import decoding
from ipam_core.model.actor import Actor
from ipam_core.services.client_classes import CLIENT_CLASSES
from ipam_core.services.dns_zones import DNS_RECORDS, DNS_ZONES
from ipam_core.services.entity import crud
from ipam_core.services.entity.entity import Connection, Entity
from ipam_core.services.excludes import EXCLUDES
from ipam_core.services.options import OPTIONS
from ipam_core.services.pools import POOLS
from ipam_core.services.prefixes import PREFIXES
from ipam_core.services.reservations import RESERVATIONS
from ipam_core.services.subnets import SUBNETS
from ipam_core.services.trusted_relays import TRUSTED_RELAYS

SQL = queries.load("demo")
HOST = Actor(role="admin")

DOMAIN = "demo.example"
NAMED = {"ddns_enabled": True, "ddns_adapter": "embedded", "ddns_forward_zone": DOMAIN}

CIDR = "10.64.0.0/16"
CIDR6 = "fd64::/48"
SUBNET6 = {"cidr": "fd64::/64", "name": "demo6", "relay_addresses": ["::1"], **NAMED}
INSIDE6: list[tuple[Entity[Any], dict[str, Any]]] = [
    (POOLS, {"name": "demo6", "start_ip": "fd64::1:0", "end_ip": "fd64::1:ffff"}),
    (POOLS, {"name": "delegated", "prefix": "fd64:1000::/36", "delegated_length": 56}),
    (RESERVATIONS, {"ip": "fd64::50", "mac": "02:00:00:00:00:01", "hostname": "printer"}),
    (OPTIONS, {"code": 23, "payload": {"addresses": ["fd64::2", "fd64::3"]}}),
    (OPTIONS, {"code": 24, "payload": {"names": [DOMAIN]}}),
]
SUBNET = {"cidr": CIDR, "name": "demo", "gateway": "10.64.0.1", "relay_addresses": ["127.0.0.1"], **NAMED}
INSIDE: list[tuple[Entity[Any], dict[str, Any]]] = [
    (POOLS, {"name": "demo", "start_ip": "10.64.1.0", "end_ip": "10.64.255.254"}),
    (EXCLUDES, {"start_ip": "10.64.1.0", "end_ip": "10.64.1.9", "description": "Held back from the pool"}),
    (RESERVATIONS, {"ip": "10.64.0.50", "mac": "02:00:00:00:00:01", "hostname": "printer"}),
    (OPTIONS, {"code": 6, "payload": {"addresses": ["10.64.0.2", "10.64.0.3"]}}),
    (OPTIONS, {"code": 15, "payload": {"string": DOMAIN}}),
    (OPTIONS, {"code": 42, "payload": {"addresses": ["10.64.0.4"]}}),
]
PXE = {
    "name": "pxe-uefi",
    "description": "UEFI firmware that boots over the network (RFC 4578)",
    "match": {
        "all": [
            {"option": 60, "prefix": "PXEClient"},
            {"any": [{"option": 93, "equals": 7}, {"option": 93, "equals": 9}]},
        ]
    },
    "next_server": "10.64.0.5",
    "boot_file": "ipxe.efi",
}
RELAYS = [
    {"cidr": "127.0.0.0/8", "description": "Demonstration"},
    {"cidr": "::1/128", "description": "Demonstration"},
]
PLANS = ((CIDR, SUBNET, INSIDE), (CIDR6, SUBNET6, INSIDE6))
ZONES = (DOMAIN, "64.10.in-addr.arpa", "0.0.0.0.0.0.0.0.4.6.d.f.ip6.arpa")
ZONE = {"dns_enabled": True, "mname": f"ns1.{DOMAIN}", "rname": f"hostmaster.{DOMAIN}"}
RECORDS = [
    {"name": "ns1", "type": "A", "data": "10.64.0.2"},
    {"name": "www", "type": "CNAME", "data": f"ns1.{DOMAIN}."},
]


async def fill(connection: Connection) -> bool:
    """Create the plan in a database without prefixes. Return whether the plan was created."""
    async with connection.transaction():
        await SQL.wait_for_others(connection)
        if await SQL.is_planned(connection):
            return False
        await make(connection, CLIENT_CLASSES, PXE)
        await fill_zones(connection)
        for cidr, described, inside in PLANS:
            prefix = await make(connection, PREFIXES, {"cidr": cidr, "description": "Demonstration"})
            subnet = await make(connection, SUBNETS, described | {"prefix_id": prefix})
            for entity, fields in inside:
                await make(connection, entity, fields, subnet_id=subnet)
        for relay in RELAYS:
            await make(connection, TRUSTED_RELAYS, relay)
        return True


async def is_there(connection: Connection) -> bool:
    """Return whether the database contains the demonstration plan."""
    return bool(await SQL.has_relay_and_class(connection, class_name=PXE["name"], cidr=CIDR))


async def has_subnet(connection: Connection) -> bool:
    return bool(await SQL.has_subnet(connection))


async def fill_zones(connection: Connection) -> None:
    for name in ZONES:
        zone = await make(connection, DNS_ZONES, ZONE | {"name": name, "description": "Demonstration"})
        await make(
            connection, DNS_RECORDS, {"name": "@", "type": "NS", "data": f"ns1.{DOMAIN}."}, zone_id=zone
        )
        for record in RECORDS if name == DOMAIN else ():
            await make(connection, DNS_RECORDS, record, zone_id=zone)


async def make(connection: Connection, entity: Entity[Any], fields: dict[str, Any], **parents: str) -> str:
    """Create an object and return its id."""
    command = decoding.command(fields, entity.create)
    return str((await crud.create(connection, entity, HOST, parents, command)).id)
