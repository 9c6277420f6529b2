"""Explanation of what the DHCPv6 server would do with a client, and why.

The engine's own decision refuses a lease that the cache has for another client. Another server's
write of the last moment, which only the database would refuse, is unknown here.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from ipaddress import IPv6Address
from typing import Any

from asyncpg import Connection

from dhcp_fast.database.leases.lease_feed import LeaseFeed
from dhcp_fast.database.leases.recollection import Owner, read_recalled
from dhcp_fast.database.leases.tenures import read_holders
from dhcp_fast.database.plan import plan_rows
from dhcp_fast.database.plan.class_decisions import explained_classes
from dhcp_fast.database.plan.in_use import in_use_notes
from dhcp_fast.database.plan.plan_loader import new_engine
from dhcp_fast.database.plan.plan_reader6 import Reader6
from dhcp_fast.database.plan.tenant_decisions import entry_id, explained_tenant, set_visible_relays
from dhcp_fast.engine.configure import server_id, set_server_id
from dhcp_fast.engine.engine import Engine, boot_clock
from dhcp_fast.engine.explain6 import explain6 as decide
from dhcp_fast.explained_options import left_out, moment_of
from dhcp_fast.packets import message6
from dhcp_fast.packets.message6 import ASSOCIATIONS, CLIENT_ID, IA_PD, SERVER_ID, Message, MessageType
from dhcp_fast.packets.question6 import packet6
from ipam_core.db import queries
from ipam_core.dhcp.describe import describe
from ipam_core.dhcp.message_types import STATUS_CODES6
from ipam_core.dhcp.reasons import of_drop
from ipam_core.model.explain import ExplainedLease
from ipam_core.model.explain6 import (
    ExplainedAssociation,
    ExplainedBinding,
    ExplainedOption6,
    ExplainedReservation6,
    ExplainedSubnet6,
    Explanation6,
    Question6,
)
from ipam_core.model.lease import STATES, lease_id
from ipam_core.settings import Settings

SQL = queries.load("explain")
NOBODY = 0
STATUS_CODE = 13
OWN = (*ASSOCIATIONS, CLIENT_ID, SERVER_ID, STATUS_CODE)


async def explain6(
    connection: Connection, settings: Settings, tenant_no: int | None, question: Question6
) -> Explanation6:
    """Explain the answer to a question that was checked. `tenant_no` limits what is seen to one tenant's plan."""
    found = SQL.find_subnets6(
        connection,
        link=question.link_address,
        interface_id=question.interface_id,
        tenant_no=tenant_no,
    )
    numbers = [row["no"] async for row in found]
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        reader = Reader6(await plan_rows.read_rows(connection, numbers, 6))
        engine = await prepare(connection, settings, reader)
        set_visible_relays(engine, reader, settings, tenant_no)
        data = packet6(question, server_id(engine))
        ask = partial(decide, engine, data, int(question.relay or question.link_address))
        decided = await decide_by_rows(connection, ask)
        decided["left_out"] = engine.counters()["options_left_out"]
        return await Report6(connection, reader, decided).write()


async def decide_by_rows(connection: Connection, ask: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    """Ask the engine, and again with the rows on which the answer depends."""
    decided = ask()
    if "recalls" in decided:
        tenant_no, address, *client = decided["recalls"]
        owner = Owner(tenant_no, IPv6Address(address), *client)
        ask = partial(ask, recalled=(await read_recalled(connection, [owner]))[0])
        decided = ask()
    if "looks_up" in decided:
        key = row_key(*decided["looks_up"])
        decided = ask(holder=(await read_holders(connection, [key]))[key])
    return decided


def row_key(tenant_no: int, address: int) -> tuple[int, IPv6Address]:
    return tenant_no, IPv6Address(address)


async def prepare(connection: Connection, settings: Settings, reader: Reader6) -> Engine:
    """Return an engine that knows these subnets and who leases what there."""
    plan = reader.compile()
    engine = new_engine(plan.hash_key, settings, 6)
    set_server_id(engine, plan.server_duid)
    engine.set_linkless(plan.linkless)
    feed = LeaseFeed(engine, NOBODY)
    await feed.read_position(connection)
    for compiled in plan.subnets.values():
        engine.put_subnet(compiled.view, compiled.relay_addresses, ())
    await feed.read_subnets(connection, plan.subnets)
    engine.note_plan_read(boot_clock())
    engine.note_feed_read(boot_clock())
    return engine


class Report6:
    """Turns what the engine found into the plan's objects."""

    def __init__(self, connection: Connection, reader: Reader6, found: Mapping[str, Any]) -> None:
        self.connection = connection
        self.reader = reader
        self.found = found
        self.reply = reply_of(found["reply"])
        self.subnet = self.row("subnets", found.get("subnet"))
        self.tenant_no = self.subnet["tenant_no"] if self.subnet else None
        self.classes = reader.classes.get(self.tenant_no, []) if self.tenant_no else []

    def row(self, table: str, no: int | None) -> Mapping[str, Any] | None:
        return next((row for row in self.reader.rows[table] if row["no"] == no), None)

    async def write(self) -> Explanation6:
        drop = self.found["drop"]
        associations = list(self.associations())
        return Explanation6(
            outcome=self.outcome,
            drop_reason=drop,
            reason=of_drop(drop, 6) if drop else why(associations),
            status=status_of(self.reply) if self.reply else None,
            relay_trusted=self.found["entry"] is not None,
            trusted_relay_id=entry_id(self.reader, self.found["entry"]),
            tenant=explained_tenant(self.reader, self.found),
            subnet=self.explained_subnet(),
            classes=explained_classes(self.classes, self.found.get("classes", ())),
            reservation=await self.reservation(),
            leases=list(self.leases()),
            associations=associations,
            options=list(self.options()),
            notes=[
                *in_use_notes(self.reader.in_use(self.subnet["no"]) if self.subnet else ()),
                *left_out(6, self.found["left_out"]),
            ],
        )

    @property
    def outcome(self) -> Any:
        if self.reply is None:
            return "dropped"
        return "advertise" if self.reply.kind == MessageType.ADVERTISE else "reply"

    def explained_subnet(self) -> ExplainedSubnet6 | None:
        if self.subnet is None:
            return None
        tenant = self.row("tenants", self.tenant_no)
        assert tenant is not None
        return ExplainedSubnet6(
            id=str(self.subnet["id"]),
            cidr=str(self.subnet["cidr"]),
            name=self.subnet["name"],
            tenant_id=str(tenant["id"]),
            dhcp_enabled=self.subnet["dhcp_enabled"],
        )

    async def reservation(self) -> ExplainedReservation6 | None:
        """Return the reservation: the engine knows a reservation by its index in the list of its subnet."""
        if "reservation" not in self.found:
            return None
        subnet_no, index = self.found["reservation"]
        row = self.reader.rows["reservations"][subnet_no][index]
        told = await SQL.read_reservation6(self.connection, no=row["no"])
        return ExplainedReservation6(
            id=str(told["id"]),
            ip=None if told["ip"] is None else str(told["ip"]),
            prefix=None if told["prefix"] is None else str(told["prefix"]),
            excluded_prefix=None if told["excluded_prefix"] is None else str(told["excluded_prefix"]),
            hostname=told["hostname"],
        )

    def leases(self) -> Iterable[ExplainedLease]:
        for number, state, expires in self.found.get("leases", ()):
            address = IPv6Address(number)
            assert self.tenant_no is not None
            yield ExplainedLease(
                id=lease_id(self.tenant_no, address),
                ip=str(address),
                state=STATES[state],
                expires_at=moment_of(expires),
            )

    def associations(self) -> Iterable[ExplainedAssociation]:
        for ia in self.reply.associations if self.reply else ():
            yield ExplainedAssociation(
                kind="pd" if ia.kind == IA_PD else "na",
                iaid=ia.iaid,
                t1=ia.t1,
                t2=ia.t2,
                bindings=[self.binding(lease) for lease in ia.leases],
                status=status_of(ia),
            )

    def binding(self, lease: message6.Lease) -> ExplainedBinding:
        pool = self.row("pools", self.found.get("pools", {}).get(int(lease.address)))
        return ExplainedBinding(
            address=str(lease.address) if lease.length == 128 else str(lease.network),
            preferred_lifetime_seconds=lease.preferred,
            valid_lifetime_seconds=lease.valid,
            pool_id=None if pool is None else str(pool["id"]),
            excluded_prefix=None if lease.excluded is None else str(lease.excluded),
        )

    def options(self) -> Iterable[ExplainedOption6]:
        for code, data in self.reply.options if self.reply else ():
            if code not in OWN:
                yield ExplainedOption6(code=code, text=describe(6, code, data), hex=data.hex())


def reply_of(octets: bytes) -> Message | None:
    return message6.opened(message6.read(octets))[1] if octets else None


def status_of(of: message6.Optioned) -> str | None:
    if of.value(STATUS_CODE) is None:
        return None
    code, _ = of.status
    return str(STATUS_CODES6.get(code, code))


def why(associations: list[ExplainedAssociation]) -> str:
    """Return what is given in words, or of each association why nothing is."""
    given = [b.address for ia in associations for b in ia.bindings if b.valid_lifetime_seconds]
    if given:
        return f"the server would give {', '.join(given)}"
    refused = sorted({ia.status for ia in associations if ia.status})
    return (
        f"the server would answer {', '.join(refused)}"
        if refused
        else "the server would answer with options only"
    )
