"""Bulk leasequery of a whole process: the host answers over TCP whatever number of workers it has, also after one died,
and a database that is killed in the midst ends a query and not the server."""

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from oracle import packets as say
from outage.databases import Database
from outage.processes import Role, await_true, signal_all
from outage.storms import judge, storm

from dhcp_fast.bench.servers.processes import family

QUERY, ACTIVE, DONE, QUERY_TERMINATED = 14, 13, 15, 2
ASK = say.discover(b"").option(53, bytes([QUERY])).without(55).field(htype=0, hlen=0, chaddr=b"").bytes()
STATUS_CODE = 151
LITTLE = 4096
SECONDS = 30.0


@contextmanager
def connected(host: Role) -> Iterator[socket.socket]:
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, LITTLE)
        sock.settimeout(SECONDS)
        sock.connect(host.address)
        yield sock


def read(sock: socket.socket) -> Iterator[bytes]:
    """Messages up to the last one."""
    with sock.makefile("rb") as stream:
        while head := stream.read(2):
            message = stream.read(int.from_bytes(head, "big"))
            yield message
            if message[242] == DONE:
                return


def addresses_told(host: Role) -> set[bytes]:
    with connected(host) as sock:
        sock.sendall(len(ASK).to_bytes(2, "big") + ASK)
        *leases, _ = read(sock)
    assert {message[242] for message in leases} <= {ACTIVE}
    return {message[12:16] for message in leases}


def started(dsn: str, folder: Path, workers: int = 1) -> Role:
    told = {"dhcp_workers": str(workers), "leasequery_requesters": "127.0.0.1/32"}
    return Role(folder, "dhcp", database_url=dsn, **told)


@pytest.mark.parametrize("workers", [1, 2])
def test_all_leases_of_a_host_are_told(plan_database: str, tmp_path: Path, workers: int) -> None:
    with started(plan_database, tmp_path, workers) as host:
        host.ready()
        with storm(host.address, exchanges=400, window=16, segments=False) as running:
            running.thread.join()
            result = running.result()
        judge(plan_database, result)
        assert len(addresses_told(host)) == result.acks
        assert host.metric("ipam_dhcp4_bulk_leasequeries_total") == 1
        signal_all(family(host.pid) - {host.pid}, signal.SIGKILL)
        if workers > 1:
            await_true(lambda: "a worker exited" in host.said(), "said to have ended")
        host.ready()
        assert len(addresses_told(host)) == result.acks


def test_a_killed_database_ends_the_query_alone(own_database: Database, tmp_path: Path) -> None:
    with started(own_database.dsn, tmp_path) as host:
        host.ready()
        with storm(host.address, exchanges=4000) as running:
            running.thread.join()
            result = running.result()
        with connected(host) as sock:
            sock.sendall(len(ASK).to_bytes(2, "big") + ASK)
            messages = read(sock)
            next(messages)
            own_database.kill()
            *_, last = messages
            assert last[242] == DONE
            assert bytes([STATUS_CODE]) in last[243:]
            assert last[last.index(STATUS_CODE, 243) + 2] == QUERY_TERMINATED
            own_database.start()
            host.ready()
        assert len(addresses_told(host)) >= result.acks
        assert "Traceback" not in host.said()
