"""Maps of subnets and prefixes as they were: the plan by the audit trail, leases by their history.

What has changed since the moment is shown as it was before its first change, all else as it is. So a map reaches
back as far as both are kept, and to the beginning where nothing is ever forgotten.
"""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network
from typing import Any

from ipam_core.db import queries
from ipam_core.errors import NotFound, ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.ids import parse_id
from ipam_core.model.lease import lease_id
from ipam_core.model.map import PrefixMap, Span, SubnetMap, shown
from ipam_core.model.values import Address, Network, encode_value, parse_instant
from ipam_core.services import lease_events, maps
from ipam_core.services.entity.entity import Connection, Filter, Row
from ipam_core.services.entity.lists import read_filter
from ipam_core.services.lease_walk import EPOCH

SPACE = queries.load("space")
PAST = queries.load("past")

FILTERS = {"at": Filter("", parse_instant)}
WIDEST_BITS = 12  # host bits of a /20 or a /116, the widest map that shows each address
PAGE = "1000"


async def map_subnet(connection: Connection, actor: Actor, id_: str, words: dict[str, str]) -> SubnetMap:
    """Return what stood where in a subnet at the moment `words["at"]`. Raises NotFound; ValidationError where the
    moment cannot be read, the subnet is too wide or is younger."""
    at = moment_of(words)
    row = await SPACE.find_subnet(connection, id=parse_id(id_), tenant_no=actor.tenant_no)
    if row is None:
        raise NotFound("subnet", id_)
    was = await as_it_was(connection, "subnet", row, at)
    cidr: Network = ip_network(was["cidr"])
    refuse_wide("subnet", cidr)
    gateway = ip_address(was["gateway"]) if was["gateway"] else None
    spans = [*maps.own(cidr, gateway)]
    spans += [span(each) async for each in PAST.subnet_objects(connection, no=row["no"], at=at)]
    spans += [each async for each in leased(connection, actor, row, cidr, at)]
    quarantine = timedelta(seconds=was["decline_quarantine_seconds"])
    spans += [each async for each in quarantined(connection, row, cidr, at, quarantine)]
    return SubnetMap(str(cidr), shown(maps.subnet_line(cidr, spans), cidr), [])


async def map_prefix(connection: Connection, actor: Actor, id_: str, words: dict[str, str]) -> PrefixMap:
    """Return the subnets that a prefix had at the moment `words["at"]`, and the gaps between them. Raises as
    map_subnet."""
    at = moment_of(words)
    row = await SPACE.find_prefix(connection, id=parse_id(id_), tenant_no=actor.tenant_no)
    if row is None:
        raise NotFound("prefix", id_)
    cidr: Network = ip_network((await as_it_was(connection, "prefix", row, at))["cidr"])
    refuse_wide("prefix", cidr)
    subnets = [each async for each in PAST.prefix_subnets(connection, no=row["no"], id=str(row["id"]), at=at)]
    return PrefixMap(str(cidr), shown(maps.prefix_line(cidr, subnets), cidr), [])


def moment_of(words: dict[str, str]) -> datetime:
    at: datetime = read_filter("at", FILTERS["at"], words["at"])
    return at


def refuse_wide(kind: str, cidr: Network) -> None:
    narrowest = cidr.max_prefixlen - WIDEST_BITS
    if cidr.prefixlen < narrowest:
        raise ValidationError("at", f"is supported for networks up to /{narrowest}; this {kind} was {cidr}")


async def as_it_was(connection: Connection, kind: str, row: Row, at: datetime) -> dict[str, Any]:
    """Return its fields in the words of the API."""
    changed = await PAST.first_change_of_object(connection, id=row["id"], at=at)
    if changed is None:
        return {name: encode_value(value) for name, value in row.items()}
    if changed["before"] is None:
        raise ValidationError("at", f"is before the {kind} was created")
    before: dict[str, Any] = changed["before"]
    return before


def start_of(at: datetime, longest: timedelta) -> datetime:
    """Return the start of a quarantine that is not over; it may be longer than the calendar reaches back."""
    beginning: timedelta = at - EPOCH
    return at - min(longest, beginning)


def span(row: Row) -> Span:
    return Span(int(row["start_ip"]), int(row["end_ip"]), row["type"], str(row["id"]))


def host(tenant_no: int, ip: Address, kind: str) -> Span:
    return Span(int(ip), int(ip), kind, lease_id(tenant_no, ip))


async def leased(
    connection: Connection, actor: Actor, row: Row, cidr: Network, at: datetime
) -> AsyncIterator[Span]:
    """Yield what clients held, one span an address; in a page at a time."""
    words = {"within": str(cidr), "tenant_id": str(row["tenant_id"]), "at": at.isoformat(), "limit": PAGE}
    while True:
        page = await lease_events.find(connection, actor, words)
        for event in page.items:
            if event.prefix_length == cidr.max_prefixlen:
                yield host(row["tenant_no"], ip_address(event.ip), "lease")
        if page.next_cursor is None:
            return
        words["cursor"] = page.next_cursor


async def quarantined(
    connection: Connection, row: Row, cidr: Network, at: datetime, longest: timedelta
) -> AsyncIterator[Span]:
    first, last = cidr.network_address, cidr.broadcast_address
    ends = {"first": first, "last": last, "at": at, "since": start_of(at, longest)}
    async for each in PAST.quarantined(connection, tenant_no=row["tenant_no"], **ends):
        yield host(row["tenant_no"], each["ip"], "quarantine")
