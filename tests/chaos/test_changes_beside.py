"""An operator or a script writes to a subnet, again and again, while its clients come and go."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from chaos.judge import TAKEN, UNANSWERED, judge_by
from chaos.plots import BUSY, Plot
from chaos.rig import Rig
from outage.databases import connected

from dhcp_fast.database.plan.plan_loader import reader

pytestmark = [pytest.mark.peer("namespaces"), pytest.mark.peer("postgres")]
EVERY_SECONDS = 0.2
READINGS = 8.0
UNANSWERED_SHARE = 0.1
RESERVE = """
with changed as (update subnet set fence = fence + 1 where cidr = $1 returning no)
insert into reservation (id, subnet_no, ip, mac)
select gen_random_uuid(), no, $2::inet, $3::text::macaddr from changed
returning pg_notify('ipam_change', subnet_no::text)"""


def test_changes_of_a_subnet_starve_none_of_its_clients(three: Rig, chaos_seconds: float) -> None:
    """Five reservations a second: each raises the fence, under which all binds of the moment were not decided."""
    dsn = three.database.dsn
    unready = []
    with three.crowd(BUSY, count=200, rate=100.0).running() as crowd:
        crowd.goes_on(50)
        began = time.time()
        with reserving(dsn, BUSY):
            while time.time() < began + chaos_seconds:
                told = [server.readiness() for server in three.servers]
                unready += [reason for status, reason in told if status != 200]
                time.sleep(0.2)
        crowd.goes_on(50)
    assert not unready
    assert len(crowd.since(began, UNANSWERED)) <= UNANSWERED_SHARE * len(crowd.since(began, TAKEN))
    verdict = judge_by(dsn, crowd.records)
    assert not verdict.faults, str(verdict)


@contextmanager
def reserving(dsn: str, plot: Plot) -> Iterator[None]:
    """Addresses that no pool has are reserved, one after the other, until the block ends. A bind needs a moment between
    two changes that is longer than a server reads the subnet, so a machine that is busy with other things, where a
    reading takes long, gets changes less often."""
    over = threading.Event()

    async def write(connection: Any) -> None:
        number, pause = 0, EVERY_SECONDS
        while not over.wait(pause):
            number += 1
            mac = (b"\x02\xfe" + number.to_bytes(4, "big")).hex(":")
            await connection.execute(RESERVE, plot.cidr, plot.cidr[10_000 + number], mac)
            pause = max(EVERY_SECONDS, READINGS * await seconds_of_a_reading(connection, plot))

    thread = threading.Thread(target=connected, args=(dsn, write))
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


async def seconds_of_a_reading(connection: Any, plot: Plot) -> float:
    """How long this process takes for what each server does after a change; the servers do it all at once."""
    no = await connection.fetchval("select no from subnet where cidr = $1", plot.cidr)
    began = time.monotonic()
    rows = await reader(connection, numbers=[no])
    for wire in rows.wires():
        for row in wire:
            rows.subnet(row)
    return time.monotonic() - began
