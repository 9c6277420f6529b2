"""Several workers that serve one host's DHCPv6 clients (engine rule 21); see test_workers.py, and for clients on the
server's own wire system6/test_workers6.py.

What comes through a relay is shared by the peer-address that the relay says, so each client has one of its own here.
"""

import http.client
import json
import os
import re
import signal
import socket
from contextlib import closing, suppress
from pathlib import Path

import pytest
from outage.databases import fetch
from outage.processes import WAIT_SECONDS, Role, await_true
from outage.servers6 import Place, serving
from outage.storms import judge, renew, storm
from ports import free_endpoint

from dhcp_fast.bench.servers import bench_plan6
from dhcp_fast.bench.servers.processes import family
from dhcp_fast.packets import message6
from dhcp_fast.probe.client6 import Client6

NODES = "select array_agg(name || ' ' || role || ' ' || state) from node"
ROWS = "select count(*) from lease"


def by_worker(role: Role, name: str) -> dict[int, float]:
    """A metric with the label `worker`."""
    found = re.findall(rf'^{name}{{worker="(\d+)"}} (\S+)$', role.page("/metrics")[1], re.MULTILINE)
    return {int(worker): float(value) for worker, value in found}


def await_known(database: str, host: Role) -> None:
    """Wait until each row is in a cache. Of a client that was refused one of its leases the other has a row, so answers
    do not tell how many there are."""
    rows = fetch(database, ROWS)
    with suppress(AssertionError):
        await_true(lambda: host.metric("ipam_dhcp6_leases_known") == rows, "heard of the leases")
    found = re.findall(r"^(ipam_dhcp6_(?:leases_known|feed).*)$", host.page("/metrics")[1], re.MULTILINE)
    assert host.metric("ipam_dhcp6_leases_known") == rows, found


def processes(role: Role) -> list[int]:
    return sorted(family(role.pid) - {role.pid})


@pytest.mark.parametrize("count", [1, 2, 4])
def test_each_client_gets_one_answer_from_its_worker(database: str, tmp_path: Path, count: int) -> None:
    """Hundreds of them, each with an address and a prefix; then each renews where it was served."""
    with serving(database, tmp_path, workers=count) as (host, place, kind):
        before = host.metric("ipam_dhcp6_replies_total")
        with storm(place, exchanges=600, window=16, segments=False, kind=kind) as running:
            running.thread.join()
            result = running.result()
        assert (result.acks + result.naks, result.duplicates) == (600, 0)
        judge(database, result, family=6)
        replies = host.metric("ipam_dhcp6_replies_total") - before
        assert replies == result.offers + result.acks + result.naks
        served = by_worker(host, "ipam_dhcp_worker_packets_total")
        assert len(served) == (count if count > 1 else 0)
        assert all(packets > 100 for packets in served.values()), served
        await_known(database, host)
        assert host.metric("ipam_dhcp6_packets_astray_total") == 0
        renew(place, result, segments=False, kind=kind)


def test_killed_workers_in_a_storm_lose_nothing(database: str, tmp_path: Path) -> None:
    with serving(database, tmp_path, workers=2) as (host, place, kind):
        with storm(place, segments=False, kind=kind) as running:
            for turn in range(2):
                running.goes_on(500)
                os.kill(processes(host)[0], signal.SIGKILL)
                await_true(lambda n=turn: restarts(host) == n + 1, "shown as started again")
                host.ready()
            running.goes_on(500)
            result = running.result()
        judge(database, result, family=6)
        renew(place, result, segments=False, kind=kind)
        assert by_worker(host, "ipam_dhcp_worker_up") == {0: 1, 1: 1}


def restarts(host: Role) -> float:
    return sum(by_worker(host, "ipam_dhcp_worker_restarts_total").values())


def test_a_host_is_one_node_and_says_goodbye(database: str, tmp_path: Path) -> None:
    with serving(database, tmp_path, workers=2) as (host, place, _):
        name = f"{socket.gethostname()}/[{place[0]}]:{place[1]}"
        await_true(lambda: fetch(database, NODES) == [f"{name} dhcp6 ready"], "one node that is ready")
        assert len(processes(host)) == 2
        assert host.end(signal.SIGTERM) == 0
        assert fetch(database, NODES) == [f"{name} dhcp6 stopped"]


def test_both_families_have_workers_of_their_own(plan_database: str, tmp_path: Path) -> None:
    """One command, and one page for all of them."""
    listen = free_endpoint("::1")
    told = {"dhcp6_listen": f"[::1]:{listen.port}", "dhcp_workers": "2"}
    with Role(tmp_path, "dhcp", database_url=plan_database, **told) as both:
        both.ready()
        assert len(processes(both)) == 2 * (1 + 2)
        page = both.page("/metrics")[1]
        for role in ("dhcp", "dhcp6"):
            for worker in (0, 1):
                assert f'ipam_dhcp_worker_up{{role="{role}",worker="{worker}"}} 1' in page


def test_workers_hear_what_another_host_grants(database: str, tmp_path: Path) -> None:
    """Their supervisor reads it for both; each lease is counted by one of them and known to each."""
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
    with (
        serving(database, other) as (_, there, kind),
        serving(database, one, workers=2, kind=kind) as (host, here, _),
    ):
        with storm(there, exchanges=100, window=32, kind=kind) as running:
            running.thread.join()
            result = running.result()
        await_known(database, host)
        renew(here, result, segments=False, kind=kind)


def test_a_trace_hears_whichever_worker_serves_the_client(database: str, tmp_path: Path) -> None:
    with serving(database, tmp_path, workers=2) as (host, place, _):
        for number in range(6):
            with closing(traced(host, number)) as trace:
                ask(place, number)
                assert json.loads(trace.readline())["event"] == "decision"
        assert all(packets >= 1 for packets in by_worker(host, "ipam_dhcp_worker_packets_total").values())


def ask(place: Place, number: int) -> None:
    with Client6(place, mac=mac_of(number), link=bench_plan6.LINK) as client:
        client.solicit()


def mac_of(number: int) -> bytes:
    return b"\x02\x00\x00\x00\x01" + bytes([number])


def traced(host: Role, number: int) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(host.health.host, host.health.port, timeout=WAIT_SECONDS)
    connection.request("GET", f"/trace6?duid={message6.duid_ll(mac_of(number)).hex()}")
    response = connection.getresponse()
    assert response.status == 200
    return response
