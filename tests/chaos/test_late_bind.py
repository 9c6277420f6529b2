"""A bind that is written late: the client has given up and got another address from another server meanwhile.

It must not cost the client that newer address: who has it from the server believes in it until T1.
"""

import random
import time
from collections.abc import Callable
from contextlib import suppress
from ipaddress import IPv4Address

import pytest
from chaos.judge import judge_by
from chaos.plots import FLAPPING, LATE
from chaos.rig import Rig
from chaos.station import Station
from outage.databases import fetch
from outage.processes import await_true

from dhcp_fast.packets.message4 import Reply
from dhcp_fast.probe.client import NoAnswer, Refused

pytestmark = [pytest.mark.peer("namespaces"), pytest.mark.peer("postgres")]
ACTIVE = "select array_agg(host(address)) from lease where hw_address = $1 and state = 'a'"
CUT_SECONDS = (2.5, 4.2)
WHOLE_SECONDS = (1.0, 2.0)


def test_a_bind_in_a_statement_that_was_sent(three: Rig) -> None:
    """The statement waits in the network: repeated by TCP, it arrives when the path is healed, before the session is
    given up for lost."""
    given_up(three, 1, lambda: None)


def test_a_bind_that_waits_for_a_session(three: Rig) -> None:
    """The server has noticed; its sessions are made again within the five seconds that a packet may be old."""
    one = three.servers[0]
    given_up(three, 2, lambda: await_true(lambda: one.readiness()[0] == 503, "aware of the cut"))


def given_up(rig: Rig, number: int, aware: Callable[[], None]) -> None:
    """The first server hears the REQUEST while it is cut off; the second one is asked for another address."""
    one, other = rig.servers[:2]
    client, late, newer = different_offers(rig, number)
    with rig.cut_off(one.number):
        aware()
        client.server, client.tries = one.address, 1
        with pytest.raises(NoAnswer):
            client.select(late)
        client.server = other.address
        lease = client.select(newer).reply
    serves_again(rig, number)
    assert str(newer.yiaddr) in fetch(rig.database.dsn, ACTIVE, client.mac)
    others = [bound(rig.station(LATE, other, 1000 * number + more)) for more in range(8)]
    assert newer.yiaddr not in others
    client.tries = 3
    assert client.renew(lease).reply.yiaddr == newer.yiaddr
    assert fetch(rig.database.dsn, ACTIVE, client.mac) == [str(newer.yiaddr)]


def different_offers(rig: Rig, number: int) -> tuple[Station, Reply, Reply]:
    """A client with offers of two addresses by the first and the second server: before, a stranger was offered there
    what would have been the same one."""
    one, other = rig.servers[:2]
    rig.station(LATE, other, 100 + number).discover()
    client = rig.station(LATE, one, number)
    late = client.discover().reply
    client.server = other.address
    newer = client.discover().reply
    assert late.yiaddr != newer.yiaddr
    return client, late, newer


def serves_again(rig: Rig, number: int) -> None:
    """The first server has written what waited in it, and what it does about that: another client is served after it,
    and then there is time for the server's second thoughts."""
    rig.servers[0].ready()
    bound(rig.station(LATE, rig.servers[0], 200 + number))
    time.sleep(1.0)


def bound(station: Station) -> IPv4Address:
    """Its address; another client may be faster at the first that it is offered."""
    station.tries = 10
    while True:
        with suppress(Refused):
            return station.select(station.discover().reply).reply.yiaddr


def test_a_server_whose_path_flaps_doubles_no_address(three: Rig, chaos_seconds: float) -> None:
    """Clients give up and go to another server, again and again; the pool is sequential, so that an address which is
    free is given to the next client at once."""
    chance = random.Random(1)
    with three.crowd(FLAPPING, count=250, rate=120.0).running() as crowd:
        crowd.goes_on(100)
        end = time.monotonic() + chaos_seconds
        while time.monotonic() < end:
            with three.cut_off(three.servers[0].number):
                time.sleep(chance.uniform(*CUT_SECONDS))
            time.sleep(chance.uniform(*WHOLE_SECONDS))
        three.whole()
        crowd.goes_on(100)
    verdict = judge_by(three.database.dsn, crowd.records)
    assert not verdict.faults, str(verdict)
