"""From a lease to the records of others' servers, through outbox and senders: A, AAAA, PTR and DHCID come, are repaired
when the server lost them, outlive a server that is away, and vanish after the release."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
from peers.servers import API_KEY, KEY_NAME, SECRET, Peer, bind, powerdns
from peers.test_ddns_servers import ALICE, adapter_for, change
from ports import free_port
from workers.site import Site

from ipam_core.dns.dhcid import as_text, dhcid, identities

pytestmark = pytest.mark.peers

FORWARD, REVERSE = "lab.example", "20.10.in-addr.arpa"
NAME, POINTER = f"laptop.{FORWARD}", f"5.1.{REVERSE}"
SECONDS = 30.0
SERVERS = {"bind": bind, "powerdns": powerdns}


@pytest.fixture(params=SERVERS)
async def peer(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Peer]:
    folder = tmp_path / "server"
    folder.mkdir()
    async with SERVERS[request.param](folder) as found:
        yield found


def server_of(peer: Peer) -> dict[str, Any]:
    if peer.url:
        return {"name": peer.kind, "adapter": "powerdns_http", "url": peer.url, "secret": API_KEY}
    told = {"key_name": KEY_NAME, "key_algorithm": "hmac-sha256", "secret": SECRET}
    return {"name": peer.kind, "adapter": "bind_tsig", "address": "127.0.0.1", "port": peer.port, **told}


async def network(make: Any, **server: Any) -> dict[str, str]:
    """Ids of the server and its zones; names of 10.20.1.0/24 go there."""
    server_id = (await make("/dns-servers", **server))["id"]
    ids = {
        name: (await make("/dns-zones", name=name, dns_server_id=server_id))["id"]
        for name in (FORWARD, REVERSE)
    }
    prefix = await make("/prefixes", cidr="10.20.0.0/16")
    await make(
        "/subnets", prefix_id=prefix["id"], cidr="10.20.1.0/24", ddns_enabled=True, ddns_domain=FORWARD
    )
    return ids | {"server": server_id}


async def seen(peer: Peer) -> dict[str, set[str]]:
    return {kind: await peer.ask(NAME, kind) for kind in ("A", "DHCID")} | {
        "PTR": await peer.ask(POINTER, "PTR")
    }


GONE: dict[str, set[str]] = {"A": set(), "DHCID": set(), "PTR": set()}


def expected(mac: str) -> dict[str, set[str]]:
    (known,) = identities(1, bytes.fromhex(mac), None, None)
    return {"A": {"10.20.1.5"}, "DHCID": {as_text(dhcid(known, NAME))}, "PTR": {f"{NAME}."}}


async def settle(site: Site) -> None:
    """Until all is sent; PowerDNS on SQLite refuses one of two that come at once, which is then tried again."""
    await site.settle()
    async with asyncio.timeout(SECONDS):
        while {"pending", "retrying"} & {state for _, _, state in await site.states()}:
            await asyncio.sleep(0.2)
            await site.settle(wait=False)


async def test_records_come_with_a_lease_and_go_with_its_release(
    admin: httpx.AsyncClient, make: Any, site: Site, peer: Peer
) -> None:
    ids = await network(make, **server_of(peer))
    tested = (await admin.post(f"/dns-servers/{ids['server']}/test")).json()
    assert (tested["ok"], tested["takes_dhcid"]) == (True, True), tested
    await site.lease("10.20.1.5", "laptop", mac="020000000001")
    await settle(site)
    assert await seen(peer) == expected("020000000001"), await site.states()
    await site.lease("10.20.1.5", "laptop", mac="020000000001", state="r")
    await settle(site)
    assert await seen(peer) == GONE


async def test_what_the_server_lost_or_kept_is_found(
    pool: asyncpg.Pool, admin: httpx.AsyncClient, make: Any, site: Site, peer: Peer
) -> None:
    ids = await network(make, **server_of(peer))
    for number, name in ((5, "laptop"), (6, "other"), (7, "third")):
        await site.lease(f"10.20.1.{number}", name, mac=f"02000000000{number}")
    await settle(site)
    adapter = adapter_for(peer)
    plain: dict[str, Any] = {"conflict_mode": "no_check_without_dhcid", "reverse_zone": None, "dhcid": None}
    await adapter.remove(change(ALICE, "10.20.1.5", **plain))
    await adapter.add(change(ALICE, "10.20.1.66", **plain, fqdn=f"other.{FORWARD}"))
    await adapter.add(change(ALICE, "10.20.1.88", **plain, fqdn=f"theirs.{FORWARD}"))
    # A server that comes back from a copy of yesterday, and has what was released since.
    await site.lease("10.20.1.7", "third", mac="020000000007", state="r")
    await settle(site)
    await adapter.add(change(ALICE, "10.20.1.7", **plain, fqdn=f"third.{FORWARD}"))
    path = f"/dns-zones/{ids[FORWARD]}/reconcile"
    told = (await admin.post(path, json={"dry_run": True})).json()
    assert told["complete"], told
    assert [each["name"] for each in told["missing"]] == [f"{NAME}."]
    assert [(each["data"], each["found"]) for each in told["wrong"]] == [("10.20.1.6", ["10.20.1.66"])]
    assert [each["name"] for each in told["stale"]] == [f"third.{FORWARD}."]
    assert await peer.ask(NAME, "A") == set()
    assert (await admin.post(path, json={})).json()["repairs"] == 3
    await settle(site)
    told = (await admin.post(path, json={"dry_run": True})).json()
    left = {each["name"]: each for each in (*told["missing"], *told["wrong"])}
    assert left == {}, await pool.fetch("select fqdn, state, last_error from ddns_update order by no")
    assert await peer.ask(NAME, "A") == {"10.20.1.5"}
    assert await peer.ask(f"other.{FORWARD}", "A") == {"10.20.1.6"}
    assert await peer.ask(f"theirs.{FORWARD}", "A") == {"10.20.1.88"}
    await adapter.close()


async def test_a_server_that_gives_no_transfer_is_asked_name_by_name(
    admin: httpx.AsyncClient, make: Any, site: Site, tmp_path: Path
) -> None:
    async with bind(tmp_path, transfers="none") as peer:
        ids = await network(make, **server_of(peer))
        for number, name in ((5, "laptop"), (6, "other"), (7, "third")):
            await site.lease(f"10.20.1.{number}", name, mac=f"02000000000{number}")
        await settle(site)
        await site.lease("10.20.1.7", "third", mac="020000000007", state="r")
        await settle(site)
        adapter = adapter_for(peer)
        plain: dict[str, Any] = {
            "conflict_mode": "no_check_without_dhcid",
            "reverse_zone": None,
            "dhcid": None,
        }
        await adapter.remove(change(ALICE, "10.20.1.5", **plain))
        await adapter.add(change(ALICE, "10.20.1.66", **plain, fqdn=f"other.{FORWARD}"))
        (owner,) = identities(1, bytes.fromhex("020000000007"), None, None)
        third = f"third.{FORWARD}"
        await adapter.add(
            change(owner, "10.20.1.7", fqdn=third, reverse_zone=None, dhcid=dhcid(owner, third))
        )
        await adapter.close()
        path = f"/dns-zones/{ids[FORWARD]}/reconcile"
        told = (await admin.post(path, json={})).json()
        assert (told["complete"], told["repairs"]) == (False, 3), told
        assert [each["name"] for each in told["missing"]] == [f"{NAME}."]
        assert [(each["data"], each["found"]) for each in told["wrong"]] == [("10.20.1.6", ["10.20.1.66"])]
        assert [each["name"] for each in told["stale"]] == [f"third.{FORWARD}."]
        await settle(site)
        assert await peer.ask(NAME, "A") == {"10.20.1.5"}
        assert await peer.ask(f"other.{FORWARD}", "A") == {"10.20.1.6"}
        assert await peer.ask(f"third.{FORWARD}", "A") == set()
        reverse = (await admin.post(f"/dns-zones/{ids[REVERSE]}/reconcile", json={"dry_run": True})).json()
        assert (reverse["complete"], reverse["in_order"], reverse["stale"]) == (False, 2, []), reverse


async def test_a_server_that_is_away_holds_up_no_other(
    pool: asyncpg.Pool, make: Any, site: Site, tmp_path: Path
) -> None:
    """What waits for it is sent when it is there again."""
    port = free_port()
    gone = {"name": "gone", "adapter": "bind_tsig", "address": "127.0.0.1", "port": port}
    await network(make, **gone, key_name=KEY_NAME, key_algorithm="hmac-sha256", secret=SECRET)
    prefix = await make("/prefixes", cidr="10.30.0.0/16")
    await make("/dns-zones", name="own.example", dns_enabled=True)
    fields = {"ddns_enabled": True, "ddns_adapter": "embedded", "ddns_domain": "own.example"}
    await make("/subnets", prefix_id=prefix["id"], cidr="10.30.1.0/24", **fields)
    await site.lease("10.20.1.5", "laptop", mac="020000000001")
    await site.lease("10.30.1.5", "desk", mac="020000000002")
    await site.settle()
    assert ("desk.own.example", "A", "10.30.1.5") in await site.records()
    assert ("add", NAME, "retrying") in await site.states()
    async with bind(tmp_path) as peer:
        await pool.execute("update dns_server set port = $1, updated_at = now()", peer.port)
        await pool.execute("update ddns_update set next_attempt_at = now() where state = 'retrying'")
        await site.settle()
        assert await seen(peer) == expected("020000000001")
        await site.lease("10.20.1.5", "laptop", mac="020000000001", state="r")
        await site.settle()
        assert await seen(peer) == GONE
