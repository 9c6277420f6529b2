"""Interfaces that change while a server serves them (decisions: Interfaces): each change is picked up
without a restart, and what is missing is named on /readyz and among the nodes while the rest is served.

Real kernel, real server of one process and of two, a station on layer 2 that asks.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from ipaddress import IPv4Address
from pathlib import Path

import psutil
import pytest
from oracle import packets as say
from oracle.message4 import Message, parse_reply
from oracle.options4 import ACK
from oracle.packets import Packet
from system import peers, plan, sites
from system.conftest import running
from system.namespaces import Network
from system.readiness import await_node, await_readiness, readiness
from system.server import DnsServer
from system.sites import Site

from dhcp_fast.server.wires import STRICT

pytestmark = pytest.mark.peer("namespaces")

STATION = Path(__file__).with_name("station.py")
MAC = bytes.fromhex("020000000a01")
FLAPPING_SECONDS = 4.0
S0 = f"{plan.ROUTER}/24"


@pytest.fixture(params=[1, 2], ids=["one process", "two workers"])
def lan(request: pytest.FixtureRequest, network: Network, database: str, tmp_path: Path) -> Site:
    """Server and client on one wire; the server is not started yet."""
    plan.write(database)
    made = sites.direct(network, database, tmp_path)
    made.server.environment["IPAM_DHCP_WORKERS"] = str(request.param)
    return made


alone = pytest.mark.parametrize("lan", [1], ids=["one process"], indirect=True)
serving = contextmanager(running)


# --- what changes


def recreate(site: Site) -> None:
    """As `netplan apply` does."""
    host = site.server.namespace
    host.ip("link", "delete", "s0")
    wire(site, "s0")
    host.address("s0", S0)


def wire(site: Site, name: str, end: str = "c0") -> None:
    """From the server's namespace to the client's."""
    host, client = site.server.namespace, site.client
    host.ip("link", "add", name, "type", "veth", "peer", "name", end, "netns", str(client.holder))
    host.ip("link", "set", name, "up")
    client.ip("link", "set", end, "up")


def rename(site: Site) -> None:
    host = site.server.namespace
    for before, after in (("s0", "away0"), ("away0", "s0")):
        host.ip("link", "set", before, "down")
        host.ip("link", "set", before, "name", after)
        host.ip("link", "set", after, "up")
        time.sleep(0.3)


def switch_off_and_on(site: Site) -> None:
    site.server.namespace.ip("link", "set", "s0", "down")
    time.sleep(0.3)
    site.server.namespace.ip("link", "set", "s0", "up")


def readdress(site: Site) -> None:
    host = site.server.namespace
    host.address("s0", "192.0.2.5/24")
    host.ip("address", "delete", S0, "dev", "s0")
    if "192.0.2.5" not in host.ip("address", "show", "dev", "s0"):  # it was the secondary one
        host.address("s0", "192.0.2.5/24")


def lose_and_get_address(site: Site) -> None:
    site.server.namespace.ip("address", "flush", "dev", "s0")
    time.sleep(0.3)
    site.server.namespace.address("s0", S0)


def into_a_bridge_and_out(site: Site) -> None:
    host = site.server.namespace
    host.bridge("br0", "s0")
    time.sleep(0.3)
    host.ip("link", "set", "s0", "nomaster")


CHANGES = (recreate, rename, switch_off_and_on, readdress, lose_and_get_address, into_a_bridge_and_out)


def test_clients_are_served_after_each_change(lan: Site) -> None:
    with serving(lan) as site:
        for change in CHANGES:
            change(site)
            await_readiness(site.server, warnings=[])
            found = offered(site)
            assert found is not None, change.__name__
            ours = str(found.address(54))
            assert ours == ("192.0.2.5" if change is readdress else str(plan.ROUTER)), change.__name__
            await_node(site.database, state="ready", interfaces={"s0": [ours]})
            if change is readdress:
                recreate(site)
        for _ in range(5):
            recreate(site)
        await_readiness(site.server, warnings=[])
        assert offered(site)


# --- what is missing


MISSING: dict[str, Callable[[Site], object]] = {
    "does not exist": lambda site: site.server.namespace.ip("link", "delete", "s0"),
    "is down": lambda site: site.server.namespace.ip("link", "set", "s0", "down"),
    "has no IPv4 address": lambda site: site.server.namespace.ip("address", "flush", "dev", "s0"),
    "is a port of a bridge, which receives its packets": lambda site: site.server.namespace.bridge(
        "br0", "s0"
    ),
}


def test_what_is_missing_is_named_and_the_rest_is_served(lan: Site) -> None:
    """s1 leads to the same client, under another subnet."""
    second_subnet(lan)
    with serving(lan) as site:
        assert readiness(site.server) == {"ready": True, "reason": "", "warnings": []}
        for reason, take_away in MISSING.items():
            take_away(site)
            told = f"degraded: interface s0 {reason}"
            await_readiness(site.server, ready=True, reason="", warnings=[told])
            await_node(site.database, state="degraded", detail=told, interfaces={"s1": ["198.51.100.1"]})
            assert offered(site, "c1")
            assert offered(site, "c0", 0.5) is None
            if reason != "does not exist":
                site.server.namespace.ip("link", "delete", "s0")
            wire(site, "s0")
            site.server.namespace.address("s0", S0)
            await_readiness(site.server, warnings=[])


def test_a_late_interface_is_served_when_it_comes(lan: Site) -> None:
    second_subnet(lan)
    for name in ("s0", "s1"):
        lan.server.namespace.ip("link", "delete", name)
    with serving(lan) as site:
        told = ["degraded: interface s0 does not exist", "degraded: interface s1 does not exist"]
        assert readiness(site.server) == {"ready": True, "reason": "", "warnings": told}
        wire(site, "s0")
        site.server.namespace.address("s0", S0)
        await_readiness(site.server, warnings=told[1:])
        assert offered(site)
        wire(site, "s1", "c1")
        site.server.namespace.address("s1", "198.51.100.1/24")
        await_readiness(site.server, warnings=[])
        assert offered(site, "c1")
        await_node(site.database, state="ready", detail="")


@pytest.mark.parametrize("lan", [2], ids=["two workers"], indirect=True)
def test_workers_that_start_again_have_the_sockets_of_now(lan: Site) -> None:
    with serving(lan) as site:
        recreate(site)
        await_readiness(site.server, warnings=[])
        assert site.server.process is not None
        for process in psutil.Process(site.server.process.pid).children(recursive=True):
            if "--worker" in process.cmdline():
                process.kill()
        await_readiness(site.server, ready=False)
        await_readiness(site.server, ready=True, warnings=[])
        assert offered(site)
        recreate(site)
        await_readiness(site.server, warnings=[])
        assert offered(site)


@alone
def test_a_new_address_of_any_interface_is_the_servers_at_once(lan: Site) -> None:
    """A client may name it in option 54, as one does that learned it through a relay."""
    with serving(lan) as site:
        offer = offered(site)
        assert offer is not None
        named = say.request_selecting(MAC, offer.yiaddr, IPv4Address("203.0.113.9"))
        assert answered(site, named, seconds=0.5) is None
        site.server.namespace.address("lo", "203.0.113.9/32")
        offer = offered(site)
        assert offer is not None
        ack = answered(site, say.request_selecting(MAC, offer.yiaddr, IPv4Address("203.0.113.9")))
        assert ack is not None, "a station that asks every two seconds is never answered"
        assert ack.message_type == ACK


@alone
def test_where_nothing_is_served_the_server_is_not_ready(lan: Site) -> None:
    """Relays would be heard too, were there an address for them."""
    lan.server.environment["IPAM_DHCP4_LISTEN"] = "203.0.113.1:67"
    lan.server.namespace.address("s0", "203.0.113.1/24")
    with serving(lan) as site:
        assert readiness(site.server)["ready"]
        site.server.namespace.ip("link", "delete", "s0")
        said = "nothing is served: interface s0 does not exist"
        await_readiness(site.server, ready=False, reason=said)
        await_node(site.database, state="degraded", detail=said)
        wire(site, "s0")
        site.server.namespace.address("s0", S0)
        missing = ["degraded: no interface has the address of 203.0.113.1:67"]
        await_readiness(site.server, ready=True, reason="", warnings=missing)
        site.server.namespace.address("s0", "203.0.113.1/24")
        await_readiness(site.server, warnings=[])


@alone
def test_a_class_of_an_interface_that_is_made_anew(lan: Site) -> None:
    """Its pool serves those on s0 alone, by the interface's number, which is another one afterwards."""
    plan.change(lan.database, CLASS_OF_S0)
    plan.change(lan.database, "update pool set class_no = (select no from client_class)")
    with serving(lan) as site:
        assert offered(site)
        recreate(site)
        await_readiness(site.server, warnings=[])
        assert offered(site)


@alone
def test_a_strict_filter_of_reverse_paths_is_told(lan: Site) -> None:
    with serving(lan) as site:
        for name, value, told in (("s0", 1, True), ("s0", 0, False), ("all", 1, True), ("all", 2, False)):
            path = f"/proc/sys/net/ipv4/conf/{name}/rp_filter"
            site.server.namespace.run("sh", "-c", f"echo {value} > {path}")
            await_readiness(site.server, warnings=[STRICT.format("s0")] if told else [])
        assert site.server.log.read_text().count("rp_filter is strict") == 2
        await_node(site.database, state="ready")


def test_a_flapping_link_is_bound_at_most_once_a_second(lan: Site) -> None:
    with serving(lan) as site:
        began = time.monotonic()
        while time.monotonic() - began < FLAPPING_SECONDS:
            site.server.namespace.ip("link", "set", "s0", "down")
            site.server.namespace.ip("link", "set", "s0", "up")
        await_readiness(site.server, warnings=[])
        assert offered(site)
        seconds = time.monotonic() - began
        assert site.server.log.read_text().count('"interface served"') <= seconds + 3


def test_a_dns_server_has_an_address_that_comes_later(
    network: Network, database: str, tmp_path: Path
) -> None:
    plan.write(database)
    host = network.namespace("server")
    server = DnsServer(host, database, tmp_path, dns_listen="203.0.113.53:53")
    server.start()
    try:
        assert readiness(server)["warnings"] == ["degraded: no interface has the address of 203.0.113.53:53"]
        host.address("lo", "203.0.113.53/32")
        await_readiness(server, ready=True, warnings=[])
        for way in ("udp", "tcp"):
            assert host.run(sys.executable, "-c", QUERY, "203.0.113.53", way).strip() == "REFUSED"
    finally:
        server.stop()


# --- helpers

QUERY = """
import sys, dns.message, dns.query, dns.rcode
asked = dns.message.make_query("example.", "SOA")
print(dns.rcode.to_text(getattr(dns.query, sys.argv[2])(asked, sys.argv[1], timeout=5).rcode()))
"""

CLASS_OF_S0 = """
insert into client_class (id, tenant_no, name, priority, match)
select gen_random_uuid(), no, 'on-s0', 10, '{"field": "interface", "equals": "s0"}'::jsonb from tenant
"""
SECOND = """
with
second_prefix as (
  insert into prefix (id, tenant_no, cidr) select gen_random_uuid(), no, '198.51.100.0/24' from tenant
  returning no, tenant_no),
made as (
  insert into subnet (id, tenant_no, prefix_no, cidr, lease_time_seconds)
  select gen_random_uuid(), tenant_no, no, '198.51.100.0/24', 600 from second_prefix returning no)
insert into pool (id, subnet_no, start_ip, end_ip)
select gen_random_uuid(), no, '198.51.100.100', '198.51.100.199' from made
"""


def second_subnet(site: Site) -> None:
    """198.51.100.0/24 on s1, which leads to the client's c1."""
    plan.change(site.database, SECOND)
    site.server.environment["IPAM_DHCP4_INTERFACES"] = "s0,s1"
    wire(site, "s1", "c1")
    site.server.namespace.address("s1", "198.51.100.1/24")


def offered(site: Site, end: str = "c0", seconds: float = 8.0) -> Message | None:
    """The OFFER that a station on the client's interface gets."""
    return answered(site, say.discover(MAC), end, seconds)


def answered(site: Site, packet: Packet, end: str = "c0", seconds: float = 8.0) -> Message | None:
    """What a station there gets, which asks again every two seconds."""
    told = [str(STATION), end, MAC.hex(), packet.bytes().hex(), str(seconds)]
    done = subprocess.run(
        site.client.command(sys.executable, *told),
        env=peers.environment(),
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    if done.returncode:
        assert done.returncode == 1, done.stderr
        return None
    reply = parse_reply(bytes.fromhex(done.stdout.split()[1]))
    assert isinstance(reply, Message)
    return reply
