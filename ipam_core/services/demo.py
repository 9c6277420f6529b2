"""The demonstration plan of `ipam up --demo`: one small network of each family with an object of each kind.

It is made by the same services as a plan of one's own, so it stands in the audit trail too. `ipam probe`
speaks from 127.0.0.1 or ::1, which is the subnet's relay and is trusted.
"""

from typing import Any

from ipam_core.db import queries
from ipam_core.model import decoding
from ipam_core.model.actor import Actor
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

CIDR = "10.64.0.0/16"
CIDR6 = "fd64::/48"
SUBNET6 = {"cidr": "fd64::/64", "name": "demo6", "relay_addresses": ["::1"]}
INSIDE6: list[tuple[Entity[Any], dict[str, Any]]] = [
    (POOLS, {"name": "demo6", "start_ip": "fd64::1:0", "end_ip": "fd64::1:ffff"}),
    (POOLS, {"name": "delegated", "prefix": "fd64:1000::/36", "delegated_length": 56}),
    (RESERVATIONS, {"ip": "fd64::50", "mac": "02:00:00:00:00:01", "hostname": "printer"}),
    (OPTIONS, {"code": 23, "payload": {"addresses": ["fd64::2", "fd64::3"]}}),
    (OPTIONS, {"code": 24, "payload": {"names": ["demo.example"]}}),
]
SUBNET = {"cidr": CIDR, "name": "demo", "gateway": "10.64.0.1", "relay_addresses": ["127.0.0.1"]}
INSIDE: list[tuple[Entity[Any], dict[str, Any]]] = [
    (POOLS, {"name": "demo", "start_ip": "10.64.1.0", "end_ip": "10.64.255.254"}),
    (EXCLUDES, {"start_ip": "10.64.1.0", "end_ip": "10.64.1.9", "description": "Held back from the pool"}),
    (RESERVATIONS, {"ip": "10.64.0.50", "mac": "02:00:00:00:00:01", "hostname": "printer"}),
    (OPTIONS, {"code": 6, "payload": {"addresses": ["10.64.0.2", "10.64.0.3"]}}),
    (OPTIONS, {"code": 15, "payload": {"string": "demo.example"}}),
    (OPTIONS, {"code": 42, "payload": {"addresses": ["10.64.0.4"]}}),
]
RELAYS = [
    {"cidr": "127.0.0.0/8", "description": "Demonstration"},
    {"cidr": "::1/128", "description": "Demonstration"},
]
PLANS = ((CIDR, SUBNET, INSIDE), (CIDR6, SUBNET6, INSIDE6))


async def fill(connection: Connection) -> bool:
    """Put the plan into a database that has no prefix; says whether it did."""
    async with connection.transaction():
        await SQL.wait_for_others(connection)
        if await SQL.is_planned(connection):
            return False
        for cidr, described, inside in PLANS:
            prefix = await make(connection, PREFIXES, {"cidr": cidr, "description": "Demonstration"})
            subnet = await make(connection, SUBNETS, described | {"prefix_id": prefix})
            for entity, fields in inside:
                await make(connection, entity, fields, subnet_id=subnet)
        for relay in RELAYS:
            await make(connection, TRUSTED_RELAYS, relay)
        return True


async def make(connection: Connection, entity: Entity[Any], fields: dict[str, Any], **parents: str) -> str:
    """The id of a new object."""
    command = decoding.command(fields, entity.create)
    return str((await crud.create(connection, entity, HOST, parents, command)).id)
