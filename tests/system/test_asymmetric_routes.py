"""Packets that come in by one interface and whose answer the kernel routes by another: a router that sends towards the
served link, while the way back leads over the transit network. The answer leaves, from the address that was asked.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from oracle import packets as say
from oracle.packets import Packet
from system.frames import Frame
from system.namespaces import Network
from system.reply_lab import LINK, NETWORKS, RELAY, SERVER, Answer, Lab, pool_of, write_plan

pytestmark = pytest.mark.peer("namespaces")
MAC = "02:00:00:00:00:77"
ADDRESS = pool_of(NETWORKS["routed"])[7]
LEASEQUERY = 10
UNSENT = 'ipam_dhcp4_drops_total{reason="send_failed"}'
COUNT_SECONDS = 10.0


@pytest.fixture(
    params=[("1", ""), ("2", ""), ("1", "0.0.0.0:67")], ids=["alone", "two workers", "on all addresses"]
)
def lab(request: pytest.FixtureRequest, network: Network, database: str, tmp_path: Path) -> Iterator[Lab]:
    write_plan(database)
    workers, listen = request.param
    told = {"dhcp4_listen": listen, "dhcp_workers": workers}
    made = Lab(network, database, tmp_path, (f"{LINK}/16",), **told)
    made.server.start()
    yield made
    made.server.stop()
    print(made.server.log.read_text(errors="replace")[-6000:])


def ask(lab: Lab, packet: Packet, source: IPv4Address, xid: int) -> None:
    """As a router passes it on by the served link."""
    lab.send("served", Frame(lab.hops["served"], source, LINK, SERVER, packet.xid(xid).bytes()))


def answer(lab: Lab, packet: Packet, source: IPv4Address, xid: int) -> tuple[str, IPv4Address, IPv4Address]:
    """The link on which the answer was seen, its source and its destination."""
    ask(lab, packet, source, xid)
    found: Answer = lab.answers({xid})[xid]
    return found.at, found.frame.source, found.frame.to


def test_an_answer_leaves_by_the_interface_that_leads_there(lab: Lab) -> None:
    leased = say.request_selecting(MAC, ADDRESS, LINK).with_relay(RELAY)
    assert answer(lab, say.discover(MAC).with_relay(RELAY), RELAY, 1) == ("relayed", LINK, RELAY)
    assert answer(lab, leased, RELAY, 2) == ("relayed", LINK, RELAY)
    assert answer(lab, say.request_renewing(MAC, ADDRESS), ADDRESS, 3) == ("routed", LINK, ADDRESS)
    query = say.message(LEASEQUERY, "00:00:00:00:00:00", ciaddr=ADDRESS).with_relay(RELAY)
    assert answer(lab, query, RELAY, 4) == ("relayed", LINK, RELAY)

    lab.server.namespace.ip("route", "delete", str(NETWORKS["routed"]))
    before = lab.server.metrics().get(UNSENT, 0)
    ask(lab, leased, RELAY, 5)
    ask(lab, query, RELAY, 6)
    deadline = time.monotonic() + COUNT_SECONDS
    while lab.server.metrics().get(UNSENT, 0) < before + 2:
        assert time.monotonic() < deadline, lab.server.counts()
