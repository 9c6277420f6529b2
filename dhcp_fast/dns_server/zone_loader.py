"""Loader of zones into memory, with every later change to which the publisher has given a serial.

A notification names the zone; all serials are also compared twice a second. A zone that is a few
serials behind gets their deltas, each in one step. If the chain has a gap, or the database has
another history, the whole zone is read and then replaces the old one. While the database is away
the zones in memory are served.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import asyncpg
import structlog

from dhcp_fast.dns.zone_image import ZoneImage, ZoneSet
from dhcp_fast.dns_server import rendering
from ipam_core import faults
from ipam_core.db import queries
from ipam_core.db.connect import connect
from ipam_core.db.outage import AWAY, FAILED, reason
from ipam_core.errors import FATAL
from ipam_core.faults import Resting, Rests

SQL = queries.load("dns_image")

LOOK_SECONDS = 0.5
AGAIN_SECONDS = 0.5
OLD_SECONDS = 5.0  # after which what is served may be outdated
PIECE = 500  # RRsets, between which queries are answered
MOST_DELTAS = 256  # beyond that the whole zone is quicker

log = structlog.get_logger("dns")

SHOWN = 3  # zones in a warning
LONGEST_NAME = 255  # octets (RFC 1035 section 3.1)

Row = Mapping[str, Any]
Key = tuple[bytes, int]  # owner and type
Octets = tuple[bytes, int, bytes]  # owner, type and records


class Gap(Exception):
    """The deltas do not lead from the serial that is served to the one that was published."""


class ZoneLoader:
    """Call `run` until it is canceled; `changed` is called with each zone's new serial when it is served."""

    def __init__(self, dsn: str, zones: ZoneSet, changed: Callable[[int, bytes, int], None]) -> None:
        self.dsn = dsn
        self.zones = zones
        self.changed = changed
        self.names: dict[int, bytes] = {}  # of the zones that are served
        self.history = ""
        self.fault = "starting"
        self.read_at = 0.0  # when all serials were compared; 0: never
        self.loads = self.deltas = 0
        self.broken: dict[int, str] = {}  # zones that could not be brought up to date, and why
        self.resting = Resting()  # by zone and serial
        self.rests = Rests()
        self.woken = asyncio.Event()

    async def run(self) -> None:
        while True:
            try:
                await self.follow()
            except FAILED as error:
                if reason(error) != self.fault:
                    log.warning(
                        "zones are served from memory: the database is unavailable", error=reason(error)
                    )
                self.fault = reason(error)
            except FATAL:
                raise
            except Exception as error:  # noqa: BLE001 - what is served goes on
                faults.caught("dns zones", error)
                self.fault = f"{type(error).__name__}; see the log"
                await asyncio.sleep(self.rests.next())
            await asyncio.sleep(AGAIN_SECONDS)

    async def follow(self) -> None:
        """Follow over one session, as long as it lasts."""
        connection = await connect(self.dsn, server_settings={"application_name": "ipam dns"})
        try:
            await connection.add_listener("dns_published", self.wake)
            while True:
                self.woken.clear()
                await self.compare(connection)
                await self.rest()
        finally:
            connection.terminate()

    def wake(self, *_notification: object) -> None:
        self.woken.set()

    async def rest(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS):
                await self.woken.wait()

    async def compare(self, connection: asyncpg.Connection) -> None:
        """Bring every zone to its published serial."""
        history = await SQL.read_history(connection)
        serials = {row["zone_no"]: row["serial"] async for row in SQL.read_serials(connection)}
        for zone_no in self.names.keys() - serials.keys():
            self.withdraw(zone_no)
        for zone_no in self.broken.keys() - serials.keys():
            del self.broken[zone_no]
        for zone_no, serial in serials.items():
            whole = history != self.history or zone_no in self.broken
            if whole or self.serial(zone_no) != serial:
                await self.try_update(connection, zone_no, serial, whole)
        self.history, self.fault, self.read_at = history, "", time.monotonic()
        self.rests.end()

    async def try_update(
        self, connection: asyncpg.Connection, zone_no: int, serial: int, whole: bool
    ) -> None:
        """Try an update: a zone that cannot be read stays as it was, and is tried again later or with its next
        serial."""
        if self.resting.rests((zone_no, serial)):
            return
        try:
            await self.update(connection, zone_no, whole)
        except AWAY:
            raise
        except Exception as error:  # noqa: BLE001 - the other zones are served
            faults.caught("dns zone", error, zone_no=zone_no)
            self.resting.rest((zone_no, serial))
            row = await SQL.read_zone(connection, zone_no=zone_no)
            self.broken[zone_no] = f"{row and row['name']}: {type(error).__name__}"
        else:
            self.resting.forget((zone_no, serial))
            self.broken.pop(zone_no, None)

    def image_of(self, zone_no: int) -> ZoneImage | None:
        """Return the image that which is served."""
        name = self.names.get(zone_no)
        return None if name is None else self.zones.zones.get(name)

    def serial(self, zone_no: int) -> int | None:
        image = self.image_of(zone_no)
        return None if image is None else image.serial

    def withdraw(self, zone_no: int) -> None:
        self.zones.withdraw(self.names.pop(zone_no))

    async def update(self, connection: asyncpg.Connection, zone_no: int, whole: bool) -> None:
        """Update from one moment of the database."""
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            row = await SQL.read_zone(connection, zone_no=zone_no)
            if row is None:
                return
            try:
                if whole:
                    raise Gap
                await self.apply_deltas(connection, zone_no, row)
            except Gap:
                await self.load(connection, zone_no, row)
        self.changed(zone_no, self.names[zone_no], row["serial"])

    async def apply_deltas(self, connection: asyncpg.Connection, zone_no: int, row: Row) -> None:
        """Raise Gap."""
        image = self.image_of(zone_no)
        if image is None or image.name != rendering.zone_name(row["name"]):
            raise Gap
        behind = steps_between(image.serial, row["serial"])
        if behind > MOST_DELTAS:
            raise Gap
        rows = [each async for each in SQL.read_deltas(connection, zone_no=zone_no, at_most=behind)]
        steps = [await rendered(image.name, delta) for delta in chain(rows, image.serial, row["serial"])]
        for removed, added in steps:
            for owner, kind in removed:
                image.remove(owner, kind)
            for owner, kind, records in added:
                image.put(owner, kind, records)
        image.put_soa(rendering.soa_record(row))
        self.deltas += len(steps)

    async def load(self, connection: asyncpg.Connection, zone_no: int, row: Row) -> None:
        image = ZoneImage(rendering.zone_name(row["name"]))
        image.put_soa(rendering.soa_record(row))
        at = {"name": "", "type": ""}
        while True:
            found = SQL.read_rrsets(connection, zone_no=zone_no, at_most=PIECE, **at)
            piece = [each async for each in found]
            for owner, kind, records in octets_of(image.name, piece):
                image.put(owner, kind, records)
            if len(piece) < PIECE:
                break
            at = {"name": piece[-1]["name"], "type": piece[-1]["type"]}
        if zone_no in self.names:
            self.withdraw(zone_no)
        self.zones.install(image)
        self.names[zone_no] = image.name
        self.loads += 1

    # --- state for metrics and health pages

    def age(self) -> float:
        """Return seconds since all serials were compared."""
        return time.monotonic() - self.read_at if self.read_at else 0.0

    def not_ready(self) -> str:
        return "" if self.read_at else f"the zones have not been read yet: {self.fault}"

    def warnings(self) -> list[str]:
        found = []
        if self.read_at and self.age() >= OLD_SECONDS:
            why = f": {self.fault}" if self.fault else ""
            found.append(f"degraded: zones are served as they were {self.age():.0f} s ago{why}")
        if self.broken:
            some = ", ".join(list(self.broken.values())[:SHOWN])
            found.append(f"degraded: {len(self.broken)} zones could not be read ({some}); see the log")
        return found


def steps_between(known: int, published: int) -> int:
    """Return as many deltas as there may be at most from one serial to the other, each of which is the next one or
    beyond."""
    return (published - known) % 2**32


def chain(rows: Iterable[Row], known: int, published: int) -> list[Row]:
    """Return the deltas from one serial to the other, the first one first; `rows` the latest first. Raises Gap."""
    found: list[Row] = []
    wanted = published
    for row in rows:
        if wanted == known:
            break
        if row["serial"] != wanted:
            raise Gap
        found.append(row)
        wanted = row["previous"]
    if wanted != known:
        raise Gap
    return found[::-1]


async def rendered(zone: bytes, delta: Row) -> tuple[list[Key], list[Octets]]:
    """Return what a delta removes and what it puts, a piece at a time."""
    kept = {(each["name"], each["type"]) for each in delta["added"]}
    gone = [each for each in delta["removed"] if (each["name"], each["type"]) not in kept]
    removed = [(owner, kind) for owner, kind, _ in octets_of(zone, gone)]
    added: list[Octets] = []
    for at in range(0, len(delta["added"]), PIECE):
        added += octets_of(zone, delta["added"][at : at + PIECE])
        await asyncio.sleep(0)
    return removed, added


def octets_of(zone: bytes, rows: Iterable[Row]) -> Iterator[Octets]:
    """Yield one that cannot be sent is left out, and said: the rest of the zone is served."""
    for row in rows:
        try:
            owner = rendering.owner_name(row["name"], zone)
            if len(owner) > LONGEST_NAME:
                raise ValueError(owner)
            yield owner, rendering.type_number(row["type"]), rendering.records_of(row)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with it, the rest of the zone is served
            faults.caught("dns records", error, name=row["name"], type=row["type"])
