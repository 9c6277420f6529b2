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

pytestmark = [pytest.mark.peer("namespaces"), pytest.mark.peer("postgres")]
EVERY_SECONDS = 0.2
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
                unready += [server.readiness() for server in three.servers if not server.is_ready()]
                time.sleep(0.2)
        crowd.goes_on(50)
    assert not unready
    assert len(crowd.since(began, UNANSWERED)) <= UNANSWERED_SHARE * len(crowd.since(began, TAKEN))
    verdict = judge_by(dsn, crowd.records)
    assert not verdict.faults, str(verdict)


@contextmanager
def reserving(dsn: str, plot: Plot) -> Iterator[None]:
    """Addresses that no pool has are reserved, one after the other, until the block ends."""
    over = threading.Event()

    async def write(connection: Any) -> None:
        number = 0
        while not over.wait(EVERY_SECONDS):
            number += 1
            mac = (b"\x02\xfe" + number.to_bytes(4, "big")).hex(":")
            await connection.execute(RESERVE, plot.cidr, plot.cidr[10_000 + number], mac)

    thread = threading.Thread(target=connected, args=(dsn, write))
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
