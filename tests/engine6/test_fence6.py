"""Engine rule 12 in DHCPv6: the configuration is looked at before it refuses a Request; see engine/test_fence.py."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from engine6.serving6 import Relay, Servers, duid, leases, statuses
from engine6.site6 import Subnet6
from oracle import packets6 as say
from oracle.options6 import IA_NA, IA_PD, NO_ADDRS_AVAIL
from oracle.packets6 import Packet

from dhcp_fast.server import serving as serving_module
from dhcp_fast.server.serving import Serving

CLIENT = duid(1)
PREFIX = "2001:db8:ff00::/60"


@pytest.fixture
async def deaf(monkeypatch: pytest.MonkeyPatch, servers: Servers, subnet: Subnet6) -> Serving:
    """A server that has read the plan and will not read it again by itself."""
    monkeypatch.setattr(serving_module, "PLAN_SECONDS", 3600.0)
    server = await servers.start()
    await server.plan.read_changes()
    return server


@pytest.fixture
def behind(servers: Servers, deaf: Serving, subnet: Subnet6) -> Relay:
    return servers.relay(deaf, subnet.link)


async def reserve(subnet: Subnet6) -> tuple[int, str]:
    await subnet.reserve(0x42, duid=CLIENT)
    return IA_NA, str(subnet.address(0x42))


async def reserve_prefix(subnet: Subnet6) -> tuple[int, str]:
    await subnet.reserve_prefix(PREFIX, duid=CLIENT)
    return IA_PD, PREFIX


async def add_pool(subnet: Subnet6) -> tuple[int, str]:
    await subnet.pool(0x50, 0x5F)
    return IA_NA, str(subnet.address(0x50))


def asking(packet: Packet, kind: int, lease: str) -> Packet:
    return packet.ia_na(1, lease) if kind == IA_NA else packet.ia_pd(1, lease)


@pytest.mark.parametrize("change", [reserve, reserve_prefix, add_pool])
async def test_what_another_server_offered_under_a_later_configuration_is_bound(
    change: Callable[[Subnet6], Awaitable[tuple[int, str]]], behind: Relay, deaf: Serving, subnet: Subnet6
) -> None:
    await behind.lease(duid(2))  # the server's own DUID is known then
    async with subnet.change(tell=False):
        kind, lease = await change(subnet)
    answer = await behind.reply(asking(say.request(CLIENT, behind.server_id), kind, lease))
    assert (leases(answer, kind), statuses(answer)) == ([lease], [])
    assert deaf.counters()["lost"] == 0


async def test_what_nobody_offered_is_refused_after_the_look(behind: Relay, subnet: Subnet6) -> None:
    await behind.lease(duid(2))
    request = say.request(CLIENT, behind.server_id).ia_na(1, subnet.address(7)).ia_na(2, subnet.address(8))
    answer = await behind.reply(request)
    assert (leases(answer), statuses(answer)) == ([], [NO_ADDRS_AVAIL, NO_ADDRS_AVAIL])
