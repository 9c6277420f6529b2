"""A real client that asks for an address first and for a prefix later, or the other way round (RFC 8415 sections 18.3.4
and 18.3.5): it keeps what it has and gets what it asks for in addition.

dhclient sends a Rebind with the association that it knows and an empty one beside it; dhcpcd and networkd a Request.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from system.namespaces import Network
from system6 import sites6
from system6.clients6 import BOTH, IA_NA, IA_PD, Client6, Dhclient, Dhcpcd, Networkd
from system6.sites6 import Wire

pytestmark = pytest.mark.peer("namespaces")
JOINS: list[tuple[type[Client6], int]] = [
    (Dhclient, IA_NA),
    (Dhclient, IA_PD),
    (Dhcpcd, IA_NA),
    (Dhcpcd, IA_PD),
    (Networkd, IA_NA),
]
LATE = {"renew_time_seconds": 600, "rebind_time_seconds": 900, "lease_time_seconds": 1800}


@pytest.fixture
def direct(network: Network, database: str, tmp_path: Path) -> Iterator[Wire]:
    """Server and client on one wire; nobody renews of itself in the time of a test."""
    asyncio.run(sites6.plan(database, **LATE))
    made = sites6.direct(network, database, tmp_path)
    made.server.start()
    yield made
    made.server.stop()
    for log in sorted(tmp_path.rglob("*.log")):
        print(f"--- {log.relative_to(tmp_path)}\n{log.read_text(errors='replace')[-6000:]}")


@pytest.mark.parametrize(
    ("kind", "first"),
    [
        pytest.param(kind, first, marks=pytest.mark.peer(kind.program), id=f"{kind.program}, {first} first")
        for kind, first in JOINS
    ],
)
def test_what_is_asked_for_later_joins(direct: Wire, kind: type[Client6], first: int) -> None:
    client = kind(direct.client, direct.folder / "client", (first,))
    client.start()
    before = direct.await_rows(lambda rows: rows.keys() == {first}, "leased")
    client.start_again(BOTH)
    after = direct.await_rows(lambda rows: rows.keys() == set(BOTH), "joined")
    assert {row["state"] for row in after.values()} == {"a"}
    kept, joined = after[first], after[IA_NA + IA_PD - first]
    assert kept["address"] == before[first]["address"]
    assert kept["duid"] == before[first]["duid"] == joined["duid"]
