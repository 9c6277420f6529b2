"""Rehearsal of each DHCPv6 client's next lease, by the engine's own decisions; see rehearsal.py.

Messages to the capture's server contain its DUID and would be ignored here: they are rehearsed as
messages to us. A client that renews an unknown lease gets NoBinding and restarts; that is rehearsed
for it.
"""

from collections.abc import Iterable, Mapping
from ipaddress import IPv6Address, IPv6Network
from typing import Any

import msgspec
from asyncpg import Connection

from dhcp_fast.database.leases.lease_feed import LeaseFeed
from dhcp_fast.database.plan import plan_rows
from dhcp_fast.database.plan.plan_loader import new_engine
from dhcp_fast.database.plan.plan_reader import CompiledPlan, own_relays, set_relays
from dhcp_fast.database.plan.plan_reader6 import Reader6
from dhcp_fast.engine.configure import server_id, set_server_id
from dhcp_fast.engine.engine import boot_clock
from dhcp_fast.engine.explain6 import explain6
from dhcp_fast.engine.rehearse import hold_leases6
from dhcp_fast.packets import message6
from dhcp_fast.packets.message6 import (
    ASSOCIATIONS,
    RELAY_MESSAGE,
    SERVER_ID,
    Message,
    MessageType,
    Option,
    opened,
    read,
)
from dhcp_fast.replay.conversations6 import REBIND, RENEW, REQUEST, SOLICIT, Asked6, Conversation6
from dhcp_fast.replay.rehearsal import wires_of
from ipam_core.settings import Settings

NOBODY = 0
ACTIVE = "a"
LONGEST_PACKET = 2048

RENEWS = "it renews a lease that is not imported, and gets NoBinding; shown is the answer to the SOLICIT that follows"
WITHOUT_SOLICIT = "its SOLICIT is not in the capture; one was added"
KNOWN = "its lease exists here and is renewed"
NO_WIRE = "the capture does not show its network (no relay, no address): set it with --network"


class Given6(msgspec.Struct, frozen=True):
    """`reply`: our answer.

    `drop`: the reason of silence. `note`: the message in place of the capture's message.
    """

    reply: Message | None
    drop: str | None = None
    note: str | None = None


class Rehearsal6:
    """An engine, with an interface number that no machine has for each subnet."""

    def __init__(self, settings: Settings, plan: CompiledPlan, network: IPv6Network | None) -> None:
        unlimited = msgspec.structs.replace(settings, dhcp4_client_rate=0, dhcp4_relay_rate=0)
        self.engine = new_engine(plan.hash_key, unlimited, 6)
        set_server_id(self.engine, plan.server_duid)
        self.network = network
        self.wires = wires_of(plan)
        for no, compiled in plan.subnets.items():
            self.engine.put_subnet(compiled.view, compiled.relay_addresses, (), bound=(no,))
        self.engine.set_linkless(plan.linkless)
        relays = plan.relays + own_relays(settings, 6)
        set_relays(self.engine, relays, plan.default_tenant, plan.tenants)

    @classmethod
    async def prepare(
        cls, connection: Connection, settings: Settings, network: IPv6Network | None
    ) -> "Rehearsal6":
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            plan = Reader6(await plan_rows.read_rows(connection, None, 6)).compile()
            made = cls(settings, plan, network)
            await LeaseFeed(made.engine, NOBODY).load(connection)
        made.engine.note_plan_read(boot_clock())
        made.engine.note_feed_read(boot_clock())
        return made

    def give(self, client: Conversation6) -> Given6:
        """Return the answer to the client's most informative message."""
        wire = self.wire(client)
        if not wire and not any(asked.envelopes for asked in client.asked.values()):
            return Given6(None, "not_served_here", NO_WIRE)
        if solicit := client.request(SOLICIT):
            return self.answer(solicit, wire, solicit.message.options)
        if request := client.request(REQUEST):
            return self.begin_anew(request, wire, WITHOUT_SOLICIT)
        if renewal := client.request(RENEW, REBIND):
            return self.renew(renewal, wire) or self.begin_anew(renewal, wire, RENEWS)
        asked = client.request(MessageType.INFORMATION_REQUEST)
        assert asked is not None
        return self.answer(asked, wire, without(asked, SERVER_ID), asked.message.kind)

    def renew(self, asked: Asked6, wire: int) -> Given6 | None:
        """Return None where the database knows no such lease of the client: its word on the row is asked for in vain
        here."""
        found = self.decide(asked, wire, self.to_us(asked), asked.message.kind)
        known = {address for address, state, _ in found.get("leases", ()) if state == ACTIVE}
        given = {address for _, address, _ in found.get("given", ())}
        return self.held(found, KNOWN) if given and given <= known else None

    def begin_anew(self, asked: Asked6, wire: int, note: str) -> Given6:
        """Begin by a SOLICIT: the same associations, without the leases that another server gave."""
        empty = [message6.association(ia.kind, ia.iaid) for ia in asked.message.associations]
        said = without(asked, SERVER_ID, *ASSOCIATIONS)
        return self.answer(asked, wire, [*said, *empty], note=note)

    def to_us(self, asked: Asked6) -> list[Option]:
        """Return the message: REBIND names no server, RENEW the one that answers."""
        said = without(asked, SERVER_ID)
        return said if asked.message.kind == REBIND else [*said, (SERVER_ID, server_id(self.engine))]

    def answer(
        self,
        asked: Asked6,
        wire: int,
        options: Iterable[Option],
        kind: int = SOLICIT,
        note: str | None = None,
    ) -> Given6:
        return self.held(self.decide(asked, wire, options, kind), note)

    def held(self, found: Mapping[str, Any], note: str | None) -> Given6:
        """Return what was decided, and from now on taken."""
        hold_leases6(self.engine, found.get("given", ()))
        _, reply = opened(read(found["reply"])) if found["reply"] else (None, None)
        return Given6(reply, found["drop"], note)

    def decide(self, asked: Asked6, wire: int, options: Iterable[Option], kind: int) -> Mapping[str, Any]:
        """Decide as explain6 has it, of a message with these options that comes by the same way."""
        octets = message6.message(kind, asked.message.xid, options)
        for envelope in reversed(asked.envelopes):
            said = [(code, data) for code, data in envelope.options if code != RELAY_MESSAGE]
            octets = message6.relay_forward(
                octets, link=envelope.link, peer=envelope.peer, hops=envelope.hops, options=said
            )
        if len(octets) > LONGEST_PACKET:
            return {"drop": "too_long", "reply": b""}
        interface = 0 if asked.envelopes else wire
        return explain6(self.engine, octets, int(asked.source), interface=interface, rehearses=True)

    def wire(self, client: Conversation6) -> int:
        """Return the wire of a client without relay: where the addresses lie that it was given or names, else the
        network named by the operator."""
        for address in client.addresses():
            if interface := self.wire_at(address):
                return interface
        return self.wires.get(self.network, 0) if self.network else 0

    def wire_at(self, address: IPv6Address) -> int:
        return next((interface for network, interface in self.wires.items() if address in network), 0)


def without(asked: Asked6, *codes: int) -> list[Option]:
    return [(code, data) for code, data in asked.message.options if code not in codes]
