"""Effects of a change on leases and objects: the change is made, looked at, and undone.

A lease counts as refused if its renewal would have been accepted before the change and would be refused after it. Both
are asked in the transaction of the change, which is rolled back in any case: nothing is written or told to anybody.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from ipam_core.db import queries
from ipam_core.model.actor import Actor
from ipam_core.model.impact import (
    SHOWN,
    Counted,
    FallenRecord,
    FallenReservation,
    Impact,
    RefusedLease,
    Rehearsal,
)
from ipam_core.model.lease import lease_id
from ipam_core.model.values import encode_value
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.services.entity.touched import Touched
from ipam_core.services.entity.write_batch import Batch, naming_conflicts

SQL = queries.load("impact")

T = TypeVar("T")
Keys = list[tuple[int, Any]]


async def rehearse_one(
    connection: Connection, actor: Actor, status: int, work: Callable[[Actor], Awaitable[Any]]
) -> Rehearsal:
    """Rehearse a single write, which `status` would answer. Raises what the write does."""
    batch = Batch(actor)

    async def write() -> Any:
        done = await work(msgspec.structs.replace(actor, batch=batch))
        await batch.finish(connection)
        return done

    async with naming_conflicts(connection, {}):
        body, impact = await rehearse(connection, batch, write)
    return Rehearsal(status=status, body=body, impact=impact)


async def rehearse(
    connection: Connection, batch: Batch, work: Callable[[], Awaitable[T]]
) -> tuple[T, Impact]:
    """Return the result of the work and its effects; afterwards it has not been done."""
    batch.touched = touched = Touched()
    whole = connection.transaction()
    await whole.start()
    try:
        change = connection.transaction()
        await change.start()
        try:
            done = await work()
            after = {key_of(row): row for row in await refused(connection, touched)}
        finally:
            await change.rollback()
        before = {key_of(row) for row in await refused(connection, touched, list(after))}
        lost = [row for key, row in after.items() if key not in before]
        return done, await impact_of(connection, touched, lost)
    finally:
        await whole.rollback()


async def refused(connection: Connection, touched: Touched, among: Keys | None = None) -> list[Row]:
    """Return leases that would not be renewed by the plan as it stands, where it was touched; or of these alone."""
    if among == [] or not (touched.subnets or touched.tenants):
        return []
    rows = SQL.refused(
        connection,
        subnets=list(touched.subnets),
        tenants=list(touched.tenants),
        owners=[tenant_no for tenant_no, _ in among or ()],
        addresses=None if among is None else [ip for _, ip in among],
    )
    return [row async for row in rows]


def key_of(row: Row) -> tuple[int, Any]:
    return row["tenant_no"], row["ip"]


async def impact_of(connection: Connection, touched: Touched, lost: list[Row]) -> Impact:
    keys: Keys = [*map(key_of, lost), *touched.hosts]
    withdrawn = [FallenRecord(**row) async for row in bindings(connection, keys, touched.nameless)]
    deleted = [record(each) for each in touched.deleted["dns_record"]]
    return Impact(
        leases=Counted(len(lost), [lease(row) for row in lost[:SHOWN]]),
        reservations=Counted(
            touched.counts["reservation"], list(shown(touched.deleted["reservation"], FallenReservation))
        ),
        records=Counted(touched.counts["dns_record"] + len(withdrawn), (deleted + withdrawn)[:SHOWN]),
    )


def bindings(connection: Connection, hosts: Keys, subnets: set[int]) -> AsyncIterator[Row]:
    """Return what DNS has of these hosts and of all hosts in these subnets."""
    found: AsyncIterator[Row] = SQL.bindings(
        connection,
        owners=[tenant_no for tenant_no, _ in hosts],
        addresses=[ip for _, ip in hosts],
        subnets=list(subnets),
    )
    return found


def lease(row: Row) -> RefusedLease:
    fields = {name: encode_value(row[name]) for name in RefusedLease.__struct_fields__ if name != "id"}
    return RefusedLease(id=lease_id(*key_of(row)), **fields)


def record(deleted: Any) -> FallenRecord:
    return FallenRecord(name=deleted.fqdn, type=deleted.type, data=deleted.data, source=deleted.source)


def shown(models: Iterable[Any], kind: type[T]) -> Iterable[T]:
    names: Mapping[str, Any] = kind.__struct_fields__  # type: ignore[attr-defined]  # of a struct
    return (kind(**{name: getattr(model, name) for name in names}) for model in models)
