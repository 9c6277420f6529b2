"""The zones in which a subnet's addresses are found: which there should be, and which there are."""

from ipam_core.db import queries
from ipam_core.dns import reverse
from ipam_core.errors import NotFound
from ipam_core.model.actor import Actor
from ipam_core.model.dns_zone import DelegationRecord, ReverseZone
from ipam_core.model.ids import parse_id
from ipam_core.model.page import Page
from ipam_core.model.values import Network
from ipam_core.services.entity.entity import Connection

SQL = queries.load("reverse_zone")


async def propose(connection: Connection, actor: Actor, subnet_id: str) -> Page[ReverseZone]:
    """Return one zone, or several where the subnet ends between two labels; for a subnet of less than a label (IPv4
    longer than /24) the classless one of RFC 2317, with what the zone above must say. Raises NotFound."""
    row = await SQL.find_network(connection, id=parse_id(subnet_id), tenant_no=actor.tenant_no)
    if row is None:
        raise NotFound("subnet", subnet_id)
    network: Network = row["cidr"]
    names = reverse.zones_of(network)
    rows = SQL.zones_by_name(connection, tenant_no=row["tenant_no"], names=names)
    there = {found["name"]: str(found["id"]) async for found in rows}
    return Page([proposal(network, name, there.get(name)) for name in names], None)


def proposal(network: Network, name: str, zone_id: str | None) -> ReverseZone:
    if not reverse.is_classless(network):
        return ReverseZone(name, zone_id, None, [])
    aliases = [DelegationRecord(owner, "CNAME", target) for owner, target in reverse.aliases(network)]
    # Until the zone's NS records are known, the server of its own name is said to answer for it.
    delegation = [DelegationRecord(name.partition(".")[0], "NS", f"{name}."), *aliases]
    return ReverseZone(name, zone_id, reverse.zone_above(network), delegation)
