"""Maps of subnets and prefixes: the database gives intervals, or counts by block where there are too many.

How they were at a moment is in past_maps.py.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from ipam_core.db import queries
from ipam_core.errors import NotFound
from ipam_core.model.actor import Actor
from ipam_core.model.ids import parse_id
from ipam_core.model.lease import lease_id
from ipam_core.model.map import (
    MAX_PIECES,
    PrefixBlock,
    PrefixMap,
    Span,
    SubnetBlock,
    SubnetMap,
    block_length,
    layered,
    shown,
    spread,
    whole,
)
from ipam_core.model.values import Address, Network
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.services.free import usable_ends

SQL = queries.load("space")

# What is shown where several things meet on an address.
ORDER = (
    "network",
    "broadcast",
    "assignment",
    "reservation",
    "gateway",
    "exclude",
    "quarantine",
    "lease",
    "pool",
)


async def map_subnet(connection: Connection, actor: Actor, id_: str) -> SubnetMap:
    """What stands where in a subnet: spans, or counts by block where there are too many. Raises NotFound."""
    row = await SQL.find_subnet(connection, id=parse_id(id_), tenant_no=actor.tenant_no)
    if row is None:
        raise NotFound("subnet", id_)
    cidr: Network = row["cidr"]
    ranges = [range_span(each) async for each in SQL.subnet_ranges(connection, no=row["no"])]
    hosts = [each async for each in SQL.subnet_hosts(connection, **inside(row, MAX_PIECES + 1))]
    if len(hosts) <= MAX_PIECES:
        spans = (host_span(each, row) for each in hosts)
        line = subnet_line(cidr, [*own(cidr, row["gateway"]), *ranges, *spans])
        if len(line) <= MAX_PIECES:
            return SubnetMap(str(cidr), shown(line, cidr), [])
    return SubnetMap(str(cidr), [], await subnet_blocks(connection, row, ranges))


def subnet_line(cidr: Network, spans: Iterable[Span]) -> list[Span]:
    """From its first address to its last."""
    return layered([*by_type(spans), [whole(cidr)]])


def inside(row: Row, at_most: int) -> dict[str, object]:
    first, last = row["cidr"].network_address, row["cidr"].broadcast_address
    return {"no": row["no"], "tenant_no": row["tenant_no"], "first": first, "last": last, "at_most": at_most}


def range_span(row: Row) -> Span:
    return Span(int(row["start_ip"]), int(row["end_ip"]), row["type"], str(row["id"]))


def host_span(row: Row, subnet: Row) -> Span:
    address = int(row["ip"])
    id_ = str(row["id"]) if row["id"] else lease_id(subnet["tenant_no"], row["ip"])
    return Span(address, address, row["type"], id_)


def own(cidr: Network, gateway: Address | None) -> Iterator[Span]:
    """What a subnet has by itself: its edges and its gateway."""
    first, last = usable_ends(cidr)
    if cidr.version == 4 and cidr.prefixlen <= 30:
        yield Span(int(first) - 1, int(first) - 1, "network")
        yield Span(int(last) + 1, int(last) + 1, "broadcast")
    if gateway is not None:
        yield Span(int(gateway), int(gateway), "gateway")


def by_type(spans: Iterable[Span]) -> Iterator[list[Span]]:
    spans = list(spans)
    for kind in ORDER:
        yield [span for span in spans if span.type == kind]


async def subnet_blocks(connection: Connection, row: Row, ranges: list[Span]) -> list[SubnetBlock]:
    cidr: Network = row["cidr"]
    length = block_length(cidr)
    excluded, pool = (covered(ranges, kind, cidr) for kind in ("exclude", "pool"))
    ends = Counter(index for span in own(cidr, row["gateway"]) for index, _ in spread(span, cidr))
    arguments = {name: value for name, value in inside(row, 0).items() if name != "at_most"}
    counted = {
        each["bucket"]: each async for each in SQL.subnet_buckets(connection, length=length, **arguments)
    }
    blocks: list[Network] = list(cidr.subnets(new_prefix=length))
    size = cidr.num_addresses // len(blocks)
    return [
        subnet_block(block, size, counted.get(block), excluded[index], pool[index], ends[index])
        for index, block in enumerate(blocks)
    ]


def subnet_block(
    block: Network, size: int, row: Row | None, excluded: int, pool: int, ends: int
) -> SubnetBlock:
    reserved, assigned, leased = (row["reserved"], row["assigned"], row["leased"]) if row else (0, 0, 0)
    free = max(0, size - excluded - reserved - assigned - leased - ends)
    return SubnetBlock(str(block), size, excluded, reserved, assigned, leased, pool, free)


def covered(ranges: list[Span], kind: str, cidr: Network) -> Counter[int]:
    found: Counter[int] = Counter()
    for span in ranges:
        if span.type == kind:
            found.update(dict(spread(span, cidr)))
    return found


async def map_prefix(connection: Connection, actor: Actor, id_: str) -> PrefixMap:
    """The subnets of a prefix and the gaps between them, or counts by block where there are too many. Raises
    NotFound."""
    row = await SQL.find_prefix(connection, id=parse_id(id_), tenant_no=actor.tenant_no)
    if row is None:
        raise NotFound("prefix", id_)
    cidr: Network = row["cidr"]
    subnets = [each async for each in SQL.prefix_subnets(connection, no=row["no"], at_most=MAX_PIECES + 1)]
    line = prefix_line(cidr, subnets)
    if len(line) <= MAX_PIECES:
        return PrefixMap(str(cidr), shown(line, cidr), [])
    return PrefixMap(str(cidr), [], await prefix_blocks(connection, row))


def prefix_line(cidr: Network, subnets: Iterable[Row]) -> list[Span]:
    spans = [whole(each["cidr"], "subnet")._replace(id=str(each["id"])) for each in subnets]
    return layered([spans, [whole(cidr)]])


async def prefix_blocks(connection: Connection, row: Row) -> list[PrefixBlock]:
    cidr: Network = row["cidr"]
    length = block_length(cidr)
    subnets: Counter[int] = Counter()
    allocated: Counter[int] = Counter()
    async for each in SQL.prefix_buckets(connection, no=row["no"], length=length):
        touched = dict(spread(whole(each["bucket"]), cidr))
        wide = each["bucket"].prefixlen < length
        allocated.update(touched if wide else dict.fromkeys(touched, int(each["addresses"])))
        subnets.update(dict.fromkeys(touched, each["subnets"]))
    blocks: list[Network] = list(cidr.subnets(new_prefix=length))
    return [prefix_block(block, subnets[index], allocated[index]) for index, block in enumerate(blocks)]


def prefix_block(block: Network, subnets: int, allocated: int) -> PrefixBlock:
    size = block.num_addresses
    return PrefixBlock(str(block), size, subnets, allocated, size - allocated)
