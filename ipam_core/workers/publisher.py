"""The publisher: gives committed changes of our own zones their serials (services/dns_publication).

Every worker and every DNS server has one; a lock of its session lets one at a time work, and when that process dies
another one has it within a second; one that hangs is ended by those that wait. It is woken by the writers'
notifications, and looks by itself twice a second. What is written while it publishes is its next batch, so nobody waits
for a timer.
"""

import asyncio
import contextlib

import asyncpg
import structlog

from ipam_core import faults
from ipam_core.db import queries
from ipam_core.db.connect import connect
from ipam_core.db.outage import AWAY, FAILED, reason
from ipam_core.errors import FATAL
from ipam_core.faults import Resting, Rests
from ipam_core.services import child_zones, dns_publication, zone_check
from ipam_core.services.dns_publication import Published

SQL = queries.load("dns_publisher")

LOOK_SECONDS = 0.5
STANDBY_SECONDS = 1.0
AGAIN_SECONDS = 1.0
TEND_SECONDS = 600.0
KEPT_DELTAS = 1000  # of a zone, for IXFR
KEPT_DAYS = 7

CONFLICTS = "enabled zones conflict with zones or DNS suffixes of tenants: ipam zones check"

log = structlog.get_logger("dns")


class Publisher:
    """`run` until it is cancelled."""

    name = "publisher"

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        self.woken = asyncio.Event()
        self.published = 0
        self.elected = False
        self.fault = ""
        self.warnings: list[str] = []
        self.late: set[str] = set()  # zones that are to be delegated yet
        self.rests = Rests()
        self.resting = Resting()  # zones that could not be published

    async def run(self) -> None:
        while True:
            try:
                await self.serve()
            except FAILED as error:
                if not self.fault:
                    log.warning("zones cannot be published now", error=reason(error))
                self.fault = reason(error)
            except FATAL:
                raise
            except Exception as error:  # noqa: BLE001 - present zones are still served
                faults.caught("publisher", error)
                self.fault = f"{type(error).__name__}; see the log"
                self.elected = False  # another process may be able to
                await asyncio.sleep(self.rests.next())
            finally:
                self.elected = False
                self.warnings = []
            await asyncio.sleep(AGAIN_SECONDS)

    async def serve(self) -> None:
        """Serve over one session, whose end is the end of the lock."""
        connection = await connect(self.dsn)
        try:
            await connection.add_listener("dns_change", self.wake)
            while not await SQL.try_publisher(connection):
                self.fault = ""
                await SQL.end_silent_publisher(connection)
                await asyncio.sleep(STANDBY_SECONDS)
            self.elected = True
            self.late = set(await child_zones.all_names(connection))
            tended = 0.0
            loop = asyncio.get_running_loop()
            while True:
                if loop.time() - tended > TEND_SECONDS:
                    tended = loop.time()
                    await dns_publication.forget_deltas(connection, KEPT_DELTAS, KEPT_DAYS)
                    await self.check_zones(connection)
                await self.publish_all(connection)
                await self.rest()
        finally:
            connection.terminate()

    async def check_zones(self, connection: asyncpg.Connection) -> None:
        """Report zones that conflict with those of other tenants. They are served until somebody decides."""
        try:
            count = len(await zone_check.conflicts(connection))
        except AWAY:
            raise
        except Exception as error:  # noqa: BLE001 - zones are published all the same
            faults.caught("dns zone check", error)
            return
        found = [f"{count} {CONFLICTS}"] if count else []
        if count and found != self.warnings:
            log.warning(CONFLICTS, zones=count)
        self.warnings = found

    async def publish_all(self, connection: asyncpg.Connection) -> None:
        self.woken.clear()
        await self.delegate_late(connection)
        while await SQL.has_changes(connection, but=self.resting.keys()):
            self.published += len(await self.publish(connection))
        self.fault = ""
        self.rests.end()

    async def publish(self, connection: asyncpg.Connection) -> list[Published]:
        """Return all zones at once; where that fails, each by itself, so that a zone which cannot be published holds up
        no other."""
        but = self.resting.keys()
        try:
            return await dns_publication.publish(connection, self.late, but=but)
        except AWAY:
            raise
        except Exception:  # noqa: BLE001 - whichever zone causes it is found now
            numbers = await dns_publication.changed_zones(connection, but)
            return [each for no in numbers for each in await self.publish_one(connection, no)]

    async def publish_one(self, connection: asyncpg.Connection, zone_no: int) -> list[Published]:
        try:
            found = await dns_publication.publish(connection, self.late, one=zone_no)
        except AWAY:
            raise
        except Exception as error:  # noqa: BLE001 - the other zones are published
            faults.caught("dns publication", error, zone_no=zone_no)
            self.resting.rest(zone_no)
            return []
        self.resting.forget(zone_no)
        return found

    async def delegate_late(self, connection: asyncpg.Connection) -> None:
        """Write late delegations: of zones at first of all, later of those above which somebody was writing."""
        if not self.late:
            return
        try:
            async with connection.transaction():
                if await child_zones.delegate(connection, sorted(self.late), waits=False):
                    self.late.clear()
        except AWAY:
            raise
        except Exception as error:  # noqa: BLE001 - zones are published all the same
            faults.caught("dns delegation", error)
            self.late.clear()

    async def rest(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS):
                await self.woken.wait()

    def wake(self, *_notification: object) -> None:
        self.woken.set()
