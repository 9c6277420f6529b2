"""The wires as fixtures, each with its server running; see system/conftest.py for missing peers."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from system.conftest import pytest_runtest_setup as pytest_runtest_setup
from system.namespaces import Network
from system6 import sites6
from system6.sites6 import Wire


@pytest.fixture
def network() -> Iterator[Network]:
    with Network() as network:
        yield network


@pytest.fixture(params=["direct", pytest.param("relayed", marks=pytest.mark.peer("dhcrelay"))])
def wire(request: pytest.FixtureRequest, network: Network, database: str, tmp_path: Path) -> Iterator[Wire]:
    """Either wire, with its server up; afterwards everybody's log, which pytest shows when the test failed."""
    asyncio.run(sites6.plan(database))
    make = sites6.direct if request.param == "direct" else sites6.behind_relay
    made = make(network, database, tmp_path)
    made.server.start()
    yield made
    made.server.stop()
    for log in sorted(tmp_path.rglob("*.log")):
        print(f"--- {log.relative_to(tmp_path)}\n{log.read_text(errors='replace')[-6000:]}")
