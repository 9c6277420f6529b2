"""Relay addresses of a subnet: those that can choose it, and link-local ones that choose no other subnet beside it.

A link-local link-address is unique on its link only (RFC 7969 section 3.2). Two subnets of a tenant may name the same
one where the server can tell their relays apart: by the address from which a relay sends, or by its interface-id.
"""

from ipaddress import IPv4Address
from typing import Any

from ipam_core.db import queries
from ipam_core.errors import Conflict, ValidationError
from ipam_core.model.subnet import SubnetFields
from ipam_core.model.values import Address, encode_value
from ipam_core.services.entity.entity import Write

SQL = queries.load("subnet")
LIMITED_BROADCAST = IPv4Address("255.255.255.255")
TELLING = ("relay_addresses", "shared_network", "interface_id")
"""Fields on which it depends whether two subnets can be told apart."""


async def refuse_unusable_relays(write: Write) -> None:
    """Raise ValidationError for addresses that no relay has, Conflict where two subnets cannot be told apart."""
    fields: SubnetFields = write.command
    before = write.current or {}
    if all(getattr(fields, name) == before.get(name) for name in TELLING):
        return
    for address in fields.relay_addresses:
        if address.is_unspecified or address.is_multicast or address == LIMITED_BROADCAST:
            raise ValidationError(
                "relay_addresses", f"{address} is not a unicast address; a relay agent needs one"
            )
    await refuse_same_link_local(write, link_local(fields.relay_addresses))


async def refuse_same_link_local(write: Write, addresses: list[Address]) -> None:
    fields: SubnetFields = write.command
    if not addresses:
        return
    await SQL.hold_link_local(write.connection, tenant_no=write.parent.tenant_no)
    rivals = SQL.naming_the_same(
        write.connection,
        tenant_no=write.parent.tenant_no,
        no=write.no,
        shared_network=fields.shared_network,
        addresses=addresses,
    )
    async for rival in rivals:
        if not are_told_apart(fields, rival):
            raise conflict(addresses, rival)


def are_told_apart(fields: SubnetFields, rival: Any) -> bool:
    """Return whether they differ by interface-id, where both have one; else by the addresses that their relays send
    from, of which one of them has to name some, and none may be in both."""
    if fields.interface_id is not None and rival["interface_id"] is not None:
        return bool(fields.interface_id != rival["interface_id"])
    mine, theirs = senders(fields.relay_addresses), senders(rival["relay_addresses"])
    return bool(mine or theirs) and not mine & theirs


def link_local(addresses: Any) -> list[Address]:
    return [address for address in addresses if address.version == 6 and address.is_link_local]


def senders(addresses: Any) -> set[Address]:
    return {address for address in addresses if not address.is_link_local}


def conflict(addresses: list[Address], rival: Any) -> Conflict:
    shown = {name: encode_value(rival[name]) for name in ("type", "id", "cidr")}
    (first, *_) = [address for address in addresses if address in rival["relay_addresses"]]
    return Conflict(
        f"{shown['cidr']} has the link-local relay address {first} too. Add the source address of "
        "each relay agent to the relay_addresses of its subnet, or set an interface_id in both "
        "subnets",
        {"field": "relay_addresses", "conflicts_with": shown},
    )
