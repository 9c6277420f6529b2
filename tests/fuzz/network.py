"""The network that the fuzz tests serve, all of it on loopback, so that no reply can leave the machine.

Every kind of thing is there: pools with holes, sequential and for a class, one small enough to run out, reservations
in and out of the pools by each identity, long options and ones that are sent unasked, a denied class, a subnet that is
switched off, and so many of these that the engine looks ahead (dhcp4/prefetch.pyx). Relays 127.0.0.1 to 127.0.0.3 speak
for one subnet each. The tenant `red` has the first of them once more, for those who name its virtual network.
"""

from ipaddress import IPv4Address
from typing import Any, NamedTuple

import asyncpg

from ipam_core.model import decoding
from ipam_core.model.actor import Actor
from ipam_core.services.client_classes import CLIENT_CLASSES
from ipam_core.services.entity import crud
from ipam_core.services.entity.entity import Entity
from ipam_core.services.excludes import EXCLUDES
from ipam_core.services.options import GLOBAL_OPTIONS, OPTIONS
from ipam_core.services.pools import POOLS
from ipam_core.services.prefixes import PREFIXES
from ipam_core.services.reservations import RESERVATIONS
from ipam_core.services.subnets import SUBNETS
from ipam_core.services.tenants import TENANTS

HOST = Actor(role="admin")
CLIENTS = [bytes((2, 0, 0, 0, 0, number)) for number in range(40)]
RESERVED_MAC, RESERVED_OUTSIDE_MAC = CLIENTS[1], CLIENTS[2]
RESERVED_CLIENT_ID, RESERVED_CIRCUIT = b"\0reserved", b"port7"
DENIED_VENDOR, CLASS_VENDOR = "docsis", "PXEClient"

MAIN = {
    "cidr": "127.64.0.0/24",
    "relay_addresses": ["127.0.0.1"],
    "gateway": "127.64.0.1",
    "lease_time_seconds": 600,
    "min_lease_time_seconds": 1,
    "max_lease_time_seconds": 2**31 - 1,
    "next_server": "127.64.0.9",
    "boot_file": "boot/pxelinux.0",
    "ntp_servers": ["127.64.0.5"],
    "decline_quarantine_seconds": 1,
}
SMALL = {
    "cidr": "127.64.1.0/24",
    "relay_addresses": ["127.0.0.2"],
    "match_client_id": True,
    "authoritative": False,
    "lease_time_seconds": 3,
    "cache_threshold": 1.0,
    "reuse_margin_seconds": 0,
    "rapid_commit": True,
    "ddns_enabled": True,
    "ddns_domain": "fuzz.example",
}
OFF = {"cidr": "127.64.2.0/24", "relay_addresses": ["127.0.0.3"], "dhcp_enabled": False}

IN_MAIN: list[tuple[Entity[Any], dict[str, Any]]] = [
    (POOLS, {"start_ip": "127.64.0.16", "end_ip": "127.64.0.79"}),
    (EXCLUDES, {"start_ip": "127.64.0.30", "end_ip": "127.64.0.33"}),
    (RESERVATIONS, {"ip": "127.64.0.40", "mac": RESERVED_MAC.hex(":"), "hostname": "printer"}),
    (RESERVATIONS, {"ip": "127.64.0.200", "mac": RESERVED_OUTSIDE_MAC.hex(":")}),
    (RESERVATIONS, {"ip": "127.64.0.201", "client_id": RESERVED_CLIENT_ID.hex()}),
    (RESERVATIONS, {"ip": "127.64.0.202", "circuit_id": RESERVED_CIRCUIT.decode()}),
    (OPTIONS, {"code": 6, "payload": {"addresses": ["127.64.0.2", "127.64.0.3"]}}),
    (OPTIONS, {"code": 15, "payload": {"string": "fuzz.example"}, "always_send": True}),
    (OPTIONS, {"code": 43, "payload": {"hex": bytes(range(150)).hex()}}),
    (OPTIONS, {"code": 60, "payload": {"string": "PXEClient"}, "vendor_class": CLASS_VENDOR}),
    (OPTIONS, {"code": 119, "payload": {"names": ["fuzz.example", "example.org"]}}),
    (OPTIONS, {"code": 121, "payload": {"routes": [{"destination": "0.0.0.0/0", "router": "127.64.0.1"}]}}),
    (OPTIONS, {"code": 125, "payload": {"hex": ("0000 0de9 fe" + "01fc" + "aa" * 252).replace(" ", "")}}),
]

ELSEWHERE = """
with prefix as (
  insert into prefix (id, tenant_no, cidr) select gen_random_uuid(), no, '127.250.0.0/16' from tenant where is_default
  returning no, tenant_no)
insert into subnet (id, tenant_no, prefix_no, cidr, dhcp_enabled)
select gen_random_uuid(), tenant_no, no, set_masklen('127.250.0.0'::inet + 4 * n, 30)::cidr, false
from prefix, generate_series(0, 299) as n"""


class Network(NamedTuple):
    """The public ids of what tests change."""

    main: str
    reservation: str
    exclude: str


async def make(
    connection: asyncpg.Connection, entity: Entity[Any], fields: dict[str, Any], **parents: str
) -> str:
    command = decoding.command(fields, entity.create)
    return str((await crud.create(connection, entity, HOST, parents, command)).id)


async def build(connection: asyncpg.Connection) -> Network:
    prefix = await make(connection, PREFIXES, {"cidr": "127.64.0.0/16"})
    vendor_class = {
        "name": "boot",
        "vendor_class": CLASS_VENDOR,
        "boot_file": "class.efi",
        "next_server": "tftp",
    }
    boot = await make(connection, CLIENT_CLASSES, vendor_class)
    await make(connection, CLIENT_CLASSES, {"name": "no", "vendor_class": DENIED_VENDOR, "deny": True})
    await make(connection, OPTIONS, {"code": 67 + 61, "payload": {"hex": "00"}}, class_id=boot)
    await make(connection, GLOBAL_OPTIONS, {"code": 26, "payload": {"value": 1400}})
    main = await make(connection, SUBNETS, MAIN | {"prefix_id": prefix})
    made = [await make(connection, entity, fields, subnet_id=main) for entity, fields in IN_MAIN]
    pool = {"start_ip": "127.64.0.80", "end_ip": "127.64.0.95", "class_id": boot, "allocation": "sequential"}
    await make(connection, POOLS, pool, subnet_id=main)
    small = await make(connection, SUBNETS, SMALL | {"prefix_id": prefix})
    pool = {"start_ip": "127.64.1.8", "end_ip": "127.64.1.15", "allocation": "sequential"}
    await make(connection, POOLS, pool, subnet_id=small)
    await make(connection, SUBNETS, OFF | {"prefix_id": prefix})
    await build_red(connection)
    await connection.execute(ELSEWHERE)
    return Network(main, made[2], made[1])


async def build_red(connection: asyncpg.Connection) -> None:
    tenant = await make(connection, TENANTS, {"name": "red"})
    prefix = await make(connection, PREFIXES, {"cidr": "127.64.0.0/16", "tenant_id": tenant})
    red = {
        "cidr": "127.64.0.0/24",
        "relay_addresses": ["127.0.0.1"],
        "prefix_id": prefix,
        "rapid_commit": True,
    }
    subnet = await make(connection, SUBNETS, red)
    pool = {"start_ip": "127.64.0.16", "end_ip": "127.64.0.29"}
    await make(connection, POOLS, pool, subnet_id=subnet)


async def move_exclude(connection: asyncpg.Connection, made: Network, number: int) -> None:
    """Over addresses that clients hold: their leases are withdrawn."""
    first = IPv4Address("127.64.0.48") + number % 24
    patch = {"start_ip": str(first), "end_ip": str(first + 3)}
    await crud.change(connection, EXCLUDES, HOST, made.exclude, patch)


def span(first: str, last: str) -> set[IPv4Address]:
    return {IPv4Address(number) for number in range(int(IPv4Address(first)), int(IPv4Address(last)) + 1)}


EXCLUDED_AT_FIRST = span("127.64.0.30", "127.64.0.33")

# By hand, what may be leased to somebody at all.
LEASABLE = (
    (span("127.64.0.16", "127.64.0.95") - EXCLUDED_AT_FIRST)
    | span("127.64.0.200", "127.64.0.202")
    | span("127.64.1.8", "127.64.1.15")
)
