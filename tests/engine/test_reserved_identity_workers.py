"""A reservation follows its identity from one worker's client to another's; see test_reserved_identity.py.

A worker keeps of the other's leases only that their addresses are taken (sharing/lease_ownership.pxd), so the database
says whose the reserved address is.
"""

from __future__ import annotations

from typing import Any

import pytest
from engine.serving import Servers
from engine.sharing import Pair, macs_of, pair
from engine.site import Site, Subnet
from engine.test_reserved_identity import DUID, NAMED, Who, history, lease, rfc4361

OURS, THEIRS = macs_of(0, 4), macs_of(1, 4)

# By the octet of the reserved address: what it is for, and a client of either worker that has it.
CASES: dict[int, tuple[dict[str, Any], tuple[Who, Who]]] = {
    20: ({"client_id": NAMED}, (Who(OURS[0], NAMED), Who(THEIRS[0], NAMED))),
    21: ({"duid": DUID}, (Who(OURS[1], rfc4361(1, DUID)), Who(THEIRS[1], rfc4361(1, DUID)))),
    22: ({"circuit_id": b"port 7"}, (Who(OURS[2], circuit="port 7"), Who(THEIRS[2], b"\0rom", "port 7"))),
    23: ({"remote_id": b"modem 7"}, (Who(OURS[3], remote="modem 7"), Who(THEIRS[3], remote="modem 7"))),
}


async def take(workers: Pair, who: Who, subnet: Subnet, octet: int) -> None:
    """DISCOVER to ACK at the client's worker: the reserved address at once, and for the usual time."""
    relay = workers.relay(who.mac)
    offer = await relay.offer(who.discover)
    assert (offer.yiaddr, offer.options[51]) == (subnet.address(octet), (600).to_bytes(4))
    assert await lease(relay, who) == subnet.address(octet)


@pytest.mark.parametrize("match_client_id", [False, True])
async def test_a_client_of_another_worker_takes_the_reserved_address_over(
    match_client_id: bool, database: str, site: Site, servers: Servers
) -> None:
    """First a lease that was there when both started, of which its taker knows no more than that its address is taken;
    then leases that it heard of by the feed."""
    subnet = await site.subnet(match_client_id=match_client_id)
    await subnet.pool(100, 199)
    for octet, (identity, _) in CASES.items():
        await subnet.reserve(octet, **identity)
    before = servers.relay(await servers.start(), subnet.relay)
    for octet, (_, (ours, _)) in CASES.items():
        assert await lease(before, ours) == subnet.address(octet)
    async with pair(database, subnet) as workers:
        for octet, (_, (ours, theirs)) in CASES.items():
            for who in (theirs, ours, theirs):
                await take(workers, who, subnet, octet)
                await workers.relay(who.mac).ack(who.renewing(subnet.address(octet)))
                await workers.read_feeds()
            if not (match_client_id and ours.client_id == theirs.client_id):  # else both are one client
                kinds = await history(site, subnet.address(octet))
                assert "".join(kinds).replace("n", "") == "gvgvgvg"
                await workers.relay(ours.mac).nak(ours.renewing(subnet.address(octet)))
    active = "select count(*) from lease where state = 'a' and subnet_no = $1"
    assert await site.connection.fetchval(active, subnet.no) == len(CASES)
