"""As tests/system/test_asymmetric_routes.py: a relay that sends towards the link s0, while the way back leads by u0.

    relay c0 --- s0 server u0 --- c1 relay

The relay is one host with both ends, which is reached by one of them.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections.abc import Iterator
from ipaddress import IPv6Address, IPv6Network
from pathlib import Path

import pytest
from oracle import packets6 as say
from system.namespaces import Namespace, Network, socket_in
from system.server import DhcpServer
from system6 import sites6
from system6.sites6 import LINK, UPSTREAM

pytestmark = pytest.mark.peer("namespaces")
RELAY = IPv6Address("2001:db8:aaaa::1")
GROUP = IPv6Address("ff05::1:3")
INFO = struct.Struct("=16sI")  # struct in6_pktinfo
ANSWER_SECONDS = COUNT_SECONDS = 10.0
UNSENT = 'ipam_dhcp6_drops_total{reason="send_failed"}'
CLIENT = say.duid_ll("02:00:00:00:00:77")


class Site:
    """The server, and the relay's socket."""

    def __init__(self, network: Network, database: str, folder: Path, **settings: str) -> None:
        self.host, self.relay = sites6.namespace(network, "server"), sites6.namespace(network, "relay")
        for near, far, link in (("s0", "c0", LINK), ("u0", "c1", UPSTREAM)):
            network.join(self.host, near, self.relay, far)
            self.host.ip("address", "add", f"{link[1]}/64", "dev", near, "nodad")
            self.relay.ip("address", "add", f"{link[0x77]}/64", "dev", far, "nodad")
            sites6.await_link_local(self.host, near)
            sites6.await_link_local(self.relay, far)
        self.relay.ip("address", "add", f"{RELAY}/128", "dev", "lo")
        self.host.ip("-6", "route", "add", f"{RELAY}/128", "via", str(UPSTREAM[0x77]))
        self.socket = opened(self.relay)
        told = {"dhcp6_interfaces": "s0", "leasequery_requesters": f"{RELAY}/128"}
        self.server = DhcpServer(self.host, database, folder, family="6", **told | settings)

    def send(self, to: IPv6Address, data: bytes) -> None:
        """By c0."""
        index = int(self.relay.ip("-o", "link", "show", "dev", "c0").partition(":")[0])
        info = (socket.IPPROTO_IPV6, socket.IPV6_PKTINFO, INFO.pack(RELAY.packed, index))
        self.socket.sendmsg([data], [info], 0, (str(to), 547, 0, index if to.is_multicast else 0))

    def answer(self, to: IPv6Address, data: bytes) -> tuple[int, IPv6Address]:
        """Its type and source."""
        self.send(to, data)
        told, (source, *_) = self.socket.recvfrom(4096)
        return told[0], IPv6Address(source)


def opened(relay: Namespace) -> socket.socket:
    made = socket_in(relay, socket.AF_INET6, socket.SOCK_DGRAM)
    made.bind(("::", 547))
    made.settimeout(ANSWER_SECONDS)
    return made


@pytest.fixture(
    params=[{}, {"dhcp_workers": "2"}, {"dhcp6_listen": "[::]:547"}], ids=["alone", "two workers", "all"]
)
def site(request: pytest.FixtureRequest, network: Network, database: str, tmp_path: Path) -> Iterator[Site]:
    asyncio.run(sites6.plan(database, (IPv6Network(f"{RELAY}/128"),), rapid_commit=True))
    made = Site(network, database, tmp_path, **request.param)
    made.server.start()
    yield made
    made.server.stop()
    made.socket.close()
    print(made.server.log.read_text(errors="replace")[-6000:])


def test_an_answer_leaves_by_the_interface_that_leads_there(site: Site) -> None:
    asked = say.solicit(CLIENT).ia_na(1).rapid_commit().xid(7).through(LINK[1], peer="fe80::7").bytes()
    query = say.of(14, CLIENT).option(44, b"\1" + bytes(16) + struct.pack("!HH", 5, 24) + bytes(24)).bytes()
    assert site.answer(LINK[1], asked) == (13, LINK[1])
    assert site.answer(LINK[1], query) == (15, LINK[1])
    assert site.answer(GROUP, asked) == (13, LINK[1])  # an address of the interface that was asked

    site.host.ip("-6", "route", "delete", f"{RELAY}/128")
    before = site.server.metrics().get(UNSENT, 0)
    site.send(LINK[1], asked)
    site.send(LINK[1], query)
    deadline = time.monotonic() + COUNT_SECONDS
    while site.server.metrics().get(UNSENT, 0) < before + 2:
        assert time.monotonic() < deadline, site.server.counts()
