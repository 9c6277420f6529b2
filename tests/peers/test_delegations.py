"""Zones of ours above and below each other: our server answers for both; BIND and NSD, which copy the zone above alone,
refer to the servers of the zone below."""

from pathlib import Path
from typing import Any

import asyncpg
import dns.asyncquery
import dns.flags
import dns.message
import dns.rcode
import pytest
from answers.serving import Serving, eventually, serving
from answers.test_transfers import add_secondary
from peers.servers import KEY_NAME, Peer, bind_secondary, nsd_secondary
from ports import free_port

from ipam_core.model import decoding
from ipam_core.model.actor import Actor
from ipam_core.services.dns_zones import DNS_RECORDS, DNS_ZONES
from ipam_core.services.entity import crud, deletion

pytestmark = pytest.mark.peers

SECONDARIES = {"bind": bind_secondary, "nsd": nsd_secondary}
ABOVE, BELOW = "par.test", "dmz.par.test"
ADMIN = Actor(role="admin", flags=frozenset({"move_records"}))
Said = tuple[set[str], set[str], set[str]]


async def made(connection: asyncpg.Connection, zone: str | None, **fields: Any) -> str:
    """The id of a new zone, or of a record of one."""
    entity: Any = DNS_RECORDS if zone else DNS_ZONES
    above = {"zone_id": zone} if zone else {}
    model = await crud.create(connection, entity, ADMIN, above, decoding.command(fields, entity.create))
    return str(model.id)


async def asked(port: int, name: str, kind: str = "A") -> dns.message.Message:
    query = dns.message.make_query(name, kind)
    query.flags &= ~dns.flags.RD
    found: dns.message.Message = await dns.asyncquery.udp(query, "127.0.0.1", port=port, timeout=5)
    return found


async def said(port: int, name: str, kind: str = "A") -> Said:
    """Data of the answer, NS records of the authority section, and data of the additional one."""
    message = await asked(port, name, kind)
    answer = {rdata.to_text() for rrset in message.answer for rdata in rrset}
    referral = {rdata.to_text() for rrset in message.authority if rrset.rdtype == 2 for rdata in rrset}
    return answer, referral, {rdata.to_text() for rrset in message.additional for rdata in rrset}


def saying(peer: Peer, name: str, wanted: Said) -> Any:
    async def is_so() -> bool:
        return await said(peer.port, name) == wanted

    return is_so


@pytest.mark.parametrize("kind", SECONDARIES)
async def test_a_secondary_refers_to_the_zone_below(
    database: str, pool: asyncpg.Pool, tmp_path: Path, kind: str
) -> None:
    async with pool.acquire() as connection:
        above = await made(connection, None, name=ABOVE, dns_enabled=True)
        await made(connection, above, name="web.dmz", type="A", data="192.0.2.1")
        await made(connection, above, name="www", type="A", data="192.0.2.2")
    port = free_port()
    await add_secondary(pool, tmp_path, port, KEY_NAME)
    async with serving(database, tmp_path) as served:
        await served.eventually(f"web.{BELOW}.", "A", {"192.0.2.1"})
        folder = tmp_path / kind
        folder.mkdir()
        async with SECONDARIES[kind](folder, port, ABOVE, served.port) as peer, pool.acquire() as connection:
            assert (await said(peer.port, f"web.{BELOW}"))[0] == {"192.0.2.1"}
            below = await made(connection, None, name=BELOW, dns_enabled=True, mname=f"ns.{BELOW}")
            await eventually(saying(peer, f"web.{BELOW}", (set(), {f"ns.{BELOW}."}, set())))
            await answers_itself(served)
            address = await made(connection, below, name="ns", type="A", data="192.0.2.53")
            await eventually(saying(peer, f"web.{BELOW}", (set(), {f"ns.{BELOW}."}, {"192.0.2.53"})))
            await made(connection, below, name="@", type="NS", data="ns.example.net.")
            await eventually(saying(peer, f"web.{BELOW}", (set(), {"ns.example.net."}, set())))
            await deletion.delete(connection, DNS_RECORDS, ADMIN, address)
            assert (await said(peer.port, f"www.{ABOVE}"))[0] == {"192.0.2.2"}
            await deletion.delete(connection, DNS_ZONES, ADMIN, below, cascade=True)
            await eventually(saying(peer, f"web.{BELOW}", (set(), set(), set())))
            message = await asked(peer.port, f"web.{BELOW}")
            assert message.rcode() == dns.rcode.NXDOMAIN
            assert message.flags & dns.flags.AA
            assert served.server.transfers.counts["full"] == 1
            assert served.server.transfers.counts["incremental"] >= 3


async def answers_itself(served: Serving) -> None:
    """Our server has both zones: it answers with authority, and DS from the zone above (RFC 4035 section 3.1.4.1)."""
    await served.eventually(f"web.{BELOW}.", "A", {"192.0.2.1"})
    message = await asked(served.port, f"web.{BELOW}")
    assert message.flags & dns.flags.AA
    message = await asked(served.port, BELOW, "DS")
    assert message.flags & dns.flags.AA
    assert [rrset.name.to_text() for rrset in message.authority] == [f"{ABOVE}."]
