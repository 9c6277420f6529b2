"""Every row of the DHCPv6 table of docs/reference/reply-address.md on real links: where a reply goes, and which address
it is from; and Reconfigure messages, which nobody asked for.

    client c0 --- s0 server u0 --- c1 relay
"""

from __future__ import annotations

import asyncio
import select
import socket
import struct
import time
from collections.abc import Iterator
from ipaddress import IPv6Address, IPv6Network
from pathlib import Path
from typing import NamedTuple

import pytest
from oracle import packets6 as say
from oracle.message6 import RECONFIGURE, Message, parse_reply
from oracle.options6 import RECONF_ACCEPT
from oracle.reply_table6 import PORTS, TYPES, Case, cases
from system.namespaces import Namespace, Network, socket_in
from system.server import DhcpServer
from system6 import sites6
from system6.sites6 import LINK, UPSTREAM
from system6.test_reconfigure6 import index_of, tell

pytestmark = pytest.mark.peer("namespaces")
ANSWER_SECONDS, SILENCE_SECONDS = 10.0, 0.3
AT_ONCE = 30  # fewer than the leasequeries that a server answers at a time
INFO = struct.Struct("=16sI")  # struct in6_pktinfo
NAMES = {"served": ("c0", "s0"), "relayed": ("c1", "u0")}
OWNER = say.duid_ll("02:00:00:00:00:77")
LOOPBACK = IPv6Address("2001:db8:99::1")
NETWORKS = {"served": LINK, "relayed": UPSTREAM}
LISTENED = (LINK[1], UPSTREAM[1], LOOPBACK)  # and others are of the interfaces alone
LISTENS = {
    "on interfaces alone": "",
    "on all addresses": "[::]:547",
    "on each": ",".join(f"[{each}]:547" for each in LISTENED),
}


class Answer(NamedTuple):
    data: bytes
    link: str
    source: IPv6Address
    to: IPv6Address
    port: int


class Lab6:
    """The server, and a socket for each link and port at the other end."""

    def __init__(self, network: Network, database: str, folder: Path, listen: str) -> None:
        self.database = database
        server = sites6.namespace(network, "server")
        server.ip("address", "add", f"{LOOPBACK}/128", "dev", "lo")
        self.indexes, self.local, self.servers = {}, {}, {}
        self.sockets: dict[tuple[str, int], socket.socket] = {}
        for link, (far, near) in NAMES.items():
            station = sites6.namespace(network, link)
            network.join(server, near, station, far)
            for last in (1, 9):
                server.ip("address", "add", f"{NETWORKS[link][last]}/64", "dev", near, "nodad")
            station.ip("address", "add", f"{NETWORKS[link][0x77]}/64", "dev", far, "nodad")
            station.ip("-6", "route", "add", f"{LOOPBACK}/128", "via", str(NETWORKS[link][1]))
            sites6.await_link_local(server, near)
            sites6.await_link_local(station, far)
            self.indexes[link] = index_of(station, far)
            self.local[link], self.servers[link] = link_local(station, far), link_local(server, near)
            self.sockets |= {(link, port): opened(station, port) for port in PORTS[link]}
        told = {"dhcp6_interfaces": "s0,u0", "leasequery_requesters": "::/0"}
        told |= {"dhcp6_listen": listen} if listen else {}
        self.server = DhcpServer(server, database, folder, family="6", **told)

    def source(self, link: str, kind: str) -> IPv6Address:
        return self.local[link] if kind == "link-local" else NETWORKS[link][0x77]

    def target(self, link: str, name: str) -> IPv6Address:
        own = {"link-local": self.servers[link], "first": NETWORKS[link][1], "second": NETWORKS[link][9]}
        return (own | {"loopback": LOOPBACK}).get(name) or IPv6Address(name)

    def send(self, link: str, source: IPv6Address, port: int, to: IPv6Address, data: bytes) -> None:
        index = self.indexes[link]
        info = (socket.IPPROTO_IPV6, socket.IPV6_PKTINFO, INFO.pack(source.packed, index))
        scope = index if to.is_link_local or to.is_multicast else 0
        self.sockets[link, port].sendmsg([data], [info], 0, (str(to), 547, 0, scope))

    def answers(self, wanted: set[int], seconds: float = ANSWER_SECONDS) -> dict[int, list[Answer]]:
        """Those that come until all of `wanted` have, by transaction id."""
        found: dict[int, list[Answer]] = {}
        deadline = time.monotonic() + seconds
        links = {opened: link for (link, _), opened in self.sockets.items()}
        while not wanted <= found.keys() and (left := deadline - time.monotonic()) > 0:
            for ready in select.select(list(links), [], [], left)[0]:
                answer = received(ready, links[ready])
                found.setdefault(xid_of(answer.data), []).append(answer)
        return found

    def server_id(self) -> bytes:
        asked = say.solicit(say.duid_ll("02:00:00:ff:ff:ff")).ia_na(1).xid(0xFFFF)
        group = self.target("served", "ff02::1:2")
        self.send("served", self.local["served"], 546, group, asked.bytes())
        told = read(self.answers({0xFFFF})[0xFFFF][0].data).server_id
        assert told is not None
        return told


class Try:
    """A case as one client tries it."""

    def __init__(self, lab: Lab6, number: int, case: Case, server: bytes) -> None:
        self.case = case
        self.xid = number + 1
        self.source = lab.source(case.link, case.source)
        self.to = lab.target(case.link, case.target)
        duid = say.duid_ll(f"02:00:00:00:{number >> 8:02x}:{number & 255:02x}")
        registers = case.message == "ADDR-REG-INFORM"
        address = lab.source(case.link, "global") if registers else LINK[0x8000 + number]
        packet = case.packet(OWNER if registers else duid, server, address).xid(self.xid)
        if case.link == "relayed":
            packet = packet.through(LINK[1], peer="fe80::7")
            packet = packet.relay_port() if case.asks_for_port else packet
        self.data = packet.bytes()

    def send(self, lab: Lab6) -> None:
        lab.send(self.case.link, self.source, self.case.port, self.to, self.data)

    def fault(self, lab: Lab6, answers: list[Answer]) -> str:
        """What is wrong with the answers; empty where nothing is."""
        if self.case.reply == "none" or len(answers) != 1:
            wanted = 0 if self.case.reply == "none" else 1
            return "" if len(answers) == wanted else f"{len(answers)} answers"
        (answer,) = answers
        found = (kind_of(answer.data), *answer[1:])
        told = (self.case.link, self.sender(lab), self.source, self.case.replied_port)
        wanted = (TYPES[self.case.reply], *told)
        return "" if found == wanted else f"{found} instead of {wanted}"

    def sender(self, lab: Lab6) -> IPv6Address:
        """Of two global addresses in one network, the kernel chooses that which was added last."""
        link = self.case.link
        chosen = {"link-local": lab.servers[link], "global": NETWORKS[link][9]}
        return chosen.get(self.case.reply_from, self.to)


def opened(client: Namespace, port: int) -> socket.socket:
    made = socket_in(client, socket.AF_INET6, socket.SOCK_DGRAM)
    made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVPKTINFO, 1)
    made.bind(("::", port))
    return made


def received(ready: socket.socket, link: str) -> Answer:
    data, [(_, _, told)], _, sender = ready.recvmsg(4096, 64)
    source, (to, _) = IPv6Address(sender[0].partition("%")[0]), INFO.unpack(told)
    return Answer(data, link, source, IPv6Address(to), ready.getsockname()[1])


def link_local(namespace: Namespace, interface: str) -> IPv6Address:
    told = namespace.ip("-6", "-o", "address", "show", "dev", interface, "scope", "link")
    return IPv6Address(told.split()[3].partition("/")[0])


def read(data: bytes) -> Message:
    found = parse_reply(data)
    assert isinstance(found, Message), found
    return found


def inner(data: bytes) -> bytes:
    """The message in a Relay-reply whose first option it is, or the message itself."""
    if data[0] != 13:
        return data
    at = 34
    while True:
        code, length = struct.unpack_from("!HH", data, at)
        if code == 9:
            return inner(data[at + 4 : at + 4 + length])
        at += 4 + length


def kind_of(data: bytes) -> int:
    return inner(data)[0]


def xid_of(data: bytes) -> int:
    return int.from_bytes(inner(data)[1:4], "big")


@pytest.fixture(params=LISTENS)
def lab(request: pytest.FixtureRequest, network: Network, database: str, tmp_path: Path) -> Iterator[Lab6]:
    trusted = (UPSTREAM, IPv6Network("fe80::/10"))
    asyncio.run(sites6.plan(database, trusted, rapid_commit=True, address_registration=True))
    made = Lab6(network, database, tmp_path, LISTENS[request.param])
    made.server.start()
    yield made
    made.server.stop()
    for each in made.sockets.values():
        each.close()
    print(made.server.log.read_text(errors="replace")[-6000:])


def test_every_reply_reaches_its_client(lab: Lab6) -> None:
    server = lab.server_id()
    tried = [Try(lab, number, case, server) for number, case in enumerate(cases())]
    faults: dict[str, str] = {}
    for start in range(0, len(tried), AT_ONCE):
        some = tried[start : start + AT_ONCE]
        for one in some:
            one.send(lab)
        wanted = {one.xid for one in some if one.case.reply != "none"}
        found = lab.answers(wanted)
        if len(wanted) < len(some):
            found |= {
                xid: more for xid, more in lab.answers({0}, SILENCE_SECONDS).items() if xid not in found
            }
        faults |= {str(one.case): fault for one in some if (fault := one.fault(lab, found.get(one.xid, [])))}
    assert faults == {}


def lease(lab: Lab6, link: str) -> IPv6Address:
    """Of a willing client: on its link, or behind a relay that sends from a global address."""
    asked = say.solicit(say.duid_ll("02:00:00:00:00:aa")).ia_na(1).rapid_commit().option(RECONF_ACCEPT).xid(7)
    if link == "relayed":
        data = asked.through(LINK[1], peer="fe80::7").bytes()
        lab.send(link, lab.source(link, "global"), 547, UPSTREAM[9], data)
    else:
        lab.send(link, lab.source(link, "link-local"), 546, lab.target(link, "ff02::1:2"), asked.bytes())
    return read(lab.answers({7})[7][0].data).associations[0].leases[0].address


def reconfigured(lab: Lab6, link: str) -> set[Answer]:
    """The first Reconfigure messages, which leave together; the next ones are sent two seconds later."""
    asyncio.run(tell(lab.database, lease(lab, link)))
    found = lab.answers({0})[0] + lab.answers({7}, SILENCE_SECONDS).get(0, [])
    assert {kind_of(each.data) for each in found} == {RECONFIGURE}
    assert len({each.data for each in found}) == 1
    return {each._replace(data=b"") for each in found}


@pytest.mark.parametrize("lab", ["on each"], indirect=True)
def test_reconfigure_leaves_from_the_addresses_that_are_listened_on(lab: Lab6) -> None:
    """Another address of the interface is one that the relay, or a firewall in between, need not know."""
    relay = lab.source("relayed", "global")
    assert reconfigured(lab, "relayed") == {Answer(b"", "relayed", own, relay, 547) for own in LISTENED}


@pytest.mark.parametrize("lab", ["on all addresses"], indirect=True)
def test_reconfigure_reaches_a_client_on_its_link(lab: Lab6) -> None:
    own, client = lab.servers["served"], lab.local["served"]
    assert reconfigured(lab, "served") == {Answer(b"", "served", own, client, 546)}
