"""Two workers of one host whose database is away: neither offers what could not be committed, and both go on."""

import re
from pathlib import Path

from outage.databases import Database
from outage.processes import Role, await_true

from dhcp_fast.probe.client import Client, NoAnswer

CLIENTS = 24  # by the hash of their addresses both workers have some
HEARD = re.compile(r'^ipam_dhcp_worker_packets_total{worker="[01]"} (\S+)$', re.MULTILINE)
DROPPED = re.compile(r'^ipam_dhcp4_drops_total{reason="database_away"} (\S+)$', re.MULTILINE)


def test_no_worker_offers_what_it_could_not_commit(own_database: Database, tmp_path: Path) -> None:
    """From a second on in which nothing can be committed, DISCOVER gets no answer: another server may have its
    database. A lease that is asked for is granted as soon as it can be, by either worker."""
    with Role(tmp_path, "dhcp", database_url=own_database.dsn, dhcp_workers="2") as host:
        host.ready()
        assert all(is_offered(host, number) for number in range(CLIENTS))
        assert all(heard > 0 for heard in samples(host, HEARD))
        with own_database.frozen():
            await_true(lambda: not any(is_offered(host, number) for number in range(CLIENTS)), "silent")
            assert sum(samples(host, DROPPED)) >= CLIENTS
            assert "worker" in host.readiness()[1]
        host.ready()
        await_true(lambda: all(is_offered(host, number) for number in range(CLIENTS)), "offering again")
        assert all(is_served(host, number) for number in range(CLIENTS))


def samples(host: Role, metric: re.Pattern[str]) -> list[float]:
    return [float(value) for value in metric.findall(host.page("/metrics")[1])]


def is_offered(host: Role, number: int) -> bool:
    with client(host, number, 0.05) as asking:
        try:
            return bool(asking.discover())
        except NoAnswer:
            return False


def is_served(host: Role, number: int) -> bool:
    with client(host, number, 1.0) as asking:
        return bool(asking.select(asking.discover().reply))


def client(host: Role, number: int, timeout: float) -> Client:
    return Client(host.address, mac=b"\x02\x00\x00\x00\x02" + bytes([number]), timeout=timeout, tries=1)
