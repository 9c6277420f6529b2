"""The check of a zone: its records are read in pages, within limits of time and number (dns/zone_faults judges)."""

import asyncio
from collections.abc import Sequence
from functools import partial

from ipam_core.db import queries
from ipam_core.dns.rrsets import Record
from ipam_core.dns.zone_faults import Finding, Inspection
from ipam_core.model.actor import Actor
from ipam_core.model.dns_zone import ZoneChecked, ZoneFault
from ipam_core.services.dns_zones import DNS_ZONES
from ipam_core.services.entity import crud
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.services.zone_files import soa_of
from ipam_core.stoppable import Steps, in_thread

SQL = queries.load("zone_fault")

PAGE = 2000
MOST_READ = 1_000_000
READ_SECONDS = 60.0


async def check_zone(
    connection: Connection, actor: Actor, id_: str, *, seconds: float = READ_SECONDS, most: int = MOST_READ
) -> ZoneChecked:
    """Return what common secondaries would refuse. Raises NotFound."""
    zone = await crud.fetch(connection, DNS_ZONES, actor, id_)
    rows = SQL.served_together(connection, zone_no=zone["no"], most=most)
    served = {(row["name"], row["type"]) async for row in rows}
    inspection = Inspection(
        zone["name"], soa_of(zone), zone["default_ttl"], lambda name, kind: (name, kind) in served
    )
    complete = await read(connection, zone, inspection, seconds, most)
    found = await in_thread(partial(finish, inspection, complete=complete))
    return ZoneChecked(
        complete, inspection.records, inspection.errors, inspection.warnings, [fault(each) for each in found]
    )


async def read(connection: Connection, zone: Row, inspection: Inspection, seconds: float, most: int) -> bool:
    """Give the zone's records to the inspection; return whether all were read."""
    deadline = asyncio.get_running_loop().time() + seconds
    after = {"name": "", "no": 0}
    while True:
        page = [row async for row in SQL.records_after(connection, zone_no=zone["no"], **after, most=PAGE)]
        await in_thread(partial(take, inspection, page))
        if len(page) < PAGE:
            return True
        after = {"name": page[-1]["name"], "no": page[-1]["no"]}
        if inspection.records >= most or asyncio.get_running_loop().time() >= deadline:
            return False


def take(inspection: Inspection, page: Sequence[Row], steps: Steps) -> None:
    for row in page:
        steps.step()
        inspection.add(Record(row["name"], row["type"], row["ttl"], row["data"], row["source"]))


def finish(inspection: Inspection, steps: Steps, *, complete: bool) -> list[Finding]:
    return inspection.finish(complete=complete, step=steps.step)


def fault(found: Finding) -> ZoneFault:
    return ZoneFault(**found._asdict() | {"servers": list(found.servers)})
