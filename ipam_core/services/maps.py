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
    Block,
    PrefixBlock,
    PrefixMap,
    Span,
    SubnetBlock,
    SubnetMap,
    block_length,
    blocks_of,
    layered,
    shown,
    spread,
    whole,
)
from ipam_core.model.utilisation import exact
from ipam_core.model.values import Address, Network
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.services.free import usable_ends

SQL = queries.load("space")

# Precedence of objects that share an address: the first one is shown.
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
    """Return what stands where in a subnet: spans, or counts by block where there are too many. Raises NotFound."""
    row = await SQL.find_subnet(connection, id=parse_id(id_), tenant_no=actor.tenant_no)
    if row is None:
        raise NotFound("subnet", id_)
    cidr: Network = row["cidr"]
    ranges = [range_span(each) async for each in SQL.subnet_ranges(connection, no=row["no"])]
    wanted = inside(row, MAX_PIECES + 1)
    if await SQL.count_hosts(connection, **wanted) <= MAX_PIECES:
        hosts = [host_span(each, row) async for each in SQL.subnet_hosts(connection, **wanted)]
        line = subnet_line(cidr, [*own(cidr, row["gateway"]), *ranges, *hosts])
        if max(len(hosts), len(line)) <= MAX_PIECES:
            return SubnetMap(str(cidr), shown(line, cidr), [])
    return SubnetMap(str(cidr), [], await subnet_blocks(connection, row, ranges))


def subnet_line(cidr: Network, spans: Iterable[Span]) -> list[Span]:
    """Return the line of a subnet, from its first address to its last."""
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
    """Yield what a subnet has by itself: its edges and its gateway."""
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
    excluded, pool = (covered(ranges, kind, cidr) for kind in ("exclude", "pool"))
    ends = Counter(index for span in own(cidr, row["gateway"]) for index, _ in spread(span, cidr))
    counted = await counts_by_block(connection, row)
    return [
        subnet_block(block, counted.get(index), excluded[index], pool[index], ends[index])
        for index, block in enumerate(blocks_of(cidr))
    ]


async def counts_by_block(connection: Connection, row: Row) -> dict[int, Row]:
    cidr, length = row["cidr"], block_length(row["cidr"])
    shift, half = cidr.max_prefixlen - length, 1 << (length - cidr.prefixlen - 1)
    arguments = {name: value for name, value in inside(row, 0).items() if name != "at_most"}
    middle = cidr.network_address + (half << shift)
    rows = SQL.subnet_buckets(connection, shift=shift, middle=middle, length=length, **arguments)
    return {index_of(each, cidr, half): each async for each in rows}


def index_of(row: Row, cidr: Network, half: int) -> int:
    if row["block"] is None:
        return half + int(row["from_middle"])
    return next(spread(whole(row["block"]), cidr))[0]


def subnet_block(block: Block, row: Row | None, excluded: int, pool: int, ends: int) -> SubnetBlock:
    reserved, assigned, leased = (row["reserved"], row["assigned"], row["leased"]) if row else (0, 0, 0)
    free = max(0, block.size - excluded - reserved - assigned - leased - ends)
    exactly = exact(addresses=block.size, excluded=excluded, pool=pool, free=free)
    return SubnetBlock(block.cidr, block.size, excluded, reserved, assigned, leased, pool, free, **exactly)


def covered(ranges: list[Span], kind: str, cidr: Network) -> Counter[int]:
    found: Counter[int] = Counter()
    for span in ranges:
        if span.type == kind:
            found.update(dict(spread(span, cidr)))
    return found


async def map_prefix(connection: Connection, actor: Actor, id_: str) -> PrefixMap:
    """Return the subnets of a prefix and the gaps between them, or counts by block where there are too many. Raises
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
    return [
        prefix_block(block, subnets[index], allocated[index]) for index, block in enumerate(blocks_of(cidr))
    ]


def prefix_block(block: Block, subnets: int, allocated: int) -> PrefixBlock:
    free = block.size - allocated
    exactly = exact(addresses=block.size, allocated=allocated, free=free)
    return PrefixBlock(block.cidr, block.size, subnets, allocated, free, **exactly)
