"""The machine of the server that writes what expires loses its power: another one does it soon."""

import signal

import pytest
from chaos.plots import SHORT
from chaos.rig import Rig
from outage.databases import fetch
from outage.processes import await_true

pytestmark = [pytest.mark.peer("namespaces"), pytest.mark.peer("postgres")]
EXPIRER = """
select host(client_addr) from pg_locks join pg_stat_activity using (pid)
where locktype = 'advisory' and granted and objid = (hashtext('ipam expirer')::bigint & 4294967295)::oid"""
EXPIRED = "select count(*) from lease_event where kind = 'x' and address = $1"


def test_the_expirer_loses_its_power(three: Rig) -> None:
    """No end of its session is ever sent: PostgreSQL finds out, and another server writes what expires."""
    await_true(lambda: fetch(three.database.dsn, EXPIRER), "an expirer")
    number = int(fetch(three.database.dsn, EXPIRER).rpartition(".")[2])
    lost = next(server for server in three.servers if server.number == number)
    other = next(server for server in three.servers if server is not lost)
    with three.cut_off(number):
        lost.end(signal.SIGKILL)
        client = three.station(SHORT, other, 1)
        address = client.select(client.discover().reply).reply.yiaddr
        try:
            await_true(lambda: fetch(three.database.dsn, EXPIRED, address), "expired", seconds=30.0)
        finally:
            lost.start()
    lost.ready()
