"""Finding free space: the next free subnet of a prefix, the free addresses of a subnet.

The next subnet is made while its prefix is held, so that of many callers each gets another one; free addresses are
only shown, and promise nothing. Nothing is enumerated: gaps between what is taken are found in the database, and
only the addresses that are answered are spelt out.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Annotated

import msgspec

from ipam_core.db import queries
from ipam_core.errors import Conflict, NotFound, ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.ids import parse_id
from ipam_core.model.page import Page
from ipam_core.model.subnet import NewSubnet, NextSubnet, Subnet, SubnetSettings
from ipam_core.model.values import Address, Network
from ipam_core.services.entity import crud
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.services.entity.parents import SQL as PARENTS
from ipam_core.services.free import usable_ends
from ipam_core.services.subnets import SUBNETS

SQL = queries.load("free")
SPACE = queries.load("space")
MAX_COUNT = 1000


class FreeAddress(msgspec.Struct, frozen=True):
    """Address that is currently free. It is not reserved for the caller."""

    ip: Annotated[str, msgspec.Meta(description="The address.")]


async def create_next(
    connection: Connection, actor: Actor, parents: Mapping[str, str], wanted: NextSubnet
) -> Subnet:
    """Make the lowest free subnet of a size in a prefix. Raises NotFound, ValidationError for a size that the prefix
    has not, and Conflict where none is free."""
    if wanted.gateway and wanted.gateway_at:
        raise ValidationError("gateway_at", "cannot be used with gateway; leave out one of the two")
    async with connection.transaction():
        prefix = await hold_prefix(connection, actor, parents["prefix_id"])
        cidr = await find_network(connection, prefix, wanted.prefix_length)
        fields = {name: getattr(wanted, name) for name in SubnetSettings.__struct_fields__}
        if wanted.gateway_at:
            fields["gateway"] = usable_ends(cidr)[wanted.gateway_at == "last"]
        command = NewSubnet(prefix_id=parents["prefix_id"], cidr=cidr, **fields)
        return await crud.create(connection, SUBNETS, actor, {}, command)


async def hold_prefix(connection: Connection, actor: Actor, id_: str) -> Row:
    row: Row | None = await PARENTS.hold_prefix(connection, id=parse_id(id_), tenant_no=actor.tenant_no)
    if row is None:
        raise NotFound("prefix", id_)
    return row


async def find_network(connection: Connection, prefix: Row, length: int) -> Network:
    cidr: Network = prefix["cidr"]
    if not cidr.prefixlen <= length <= cidr.max_prefixlen:
        raise ValidationError(
            "prefix_length", f"must be {cidr.prefixlen} to {cidr.max_prefixlen}, because the prefix is {cidr}"
        )
    found: Network | None = await SQL.next_free_network(
        connection, cidr=cidr, prefix_no=prefix["no"], prefix_length=length
    )
    if found is None:
        details = {"field": "prefix_length", "prefix_id": str(prefix["id"]), "prefix_length": length}
        raise Conflict(
            f"{cidr} has no free network of length {length}. Choose a longer length, or delete a subnet",
            details,
        )
    return found


async def find_free(
    connection: Connection, actor: Actor, subnet_id: str, query: Mapping[str, str]
) -> Page[FreeAddress]:
    """Return the addresses that the next reservations without `ip` would get, in their order. Raises NotFound."""
    count = read_count(query)
    row = await SPACE.find_subnet(connection, id=parse_id(subnet_id), tenant_no=actor.tenant_no)
    if row is None:
        raise NotFound("subnet", subnet_id)
    found: dict[Address, None] = {}
    for outside_pools in (True, False):
        if len(found) < count:
            gaps = await free_gaps(connection, row, outside_pools, count)
            new = (address for address in addresses(gaps) if address not in found)
            found |= dict.fromkeys(islice(new, count - len(found)))
    return Page([FreeAddress(str(address)) for address in found], None)


async def free_gaps(connection: Connection, row: Row, outside_pools: bool, at_most: int) -> list[Row]:
    first, last = usable_ends(row["cidr"])
    if outside_pools and row["free_from"] is not None:
        first = max(first, row["free_from"])
    rows = SQL.free_gaps(
        connection,
        tenant_no=row["tenant_no"],
        subnet_no=row["no"],
        first=first,
        last=last,
        gateway=row["gateway"],
        outside_pools=outside_pools,
        at_most=at_most,
    )
    return [row async for row in rows]


def addresses(gaps: list[Row]) -> Iterator[Address]:
    for gap in gaps:
        kind = type(gap["start_ip"])
        yield from map(kind, range(int(gap["start_ip"]), int(gap["end_ip"]) + 1))


def read_count(query: Mapping[str, str]) -> int:
    for name in query:
        if name != "count":
            raise ValidationError(name, "is not a query parameter of this operation")
    text = query.get("count", "1")
    if not (text.isascii() and text.isdecimal() and len(text) <= 4 and 1 <= int(text) <= MAX_COUNT):
        raise ValidationError("count", f"must be a whole number from 1 to {MAX_COUNT}")
    return int(text)
