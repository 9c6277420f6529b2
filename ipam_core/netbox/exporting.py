"""Prefixes of ours, given to NetBox: those that it does not have in that VRF, with their descriptions, and no more.

They are read here tenant by tenant, in the order in which they were made, a piece at a time. NetBox is asked which of a
piece it has, and then takes the others in one request, all or none; those that it refuses are left out. A piece whose
answer was lost is asked about again by the next run, and skipped.
"""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any, NamedTuple

from ipam_core.db import queries
from ipam_core.errors import IpamError
from ipam_core.model.actor import Actor
from ipam_core.model.netbox import MadePrefix, NetBoxExport, NetBoxResult
from ipam_core.model.page import read_cursor, unknown_cursor, write_cursor
from ipam_core.netbox.client import NetBox, connected, told_by, words
from ipam_core.netbox.mapping import Counterparts, Doubt, OurTenant, Tenants, read_counterparts, read_tenants
from ipam_core.netbox.owners import KINDS, NOBODY, find_named
from ipam_core.netbox.run import SECONDS, Run, WithSession
from ipam_core.netbox.shapes import FEW_FIELDS, PATH, VIEW, MadeRow
from ipam_core.outbound.guard import Guard
from ipam_core.outbound.http_client import Reply
from ipam_core.services.entity.entity import Connection, Row

SQL = queries.load("netbox")

PIECE = 50  # so many prefixes fit into the address of one question
MOST_DESCRIPTION = 200  # characters in NetBox; its comments contain a longer one in full
MOST_NAMESAKES = "200"
ADD = "to add prefixes (ipam.add_prefix, and a token with write enabled)"


Place = tuple[int, int]  # the numbers of a tenant and of its prefix that was given last


class Target(NamedTuple):
    """Target of a tenant's prefixes in NetBox; None: into the global table, and to no tenant."""

    vrf: int | None
    tenant: int | None


class Exporter:
    """State of NetBox: counterparts, looked up once each."""

    def __init__(self, netbox: NetBox, ours: Tenants, run: Run, wanted: NetBoxExport) -> None:
        self.netbox = netbox
        self.ours = ours
        self.run = run
        self.wanted = wanted
        self.by_no = {each.no: each for each in ours.by_id.values()}
        self.targets: dict[int, Target | Doubt] = {}
        self.base = Target(None, None)
        self.counterparts: Counterparts

    async def prepare(self) -> None:
        """Raise ValidationError for a tenant or a VRF that NetBox does not have."""
        self.counterparts = await read_counterparts(self.netbox, self.ours, self.wanted)
        for kind in KINDS.values():
            text = getattr(self.wanted, kind.field)
            if text is not None:
                found = await find_named(self.netbox, kind, text)
                self.base = self.base._replace(**{kind.field: found})

    def tenants(self) -> list[int]:
        """Return the tenants whose prefixes are exported: one tenant, or all that have a counterpart."""
        if self.wanted.map_by == "none" or self.wanted.tenant_id is not None:
            return [self.ours.nobodys.no]
        return sorted(self.by_no)

    async def target_of(self, tenant: OurTenant) -> Target | Doubt:
        if tenant.no not in self.targets:
            self.targets[tenant.no] = await self.look_up(tenant)
        return self.targets[tenant.no]

    async def look_up(self, tenant: OurTenant) -> Target | Doubt:
        if self.wanted.map_by == "none":
            return self.base
        found = await self.counterparts.reference_of(tenant)
        if not isinstance(found, Doubt):
            return self.base._replace(**{self.wanted.map_by: found.id})
        is_nobodys = tenant == self.ours.nobodys and found.reason == "no_counterpart"
        return self.base if is_nobodys else found

    async def give(self, rows: list[Row]) -> None:
        """Export a piece of one tenant."""
        tenant = self.by_no[rows[0]["tenant_no"]]
        target = await self.target_of(tenant)
        if isinstance(target, Doubt):
            for row in rows:
                self.run.skip(str(row["cidr"]), *target, id_=str(row["id"]))
            return
        there = await self.find_there(target, rows)
        for row in rows:
            if (cidr := str(row["cidr"])) in there:
                detail = f"NetBox already has it, as {there[cidr]}"
                self.run.skip(cidr, "exists", detail, id_=str(row["id"]), netbox_id=there[cidr])
        await self.create(target, [row for row in rows if str(row["cidr"]) not in there])

    async def find_there(self, target: Target, rows: list[Row]) -> dict[str, int]:
        """Return ids of those that NetBox has in the VRF."""
        vrf = NOBODY if target.vrf is None else str(target.vrf)
        asked = [("prefix", str(row["cidr"])) for row in rows]
        query = (
            *asked,
            ("vrf_id", vrf),
            ("fields", FEW_FIELDS),
            ("ordering", "id"),
            ("limit", MOST_NAMESAKES),
        )
        return {each.cidr: each.id for each in await self.netbox.all(PATH, query, MadeRow, VIEW)}

    async def create(self, target: Target, rows: list[Row]) -> None:
        """Create objects. Refused ones are reported and left out of the next attempt; of a piece that NetBox refuses
        without naming one, each half is tried."""
        if self.wanted.dry_run or not rows:
            self.run.created += [self.shown(row, None) for row in rows]
            return
        reply = await self.netbox.ask("POST", PATH, body=[self.body(row, target) for row in rows])
        if reply.status == HTTPStatus.CREATED:
            made = {each.cidr: each.id for each in await self.netbox.read(reply, PATH, list[MadeRow])}
            self.run.created += [self.shown(row, made.get(str(row["cidr"]))) for row in rows]
            return
        if reply.status != HTTPStatus.BAD_REQUEST:
            raise self.netbox.fault(reply, PATH, ADD)
        refused = self.refusals(reply, len(rows))
        for index, why in refused.items():
            self.run.fail(str(rows[index]["cidr"]), why)
        left = [row for index, row in enumerate(rows) if index not in refused]
        half = len(left) if refused else len(left) // 2
        await self.create(target, left[:half])
        await self.create(target, left[half:])

    def refusals(self, reply: Reply, count: int) -> dict[int, str]:
        """Return refusals by position; none where several were refused without positions."""
        found = {index: words(why) for index, why in indexed(told_by(reply)) if 0 <= index < count}
        if not found and count == 1:
            found = {0: self.netbox.said(reply) or "NetBox refuses it without a reason"}
        return {index: self.netbox.shown(why) for index, why in found.items()}

    def body(self, row: Row, target: Target) -> dict[str, Any]:
        text = row["description"]
        told: dict[str, Any] = {"prefix": str(row["cidr"]), "status": self.wanted.status}
        told["description"] = text[:MOST_DESCRIPTION]
        if len(text) > MOST_DESCRIPTION:
            told["comments"] = text
        return told | {name: id_ for name, id_ in target._asdict().items() if id_ is not None}

    def shown(self, row: Row, netbox_id: int | None) -> MadePrefix:
        tenant = self.by_no[row["tenant_no"]]
        return MadePrefix(str(row["cidr"]), tenant.id, row["description"], str(row["id"]), netbox_id)


def indexed(told: Any) -> list[tuple[int, Any]]:
    """Return the refused ones of a list by their positions: NetBox answers a list of the same length, empty where
    nothing is wrong, since 4.7 a list of what is wrong with its index."""
    if isinstance(told, list):
        return [(index, why) for index, why in enumerate(told) if why]
    if isinstance(told, dict) and isinstance(told.get("errors"), list):
        found = [each for each in told["errors"] if isinstance(each, dict)]
        return [(each["index"], each.get("errors")) for each in found if isinstance(each.get("index"), int)]
    return []


async def export_prefixes(
    session: WithSession, guard: Guard, actor: Actor, wanted: NetBoxExport
) -> NetBoxResult:
    """Raise ValidationError (`url`, `token`, `tenant`, `vrf`, `cursor`), NotFound for a tenant, and Unavailable."""
    after = read_place(wanted.cursor)
    ours = await session(lambda connection: read_tenants(connection, actor, wanted))
    run = Run(wanted)
    async with connected(guard, actor, wanted, SECONDS) as netbox:
        exporter = Exporter(netbox, ours, run, wanted)
        if wanted.cursor is None:
            await netbox.check_version()
        await exporter.prepare()
        left = await walk(session, exporter, after)
    return run.result(None if left is None else write_cursor("export", *left))


async def walk(session: WithSession, exporter: Exporter, after: Place) -> Place | None:
    """Return the prefix behind which to go on; None: all is given."""
    run, tenants = exporter.run, exporter.tenants()
    while True:
        rows = await session(piece_reader(tenants, after, exporter.wanted, run.left))
        if not rows:
            return None
        if run.looked_at and (run.left <= 0 or exporter.netbox.seconds_left <= 0):
            return after
        try:
            await exporter.give(rows)
        except IpamError as error:
            run.end_by(error)
            return after
        run.looked_at += len(rows)
        after = rows[-1]["tenant_no"], rows[-1]["no"]


def piece_reader(
    tenants: list[int], after: Place, wanted: NetBoxExport, left: int
) -> Callable[[Connection], Awaitable[list[Row]]]:
    """Read the next ones of one tenant. Beyond the limit one is read, which tells that there are more."""
    which = {"tenants": tenants, "family": wanted.family, "within": wanted.within}
    at_most = min(PIECE, max(left, 1))

    async def read(connection: Connection) -> list[Row]:
        found = SQL.prefixes_after(connection, **which, tenant_no=after[0], no=after[1], at_most=at_most)
        rows = [row async for row in found]
        return [row for row in rows if row["tenant_no"] == rows[0]["tenant_no"]]

    return read


def read_place(cursor: str | None) -> Place:
    """Raise ValidationError for a cursor that no export gave."""
    if cursor is None:
        return 0, 0
    what, tenant_no, no = read_cursor(cursor, str, int, int)
    if what != "export":
        raise unknown_cursor()
    return tenant_no, no
