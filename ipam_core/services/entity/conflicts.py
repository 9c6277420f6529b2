"""Conflicts in the database as clear errors: one table from constraint names to the field and the reason.

The constraint decides, also between two writers at once; the look for the object that is in the way comes
afterwards, only to name it. sql/conflict.sql holds a query a constraint, under the constraint's name.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import asyncpg

from ipam_core.db import queries
from ipam_core.errors import Conflict
from ipam_core.model.values import encode_value
from ipam_core.services.entity.entity import Connection, Row

SQL = queries.load("conflict")


# The same for a zone and a suffix, at, above and below the name, so that it reveals neither which nor whose.
NAME_TAKEN = (
    "the name overlaps a zone or a DNS suffix of another tenant. Choose another name, or set "
    "dns_enabled to false"
)  # fmt: skip


class Refusal(NamedTuple):
    field: str
    reason: str


REFUSALS = {
    "tenant_name_unique": Refusal("name", "another tenant has this name; choose another"),
    "prefix_overlap": Refusal("cidr", "it overlaps another prefix of the tenant. Choose a free range"),
    "subnet_overlap": Refusal("cidr", "it overlaps another subnet of the tenant. Choose a free range"),
    "pool_overlap": Refusal("start_ip", "it overlaps another pool of the subnet. Choose a free range"),
    "pool_prefix_overlap": Refusal("prefix", "it overlaps another pool of the subnet. Choose a free range"),
    "subnet_delegation_overlap": Refusal(
        "cidr", "it overlaps prefixes that are delegated in the tenant. Choose a free range"
    ),
    "pool_delegation_overlap": Refusal(
        "prefix", "it overlaps other objects of the tenant. Choose a free range"
    ),
    "reservation_delegation_overlap": Refusal(
        "prefix", "it overlaps other objects of the tenant. Choose a free range"
    ),
    "exclude_overlap": Refusal(
        "start_ip", "it overlaps another exclusion of the subnet. Choose a free range"
    ),
    "client_class_name_unique": Refusal("name", "another class of the tenant has this name; choose another"),
    "reservation_ip_unique": Refusal("ip", "the address is already reserved in the subnet"),
    "reservation_mac_unique": Refusal("mac", "the MAC address already has a reservation in the subnet"),
    "reservation_duid_unique": Refusal("duid", "the DUID already has a reservation in the subnet"),
    "reservation_client_id_unique": Refusal(
        "client_id", "the client id already has a reservation in the subnet"
    ),
    "reservation_circuit_id_unique": Refusal(
        "circuit_id", "the circuit already has a reservation in the subnet"
    ),
    "reservation_remote_id_unique": Refusal(
        "remote_id", "the remote id already has a reservation in the subnet"
    ),
    "reservation_subscriber_id_unique": Refusal(
        "subscriber_id", "the subscriber already has a reservation in the subnet"
    ),
    "reservation_tenant_mac_unique": Refusal(
        "mac", "the MAC address already has a reservation for the whole tenant"
    ),
    "reservation_tenant_duid_unique": Refusal(
        "duid", "the DUID already has a reservation for the whole tenant"
    ),
    "reservation_tenant_client_id_unique": Refusal(
        "client_id", "the client id already has a reservation for the whole tenant"
    ),
    "reservation_tenant_circuit_id_unique": Refusal(
        "circuit_id", "the circuit already has a reservation for the whole tenant"
    ),
    "reservation_tenant_remote_id_unique": Refusal(
        "remote_id", "the remote id already has a reservation for the whole tenant"
    ),
    "reservation_tenant_subscriber_id_unique": Refusal(
        "subscriber_id", "the subscriber already has a reservation for the whole tenant"
    ),
    "reservation_prefix_overlap": Refusal(
        "prefix", "it overlaps the prefix of another reservation in the subnet"
    ),
    "assignment_ip_unique": Refusal("ip", "the address is already assigned in the subnet"),
    "dhcp_option_unique": Refusal("code", "this scope already has the option"),
    "option_definition_code_unique": Refusal("code", "this space already has a definition of the code"),
    "option_definition_name_unique": Refusal("name", "another definition has this name; choose another"),
    "dns_server_name_unique": Refusal(
        "name", "another DNS server of the tenant has this name; choose another"
    ),
    "notification_name_unique": Refusal(
        "name", "another notification of the tenant has this name; choose another"
    ),
    "dns_zone_name_unique": Refusal("name", "the tenant already has this zone"),
    "dns_zone_enabled_unique": Refusal("dns_enabled", NAME_TAKEN),
    "dns_record_unique": Refusal("data", "the zone already has this record"),
    "trusted_relay_unique": Refusal("cidr", "the network is already trusted"),
}
# See `reservation` in tables/plan.sql. Names of tenants and records of a zone may be met by an `on conflict`, and a
# zone keeps its name. Overlaps are not among them: triggers raise some, and the indexes of the others take too long to
# build anew.
AT_ONCE = re.compile(r"\w+_overlap|(?:tenant|dns_zone|dns_record)_\w+")
DEFERRABLE = {name for name in REFUSALS if not AT_ONCE.fullmatch(name)}


async def explain(
    connection: Connection, error: asyncpg.IntegrityConstraintViolationError, values: Mapping[str, Any]
) -> Conflict | None:
    """Return the conflict that a constraint's name stands for; None where it is a defect of ours."""
    if isinstance(error, asyncpg.ForeignKeyViolationError):
        return Conflict("a related object has changed meanwhile; try again")
    name = error.constraint_name
    if name not in REFUSALS:
        return None
    return refused(name, await find(connection, name, values))


async def find(connection: Connection, name: str, values: Mapping[str, Any]) -> Row | None:
    """Return the object that a row of these values meets by the constraint."""
    row: Row | None = await getattr(SQL, name)(connection, **values)
    return row


def refused(name: str, other: Row | None) -> Conflict:
    refusal = REFUSALS[name]
    details: dict[str, Any] = {"field": refusal.field}
    if other is not None:
        details["conflicts_with"] = {key: encode_value(value) for key, value in other.items()}
    return Conflict(refusal.reason, details)
