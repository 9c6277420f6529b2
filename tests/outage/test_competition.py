"""Three servers and a pool exactly as large as the clients: the last addresses are few, and everybody is after them.

Each server hears every client, as on one wire, and a client takes the first offer. All are served, no address goes to
two of them, and few are refused: a server that knows of the others looks elsewhere than they do.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import ExitStack
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Any

import pytest
from outage.databases import execute, fetch
from outage.processes import Role, await_true
from outage.relays import Relay
from outage.storms import SEED
from outage.test_startup import CHANGED

from dhcp_fast.bench.generator.result import Result, acknowledgements
from dhcp_fast.bench.generator.storm import Storm
from dhcp_fast.bench.generator.template import Features
from dhcp_fast.bench.servers import bench_plan
from dhcp_fast.bench.servers.audit import audit

SERVERS = ("127.0.0.2", "127.0.0.3", "127.0.0.4")
CLIENTS = 240
RATE = 400.0  # clients that come a second
SERVED_SECONDS = 40.0  # a client that is not answered asks again after 4, 8 and 16 s (RFC 2131 section 4.1)
REFUSED_SHARE = 0.1  # of all answers to a REQUEST; before servers heeded what clients select elsewhere, 0.3
ALLOCATIONS = ("hashed", "sequential")
# So much of a lease, which is an hour here, is answered from memory after each write; 0: nothing is.
MEMORY = 0.001
WRITTEN = "select count(*) from lease_event where kind = 'n'"
# Each server has said that it lives after the last one had come, and has read then who else does.

ACQUAINTED = "select count(*) = 3 and min(heartbeat_at) > max(started_at) from node"


@pytest.fixture
def competitions(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--competitions"))


@pytest.fixture
def servers(database: str, tmp_path: Path, competitions: int) -> Iterator[list[Role]]:
    asyncio.run(insert(database, competitions))
    with ExitStack() as stack:
        roles = [Role(tmp_path, "dhcp", database_url=database) for _ in SERVERS]
        for role, host in zip(roles, SERVERS, strict=True):
            role.listen(host)
            stack.enter_context(role)
        for role in roles:
            role.ready()
        await_true(lambda: fetch(database, ACQUAINTED), "acquainted")
        yield roles


async def insert(dsn: str, count: int) -> None:
    """Of each allocation so many subnets, with a relay of its own each."""
    async with bench_plan.writing(dsn) as (connection, tenant):
        prefix = await bench_plan.add(connection, "prefix", tenant_no=tenant, cidr=IPv4Network("10.0.0.0/8"))
        place = {
            "tenant_no": tenant,
            "prefix_no": prefix,
            "lease_time_seconds": 3600,
            "cache_threshold": MEMORY,
        }
        for number, allocation in enumerate(ALLOCATIONS * count):
            cidr = IPv4Network(f"10.0.{number}.0/24")
            named: dict[str, Any] = {"cidr": cidr, "gateway": cidr[1], "relay_addresses": [relay(number)]}
            subnet = await bench_plan.add(connection, "subnet", **place, **named)
            ends = {"start_ip": cidr[10], "end_ip": cidr[10 + CLIENTS - 1]}
            await bench_plan.add(connection, "pool", subnet_no=subnet, allocation=allocation, **ends)


def relay(number: int) -> IPv4Address:
    return IPv4Address("127.0.1.1") + number


def test_every_client_gets_an_address_of_its_own(
    servers: list[Role], database: str, competitions: int
) -> None:
    results = []
    for number, allocation in enumerate(ALLOCATIONS * competitions):
        result = asked(servers, number)
        served = {each.client: each.address for each in acknowledgements(result.log)}
        print(
            f"{allocation}: all in {result.elapsed:.1f} s, {result.naks} refused of {result.acks + result.naks}"
        )
        assert len(served) == len(set(served.values())) == CLIENTS, result
        found = asyncio.run(audit(database, result.log, seed=SEED))
        assert found.clean, str(found)
        results.append(result)
    refused, acks = (sum(getattr(each, what) for each in results) for what in ("naks", "acks"))
    assert refused <= REFUSED_SHARE * (refused + acks)


@pytest.mark.parametrize("memory", [MEMORY, 0.0])
def test_a_client_that_every_server_hears_is_written_once(
    servers: list[Role], database: str, memory: float
) -> None:
    """INIT-REBOOT: who comes second finds the row renewed since the packet came, and answers from it. A subnet
    whose renewals are all written has them written by each."""
    execute(database, "update subnet set cache_threshold = $1, fence = fence + 1", memory)
    execute(database, CHANGED)
    result = asked(servers, 0)
    time.sleep(3600 * MEMORY + 1)
    again = asked(servers, 0, mix="reboot", held=result.log)
    written = fetch(database, WRITTEN)
    print(f"{written} writes for {again.acks} clients that three servers heard")
    assert (again.acks, again.naks) == (CLIENTS, 0)
    assert CLIENTS <= written < 2 * CLIENTS if memory else written > 2 * CLIENTS


def asked(servers: list[Role], number: int, **run: Any) -> Result:
    """As many clients as the subnet has addresses, by a relay that sends to all servers; each until it is served."""
    here = str(relay(number))
    with Relay([role.address for role in servers], host=here) as wire:
        told: dict[str, Any] = {"local": (here, 0), "features": Features(giaddr=relay(number)), "seed": SEED}
        told |= {"first_client": number * CLIENTS, "backoff": True, "patience": SERVED_SECONDS}
        storm = Storm(wire.address, **told)
        try:
            whole = {"exchanges": CLIENTS, "window": CLIENTS, "rate": RATE, "seconds": SERVED_SECONDS}
            result: Result = storm.run(**whole | run)
        finally:
            storm.close()
    return result
