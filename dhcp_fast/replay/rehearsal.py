"""Rehearsal of each client's next lease, by the engine's own decisions, on an engine of its own.

The engine has the whole plan and every lease, like a server after its start. Nothing is sent and
nothing is written; an address offered to one client counts as leased for the next ones. Live leases
are never imported from another server, so a client that renews is refused and restarts with a
DISCOVER (specification 1.6); that is rehearsed for it.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Network
from typing import NamedTuple

import msgspec
from asyncpg import Connection

from dhcp_fast.database.leases.lease_feed import LeaseFeed
from dhcp_fast.database.plan import plan_rows
from dhcp_fast.database.plan.plan_reader import CompiledPlan, Reader, own_relays, set_relays
from dhcp_fast.engine.configure import protect, set_switches
from dhcp_fast.engine.engine import Engine, boot_clock
from dhcp_fast.engine.explain import explain
from dhcp_fast.engine.rehearse import hold_offer
from dhcp_fast.packets.dissect import Message, dissect
from dhcp_fast.packets.message4 import END, MESSAGE_TYPE, NOWHERE, REQUESTED_ADDRESS, SERVER_ID, MessageType
from dhcp_fast.packets.question import COOKIE, option
from dhcp_fast.replay.conversations import Asked, Conversation
from ipam_core.settings import Settings

SERVER = IPv4Address("192.0.2.67")
NOBODY = 0
HEADER, CIADDR, FILES = 236, slice(12, 16), slice(44, 236)
OVERLOAD = 52
LONGEST_PACKET = 2048

RENEWS = (
    "it renews a lease that is not imported, and gets NAK; shown is the answer to the DISCOVER that follows"
)
UNANSWERED = (
    "it renews a lease that is not imported, and gets no answer; shown is the answer to a DISCOVER later on"
)
WITHOUT_DISCOVER = "its DISCOVER is not in the capture; one was added"
KNOWN = "its lease exists here and is renewed"
NO_WIRE = "the capture does not show its network (no relay, no address): set it with --network"


class Given(NamedTuple):
    """`reply`: our answer.

    `drop`: the reason of silence. `note`: the message in place of the capture's request.
    """

    reply: Message | None
    drop: str | None = None
    note: str | None = None


class Rehearsal:
    """An engine, with an interface number that no machine has for each subnet."""

    def __init__(self, settings: Settings, plan: CompiledPlan, network: IPv4Network | None) -> None:
        self.engine = Engine(plan.hash_key)
        unlimited = msgspec.structs.replace(settings, dhcp4_client_rate=0, dhcp4_relay_rate=0)
        protect(self.engine, unlimited)
        self.network = network
        self.wires = wires_of(plan)
        for no, compiled in plan.subnets.items():
            self.engine.put_subnet(compiled.view, compiled.relay_addresses, (), bound=(no,))
        if settings.dhcp4_option82_interfaces:  # a capture does not show which of them it is
            set_switches(self.engine, list(self.wires.values()))
        relays = plan.relays + own_relays(settings)
        set_relays(self.engine, relays, plan.default_tenant, plan.tenants)

    @classmethod
    async def prepare(
        cls, connection: Connection, settings: Settings, network: IPv4Network | None
    ) -> "Rehearsal":
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            plan = Reader(await plan_rows.read_rows(connection, None)).compile()
            made = cls(settings, plan, network)
            await LeaseFeed(made.engine, NOBODY).load(connection)
        made.engine.note_plan_read(boot_clock())
        made.engine.note_feed_read(boot_clock())
        return made

    def give(self, client: Conversation) -> Given:
        """Return the answer to the client's most informative request."""
        wire = self.wire(client)
        if client.giaddr == NOWHERE and not wire:
            return Given(None, "not_served_here", NO_WIRE)
        if discover := client.request(MessageType.DISCOVER):
            return self.offer(discover.octets, wire, None)
        if request := client.request(MessageType.REQUEST):
            return self.give_to_request(request, wire)
        asked = client.request(0, MessageType.INFORM)
        assert asked is not None
        return self.offer(asked.octets, wire, None)

    def give_to_request(self, request: Asked, wire: int) -> Given:
        message = request.message
        if message.value(SERVER_ID):
            return self.offer(discover_of(request), wire, WITHOUT_DISCOVER)
        found = explain(self.engine, request.octets, int(SERVER), wire, rehearses=True)
        reply = dissect(found["reply"] or b"")
        if reply is not None and reply.kind == MessageType.ACK:
            return Given(reply, None, KNOWN)
        return self.offer(discover_of(request), wire, RENEWS if reply else UNANSWERED)

    def offer(self, octets: bytes, wire: int, note: str | None) -> Given:
        if len(octets) > LONGEST_PACKET:
            return Given(None, "too_long", note)
        found = explain(self.engine, octets, int(SERVER), wire, rehearses=True)
        reply = dissect(found["reply"] or b"")
        if reply is not None and reply.yiaddr != NOWHERE:
            hold_offer(self.engine)
        return Given(reply, found["drop"], note)

    def wire(self, client: Conversation) -> int:
        """Return the wire of a client without relay: where the addresses lie that it was given or names, else the
        network named by the operator."""
        if client.giaddr != NOWHERE:
            return 0
        for address in client.addresses():
            if interface := next(
                (interface for network, interface in self.wires.items() if address in network), 0
            ):
                return interface
        return self.wires.get(self.network, 0) if self.network else 0


def wires_of(plan: CompiledPlan) -> dict[IPv4Network | IPv6Network, int]:
    """Return the wires. Each subnet has a wire of its number. Where tenants share a network it stands for the default
    tenant's."""
    default_last = sorted(
        plan.subnets.items(), key=lambda found: found[1].view.span[0] == plan.default_tenant
    )
    return {compiled.network: no for no, compiled in default_last}


def discover_of(request: Asked) -> bytes:
    """Return the DISCOVER with which the client restarts: its REQUEST without the options of a REQUEST."""
    header = bytearray(request.octets[:HEADER])
    header[CIADDR] = bytes(4)
    header[FILES] = bytes(192)
    told = dict(request.message.options or {})
    for code in (REQUESTED_ADDRESS, SERVER_ID, OVERLOAD):
        told.pop(code, None)
    told[MESSAGE_TYPE] = bytes([MessageType.DISCOVER])
    return bytes(header) + COOKIE + b"".join(option(code, data) for code, data in told.items()) + bytes([END])
