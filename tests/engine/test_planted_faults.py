"""A fault planted into one item of each loop of a DHCP server: its neighbors are served, and it is counted."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from engine.requesters import Requester, requesters
from engine.serving import Relay, Servers, mac_of
from engine.site import Subnet, until
from engine.test_bulk_leasequery import EVERYBODY, QUERY_TERMINATED, ask, query
from engine.test_leasequery import ACTIVE, by_address, kind
from engine.test_leasequery import ask as ask_one
from oracle import packets as say

from dhcp_fast.database import pool_alerts
from dhcp_fast.database.retry_loop import repeat
from dhcp_fast.leasequery import tcp4, udp
from dhcp_fast.server.serving import Serving
from ipam_core import faults
from ipam_core.errors import SettingsError

FAILING = ZeroDivisionError("planted")


def counted(place: str) -> int:
    return faults.faults.counts[place, "ZeroDivisionError"]


async def test_a_loop_that_fails_leaves_the_others_alone(
    servers: Servers, subnet: Subnet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That which watches pools: clients are served, and /readyz warns until it works."""
    broken = True
    real = pool_alerts.look

    async def look(*told: Any) -> None:
        if broken:
            raise FAILING
        await real(*told)

    monkeypatch.setattr(pool_alerts, "look", look)
    monkeypatch.setattr(faults, "FIRST_REST", 0.1)
    monkeypatch.setattr("dhcp_fast.server.serving.POOL_SECONDS", 0.1)
    before = counted("pools")
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)

    async def warns() -> bool:
        return "degraded: pools fails (ZeroDivisionError); see the log" in server.warnings()

    await until("it warns", warns)
    for number in range(5):
        await relay.lease(mac_of(number + 1))
    assert counted("pools") - before <= 8  # it rests, longer each time
    broken = False

    async def is_well() -> bool:
        return not server.warnings()

    await until("it works again", is_well)


async def test_what_is_heard_of_a_query_does_not_keep_leases_waiting(
    servers: Servers, subnet: Subnet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One leasequery fails in our code; the next one is answered, and so are clients."""
    server = await servers.start(leasequery_requesters=EVERYBODY)
    relay = servers.relay(server, subnet.relay)
    ack = await relay.lease(mac_of(1))
    broken = True
    real = udp.answer4

    async def answer(*told: Any) -> Any:
        if broken:
            raise FAILING
        return await real(*told)

    monkeypatch.setattr(udp, "answer4", answer)
    before = counted("leasequery")
    assert await ask_one(relay, by_address(ack.yiaddr), 0.5) is None
    assert counted("leasequery") == before + 1
    await relay.lease(mac_of(2))
    broken = False
    assert kind(await ask_one(relay, by_address(ack.yiaddr))) == ACTIVE


async def test_a_bulk_leasequery_that_fails_is_terminated(
    servers: Servers, subnet: Subnet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The requester is told so, over a connection that goes on."""
    server = await servers.start(leasequery_requesters=EVERYBODY)
    relay = servers.relay(server, subnet.relay)
    await relay.lease(mac_of(1))
    broken = True
    real = tcp4.answer

    class Broken:
        def __init__(self, answer: Any) -> None:
            self.terminated = answer.terminated

        async def messages(self) -> Any:
            raise FAILING
            yield b""

    def answer(*told: Any) -> Any:
        found = real(*told)
        return Broken(found) if broken else found

    monkeypatch.setattr(tcp4, "answer", answer)
    before = counted("bulk leasequery")
    async with requesters(server) as bank:
        requester: Requester = await bank.connect()
        *_, done = await ask(requester, query())
        assert done.status == QUERY_TERMINATED
        assert counted("bulk leasequery") == before + 1
        broken = False
        *told, done = await ask(requester, query())
        assert done.status is None
        assert told


async def test_a_fault_while_queries_are_heard(
    relay: Relay, server: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Leases are written before queries are looked at: whatever happens there."""

    def hear() -> None:
        raise FAILING

    monkeypatch.setattr(server.receiver, "hear_queries", hear)
    assert (await relay.lease(mac_of(7))).yiaddr
    assert (await relay.ack(say.request_renewing(mac_of(7), (await relay.lease(mac_of(7))).yiaddr))).yiaddr


async def test_a_step_that_fails_is_tried_again_and_fatal_ones_end_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(faults, "FIRST_REST", 0.01)
    errors = [FAILING, ConnectionResetError(), FAILING, None, SettingsError("dhcp4_listen", "planted")]
    before, tries = counted("planted loop"), 0

    async def step() -> None:
        nonlocal tries
        tries += 1
        if error := errors[tries - 1]:
            raise error

    with pytest.raises(SettingsError):
        async with asyncio.timeout(10):
            await repeat("planted loop", 0.01, step)
    assert tries == len(errors)
    assert counted("planted loop") == before + 2
    with suppress(KeyError):
        del faults.faults.failing["planted loop"]
