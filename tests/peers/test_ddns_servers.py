"""Names at others' DNS servers: BIND and Knot by signed updates, PowerDNS by its API; at each the same manners."""

import contextlib
from collections.abc import AsyncIterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from peers.servers import API_KEY, KEY_NAME, SECRET, Peer, bind, knot, powerdns
from ports import free_port

from ipam_core.dns.dhcid import Identity, as_text, dhcid
from ipam_core.model.dns_server import DnsServer
from ipam_core.outbound.guard import Guard, Reach
from ipam_core.workers.adapters import Adapter, Change, NameConflict, Refused, Unreachable
from ipam_core.workers.adapters.bind_tsig import BindTsig
from ipam_core.workers.adapters.powerdns_http import PowerDns

pytestmark = pytest.mark.peers

FORWARD, REVERSE, REVERSE6 = "lab.example", "20.10.in-addr.arpa", "8.b.d.0.1.0.0.2.ip6.arpa"
GUARD, HERE = Guard(), Reach(1, on_host=True)  # a server of the operator's, on this host
SERVERS = {"bind": bind, "knot": knot, "powerdns": powerdns}
ALICE, BOB = Identity(0, bytes.fromhex("01020000000001")), Identity(0, bytes.fromhex("01020000000002"))
NAME = f"laptop.{FORWARD}"


def server(peer: Peer, **more: Any) -> DnsServer:
    """As the API would show it."""
    fields: dict[str, Any] = {
        "id": "",
        "created_at": "",
        "updated_at": "",
        "tenant_id": "",
        "name": peer.kind,
        "description": "",
        "adapter": "powerdns_http" if peer.url else "bind_tsig",
        "address": "127.0.0.1",
        "port": peer.port,
        "url": peer.url or None,
        "server_id": None,
        "key_name": KEY_NAME,
        "key_algorithm": "hmac-sha256",
        "principal": None,
        "realm": None,
        "keytab": None,
        "ticket_cache": None,
        "has_secret": True,
    }
    return DnsServer(**{**fields, **more})


def adapter_for(peer: Peer, secret: str | None = None, **more: Any) -> Adapter:
    if peer.url:
        return PowerDns(server(peer, **more), secret or API_KEY, GUARD, HERE)
    return BindTsig(server(peer, **more), secret or SECRET, GUARD, HERE)


@pytest.fixture(params=SERVERS)
async def peer(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Peer]:
    async with SERVERS[request.param](tmp_path) as found:
        yield found


def change(who: Identity, ip: str, **more: Any) -> Change:
    address = ip_address(ip)
    fields: dict[str, Any] = {
        "fqdn": NAME,
        "ip": address,
        "forward_zone": FORWARD,
        "reverse_zone": REVERSE if address.version == 4 else REVERSE6,
        "ttl": 600,
        "dhcid": dhcid(who, NAME),
        "conflict_mode": "check_dhcid",
    }
    return Change(**{**fields, **more})


async def seen(peer: Peer, name: str = NAME) -> dict[str, set[str]]:
    return {kind: await peer.ask(name, kind) for kind in ("A", "AAAA", "DHCID")}


async def test_a_name_comes_moves_and_goes(peer: Peer) -> None:
    await comes_moves_and_goes(peer, adapter_for(peer))


async def comes_moves_and_goes(peer: Peer, adapter: Adapter) -> None:
    mark = {as_text(dhcid(ALICE, NAME))}
    await adapter.add(change(ALICE, "10.20.1.5"))
    assert await seen(peer) == {"A": {"10.20.1.5"}, "AAAA": set(), "DHCID": mark}
    assert await peer.ask("5.1.20.10.in-addr.arpa", "PTR") == {f"{NAME}."}
    await adapter.add(change(ALICE, "10.20.1.5"))
    await adapter.add(change(ALICE, "10.20.1.6"))
    assert (await seen(peer))["A"] == {"10.20.1.6"}
    await adapter.add(change(ALICE, "2001:db8::6"))
    assert await seen(peer) == {"A": {"10.20.1.6"}, "AAAA": {"2001:db8::6"}, "DHCID": mark}
    await adapter.remove(change(ALICE, "10.20.1.6", keeps_name=True))
    assert await seen(peer) == {"A": set(), "AAAA": {"2001:db8::6"}, "DHCID": mark}
    assert await peer.ask("6.1.20.10.in-addr.arpa", "PTR") == set()
    await adapter.remove(change(ALICE, "2001:db8::6"))
    assert await seen(peer) == {"A": set(), "AAAA": set(), "DHCID": set()}
    await adapter.remove(change(ALICE, "2001:db8::6"))
    await adapter.close()


async def test_a_name_is_its_first_clients(peer: Peer) -> None:
    await is_its_first_clients(peer, adapter_for(peer))


async def is_its_first_clients(peer: Peer, adapter: Adapter) -> None:
    await adapter.add(change(ALICE, "10.20.1.5"))
    with pytest.raises(NameConflict):
        await adapter.add(change(BOB, "10.20.1.6"))
    await adapter.remove(change(BOB, "10.20.1.5"))
    assert (await seen(peer))["A"] == {"10.20.1.5"}
    await adapter.add(change(BOB, "10.20.1.6", conflict_mode="check_exists_dhcid"))
    assert (await seen(peer))["A"] == {"10.20.1.6"}
    await adapter.add(change(ALICE, "10.20.1.5", conflict_mode="no_check_with_dhcid"))
    assert (await seen(peer))["DHCID"] == {as_text(dhcid(ALICE, NAME))}
    await adapter.remove(change(ALICE, "10.20.1.5"))
    await adapter.close()


async def test_a_name_that_bears_no_mark_is_somebodys(peer: Peer) -> None:
    adapter = adapter_for(peer)
    await adapter.add(change(ALICE, "10.20.1.5", conflict_mode="no_check_without_dhcid"))
    assert (await seen(peer))["DHCID"] == set()
    for mode in ("check_dhcid", "check_exists_dhcid"):
        with pytest.raises(NameConflict):
            await adapter.add(change(ALICE, "10.20.1.6", conflict_mode=mode))
    await adapter.close()


async def test_a_pointer_of_another_name_stays(peer: Peer) -> None:
    adapter = adapter_for(peer)
    await adapter.add(change(ALICE, "10.20.1.5"))
    other = change(BOB, "10.20.1.5", fqdn=f"other.{FORWARD}")
    await adapter.add(other)
    assert await peer.ask("5.1.20.10.in-addr.arpa", "PTR") == {f"other.{FORWARD}."}
    await adapter.remove(change(ALICE, "10.20.1.5"))
    assert await peer.ask("5.1.20.10.in-addr.arpa", "PTR") == {f"other.{FORWARD}."}
    await adapter.close()


async def test_what_is_wrong_is_said(peer: Peer) -> None:
    wrong = adapter_for(peer, secret="d3Jvbmcgc2VjcmV0")
    with pytest.raises(Refused, match=r"secret|signature|API key"):
        await wrong.add(change(ALICE, "10.20.1.5"))
    tested = await wrong.test([FORWARD])
    assert not tested.ok
    adapter = adapter_for(peer)
    with pytest.raises(Refused, match="zone"):
        await adapter.add(
            change(ALICE, "10.20.1.5", forward_zone="elsewhere.example", fqdn="x.elsewhere.example")
        )
    tested = await adapter.test([FORWARD, REVERSE])
    assert tested.ok, tested
    assert tested.takes_dhcid
    assert await seen(peer) == {"A": set(), "AAAA": set(), "DHCID": set()}
    for one in (wrong, adapter):
        await one.close()


async def test_a_server_that_is_not_there_is_tried_again() -> None:
    port = free_port()
    for peer in (Peer("named", port), Peer("pdns", port, f"http://127.0.0.1:{port}")):
        adapter = adapter_for(peer)
        with pytest.raises(Unreachable):
            await adapter.add(change(ALICE, "10.20.1.5"))
        assert not (await adapter.test([FORWARD])).ok
        with contextlib.suppress(Exception):
            await adapter.close()


async def test_an_unknown_key_and_a_zone_that_is_not_served(tmp_path: Path) -> None:
    async with bind(tmp_path) as peer:
        tested = await adapter_for(peer, key_name="another-key").test([FORWARD])
        assert "does not know the key" in tested.steps[0].detail
        tested = await adapter_for(peer).test(["elsewhere.example"])
        assert (
            "is not authoritative for the zone" in tested.steps[0].detail
            or "serve the zone" in tested.steps[0].detail
        )
