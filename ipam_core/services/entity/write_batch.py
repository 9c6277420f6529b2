"""Work that the writes of one transaction leave to its end: the addresses that they give to machines, the count under
the managed address limit, the limits of tenants, and what they changed.

A single write has a batch of its own; in a bulk all operations share one, which also remembers the subnets that they
have entered. The end is where the locks are taken for which others wait, the DHCP servers among them (see locks).
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg

from ipam_core.db import queries
from ipam_core.errors import Contended, ManagedAddressLimit
from ipam_core.model.actor import Actor
from ipam_core.model.values import Address
from ipam_core.services.entity import change_log, conflicts
from ipam_core.services.entity.change_log import Recorded
from ipam_core.services.entity.entity import Connection, Row, Write
from ipam_core.services.entity.taken_address import Given, refuse_in_the_way
from ipam_core.services.entity.tenant_limits import Made, refuse_excess
from ipam_core.services.entity.touched import Touched

SQL = queries.load("batch")


class Claim(NamedTuple):
    """An address that a machine is given. `must`: it is not if a client has a lease of it."""

    subnet_no: int
    must: bool


class Written(NamedTuple):
    """An object as the last operation on it left it: its row's values, by which what it meets is found."""

    entity: str
    operation: int
    values: Mapping[str, Any]


class Batch:
    """Batch of one transaction. `index`: of the operation under way, None if there is one only."""

    def __init__(self, actor: Actor, index: int | None = None) -> None:
        self.actor = actor
        self.index = index
        self.locked: dict[UUID, Row] = {}
        self.recorded: list[change_log.Written] = []
        self.claims: dict[tuple[int, Address], Claim] = {}
        self.given: list[Given] = []
        self.managed: list[int | None] = []
        self.made: list[Made] = []
        self.touched: Touched | None = None  # of a dry run
        # Of a bulk, by ids: the last operation that updates or deletes an object, the objects written until now, and
        # the checks that met something that a later operation may move, with their operations.
        self.changes: dict[str, int] = {}
        self.written: dict[str, Written] = {}
        self.latest: list[str] = []  # keys of rows that the current operation has written
        self.postponed: dict[str, tuple[int, Callable[[], Awaitable[None]]]] = {}

    def enter(self, index: int) -> None:
        """Begin an operation of a bulk."""
        self.index = index
        self.latest = []

    def note_written(self, entity: str, id_: UUID, values: Mapping[str, Any]) -> None:
        if self.index is not None:
            self.written[str(id_)] = Written(entity, self.index, values)
            self.latest.append(str(id_))

    def has(self, id_: str) -> bool:
        """Return whether an object is one of the request."""
        return id_ in self.changes or id_ in self.written

    def gone(self, id_: str) -> None:
        self.written.pop(id_, None)
        self.postponed.pop(id_, None)

    def postpone(self, write: Write, holder: Any, check: Callable[[], Awaitable[None]]) -> bool:
        """Return whether an operation that is still to come updates or deletes the holder; the check is then made at
        the end once more, unless the object is checked anew before."""
        if self.index is None or self.changes.get(str(holder), -1) <= self.index:
            return False
        self.postponed[str(write.id)] = self.index, check
        return True

    def checks_anew(self, write: Write) -> None:
        self.postponed.pop(str(write.id), None)

    def record(self, tenant_no: int | None, subnet_no: int | None, *recorded: Recorded) -> None:
        written = [change_log.Written(tenant_no, subnet_no, *each) for each in recorded]
        self.recorded += written
        if tenant_no is not None:
            self.made += [
                Made(tenant_no, each.object_type, self.index) for each in recorded if each.before is None
            ]
        if self.touched is not None:
            for each in written:
                self.touched.note(*each)

    def claim(self, write: Write, ip: Address, must: bool, refuse_taken: bool = False) -> None:
        """Claim an address, to be given to a machine at the end, when the lease table decides, and with it all that the
        subnet holds if that has not been looked at."""
        tenant_no, subnet_no = write.parent.tenant_no, write.parent.subnet_no
        assert tenant_no is not None
        assert subnet_no is not None
        self.claims[tenant_no, ip] = Claim(subnet_no, must)
        if refuse_taken:
            self.given.append(Given(tenant_no, subnet_no, ip, self.index))

    def forget(self, subnet_no: int) -> None:
        """Forget a subnet whose own row changes."""
        self.locked = {id_: row for id_, row in self.locked.items() if row["no"] != subnet_no}

    async def finish(self, connection: Connection) -> None:
        """Finish the transaction."""
        limit = self.actor.managed_address_limit if self.managed else 0
        if not (self.claims or limit):
            await self.finish_plainly(connection)
            return
        found = await SQL.finish_writes(
            connection,
            **change_log.columns(self.actor, self.recorded),
            **self.objects_made(),
            reserved_in=[each.subnet_no for each in self.given],
            reserved=[each.ip for each in self.given],
            given_by=[tenant_no for tenant_no, _ in self.claims],
            given_in=[claim.subnet_no for claim in self.claims.values()],
            given=[ip for _, ip in self.claims],
            managed_limit=limit or None,
        )
        refuse_in_the_way(self.given, found)
        self.check_claims(found["lost"] or [])
        refuse_excess(self.made, found)
        self.check_limit(found["excess"])

    async def finish_plainly(self, connection: Connection) -> None:
        """Finish a transaction that gives no address to a machine."""
        if not self.made:
            await self.tell(connection)
            return
        recorded = change_log.columns(self.actor, self.recorded)
        refuse_excess(self.made, await SQL.finish_plain_writes(connection, **recorded, **self.objects_made()))

    def objects_made(self) -> dict[str, Any]:
        """Return each tenant and kind of the objects made, once."""
        kinds = list(dict.fromkeys((each.tenant_no, each.kind) for each in self.made))
        return {"made_in": [tenant_no for tenant_no, _ in kinds], "made": [kind for _, kind in kinds]}

    async def tell(self, connection: Connection) -> None:
        """Record what has changed until now."""
        if self.recorded:
            await change_log.record_all(connection, self.actor, self.recorded)
            self.recorded = []

    def check_claims(self, lost: list[int]) -> None:
        """Check claims again: an address that was free a moment ago has got a lease; another attempt sees it."""
        claims = list(self.claims.values())
        if any(claims[position - 1].must for position in lost):
            raise Contended

    def check_limit(self, excess: int) -> None:
        """Check the limit; it refuses the last objects."""
        if excess > 0:
            error = ManagedAddressLimit(self.actor.managed_address_limit)
            index = self.managed[-min(excess, len(self.managed))]
            if index is not None:
                vars(error)["index"] = index
            raise error


@asynccontextmanager
async def writing(
    connection: Connection, actor: Actor, values: Mapping[str, Any], entity: str = ""
) -> AsyncIterator[Batch]:
    """Provide the transaction of one write, or one step of the batch under way. `values` are those of the row, by which
    the object in the way of a constraint is found."""
    batch: Batch | None = actor.batch
    if batch is None:
        batch = Batch(actor)
        async with naming_conflicts(connection, values), connection.transaction():
            yield batch
            await batch.finish(connection)
        return
    try:
        yield batch
    except asyncpg.IntegrityConstraintViolationError as error:
        vars(error).update(values=values, entity=entity)  # it is looked for when all is undone
        raise


@asynccontextmanager
async def naming_conflicts(connection: Connection, values: Mapping[str, Any]) -> AsyncIterator[None]:
    """Name conflicts outside the transaction: the object in the way can be looked up only after the rollback."""
    try:
        yield
    except asyncpg.IntegrityConstraintViolationError as error:
        conflict = await conflicts.explain(connection, error, vars(error).get("values", values))
        if conflict is None:
            raise
        raise conflict from None
