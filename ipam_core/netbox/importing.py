"""Prefixes of NetBox, taken as prefixes of ours: only what is missing, one of each level, and nothing else of NetBox.

They are read in the order of their addresses, a page at a time; what a page decides is made in one transaction, under
the locks that a single create would take. Where the run ends early, its cursor holds the position in NetBox's list and
those prefixes whose inside has not been read to its end.
"""

from typing import NamedTuple

from ipam_core.db import queries
from ipam_core.errors import IpamError
from ipam_core.model.actor import Actor
from ipam_core.model.netbox import MadePrefix, NetBoxImport, NetBoxResult, Reason
from ipam_core.model.page import read_cursor, unknown_cursor, write_cursor
from ipam_core.model.prefix import NewPrefix, Prefix
from ipam_core.model.values import Network, parse_network
from ipam_core.netbox.client import NetBox, connected, following_position
from ipam_core.netbox.levels import Candidate, Chooser, Verdict, order
from ipam_core.netbox.mapping import Counterparts, Doubt, Tenants, read_counterparts, read_tenants
from ipam_core.netbox.owners import KINDS, NOBODY, find_named
from ipam_core.netbox.run import SECONDS, Run, WithSession
from ipam_core.netbox.shapes import FIELDS, PATH, VIEW, PrefixRow
from ipam_core.outbound.guard import Guard
from ipam_core.outbound.http_client import Query
from ipam_core.services.entity import crud
from ipam_core.services.entity.entity import Connection, Parent, Row
from ipam_core.services.entity.parents import SQL as PARENTS
from ipam_core.services.entity.write_batch import Batch, naming_conflicts
from ipam_core.services.prefixes import PREFIXES

SQL = queries.load("netbox")

PAGE = 500
MOST_PREFIX = 100  # characters of one that is none, in an answer of ours
LEFT_OUT = ("container", "deprecated")
MOST_DESCRIPTION = 4096  # as ipam_core.model.base.Text


class Place(NamedTuple):
    """Place where a run continues: NetBox's position, the order of the last prefix, and the contents of the levels."""

    position: tuple[str, int]
    last: Network | None
    held: list[Candidate]


class Reader(NamedTuple):
    """Reader that turns a page into candidates."""

    wanted: NetBoxImport
    ours: Tenants
    counterparts: Counterparts
    run: Run


async def import_prefixes(
    session: WithSession, guard: Guard, actor: Actor, wanted: NetBoxImport
) -> NetBoxResult:
    """Raise ValidationError (`url`, `token`, a filter, `cursor`), NotFound for a tenant, and Unavailable."""
    place = read_place(wanted.cursor)
    ours = await session(lambda connection: read_tenants(connection, actor, wanted))
    if any(each.tenant_id not in ours.by_id or "\x00" in each.description for each in place.held):
        raise unknown_cursor()
    run = Run(wanted)
    async with connected(guard, actor, wanted, SECONDS) as netbox:
        if wanted.cursor is None:
            await netbox.check_version()
        filters = await filters_of(netbox, wanted)
        reader = Reader(wanted, ours, await read_counterparts(netbox, ours, wanted), run)
        left = await walk(netbox, filters, place, Importer(session, actor, reader))
    return run.result(left and write_place(left))


class Importer:
    """Pages, one after another, until all is read or the run has to end."""

    def __init__(self, session: WithSession, actor: Actor, reader: Reader) -> None:
        self.session = session
        self.actor = actor
        self.reader = reader

    async def take(self, rows: list[PrefixRow], place: Place, *, is_last: bool) -> Place:
        """Decide about a page, and make what is decided; the place behind it, but for its position."""
        chooser = Chooser(self.reader.wanted.level, place.held)
        last, verdicts = place.last, list[Verdict]()
        for row in rows:
            network = read_network(row, self.reader.run)
            if network is None or came_before(row, network, last, self.reader.run):
                continue
            last = network
            each = read_candidate(row, network, self.reader)
            verdicts += chooser.offer(each) if each else ()
        verdicts += chooser.settle(None if is_last else last)
        await self.carry_out(verdicts)
        self.reader.run.looked_at += len(rows)
        return Place(place.position, last, [*chooser.held.values()])

    async def carry_out(self, verdicts: list[Verdict]) -> None:
        run, ours = self.reader.run, self.reader.ours
        for each in verdicts:
            if each.reason:
                skip(run, each.candidate, each.reason, each.detail)
        chosen = [each.candidate for each in verdicts if not each.reason]
        if not chosen:
            return
        there, made = await self.session(
            lambda connection: create(connection, self.actor, chosen, ours, dry_run=run.wanted.dry_run)
        )
        for candidate in chosen:
            if candidate in there:
                skip(run, candidate, *in_the_way(candidate, there[candidate]))
            else:
                run.created.append(shown(candidate, made.get(candidate)))


async def walk(netbox: NetBox, filters: Query, place: Place, importer: Importer) -> Place | None:
    """Return where to go on; None: all is read."""
    run, pages = importer.reader.run, 0
    while True:
        if pages and (not run.left or netbox.seconds_left <= 0):
            return place
        pages += 1
        try:
            found = await netbox.page(PATH, page_query(filters, place, run.left), PrefixRow, VIEW)
            following = following_position(found.next, place.position)
            await importer.reader.counterparts.learn_owners(found.results)
        except IpamError as error:
            run.end_by(error)
            return place
        place = await importer.take(found.results, place, is_last=following is None)
        if following is None:
            return None
        place = place._replace(position=following)


def page_query(filters: Query, place: Place, left: int) -> Query:
    name, number = place.position
    ordering = () if name == "start" else (("ordering", "prefix,id"),)
    return (*filters, ("fields", FIELDS), *ordering, ("limit", str(min(PAGE, left))), (name, str(number)))


async def filters_of(netbox: NetBox, wanted: NetBoxImport) -> Query:
    """Return the filters in NetBox's words. Raises ValidationError for a tenant or a VRF that it does not have."""
    found = [("status", status) for status in wanted.statuses]
    told: dict[str, object] = {"family": wanted.family, "within_include": wanted.within}
    told |= {"site": wanted.site, "role": wanted.role, "tag": wanted.tag}
    found += [(name, str(value)) for name, value in told.items() if value is not None]
    for kind in KINDS.values():
        text = getattr(wanted, kind.field)
        if text is not None:
            id_ = await find_named(netbox, kind, text)
            found.append((f"{kind.field}_id", NOBODY if id_ is None else str(id_)))
    return found


def read_network(row: PrefixRow, run: Run) -> Network | None:
    """Return the network; None: it cannot be imported, which is then reported."""
    try:
        network = row.network
    except ValueError:
        run.fail(row.prefix[:MOST_PREFIX], f"prefix {row.id} of NetBox is not a network")
        return None
    if str(network) != row.prefix:
        try:
            parse_network(row.prefix)
        except ValueError as error:
            run.skip(row.prefix, "host_bits", str(error), netbox_id=row.id)
            return None
    return network


def came_before(row: PrefixRow, network: Network, last: Network | None, run: Run) -> bool:
    """Return whether the list was changed while it was read, so that what comes now has its place further up."""
    if last is None or order(network) >= order(last):
        return False
    run.skip(str(network), "out_of_order", f"it comes after {last}: repeat the import", netbox_id=row.id)
    return True


def read_candidate(row: PrefixRow, network: Network, reader: Reader) -> Candidate | None:
    """Return None, and said: its status does not count, or nobody here, or more than one there, is its owner's
    counterpart."""
    wanted, run = reader.wanted, reader.run
    if not wanted.statuses and row.status.value in LEFT_OUT:
        run.skip(str(network), "status", f"its status is {row.status.value}", netbox_id=row.id)
        return None
    tenant = reader.counterparts.tenant_of(reader.counterparts.owner(row))
    if isinstance(tenant, Doubt):
        run.skip(str(network), *tenant, netbox_id=row.id)
        return None
    return Candidate(row.id, str(network), tenant.id, row.description.replace("\x00", "")[:MOST_DESCRIPTION])


async def create(
    connection: Connection, actor: Actor, chosen: list[Candidate], ours: Tenants, *, dry_run: bool
) -> tuple[dict[Candidate, Row], dict[Candidate, Prefix]]:
    """Return what is in the way of each, and what was made of the others, in one transaction."""
    tenants = [ours.by_id[each.tenant_id].no for each in chosen]
    batch = Batch(actor)
    async with naming_conflicts(connection, {}), connection.transaction():
        if not dry_run:
            for no in sorted({*tenants}):
                await PARENTS.hold_level(connection, tenant_no=no)
        there = await find_in_the_way(connection, chosen, tenants)
        missing = [] if dry_run else [each for each in chosen if each not in there]
        wanted = [placed(each, ours) for each in missing]
        made = await crud.create_many(connection, PREFIXES, actor, batch, wanted) if wanted else []
        await batch.finish(connection)
    return there, dict(zip(missing, made, strict=True))


async def find_in_the_way(
    connection: Connection, chosen: list[Candidate], tenants: list[int]
) -> dict[Candidate, Row]:
    cidrs = [each.network for each in chosen]
    rows = SQL.prefixes_in_the_way(connection, tenants=tenants, cidrs=cidrs)
    return {chosen[row["place"] - 1]: row async for row in rows}


def placed(each: Candidate, ours: Tenants) -> tuple[Parent, NewPrefix]:
    no = ours.by_id[each.tenant_id].no
    command = NewPrefix(cidr=each.network, description=each.description, tenant_id=each.tenant_id)
    return Parent({"tenant_no": no}, no), command


def in_the_way(each: Candidate, row: Row) -> tuple[Reason, str]:
    if str(row["cidr"]) == each.cidr:
        return "exists", f"it already exists here, as {row['id']}"
    return "overlaps", f"it overlaps {row['cidr']}, which exists here as {row['id']}"


def skip(run: Run, each: Candidate, reason: Reason, detail: str) -> None:
    run.skip(each.cidr, reason, detail, netbox_id=each.netbox_id)


def shown(each: Candidate, made: Prefix | None) -> MadePrefix:
    return MadePrefix(each.cidr, each.tenant_id, each.description, made.id if made else None, each.netbox_id)


def write_place(place: Place) -> str:
    return write_cursor("import", *place.position, str(place.last or ""), place.held)


def read_place(cursor: str | None) -> Place:
    """Raise ValidationError for a cursor that no import gave."""
    if cursor is None:
        return Place(("offset", 0), None, [])
    what, name, number, last, held = read_cursor(cursor, str, str, int, str, list[Candidate])
    try:
        for each in held:
            parse_network(each.cidr)
        if what == "import" and name in ("offset", "start") and number >= 0:
            return Place((name, number), parse_network(last) if last else None, held)
    except ValueError:
        pass
    raise unknown_cursor()
