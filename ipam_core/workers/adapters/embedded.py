"""Our own zones: records are written to the database, and the publisher gives them a serial.

Static records are never touched: a name that an operator wrote is the operator's, and a lease that would bear it is in
conflict.
"""

from collections.abc import Collection
from typing import Any

import asyncpg

from ipam_core.db import queries
from ipam_core.model.ids import new_id
from ipam_core.workers.adapters import COMPARED, Change, Found, NameConflict, Refused, Step, TestResult

SQL = queries.load("ddns_embedded")


class Embedded:
    """The zones of one tenant. Raises NameConflict, and Refused where a zone is not there."""

    def __init__(self, pool: asyncpg.Pool, tenant_no: int) -> None:
        self.pool = pool
        self.tenant_no = tenant_no

    async def close(self) -> None:
        """The sessions are the worker's."""

    async def add(self, change: Change) -> None:
        async with self.pool.acquire() as connection, connection.transaction():
            if change.forward_zone is not None:
                await self.put(
                    connection, change.forward_zone, f"{change.fqdn}.", change, change.kind, str(change.ip)
                )
            if change.reverse_zone is not None:
                await self.put(
                    connection, change.reverse_zone, change.pointer, change, "PTR", f"{change.fqdn}."
                )

    async def remove(self, change: Change) -> None:
        async with self.pool.acquire() as connection, connection.transaction():
            if change.forward_zone is not None:
                await self.drop(
                    connection, change.forward_zone, f"{change.fqdn}.", change.kind, str(change.ip)
                )
            if change.reverse_zone is not None:
                await self.drop(connection, change.reverse_zone, change.pointer, "PTR", f"{change.fqdn}.")

    async def put(self, connection: Any, zone: str, name: str, change: Change, kind: str, data: str) -> None:
        """In place of what else follows a lease under this name and type."""
        row = await SQL.find_zone(connection, tenant_no=self.tenant_no, name=zone)
        if row is None:
            raise Refused(f"there is no zone {zone} here")
        owner = relative(name, zone)
        found = {"zone_no": row["no"], "name": owner, "type": kind, "data": data}
        if await SQL.static_in_the_way(connection, **found):
            raise NameConflict(f"{name.removesuffix('.')} is a record of an operator")
        await SQL.drop_others(connection, **found)
        await SQL.put_record(connection, id=new_id(), ttl=change.ttl, source=change.source, **found)

    async def drop(self, connection: Any, zone: str, name: str, kind: str, data: str) -> None:
        """A zone that is gone has taken its records along."""
        await SQL.drop_record(
            connection,
            tenant_no=self.tenant_no,
            zone=zone,
            name=relative(name, zone),
            type=kind,
            data=data,
        )

    async def read(self, zone: str, names: Collection[str]) -> Found:  # noqa: ARG002 - it is read whole
        records: dict[tuple[str, str], set[str]] = {}
        ours = set()
        async with self.pool.acquire() as connection:
            rows = SQL.records(connection, tenant_no=self.tenant_no, zone=zone, types=list(COMPARED))
            async for row in rows:
                name = f"{zone}." if row["name"] == "@" else f"{row['name']}.{zone}."
                data = row["data"].lower()
                records.setdefault((name, row["type"]), set()).add(data)
                if row["source"] != "static":
                    ours.add((name, row["type"], data))
        return Found(records, complete=True, ours=frozenset(ours))

    async def test(self, zones: list[str]) -> TestResult:
        steps = []
        async with self.pool.acquire() as connection:
            for zone in zones:
                row = await SQL.find_zone(connection, tenant_no=self.tenant_no, name=zone)
                served = row is not None and row["dns_enabled"]
                detail = (
                    "served"
                    if served
                    else "not served (dns_enabled)"
                    if row
                    else "there is no such zone here"
                )
                steps.append(Step(f"zone {zone}", row is not None, detail))
        return TestResult(all(step.ok for step in steps), steps, takes_dhcid=None)


def relative(name: str, zone: str) -> str:
    """The owner as the zone's records have it. Raises Refused for a name outside the zone."""
    whole = name.removesuffix(".").lower()
    if whole == zone:
        return "@"
    if not whole.endswith("." + zone):
        raise Refused(f"{whole} does not lie in the zone {zone}")
    return whole.removesuffix("." + zone)
