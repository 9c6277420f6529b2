"""Messages whose association names two leases, in every mix of what they are to it (RFC 8415 section 18.3).

What has to happen is oracle/decisions6.py's word. Rows are written before the server starts; each mix is a client of
its own.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from ipaddress import IPv6Address

import pytest
from engine6.serving6 import Relay, Servers, duid
from engine6.site6 import Site6, Subnet6, association_key
from oracle import packets6 as say
from oracle.decisions4 import Binding
from oracle.decisions6 import Ask, Kind, Outcome, Place, Together, decide, together
from oracle.message6 import Message
from oracle.options6 import IA_NA, IA_PD, Lease
from oracle.packets6 import Packet

STATUSES = {0: "", 2: "NoAddrsAvail", 3: "NoBinding", 4: "NotOnLink", 6: "NoPrefixAvail"}
RUNNING = {"expires_at": 600.0, "reuse_at": 610.0}
GONE = {"expires_at": -20.0, "reuse_at": -10.0}
PLAIN = [
    (Binding.OWN_ACTIVE, Place.POOL),
    (Binding.OWN_RELEASED, Place.POOL),
    (Binding.OTHERS_ACTIVE, Place.POOL),
    (Binding.NONE, Place.POOL),
]
STRANDED = [(Binding.OWN_ACTIVE, Place.WRONG_LINK), (Binding.NONE, Place.WRONG_LINK)]
ROWS = {
    Binding.OWN_ACTIVE: {"state": "a", **RUNNING},
    Binding.OTHERS_ACTIVE: {"state": "a", **RUNNING},
    Binding.OWN_RELEASED: {"state": "r", **GONE},
}
ASKS = [Ask.REQUEST, Ask.RENEW, Ask.REBIND, Ask.RELEASE, Ask.DECLINE]


@dataclass(frozen=True)
class Mix:
    """One client, the two leases that it names, and what they are to it."""

    client: bytes
    kind: Kind
    leases: tuple[IPv6Address, IPv6Address]
    cases: tuple[tuple[Binding, Place], tuple[Binding, Place]]

    def says(self, ask: Ask, server: bytes) -> Packet:
        words = {
            Ask.REQUEST: say.request,
            Ask.RENEW: say.renew,
            Ask.RELEASE: say.release,
            Ask.DECLINE: say.decline,
        }
        packet = say.rebind(self.client) if ask is Ask.REBIND else words[ask](self.client, server)
        length = 128 if self.kind is Kind.NA else 64
        return packet.association(self.code, 1, *(Lease(lease, length, 0, 0) for lease in self.leases))

    @property
    def code(self) -> int:
        return IA_NA if self.kind is Kind.NA else IA_PD

    def outcomes(self, ask: Ask) -> tuple[Outcome, ...]:
        return tuple(decide(ask, self.kind, binding, place) for binding, place in self.cases)


async def lay_out(site: Site6, home: Subnet6, away: Subnet6, kind: Kind) -> list[Mix]:
    found = []
    known = PLAIN + STRANDED if kind is Kind.NA else PLAIN
    for number, cases in enumerate(itertools.product(known, known)):
        leases = []
        for place, (binding, where) in enumerate(cases):
            subnet = away if where is Place.WRONG_LINK else home
            last = 0x100 + 2 * number + place
            leases.append(subnet.address(last) if kind is Kind.NA else IPv6Address("3fff::") + (last << 64))
            owner = duid(number + 0x8000 if binding is Binding.OTHERS_ACTIVE else number)
            key = association_key(IA_NA if kind is Kind.NA else IA_PD, 1, owner)
            told = {"prefix_length": 128 if kind is Kind.NA else 64}
            if binding in ROWS:
                await site.put_lease(leases[-1], key, subnet.no, **told | ROWS[binding])
        found.append(Mix(duid(number), kind, (leases[0], leases[1]), cases))
    return found


def told(mix: Mix, reply: Message) -> Together:
    words = {}
    status = ""
    for ia in reply.associations:
        status = STATUSES[ia.status.code] if ia.status else ""
        words = {lease.address: "given" if lease.valid else "zeroed" for lease in ia.leases}
    return Together(tuple(words.get(lease, "") for lease in mix.leases), status)


@pytest.mark.parametrize("kind", [Kind.NA, Kind.PD], ids=lambda kind: kind.value)
@pytest.mark.parametrize("ask", ASKS, ids=lambda ask: ask.value)
async def test_two_leases_of_an_association(ask: Ask, kind: Kind, site: Site6, servers: Servers) -> None:
    home, away = await site.subnet(5), await site.subnet(9)
    for subnet in (home, away):
        await subnet.pool(0x100, 0x1FF)
    await home.pool(0x10, 0xFF)  # clients that keep neither get one from here: the choice is a keyed hash
    await home.delegation_pool("3fff::/48", 64)
    mixes = await lay_out(site, home, away, kind)
    relay = servers.relay(await servers.start(), home.link)
    await relay.advertise(say.solicit(duid(0x9000)).ia_na(1))
    wrong = {}
    for mix in mixes:
        seen = told(mix, await relay.reply(mix.says(ask, relay.server_id))), await rows(site, mix)
        wanted = together(ask, mix.outcomes(ask)), expected_rows(ask, mix)
        if seen != wanted:
            wrong[str(mix.cases)] = (seen, wanted)
    assert wrong == {}


async def rows(site: Site6, mix: Mix) -> list[str]:
    """The states of those rows that are the client's."""
    found = [await site.lease(lease) for lease in mix.leases]
    return [str(row["state"]) if row.get("duid") == mix.client else "" for row in found]


def expected_rows(ask: Ask, mix: Mix) -> list[str]:
    whole = together(ask, mix.outcomes(ask))
    before = [ROWS[binding]["state"] if binding.value.startswith("own") else "" for binding, _ in mix.cases]
    written = [
        one.row if ask not in (Ask.REQUEST, Ask.RENEW, Ask.REBIND) or word == "given" else ""
        for one, word in zip(mix.outcomes(ask), whole.leases, strict=True)
    ]
    return [after or str(was) for after, was in zip(written, before, strict=True)]


async def test_an_association_without_a_lease_gives_back_nothing(relay: Relay) -> None:
    """Sections 18.3.7, 18.3.8: NoBinding is said where there is no binding, whether or not a lease is named."""
    client = duid(1)
    await relay.lease(client)
    for words in (say.release, say.decline):
        reply = await relay.reply(words(client, relay.server_id).ia_na(1).ia_na(2))
        assert [(ia.iaid, ia.status and ia.status.code) for ia in reply.associations] == [(2, 3)]
