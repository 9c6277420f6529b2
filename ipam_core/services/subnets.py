"""Subnets: inside their prefix, apart from the tenant's other subnets, around their pools and hosts."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from ipam_core.db import queries
from ipam_core.errors import Conflict, NotFound, ValidationError
from ipam_core.model import lifetimes
from ipam_core.model.actor import Actor
from ipam_core.model.families import FAMILIES
from ipam_core.model.ids import parse_id
from ipam_core.model.subnet import ListedSubnet, NewSubnet, Subnet, SubnetFields, check_subnet
from ipam_core.model.values import Network, encode_value, parse_address, parse_network, text_or_octets
from ipam_core.services.assignments import ASSIGNMENTS
from ipam_core.services.dns_servers import find_server
from ipam_core.services.entity.entity import Child, Connection, Entity, Filter, Parent, Sort, Write, view_text
from ipam_core.services.entity.filters import (
    TENANT,
    equal,
    flag,
    label_filters,
    network_filters,
    refers_to,
    sought,
    tags_of,
    whole_number,
)
from ipam_core.services.entity.parents import SQL as PARENTS
from ipam_core.services.entity.rights import refuse_new_values
from ipam_core.services.excludes import EXCLUDES
from ipam_core.services.options import OPTIONS
from ipam_core.services.pools import POOLS
from ipam_core.services.reservations import RESERVATIONS
from ipam_core.services.subnet_relays import refuse_unusable_relays

SQL = queries.load("subnet")
QUARANTINES = queries.load("quarantine")


async def lock_parent(
    connection: Connection, actor: Actor, _parents: Mapping[str, str], command: NewSubnet
) -> Parent:
    """Return the prefix, held; the subnet's tenant is the prefix's."""
    row = await PARENTS.hold_prefix(connection, id=parse_id(command.prefix_id), tenant_no=actor.tenant_no)
    if row is None:
        raise NotFound("prefix", command.prefix_id)
    if command.tenant_id is not None:
        tenant = await PARENTS.find_tenant(connection, id=parse_id(command.tenant_id), by_default=False)
        if tenant is None or actor.tenant_no not in (None, tenant["no"]):
            raise NotFound("tenant", command.tenant_id)
        if tenant["no"] != row["tenant_no"]:
            raise ValidationError("tenant_id", "is not the tenant of the prefix; leave it out")
    return Parent({"tenant_no": row["tenant_no"], "prefix_no": row["no"]}, row["tenant_no"], None, row)


async def lock(connection: Connection, actor: Actor, id_: UUID) -> Parent | None:
    row = await PARENTS.lock_subnet_itself(connection, id=id_, tenant_no=actor.tenant_no)
    if row is None:
        return None
    if actor.batch is not None:
        actor.batch.forget(row["no"])
    prefix = await SQL.prefix_of(connection, no=row["prefix_no"])
    keys = {"tenant_no": row["tenant_no"], "prefix_no": row["prefix_no"]}
    return Parent(keys, row["tenant_no"], row["no"], prefix)


async def validate(write: Write) -> Mapping[str, Any]:
    fields: SubnetFields = write.command
    refuse_new_values(write, "relay_addresses", "interface")
    check_subnet(fields)
    same = fields.cidr.version == write.parent.cidr.version
    if not same or not fields.cidr.subnet_of(write.parent.cidr):  # type: ignore[arg-type]  # of one version by now
        raise ValidationError(
            "cidr",
            f"{fields.cidr} is not inside the prefix {write.parent.cidr}; choose a network in that prefix",
        )
    if fields.interface is not None and (
        write.current is None or fields.interface != write.current["interface"]
    ):
        await refuse_shared_interface(write)
    await refuse_unusable_relays(write)
    await find_server(write, fields.ddns_dns_server_id, "ddns_dns_server_id")
    if write.current is not None and fields.cidr != write.current["cidr"]:
        await refuse_left_out(write, fields.cidr)
    if write.current is not None and fields.gateway not in (None, write.current["gateway"]):
        await refuse_taken_gateway(write)
    await end_quarantines(write)
    return lifetimes.columns_of(fields)


async def end_quarantines(write: Write) -> None:
    """End quarantines that a shorter setting makes too long; others keep their end."""
    seconds = write.command.decline_quarantine_seconds
    if write.current is None or seconds >= write.current["decline_quarantine_seconds"]:
        return
    cidr = write.current["cidr"]
    await QUARANTINES.end_waited_quarantines(
        write.connection,
        tenant_no=write.parent.tenant_no,
        first=cidr.network_address,
        last=cidr.broadcast_address,
        seconds=seconds,
    )


async def refuse_shared_interface(write: Write) -> None:
    """Raise Conflict where the interface is bound to another tenant's subnet: a link belongs to one tenant."""
    interface = write.command.interface
    await SQL.hold_interface(write.connection, interface=interface)
    other = await SQL.interface_of_another(
        write.connection, interface=interface, tenant_no=write.parent.tenant_no
    )
    if other is not None:
        found = {name: encode_value(value) for name, value in other.items()}
        raise Conflict(
            f"interface {interface} is bound to {found['cidr']} of the tenant {found['tenant']}, and a "
            "link belongs to one tenant. Choose another interface, or clear it there first",
            {"field": "interface", "conflicts_with": found},
        )


async def refuse_left_out(write: Write, cidr: Network) -> None:
    edges = (
        (cidr.network_address, cidr.broadcast_address) if cidr.version == 4 and cidr.prefixlen <= 30 else ()
    )
    counts = await SQL.children_outside(write.connection, no=write.no, cidr=cidr, edges=edges)
    left_out = {plural: number for plural, number in counts.items() if number}
    if left_out:
        what = ", ".join(f"{number} {plural}" for plural, number in left_out.items())
        raise Conflict(
            f"{what} would not lie in {cidr}; delete or move them first",
            {"field": "cidr", "children": left_out},
        )


async def refuse_taken_gateway(write: Write) -> None:
    holder = await SQL.holder_of(write.connection, no=write.no, ip=write.command.gateway)
    if holder is not None:
        shown = {name: encode_value(value) for name, value in holder.items()}
        raise Conflict(
            "the gateway's address is reserved; choose another gateway, or delete the reservation",
            {"field": "gateway", "conflicts_with": shown},
        )


# As it was counted last.
SHARE = "(select {} from usage where usage.subnet_no = subnet.no and usage.pool_no = 0)"
UTILISATION = f"coalesce({SHARE.format('share')}, 0)"
LISTED = {
    "utilisation": SHARE.format("round(share::numeric, 6)::float8"),
    "as_of": SHARE.format("(select as_of from usage_cursor)"),
}

SUBNETS = Entity(
    family=FAMILIES["subnets"],
    model=Subnet,
    create=NewSubnet,
    patch=SubnetFields,
    view=view_text(SQL.subnet_view),
    keys=("tenant_no", "prefix_no"),
    columns=SubnetFields.__struct_fields__,
    scope="subnet.tenant_no",
    lock_parent=lock_parent,  # type: ignore[arg-type]  # it takes the entity's own command
    lock=lock,
    validate=validate,
    parents=frozenset({"tenant_id", "prefix_id"}),
    filters={
        **network_filters("subnet.cidr"),
        **TENANT,
        "prefix_id": refers_to("prefix"),
        "name": equal("subnet.name"),
        "description": equal("subnet.description"),
        "vlan_id": equal("subnet.vlan_id", whole_number),
        "site": equal("subnet.site"),
        **label_filters("subnet"),
        "gateway": equal("subnet.gateway", parse_address),
        "shared_network": equal("subnet.shared_network"),
        "interface": equal("subnet.interface"),
        "relay_address": Filter("{}::inet = any(subnet.relay_addresses)", parse_address),
        "dhcp_enabled": equal("subnet.dhcp_enabled", flag),
        "ddns_enabled": equal("subnet.ddns_enabled", flag),
        "q": sought(
            "subnet",
            "subnet.cidr",
            "subnet.name",
            "subnet.description",
            "subnet.shared_network",
            "subnet.site",
            tags_of("subnet"),
        ),
    },
    children=(
        Child(OPTIONS, "subnet_no"),
        Child(POOLS, "subnet_no"),
        Child(EXCLUDES, "subnet_no"),
        Child(RESERVATIONS, "subnet_no"),
        Child(ASSIGNMENTS, "subnet_no"),
    ),
    writers={"interface_id": text_or_octets} | dict.fromkeys(lifetimes.FIELDS, lifetimes.shown),
    listed=ListedSubnet,
    listed_columns=LISTED,
    sorts={
        "cidr": Sort("subnet.cidr", "cidr", str, parse_network),
        "name": Sort("subnet.name", "text", str, str),
        "utilisation": Sort(UTILISATION, "float8", float, float),
    },
)
