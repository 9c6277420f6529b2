"""Several workers that serve one host (engine rule 21): relayed unicast over the loopback interface, and what happens
when one of them dies in the midst of a storm.

The storm sends its datagrams one by one here: over the loopback interface the kernel would take a message that is to be
cut into datagrams whole to one worker, which no network card does.
"""

import http.client
import json
import os
import re
import select
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from outage.databases import Database, fetch
from outage.processes import WAIT_SECONDS, Role, await_true, signal_all
from outage.storms import judge, renew, storm

from dhcp_fast.bench.servers.processes import family, lost_datagrams
from dhcp_fast.probe.client import Client, NoAnswer

NODES = "select array_agg(state) from node"
WORK = """select count(*) from node
where acks_per_second > 0 and packets_per_second > acks_per_second and commit_p99_ms > 0"""
TRACES = 4  # that one server has room for
MOST_CLIENTS = 200
YOUNG_SECONDS = 2.0


@pytest.fixture(params=[1, 2, 4])
def count(request: pytest.FixtureRequest) -> int:
    number: int = request.param
    return number


@pytest.fixture
def host(plan_database: str, tmp_path: Path, count: int) -> Iterator[Role]:
    with started(plan_database, tmp_path, count) as role:
        role.ready()
        yield role


def started(dsn: str, folder: Path, count: int) -> Role:
    return Role(folder, "dhcp", database_url=dsn, dhcp_workers=str(count))


def by_worker(role: Role, name: str) -> dict[int, float]:
    """A metric with the label `worker`."""
    found = re.findall(rf'^{name}{{worker="(\d+)"}} (\S+)$', role.page("/metrics")[1], re.MULTILINE)
    return {int(worker): float(value) for worker, value in found}


def processes(role: Role) -> list[int]:
    return sorted(family(role.pid) - {role.pid})


def test_each_client_gets_one_offer_and_one_ack(host: Role, plan_database: str, count: int) -> None:
    """Hundreds of them, and each worker serves some; every answer that comes is one that was asked for."""
    with storm(host.address, exchanges=600, window=16, segments=False) as running:
        running.thread.join()
        result = running.result()
    assert (result.acks + result.naks, result.duplicates) == (600, 0)
    judge(plan_database, result)
    assert host.metric("ipam_dhcp4_replies_total") == result.offers + result.acks + result.naks
    served = by_worker(host, "ipam_dhcp_worker_packets_total")
    assert len(served) == (count if count > 1 else 0)
    assert all(packets > 100 for packets in served.values()), served
    assert host.metric("ipam_dhcp4_leases_known") == result.acks
    assert host.metric("ipam_dhcp4_packets_astray_total") == 0


def test_each_client_renews_at_its_worker(host: Role) -> None:
    with storm(host.address, exchanges=300, window=16, segments=False) as running:
        running.thread.join()
        result = running.result()
    renew(host.address, result, segments=False)


def test_one_process_is_one_process(plan_database: str, tmp_path: Path) -> None:
    with started(plan_database, tmp_path, 1) as alone:
        alone.ready()
        assert processes(alone) == []


def test_a_host_is_one_node_and_says_goodbye(plan_database: str, tmp_path: Path) -> None:
    with started(plan_database, tmp_path, 2) as host:
        host.ready()
        await_true(lambda: fetch(plan_database, NODES) == ["ready"], "one node that is ready")
        workers = processes(host)
        assert len(workers) == 2
        with storm(host.address, exchanges=300, window=16, segments=False) as running:
            await_true(
                lambda: fetch(plan_database, WORK) == 1, "a heartbeat that tells of both workers' packets"
            )
            running.thread.join()
        assert host.end(signal.SIGTERM) == 0
        assert fetch(plan_database, NODES) == ["stopped"]
        assert not any(map(alive, workers))


def test_workers_end_with_a_killed_supervisor(plan_database: str, tmp_path: Path) -> None:
    with started(plan_database, tmp_path, 2) as host:
        host.ready()
        workers = processes(host)
        host.end(signal.SIGKILL)
        await_true(lambda: not any(map(alive, workers)), "ended")
        host.start()  # their sockets are closed
        host.ready()


def test_a_killed_worker_is_started_again_and_nobody_loses_a_lease(
    plan_database: str, tmp_path: Path
) -> None:
    """Thrice in one storm, each time another one. The others' clients go on; those of the dead one are served by what
    waited in its socket and by what they send again. The counters of the host never go back."""
    with started(plan_database, tmp_path, 2) as host:
        host.ready()
        with storm(host.address, segments=False) as running:
            before = 0.0
            for turn in range(3):
                running.goes_on(1000)
                os.kill(by_age(host)[0], signal.SIGKILL)
                await_true(lambda: "a worker exited" in host.said(), "said to have ended")
                running.goes_on(500)
                await_true(lambda n=turn: restarts(host) == n + 1, "shown as started again")
                host.ready()
                replies = host.metric("ipam_dhcp4_replies_total")
                assert replies > before
                before = replies
            running.goes_on(1000)
            result = running.result()
        judge(plan_database, result)
        renew(host.address, result, segments=False)
        assert by_worker(host, "ipam_dhcp_worker_up") == {0: 1, 1: 1}


def test_what_arrives_while_nobody_is_there_waits_in_its_socket(plan_database: str, tmp_path: Path) -> None:
    """Each client asks once: those whose packet is not too old when the workers are back (5 s) get their answer."""
    asked: dict[float, Future[bool]] = {}
    with started(plan_database, tmp_path, 2) as host, ThreadPoolExecutor(MOST_CLIENTS) as clients:
        host.ready()
        signal_all(processes(host), signal.SIGKILL)

        def back() -> bool:
            if len(asked) < MOST_CLIENTS:
                asked[time.monotonic()] = clients.submit(is_served, host, len(asked), WAIT_SECONDS, 1)
                time.sleep(0.1)
            return restarts(host) == 2 and host.is_ready()

        await_true(back, "both are back")
        now = time.monotonic()
        young = [answer.result() for when, answer in asked.items() if now - when < YOUNG_SECONDS]
        assert young
        assert all(young)


def test_the_other_workers_clients_notice_nothing(plan_database: str, tmp_path: Path) -> None:
    """One worker is stopped, not killed, so that it stays away: the readiness names it, the other one serves."""
    with started(plan_database, tmp_path, 2) as host:
        host.ready()
        first, second = by_age(host)
        os.kill(second, signal.SIGSTOP)
        try:
            served = sum(is_served(host, number) for number in range(24))
            assert 3 <= served <= 21
            await_true(lambda: host.readiness() == (503, "worker 1: it does not answer"), "named")
            assert host.metric("ipam_dhcp4_replies_total") > 0
        finally:
            os.kill(second, signal.SIGCONT)
        host.ready()
        assert all(is_served(host, number) for number in range(24))
        assert first in processes(host)


def is_served(host: Role, number: int, timeout: float = 0.3, tries: int = 2) -> bool:
    with Client(host.address, mac=mac_of(number), timeout=timeout, tries=tries) as client:
        try:
            return bool(client.discover())
        except NoAnswer:
            return False


def mac_of(number: int) -> bytes:
    return b"\x02\x00\x00\x00\x01" + bytes([number])


def by_age(host: Role) -> list[int]:
    """The workers' processes, the oldest first: at the start that is the order of their indexes."""
    return sorted(processes(host), key=lambda pid: (int(stat(pid)[19]), pid))


def stat(pid: int) -> list[str]:
    """The fields of /proc/<pid>/stat behind the command's name."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def restarts(host: Role) -> float:
    return sum(by_worker(host, "ipam_dhcp_worker_restarts_total").values())


def alive(pid: int) -> bool:
    try:
        return stat(pid)[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_what_nobody_had_room_for_is_counted_whoever_was_away(plan_database: str, tmp_path: Path) -> None:
    """The sockets of stopped workers run full; their successors take up what is in them, and the host's count is the
    kernel's."""
    with started(plan_database, tmp_path, 2) as host:
        host.ready()
        workers = processes(host)
        signal_all(workers, signal.SIGSTOP)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as anybody:
            while not (lost := lost_datagrams(host.address[1])):
                for _ in range(1000):
                    anybody.sendto(bytes(28) + os.urandom(6) + bytes(266), host.address)
        signal_all(workers, signal.SIGKILL)
        await_true(lambda: restarts(host) == 2, "both started again")
        host.ready()
        with storm(host.address, segments=False) as running:
            running.goes_on(100)
        assert host.metric("ipam_dhcp4_kernel_drops_total") == lost_datagrams(host.address[1]) >= lost


def test_a_trace_hears_whichever_worker_serves_the_client(plan_database: str, tmp_path: Path) -> None:
    """Also the one that comes after it; and each end of a trace is noticed, so that there is room for the next."""
    with started(plan_database, tmp_path, 2) as host:
        host.ready()
        for number in range(2 * TRACES):
            with closing(traced(host, number)) as trace:
                assert is_served(host, number)
                assert json.loads(trace.readline())["event"] == "decision"
        with closing(traced(host, 0)) as trace:
            signal_all(processes(host), signal.SIGKILL)
            await_true(lambda: restarts(host) == 2, "both started again")
            host.ready()
            await_true(lambda: is_served(host, 0) and select.select([trace], [], [], 0.2)[0], "heard again")
            assert json.loads(trace.readline())["event"] == "decision"


def traced(host: Role, number: int) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(host.health.host, host.health.port, timeout=WAIT_SECONDS)
    connection.request("GET", f"/trace?mac={mac_of(number).hex()}")
    response = connection.getresponse()
    assert response.status == 200
    return response


def test_the_end_does_not_wait_for_a_database_that_hangs(own_database: Database, tmp_path: Path) -> None:
    with started(own_database.dsn, tmp_path, 2) as host:
        host.ready()
        workers = processes(host)
        with own_database.frozen():
            assert host.end(signal.SIGTERM) == 0
        assert not any(map(alive, workers))


def test_two_hosts_of_two_workers_share_one_database(plan_database: str, tmp_path: Path) -> None:
    """What the one's workers grant, the other's renew; also where the kernel takes packets to the wrong worker, which
    then decides afresh or asks the database, as a server does behind a load balancer (rules 4 and 20)."""
    one, other = (started(plan_database, tmp_path, 2) for _ in range(2))
    one.listen("127.0.0.2")
    other.listen("127.0.0.3")
    with one, other:
        one.ready()
        other.ready()
        with (
            storm(one.address, segments=False) as here,
            storm(other.address, first_client=1_000_000) as there,
        ):
            here.goes_on(1000)
            there.goes_on(1000)
            results = here.result(), there.result()
        judge(plan_database, *results)
        renew(other.address, results[0])
        renew(one.address, results[1])


def test_workers_hear_what_another_host_grants(plan_database: str, tmp_path: Path) -> None:
    """Their supervisor reads it for all of them; each lease is known to the worker whose client it is."""
    one, other = started(plan_database, tmp_path, 2), started(plan_database, tmp_path, 1)
    one.listen("127.0.0.2")
    other.listen("127.0.0.3")
    with one, other:
        one.ready()
        other.ready()
        with storm(other.address, exchanges=100, window=8, segments=False) as running:
            running.thread.join()
            granted = running.result().acks
        await_true(lambda: one.metric("ipam_dhcp4_leases_known") >= granted, "heard of the leases")
