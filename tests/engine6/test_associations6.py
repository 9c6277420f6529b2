"""Several associations in a message, and leases that a message names more than once."""

from __future__ import annotations

import pytest
from engine6.serving6 import Servers, duid, leases, statuses
from engine6.site6 import Site6
from oracle import packets6 as say
from oracle.message6 import Message
from oracle.options6 import IA_NA, IA_PD

CLIENT, OTHER = duid(1), duid(2)
SOL_MAX_RT = 82


def by_association(answer: Message) -> list[list[str]]:
    return [[str(lease.address) for lease in ia.leases if lease.valid] for ia in answer.associations]


def zeroed(answer: Message) -> list[str]:
    return [str(lease.address) for ia in answer.associations for lease in ia.leases if not lease.valid]


def lifetimes(answer: Message) -> list[int]:
    return [lease.valid for ia in answer.associations for lease in ia.leases]


# --- a pool's choice for several associations


@pytest.mark.parametrize("allocation", ["sequential", "hashed"])
@pytest.mark.parametrize("words", ["solicit", "request"])
async def test_a_small_pool_serves_all_associations(
    allocation: str, words: str, servers: Servers, site: Site6
) -> None:
    """No offer keeps what an earlier association of the message got: with rapid commit, or where none is named."""
    subnet = await site.subnet(7, rapid_commit=True)
    fields = {"allocation": "sequential"} if allocation == "sequential" else {}
    await subnet.pool(0x100, 0x107, **fields)
    await subnet.delegation_pool("3fff::/61", 64, **fields)
    relay = servers.relay(await servers.start(), subnet.link)
    await relay.advertise(say.solicit(OTHER).ia_na(1))
    for kind in ("ia_na", "ia_pd"):
        packet = say.request(CLIENT, relay.server_id)
        if words == "solicit":
            packet = say.solicit(CLIENT).rapid_commit()
        for iaid in range(7):
            packet = getattr(packet, kind)(iaid)
        reply = await relay.reply(packet)
        assert statuses(reply) == []
        assert len(set(leases(reply, IA_NA if kind == "ia_na" else IA_PD))) == 7
