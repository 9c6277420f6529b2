"""Explanation of what the DHCP server would do with a client, and why.

The question becomes a DISCOVER; an engine of its own gets the part of the plan and the leases that the packet can
meet, decides it, and is thrown away. Nothing is sent and nothing is written. The numbers that the engine answers
in are turned back into the plan's objects here.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from ipaddress import IPv4Address
from typing import Any

from asyncpg import Connection

from dhcp_fast.database.leases.lease_feed import LeaseFeed
from dhcp_fast.database.leases.recollection import Owner, Recalled, read_recalled
from dhcp_fast.database.leases.tenures import Holder, read_holders
from dhcp_fast.database.plan import plan_rows
from dhcp_fast.database.plan.class_decisions import explained_classes
from dhcp_fast.database.plan.in_use import in_use_notes
from dhcp_fast.database.plan.plan_reader import CompiledPlan, Reader
from dhcp_fast.database.plan.served_links import Wire, find_wire
from dhcp_fast.database.plan.tenant_decisions import entry_id, explained_tenant, set_visible_relays
from dhcp_fast.engine.configure import protect
from dhcp_fast.engine.engine import Engine, boot_clock
from dhcp_fast.engine.explain import explain as decide
from dhcp_fast.explain6 import explain6
from dhcp_fast.explained_options import left_out, moment_of, without_default
from dhcp_fast.packets.dissect import dissect, text
from dhcp_fast.packets.question import SERVER_ID, packet
from ipam_core.db import queries
from ipam_core.dhcp import kinds, registry
from ipam_core.dhcp.describe import describe
from ipam_core.dhcp.reasons import of_drop
from ipam_core.model.explain import (
    ExplainedLease,
    ExplainedOption,
    ExplainedPool,
    ExplainedRelay,
    ExplainedReservation,
    ExplainedSubnet,
    Explanation,
    Question,
    Scope,
)
from ipam_core.model.explain6 import Explanation6, Question6
from ipam_core.model.lease import STATES, lease_id
from ipam_core.settings import Settings

SQL = queries.load("explain")
INTERFACE = 1
NOBODY = 0
OUTCOMES = {2: "offer", 5: "ack", 6: "nak"}
ROUTERS, SERVER_NAME, BOOT_FILE = 3, 66, 67
SNAME_OCTETS = 64
SUBNET_SELECTION = 118


async def explain(
    connection: Connection, settings: Settings, tenant_no: int | None, question: Question | Question6
) -> Explanation | Explanation6:
    """Explain the answer to a question of either family that was checked. `tenant_no` limits what is seen to one
    tenant's plan."""
    if isinstance(question, Question6):
        return await explain6(connection, settings, tenant_no, question)
    wire = await find_wire(connection, question)
    data = packet(question, wire.server)
    numbers = [row["no"] async for row in find_subnets(connection, tenant_no, question, wire)]
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        reader = Reader(await plan_rows.read_rows(connection, numbers), dict.fromkeys(wire.names, INTERFACE))
        plan = reader.compile()
        engine = await prepare(connection, plan, wire)
        protect(engine, settings)
        set_visible_relays(engine, reader, settings, tenant_no)
        ask = partial(
            decide,
            engine,
            data,
            int(wire.server),
            0 if question.relay else INTERFACE,
            broadcast=question.message == "rebind" and question.relay is None,
            sender=None if question.source is None else int(question.source),
        )
        found = ask()
        if "recalls" in found:
            ask = partial(ask, recalled=await read_row(connection, *found["recalls"]))
            found = ask()
        if "looks_up" in found:
            found = ask(holder=await read_holder(connection, *found["looks_up"]))
        found["left_out"] = engine.counters()["options_left_out"]
        return await Report(connection, reader, question, wire, found).write()


def find_subnets(connection: Connection, tenant_no: int | None, question: Question, wire: Wire) -> Any:
    said = (question.relay, question.link_selection, question.ciaddr, selected_subnet(question))
    addresses = [a for a in (*said, *wire.addresses) if a is not None]
    return SQL.find_subnets(connection, addresses=addresses, interfaces=list(wire.names), tenant_no=tenant_no)


async def read_row(connection: Connection, tenant_no: int, address: int, *client: Any) -> Recalled:
    """Return what the row of the client's lease at the address holds, as the server would read it."""
    return (await read_recalled(connection, [Owner(tenant_no, IPv4Address(address), *client)]))[0]


async def read_holder(connection: Connection, tenant_no: int, address: int) -> Holder:
    """Return whose the lease at a reserved address is, as the server would read it."""
    key = tenant_no, IPv4Address(address)
    return (await read_holders(connection, [key]))[key]


def selected_subnet(question: Question) -> IPv4Address | None:
    """Return Option 118 (RFC 3011); one of another length is for the codec to refuse."""
    for sent in question.options:
        if sent.code == SUBNET_SELECTION:
            data = kinds.encode(registry.resolve(4, SUBNET_SELECTION), sent.payload)
            return IPv4Address(data) if len(data) == 4 else None
    return None


async def prepare(connection: Connection, plan: CompiledPlan, wire: Wire) -> Engine:
    """Return an engine that knows these subnets and who leases what there."""
    engine = Engine(plan.hash_key)
    feed = LeaseFeed(engine, NOBODY)
    await feed.read_position(connection)
    for compiled in plan.subnets.values():
        bound = (INTERFACE,) if compiled.interface in wire.names else ()
        by_address = (INTERFACE,) if not bound and wire.is_in(compiled.network) else ()
        engine.put_subnet(compiled.view, compiled.relay_addresses, by_address, bound=bound)
    for compiled in plan.subnets.values():
        await feed.read_subnet(connection, *compiled.view.span)
    engine.note_plan_read(boot_clock())
    engine.note_feed_read(boot_clock())
    return engine


class Report:
    """Turns what the engine found into the plan's objects."""

    def __init__(
        self,
        connection: Connection,
        reader: Reader,
        question: Question,
        wire: Wire,
        found: Mapping[str, Any],
    ) -> None:
        self.connection = connection
        self.rows = reader.rows
        self.reader = reader
        self.question = question
        self.wire = wire
        self.found = found
        self.reply: bytes = found["reply"] or b""
        self.message = dissect(self.reply)
        self.options: dict[int, bytes] = (self.message and self.message.options) or {}
        self.subnet = self.row("subnets", found.get("subnet"))
        self.tenant_no = self.subnet["tenant_no"] if self.subnet else None
        self.classes = reader.classes.get(self.tenant_no, []) if self.tenant_no else []

    def row(self, table: str, no: int | None) -> Mapping[str, Any] | None:
        return next((row for row in self.rows[table] if row["no"] == no), None)

    async def write(self) -> Explanation:
        drop = self.found["drop"]
        reservation = await self.reservation()
        return Explanation(
            outcome=self.outcome,
            drop_reason=drop,
            reason=of_drop(drop) if drop else self.why(),
            relay=self.relay(),
            tenant=explained_tenant(self.reader, self.found),
            subnet=self.explained_subnet(),
            classes=explained_classes(
                self.classes, self.found.get("classes", ()), self.wire.names[0] if self.wire.names else None
            ),
            reservation=reservation,
            leases=list(self.leases()),
            address=str(self.address) if self.gives else None,
            address_from=self.address_from(reservation) if self.gives else None,
            pool=self.pool(),
            next_server=self.next_server(),
            server_name=self.server_name or None,
            boot_file=self.boot_file or None,
            options=[
                self.option(code, data, reservation)
                for code, data in self.options.items()
                if code != SERVER_ID or self.wire.is_known
            ],
            notes=[*self.wire.notes, *self.notes()],
        )

    def notes(self) -> Iterable[str]:
        yield from in_use_notes(self.reader.in_use(self.subnet["no"]) if self.subnet else ())
        if self.reply and not self.wire.is_known:
            yield "option 54 (dhcp-server-identifier) is not shown: it is the address of the receiving server"
        if self.server_name and not any(self.reply[20:24]):
            yield (
                f"{self.server_name} is sent by name only: in sname, and in option 66 on request or if it is too long. "
                "siaddr is empty, so clients that need an address do not find it"
            )
        yield from left_out(4, self.found["left_out"])
        if ROUTERS in self.options or (self.subnet and self.subnet["gateway"]):
            yield from without_default(self.options)

    @property
    def address(self) -> IPv4Address:
        return IPv4Address(self.reply[16:20])

    @property
    def outcome(self) -> Any:
        return OUTCOMES[self.message.kind] if self.message else "dropped"

    @property
    def gives(self) -> bool:
        return self.outcome in ("offer", "ack")

    def why(self) -> str:
        if self.outcome == "offer" and self.found.get("pinged"):
            return f"the server would ping {self.address} first, and offer it if there is no answer"
        if self.outcome == "nak":
            return f"the server would refuse {self.question.ciaddr or self.question.requested_ip}"
        return f"the server would {'offer' if self.outcome == 'offer' else 'confirm'} {self.address}"

    def relay(self) -> ExplainedRelay | None:
        if self.question.relay is None or self.question.message == "renew":
            return None
        entry = self.found.get("entry")
        return ExplainedRelay(
            address=str(self.question.relay),
            trusted=entry is not None,
            trusted_relay_id=entry_id(self.reader, entry),
        )

    def explained_subnet(self) -> ExplainedSubnet | None:
        if self.subnet is None:
            return None
        tenant = self.row("tenants", self.tenant_no)
        assert tenant is not None
        return ExplainedSubnet(
            id=str(self.subnet["id"]),
            cidr=str(self.subnet["cidr"]),
            name=self.subnet["name"],
            tenant_id=str(tenant["id"]),
            dhcp_enabled=self.subnet["dhcp_enabled"],
            chosen_by=self.chosen_by(self.subnet),
        )

    def chosen_by(self, subnet: Mapping[str, Any]) -> Any:
        if self.question.message == "renew":
            return "ciaddr"
        if not self.is_entry(subnet):
            return "shared_network"
        if self.question.link_selection is not None:
            return "link_selection"
        if selected_subnet(self.question) is not None:
            return "subnet_selection"
        if self.question.relay is not None:
            named = str(self.question.relay) in map(str, subnet["relay_addresses"])
            return "relay_addresses" if named else "relay"
        return "interface" if subnet["interface"] in self.wire.names else "interface_address"

    def is_entry(self, subnet: Mapping[str, Any]) -> bool:
        """Return whether the packet's own facts name this subnet, not only one that shares its wire."""
        selected = self.question.link_selection or selected_subnet(self.question)
        facts = (selected or self.question.relay, *self.wire.addresses)
        return subnet["interface"] in self.wire.names or any(
            a is not None and (a in subnet["cidr"] or str(a) in map(str, subnet["relay_addresses"]))
            for a in facts
        )

    async def reservation(self) -> ExplainedReservation | None:
        """Return the reservation: the engine knows a reservation by its index in the list of its subnet."""
        found = self.found.get("reservation")
        if found is None:
            return None
        subnet_no, index = found
        no = self.reader.rows["reservations"][subnet_no].number(index)
        row = await SQL.read_reservation(self.connection, no=no)
        return ExplainedReservation(
            id=str(row["id"]), ip=str(row["ip"]) if row["ip"] else None, hostname=row["hostname"]
        )

    def leases(self) -> Iterable[ExplainedLease]:
        for number, state, expires in self.found.get("leases", ()):
            address = IPv4Address(number)
            assert self.tenant_no is not None
            yield ExplainedLease(
                id=lease_id(self.tenant_no, address),
                ip=str(address),
                state=STATES[state],
                expires_at=moment_of(expires),
            )

    def address_from(self, reservation: ExplainedReservation | None) -> Any:
        text = str(self.address)
        if reservation is not None and reservation.ip == text:
            return "reservation"
        if any(number == int(self.address) for number, *_ in self.found.get("leases", ())):
            return "lease"
        return "requested_ip" if self.question.requested_ip == self.address else "pool"

    def pool(self) -> ExplainedPool | None:
        row = self.row("pools", self.found.get("pool"))
        if row is None:
            return None
        return ExplainedPool(
            id=str(row["id"]), name=row["name"], start_ip=str(row["start_ip"]), end_ip=str(row["end_ip"])
        )

    def next_server(self) -> str | None:
        siaddr = IPv4Address(self.reply[20:24] or 0)
        return str(siaddr) if int(siaddr) else self.server_name or None

    @property
    def server_name(self) -> str:
        """Server name in `sname`, or in option 66 if it is too long for that."""
        if self.message is None:
            return ""
        long = len(self.message.value(SERVER_NAME)) >= SNAME_OCTETS
        return text(self.message.value(SERVER_NAME)) if long else self.message.sname

    @property
    def boot_file(self) -> str:
        return (self.message.file or text(self.message.value(BOOT_FILE))) if self.message else ""

    def option(self, code: int, data: bytes, reservation: ExplainedReservation | None) -> ExplainedOption:
        scope = self.scope(code, data, reservation)
        return ExplainedOption(code=code, text=describe(4, code, data), hex=data.hex(), scope=scope)

    def scope(self, code: int, data: bytes, reservation: ExplainedReservation | None) -> Scope:
        """Return the scope.

        The subnet's set also contains the global options, after its own ones; the rows show which
        are its own.
        """
        kind, index = self.found.get("sources", {}).get(code, ("protocol", 0))
        if kind == "reservation" and reservation is not None:
            return Scope(type="reservation", id=reservation.id, name=reservation.hostname or reservation.ip)
        if kind == "class":
            row = self.classes[index]
            return Scope(type="class", id=str(row["id"]), name=row["name"])
        if kind == "pool" and (pool := self.pool()):
            return Scope(type="pool", id=pool.id, name=pool.name or f"{pool.start_ip}-{pool.end_ip}")
        if kind == "subnet" and self.subnet is not None:
            return self.subnet_scope(self.subnet, code, data)
        return Scope(type="protocol")

    def subnet_scope(self, subnet: Mapping[str, Any], code: int, data: bytes) -> Scope:
        shared = self.reader.compiled(("global", subnet["tenant_no"]), subnet["tenant_no"])
        own = self.reader.own_options(subnet)
        if not any(o[:2] == (code, data) for o in own) and any(o[:2] == (code, data) for o in shared):
            return Scope(type="global", name="global")
        return Scope(type="subnet", id=str(subnet["id"]), name=subnet["name"] or str(subnet["cidr"]))
