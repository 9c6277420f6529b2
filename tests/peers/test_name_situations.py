"""Whose a name is in DNS, in one set of situations for all adapters: embedded, BIND, PowerDNS and Samba.

The results are equal. What docs/reference/ddns.md lists as limits of a server's protocol are races of two systems, and
modes without a check.
"""

import asyncio
import contextlib
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import dns.asyncquery
import dns.rcode
import dns.update
import httpx
import pytest
from harness.memory_folder import memory_folder
from peers import kerberos
from peers.active_directory import Controller, inside, provisioned
from peers.servers import API_KEY, KEY_NAME, SECRET, Peer, bind, powerdns
from peers.test_active_directory import adapter as active_directory
from peers.test_ddns_servers import adapter_for
from peers.test_leases_to_servers import settle
from system.namespaces import Network
from workers.site import Site

from ipam_core.workers.adapters.bind_tsig import BindTsig

pytestmark = pytest.mark.peers

FORWARD, REVERSE = "lab.example", "20.10.in-addr.arpa"
ALICE, BOB = "020000000001", "020000000002"
DUID = "0003000102000000000a"
SAMBA = [pytest.mark.peer(name) for name in ("namespaces", "samba", "gssapi")]

Ask = Callable[[str, str], Awaitable[set[str]]]


class Stand(NamedTuple):
    """A DNS server with two zones, and subnets whose names go there. `write` makes a record as another would."""

    site: Site
    admin: httpx.AsyncClient
    make: Any
    ask: Ask
    write: Callable[[str, str, str], Awaitable[None]]
    server: dict[str, Any]

    async def begin(self, **fields: Any) -> dict[str, Any]:
        """10.20.1.0/24."""
        where: dict[str, Any] = {}
        if self.server:
            where = {"dns_server_id": (await self.make("/dns-servers", **self.server))["id"]}
        for zone in (FORWARD, REVERSE):
            await self.make("/dns-zones", name=zone, dns_enabled=not where, **where)
        await self.make("/prefixes", cidr="10.20.0.0/16")
        return await self.subnet("10.20.1.0/24", **fields)

    async def subnet(self, cidr: str, **fields: Any) -> dict[str, Any]:
        prefixes = (
            await self.admin.get("/prefixes", params={"contains": cidr.split("/", maxsplit=1)[0]})
        ).json()
        given = {"ddns_enabled": True, "ddns_domain": FORWARD, **fields}
        prefix_id = prefixes["items"][0]["id"]
        found: dict[str, Any] = await self.make("/subnets", prefix_id=prefix_id, cidr=cidr, **given)
        return found

    async def assign(self, name: str, ip: str) -> str:
        found: str = (await self.make("/assignments", hostname=name, ip=ip))["id"]
        await settle(self.site)
        return found

    async def assign_with(self, name: str, ip: str, **fields: Any) -> str:
        """Return the path of the assignment."""
        found = await self.make("/assignments", hostname=name, ip=ip, **fields)
        await settle(self.site)
        return f"/assignments/{found['id']}"

    async def change(self, path: str, **fields: Any) -> None:
        answer = await self.admin.patch(path, json=fields)
        assert answer.status_code == 200, answer.text
        await settle(self.site)

    async def lease(self, ip: str, name: str | None, mac: str = ALICE, **more: Any) -> None:
        await self.site.lease(ip, name, mac=mac, **more)
        await settle(self.site)

    async def end(self, ip: str, name: str | None = None, mac: str = ALICE, **more: Any) -> None:
        await self.lease(ip, name, mac, state="r", **more)

    async def delete(self, path: str) -> None:
        assert (await self.admin.delete(path)).status_code == 204
        await settle(self.site)

    async def a(self, label: str) -> set[str]:
        return await self.ask(f"{label}.{FORWARD}", "A")

    async def ptr(self, ip: str) -> set[str]:
        _, _, third, fourth = ip.split(".")
        return await self.ask(f"{fourth}.{third}.{REVERSE}", "PTR")

    async def state(self, ip: str) -> str:
        """Of the latest addition of the address."""
        updates = (await self.admin.get("/ddns-updates", params={"limit": 200})).json()["items"]
        found = [each for each in updates if each["ip"] == ip and each["action"] == "add"]
        return str(max(found, key=lambda each: each["id"])["state"])

    async def state_of(self, name: str) -> str:
        """Of the latest addition of the name."""
        query = {"fqdn": name, "action": "add"}
        found = (await self.admin.get("/ddns-updates", params=query)).json()["items"]
        return str(max(found, key=lambda each: each["id"])["state"])


# --- the servers, one for all situations


@contextlib.contextmanager
def served(begin: Any) -> Iterator[Peer]:
    """The peer of an asynchronous context, for a whole module: in a thread, since a test's loop runs in this one."""
    loop = asyncio.new_event_loop()
    with (
        ThreadPoolExecutor(1) as thread,
        tempfile.TemporaryDirectory(prefix="ipam-test-", dir=memory_folder()) as folder,
    ):
        context = begin(Path(folder))
        yield thread.submit(loop.run_until_complete, context.__aenter__()).result()
        thread.submit(loop.run_until_complete, context.__aexit__(None, None, None)).result()
    loop.close()


@pytest.fixture(scope="module")
def named() -> Iterator[Peer]:
    with served(bind) as peer:
        yield peer


@pytest.fixture(scope="module")
def pdns() -> Iterator[Peer]:
    with served(powerdns) as peer:
        yield peer


@pytest.fixture(scope="module")
def controller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Controller]:
    kerberos.gssapi_path(tmp_path_factory.mktemp("packages"))
    with (
        Network() as network,
        tempfile.TemporaryDirectory(prefix="ipam-test-", dir=memory_folder()) as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        found = provisioned(network.namespace("dc"), Path(folder))
        patch.setenv("KRB5_CONFIG", str(found.krb5_conf))
        yield found


def server_of(peer: Peer) -> dict[str, Any]:
    if peer.url:
        return {"name": peer.kind, "adapter": "powerdns_http", "url": peer.url, "secret": API_KEY}
    told = {"key_name": KEY_NAME, "key_algorithm": "hmac-sha256", "secret": SECRET}
    return {"name": peer.kind, "adapter": "bind_tsig", "address": "127.0.0.1", "port": peer.port, **told}


def addition(name: str, kind: str, data: str) -> dns.update.UpdateMessage:
    message = dns.update.UpdateMessage(f"{FORWARD}.")
    message.add(f"{name}.", 300, kind, data)
    return message


@pytest.fixture(params=["embedded", "bind", "powerdns", pytest.param("samba", marks=SAMBA)])
async def stand(request: pytest.FixtureRequest, admin: httpx.AsyncClient, make: Any, site: Site) -> Any:
    adapter = request.param
    if adapter == "embedded":
        yield embedded(admin, make, site)
        return
    if adapter == "samba":
        controller = request.getfixturevalue("controller")
        with inside(controller.namespace):
            yield samba(controller, admin, make, site)
        return
    peer: Peer = request.getfixturevalue("named" if adapter == "bind" else "pdns")

    async def write(name: str, kind: str, data: str) -> None:
        if peer.url:
            await write_by_http(peer, name, kind, data)
            return
        maker = adapter_for(peer)
        assert isinstance(maker, BindTsig)
        assert await maker.send(addition(name, kind, data)) == dns.rcode.NOERROR

    yield Stand(site, admin, make, peer.ask, write, server_of(peer))


async def write_by_http(peer: Peer, name: str, kind: str, data: str) -> None:
    records = [{"content": data, "disabled": False}]
    rrset = {"name": f"{name}.", "type": kind, "ttl": 300, "changetype": "REPLACE", "records": records}
    async with httpx.AsyncClient(base_url=peer.url, headers={"x-api-key": API_KEY}) as client:
        path = f"/api/v1/servers/localhost/zones/{FORWARD}."
        assert (await client.patch(path, json={"rrsets": [rrset]})).status_code == 204


def samba(controller: Controller, admin: httpx.AsyncClient, make: Any, site: Site) -> Stand:
    async def write(name: str, kind: str, data: str) -> None:
        maker = active_directory(controller)
        assert await maker.send(addition(name, kind, data)) == dns.rcode.NOERROR
        await maker.close()

    return Stand(site, admin, make, controller.peer.ask, write, {"name": "dc", **controller.fields()})


def embedded(admin: httpx.AsyncClient, make: Any, site: Site) -> Stand:
    async def ask(name: str, kind: str) -> set[str]:
        rows = await site.pool.fetch(
            "select r.data from dns_record r join dns_zone z on z.no = r.zone_no"
            " where case r.name when '@' then z.name else r.name || '.' || z.name end = $1 and r.type = $2",
            name,
            kind,
        )
        return {row["data"] for row in rows}

    async def write(name: str, kind: str, data: str) -> None:
        zones = (await admin.get("/dns-zones", params={"name": FORWARD})).json()["items"]
        await make(f"/dns-zones/{zones[0]['id']}/records", name=f"{name}.", type=kind, data=data)

    return Stand(site, admin, make, ask, write, {})


# --- the situations


async def test_a_clients_name_comes_is_renamed_moves_and_goes(stand: Stand) -> None:
    await stand.begin()
    await stand.lease("10.20.1.11", "first")
    assert (await stand.a("first"), await stand.ptr("10.20.1.11")) == ({"10.20.1.11"}, {f"first.{FORWARD}."})
    await stand.lease("10.20.1.11", "Second_One")
    assert (await stand.a("first"), await stand.a("second-one")) == (set(), {"10.20.1.11"})
    await stand.lease("10.20.1.12", "second-one")  # before its other lease ends
    assert await stand.a("second-one") == {"10.20.1.12"}
    await stand.end("10.20.1.12")
    assert await stand.a("second-one") == {"10.20.1.11"}, "the lease that is left has its name"
    await stand.end("10.20.1.11")
    assert (await stand.a("second-one"), await stand.ptr("10.20.1.11")) == (set(), set())


async def test_the_first_client_has_a_name_until_it_leaves(stand: Stand) -> None:
    await stand.begin()
    await stand.lease("10.20.1.14", "laptop", ALICE)
    await stand.lease("10.20.1.13", "laptop", BOB)
    assert (await stand.a("laptop"), await stand.state("10.20.1.13")) == ({"10.20.1.14"}, "conflict")
    assert await stand.ptr("10.20.1.13") == set()
    await stand.end("10.20.1.14", mac=ALICE)
    assert (await stand.a("laptop"), await stand.ptr("10.20.1.13")) == (
        {"10.20.1.13"},
        {f"laptop.{FORWARD}."},
    )
    await stand.end("10.20.1.13", mac=BOB)
    assert await stand.a("laptop") == set()


async def test_of_two_clients_at_once_the_first_has_the_name(stand: Stand) -> None:
    """Whichever address they have."""
    await stand.begin()
    await stand.site.lease("10.20.1.16", "twin", mac=ALICE)
    await stand.lease("10.20.1.15", "twin", BOB)
    assert (await stand.a("twin"), await stand.state("10.20.1.15")) == ({"10.20.1.16"}, "conflict")
    await stand.end("10.20.1.15", mac=BOB)
    await stand.end("10.20.1.16", mac=ALICE)
    assert await stand.a("twin") == set()


RECORDS = {"MX": f"10 ns.{FORWARD}.", "TXT": '"v=spf1 -all"'}


@pytest.mark.parametrize("kind", RECORDS)
async def test_a_name_with_any_record_is_in_use(stand: Stand, kind: str) -> None:
    label = f"used-{kind.lower()}"
    await stand.begin()
    await stand.write(f"{label}.{FORWARD}", kind, RECORDS[kind])
    await stand.lease("10.20.1.17", label)
    assert (await stand.a(label), await stand.state("10.20.1.17")) == (set(), "conflict")
    assert await stand.ptr("10.20.1.17") == set()


@pytest.mark.parametrize("kind", RECORDS)
async def test_records_of_other_types_that_come_later_change_nothing(stand: Stand, kind: str) -> None:
    label = f"later-{kind.lower()}"
    await stand.begin()
    await stand.lease("10.20.1.18", label)
    await stand.write(f"{label}.{FORWARD}", kind, RECORDS[kind])
    await stand.lease("10.20.1.19", label)
    await stand.end("10.20.1.18")
    assert await stand.a(label) == {"10.20.1.19"}
    taken = await stand.assign(label, "10.20.1.24")
    assert await stand.a(label) == {"10.20.1.24"}
    await stand.delete(f"/assignments/{taken}")
    assert await stand.a(label) == {"10.20.1.19"}, "it had the name before"
    await stand.end("10.20.1.19")
    assert await stand.a(label) == set()
    assert await stand.ask(f"{label}.{FORWARD}", kind) == {RECORDS[kind]}


@pytest.mark.parametrize("mode", ["check_dhcid", "no_check_with_dhcid"])
async def test_the_zones_own_name_is_in_use(stand: Stand, mode: str) -> None:
    parent, label = FORWARD.partition(".")[2], FORWARD.partition(".")[0]
    fields = {"ddns_domain": parent, "ddns_forward_zone": FORWARD, "ddns_conflict_mode": mode}
    before = await stand.ask(FORWARD, "A")
    await stand.begin(**fields)
    await stand.lease("10.20.1.20", label)
    assert (await stand.ask(FORWARD, "A"), await stand.state("10.20.1.20")) == (before, "conflict")


@pytest.mark.parametrize("mode", ["check_dhcid", "no_check_with_dhcid"])
async def test_names_at_and_below_a_delegation_are_in_use(stand: Stand, mode: str) -> None:
    child = f"child-{mode.replace('_', '-')}"
    subnet = await stand.begin(ddns_conflict_mode=mode)
    await stand.write(f"{child}.{FORWARD}", "NS", f"ns.{FORWARD}.")
    await stand.lease("10.20.1.21", child)
    assert await stand.state("10.20.1.21") == "conflict"
    below = {"ddns_domain": f"{child}.{FORWARD}", "ddns_forward_zone": FORWARD}
    assert (await stand.admin.patch(f"/subnets/{subnet['id']}", json=below)).status_code == 200
    await settle(stand.site)
    await stand.lease("10.20.1.22", "below", BOB)
    assert await stand.state("10.20.1.22") == "conflict"
    await stand.assign(f"door.{child}.{FORWARD}", "10.20.1.23")
    assert await stand.state("10.20.1.23") == "conflict"


async def test_assignments_of_one_name_share_a_record_set(stand: Stand) -> None:
    await stand.begin()
    await stand.subnet("10.20.2.0/24")
    one = await stand.assign("pair", "10.20.1.25")
    two = await stand.assign("pair", "10.20.1.26")
    three = await stand.assign(f"pair.{FORWARD}", "10.20.2.27")
    assert await stand.a("pair") == {"10.20.1.25", "10.20.1.26", "10.20.2.27"}
    assert await stand.ptr("10.20.2.27") == {f"pair.{FORWARD}."}
    await stand.delete(f"/assignments/{two}")
    assert await stand.a("pair") == {"10.20.1.25", "10.20.2.27"}
    patch = {"hostname": "single"}
    assert (await stand.admin.patch(f"/assignments/{one}", json=patch)).status_code == 200
    await settle(stand.site)
    assert (await stand.a("pair"), await stand.a("single")) == ({"10.20.2.27"}, {"10.20.1.25"})
    await stand.delete(f"/assignments/{three}")
    await stand.delete(f"/assignments/{one}")
    assert (await stand.a("pair"), await stand.a("single")) == (set(), set())
    await stand.lease("10.20.1.28", "pair")
    assert await stand.a("pair") == {"10.20.1.28"}, "the name is free again"
    await stand.end("10.20.1.28")


async def test_a_name_has_addresses_of_both_families(stand: Stand) -> None:
    await stand.begin()
    await stand.make("/prefixes", cidr="2001:db8::/32")
    await stand.subnet("2001:db8::/64")
    four = await stand.assign("both", "10.20.1.29")
    six = await stand.assign("both", "2001:db8::29")
    name = f"both.{FORWARD}"
    assert (await stand.a("both"), await stand.ask(name, "AAAA")) == ({"10.20.1.29"}, {"2001:db8::29"})
    await stand.delete(f"/assignments/{four}")
    assert (await stand.a("both"), await stand.ask(name, "AAAA")) == (set(), {"2001:db8::29"})
    await stand.delete(f"/assignments/{six}")
    assert await stand.ask(name, "AAAA") == set()


async def test_a_client_of_both_families_leaves_at_once(stand: Stand) -> None:
    await stand.begin()
    await stand.make("/prefixes", cidr="2001:db8::/32")
    await stand.subnet("2001:db8::/64")
    await stand.lease("10.20.1.30", "dual", ALICE)
    await stand.lease("2001:db8::30", "dual", ALICE, duid=DUID)
    name = f"dual.{FORWARD}"
    assert (await stand.a("dual"), await stand.ask(name, "AAAA")) == ({"10.20.1.30"}, {"2001:db8::30"})
    await stand.site.lease("10.20.1.30", None, mac=ALICE, state="r")
    await stand.end("2001:db8::30", duid=DUID)
    assert (await stand.a("dual"), await stand.ask(name, "AAAA")) == (set(), set())
    await stand.lease("10.20.1.31", "dual", BOB)
    assert await stand.a("dual") == {"10.20.1.31"}
    await stand.end("10.20.1.31", mac=BOB)


async def test_an_assignment_takes_a_name_over_and_gives_it_back(stand: Stand) -> None:
    await stand.begin()
    await stand.make("/prefixes", cidr="2001:db8::/32")
    await stand.subnet("2001:db8::/64")
    await stand.lease("10.20.1.33", "mobile", ALICE)
    await stand.lease("2001:db8::33", "mobile", ALICE, duid=DUID)
    await stand.lease("10.20.1.32", "mobile", BOB)
    taken = await stand.assign("mobile", "10.20.1.34")
    name = f"mobile.{FORWARD}"
    assert (await stand.a("mobile"), await stand.ask(name, "AAAA")) == ({"10.20.1.34"}, set())
    assert (await stand.state("10.20.1.33"), await stand.ptr("10.20.1.33")) == ("conflict", set())
    await stand.delete(f"/assignments/{taken}")
    assert (await stand.a("mobile"), await stand.ask(name, "AAAA")) == ({"10.20.1.33"}, {"2001:db8::33"})
    assert await stand.ptr("10.20.1.33") == {f"{name}."}
    assert await stand.state("10.20.1.32") == "conflict", "the client that had it has it again"
    await stand.end("10.20.1.33", mac=ALICE)
    await stand.end("2001:db8::33", duid=DUID)
    assert await stand.a("mobile") == {"10.20.1.32"}
    await stand.end("10.20.1.32", mac=BOB)
    assert await stand.a("mobile") == set()


async def test_a_reservation_takes_a_name_over_from_another_client(stand: Stand) -> None:
    subnet = await stand.begin()
    await stand.lease("10.20.1.35", "printer", ALICE)
    body = {"ip": "10.20.1.36", "mac": "02:00:00:00:00:02", "hostname": "printer"}
    made = await stand.make(f"/subnets/{subnet['id']}/reservations", **body)
    await settle(stand.site)
    assert (await stand.a("printer"), await stand.state("10.20.1.35")) == ({"10.20.1.36"}, "conflict")
    await stand.lease("10.20.1.36", "printer", BOB, fqdn_flags=8)
    assert await stand.a("printer") == {"10.20.1.36"}
    await stand.delete(f"/reservations/{made['id']}")
    await stand.end("10.20.1.36", mac=BOB)
    assert await stand.a("printer") == {"10.20.1.35"}
    await stand.end("10.20.1.35", mac=ALICE)
    assert await stand.a("printer") == set()


async def test_a_client_has_no_part_in_what_is_left_of_an_operators_name(stand: Stand) -> None:
    """Its reservation is deleted; its lease, and another one that it has elsewhere, give way to the assignment."""
    subnet = await stand.begin()
    body = {"ip": "10.20.1.44", "mac": "02:00:00:00:00:01", "hostname": "desk"}
    reserved = await stand.make(f"/subnets/{subnet['id']}/reservations", **body)
    await stand.lease("10.20.1.44", "desk", ALICE)
    await stand.lease("10.20.1.45", "desk", ALICE)
    taken = await stand.assign("desk", "10.20.1.46")
    assert await stand.a("desk") == {"10.20.1.44", "10.20.1.45", "10.20.1.46"}
    await stand.delete(f"/reservations/{reserved['id']}")
    assert await stand.a("desk") == {"10.20.1.46"}
    assert [await stand.state(f"10.20.1.{n}") for n in (44, 45)] == ["conflict", "conflict"]
    assert [await stand.ptr(f"10.20.1.{n}") for n in (44, 45)] == [set(), set()]
    await stand.end("10.20.1.44", mac=ALICE)
    await stand.delete(f"/assignments/{taken}")
    assert await stand.a("desk") == {"10.20.1.45"}
    await stand.end("10.20.1.45", mac=ALICE)
    assert await stand.a("desk") == set()


@pytest.mark.parametrize("kind", RECORDS)
async def test_an_assignment_shares_its_name_with_other_types(stand: Stand, kind: str) -> None:
    label = f"shared-{kind.lower()}"
    await stand.begin()
    await stand.write(f"{label}.{FORWARD}", kind, RECORDS[kind])
    one = await stand.assign(label, "10.20.1.37")
    two = await stand.assign(label, "10.20.1.38")
    assert await stand.a(label) == {"10.20.1.37", "10.20.1.38"}
    for each in (one, two):
        await stand.delete(f"/assignments/{each}")
    assert await stand.a(label) == set()
    assert await stand.ask(f"{label}.{FORWARD}", kind) == {RECORDS[kind]}


async def test_an_alias_has_no_addresses(stand: Stand) -> None:
    """Not an operator's either, and in no mode."""
    await stand.begin(ddns_conflict_mode="no_check_with_dhcid")
    await stand.write(f"alias.{FORWARD}", "CNAME", f"ns.{FORWARD}.")
    await stand.assign("alias", "10.20.1.42")
    await stand.lease("10.20.1.43", "alias")
    assert await stand.ask(f"alias.{FORWARD}", "CNAME") == {f"ns.{FORWARD}."}
    assert [await stand.state(ip) for ip in ("10.20.1.42", "10.20.1.43")] == ["conflict", "conflict"]


async def test_an_address_that_another_wrote_is_not_replaced(stand: Stand) -> None:
    await stand.begin()
    await stand.write(f"www.{FORWARD}", "A", "192.0.2.80")
    await stand.assign("www", "10.20.1.39")
    assert (await stand.a("www"), await stand.state("10.20.1.39")) == ({"192.0.2.80"}, "conflict")
    assert await stand.ptr("10.20.1.39") == set()


async def test_a_pointer_has_a_name_that_we_publish_or_lies_in_the_domain(stand: Stand) -> None:
    await stand.begin()
    asks_pointer = 4  # the client writes its forward record itself
    await stand.lease("10.20.1.40", "own.other.example", fqdn_flags=asks_pointer)
    assert await stand.ptr("10.20.1.40") == {f"own.{FORWARD}."}
    await stand.assign("srv.elsewhere.example", "10.20.1.41")
    assert await stand.ptr("10.20.1.41") == set()
    await stand.end("10.20.1.40", fqdn_flags=asks_pointer)
    assert await stand.ptr("10.20.1.40") == set()


async def test_an_alias_follows_the_host_name(stand: Stand) -> None:
    await stand.begin()
    path = await stand.assign_with("follow", "10.20.1.44", aliases=["follow-www", "follow-mail"])
    assert await stand.ask(f"follow-www.{FORWARD}", "CNAME") == {f"follow.{FORWARD}."}
    await stand.change(path, hostname="renamed", aliases=["follow-www"])
    assert await stand.ask(f"follow-www.{FORWARD}", "CNAME") == {f"renamed.{FORWARD}."}
    assert await stand.ask(f"follow-mail.{FORWARD}", "CNAME") == set()
    assert (await stand.a("renamed"), await stand.ptr("10.20.1.44")) == (
        {"10.20.1.44"},
        {f"renamed.{FORWARD}."},
    )
    await stand.change(path, alias_records="address")
    assert (await stand.ask(f"follow-www.{FORWARD}", "CNAME"), await stand.a("follow-www")) == (
        set(),
        {"10.20.1.44"},
    )
    await stand.change(path, alias_records="cname", ip="10.20.1.45")
    assert await stand.ask(f"follow-www.{FORWARD}", "CNAME") == {f"renamed.{FORWARD}."}
    await stand.delete(path)
    assert (await stand.a("renamed"), await stand.ask(f"follow-www.{FORWARD}", "CNAME")) == (set(), set())


async def test_addresses_of_one_alias_share_a_record_set(stand: Stand) -> None:
    await stand.begin()
    shared = {"aliases": ["round"], "alias_records": "address"}
    one = await stand.assign_with("round-one", "10.20.1.46", **shared)
    two = await stand.assign_with("round-two", "10.20.1.47", **shared)
    three = await stand.assign_with("round", "10.20.1.48")
    assert await stand.a("round") == {"10.20.1.46", "10.20.1.47", "10.20.1.48"}
    await stand.delete(two)
    await stand.delete(three)
    assert await stand.a("round") == {"10.20.1.46"}
    await stand.delete(one)
    assert await stand.a("round") == set()


async def test_objects_of_one_host_name_share_an_alias(stand: Stand) -> None:
    await stand.begin()
    one = await stand.assign_with("twins", "10.20.1.49", aliases=["twins-www"])
    two = await stand.assign_with("twins", "10.20.1.50", aliases=["twins-www"])
    await stand.delete(one)
    assert await stand.ask(f"twins-www.{FORWARD}", "CNAME") == {f"twins.{FORWARD}."}
    await stand.delete(two)
    assert await stand.ask(f"twins-www.{FORWARD}", "CNAME") == set()


@pytest.mark.parametrize("mode", ["check_dhcid", "no_check_with_dhcid"])
async def test_an_alias_stands_alone(stand: Stand, mode: str) -> None:
    there = {
        f"alone-{kind.lower()}-{mode[:2]}": (kind, data)
        for kind, data in (*RECORDS.items(), ("A", "192.0.2.81"))
    }
    await stand.begin(ddns_conflict_mode=mode)
    for label, record in there.items():
        await stand.write(f"{label}.{FORWARD}", *record)
    path = await stand.assign_with(f"alone-{mode[:2]}", "10.20.1.51", aliases=list(there))
    for label in there:
        assert await stand.state_of(f"{label}.{FORWARD}") == "conflict"
        assert await stand.ask(f"{label}.{FORWARD}", "CNAME") == set()
    await stand.delete(path)
    for label, (kind, data) in there.items():
        assert await stand.ask(f"{label}.{FORWARD}", kind) == {data}


async def test_an_alias_to_another_host_is_kept(stand: Stand) -> None:
    """An operator's own CNAME record, and one of another object: the first has the name until it leaves."""
    await stand.begin()
    await stand.write(f"theirs.{FORWARD}", "CNAME", f"elsewhere.{FORWARD}.")
    one = await stand.assign_with("first-host", "10.20.1.52", aliases=["theirs", "ours"])
    assert await stand.state_of(f"theirs.{FORWARD}") == "conflict"
    two = await stand.assign_with("second-host", "10.20.1.53", aliases=["ours"])
    three = await stand.assign_with("ours", "10.20.1.54")
    assert await stand.ask(f"ours.{FORWARD}", "CNAME") == {f"first-host.{FORWARD}."}
    assert await stand.state("10.20.1.54") == "conflict"
    await stand.delete(three)
    await stand.delete(one)
    assert await stand.ask(f"ours.{FORWARD}", "CNAME") == {f"second-host.{FORWARD}."}
    assert await stand.ask(f"theirs.{FORWARD}", "CNAME") == {f"elsewhere.{FORWARD}."}
    await stand.delete(two)
    assert await stand.ask(f"ours.{FORWARD}", "CNAME") == set()


@pytest.mark.parametrize("records", ["cname", "address"])
async def test_an_alias_takes_a_clients_name_over(stand: Stand, records: str) -> None:
    """And no client takes an alias; it gets its name back when the alias goes."""
    label = f"over-{records}"
    await stand.begin()
    await stand.lease("10.20.1.55", label)
    path = await stand.assign_with(f"{label}-host", "10.20.1.56", aliases=[label], alias_records=records)
    target = {f"{label}-host.{FORWARD}."} if records == "cname" else set()
    assert await stand.ask(f"{label}.{FORWARD}", "CNAME") == target
    assert await stand.a(f"{label}-host" if target else label) == {"10.20.1.56"}
    await stand.lease("10.20.1.57", label, BOB)
    assert await stand.state("10.20.1.57") == "conflict"
    await stand.delete(path)
    assert (await stand.a(label), await stand.ask(f"{label}.{FORWARD}", "CNAME")) == ({"10.20.1.55"}, set())
    assert await stand.ptr("10.20.1.55") == {f"{label}.{FORWARD}."}
    await stand.end("10.20.1.57", mac=BOB)
    await stand.end("10.20.1.55")
    assert await stand.a(label) == set()


async def test_reconcile_mends_aliases(stand: Stand) -> None:
    """One that the server lost is written again, and one that nothing asks for is removed."""
    await stand.begin()
    path = await stand.assign_with("lost-host", "10.20.1.58", aliases=["lost"])
    for table in ("ddns_alias", "ddns_owner"):
        renamed = f"update {table} set fqdn = $1 where fqdn = $2"
        await stand.site.pool.execute(renamed, f"found.{FORWARD}", f"lost.{FORWARD}")
    zones = (await stand.admin.get("/dns-zones", params={"name": FORWARD})).json()["items"]
    answer = await stand.admin.post(f"/dns-zones/{zones[0]['id']}/reconcile", json={})
    told = answer.json()
    assert [(each["name"], each["type"]) for each in told["missing"]] == [(f"found.{FORWARD}.", "CNAME")], (
        answer.text
    )
    assert [(each["name"], each["type"]) for each in told["stale"]] == [(f"lost.{FORWARD}.", "CNAME")]
    await settle(stand.site)
    assert await stand.ask(f"found.{FORWARD}", "CNAME") == {f"lost-host.{FORWARD}."}
    assert await stand.ask(f"lost.{FORWARD}", "CNAME") == set()
    await stand.delete(path)
