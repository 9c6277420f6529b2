"""One of three servers loses its database: its clients' service goes on with the others."""

import time
from ipaddress import IPv4Address

import pytest
from chaos.judge import OFFERED, UNANSWERED, Record, judge_by
from chaos.plots import CUT_OFF
from chaos.rig import Rig, Server
from outage.processes import await_true

pytestmark = [pytest.mark.peer("namespaces"), pytest.mark.peer("postgres")]
SILENT_SECONDS = 2.0  # a session that is made again at once silences nobody
GIVE_UP_SECONDS = 3.5


def test_a_server_without_its_database_is_silent_to_new_clients(three: Rig) -> None:
    """Who takes its offer would wait in vain: as soon as /readyz says 503 it makes none, and makes them again when the
    database is back."""
    lost = three.servers[-1]
    with three.crowd(CUT_OFF, count=200, rate=100.0).running() as crowd:
        crowd.goes_on(50)
        with three.cut_off(lost.number):
            await_true(lambda: lost.readiness()[0] == 503, "aware of the cut")
            unready = time.time() + SILENT_SECONDS
            time.sleep(SILENT_SECONDS + GIVE_UP_SECONDS)  # who took its offer before has given up by then
            hopeless = time.time()
            crowd.goes_on(100)
            time.sleep(GIVE_UP_SECONDS)
        healed = time.time()
        await_true(lambda: by(lost, crowd.since(healed, OFFERED)), "offering again")
    assert not [offer for offer in by(lost, crowd.since(unready, OFFERED)) if offer.at < healed]
    assert not [given_up for given_up in crowd.since(hopeless, UNANSWERED) if given_up.at < healed]
    verdict = judge_by(three.database.dsn, crowd.records)
    assert not verdict.faults, str(verdict)


def by(server: Server, records: list[Record]) -> list[Record]:
    return [record for record in records if record.server == IPv4Address(server.dhcp.host)]
