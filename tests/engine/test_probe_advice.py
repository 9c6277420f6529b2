"""`ipam probe` beside a server that gives no answer: it tells what that server did with the question."""

import asyncio
from collections.abc import AsyncIterator
from ipaddress import ip_network

import pytest
from click.testing import CliRunner, Result
from engine.serving import Servers
from engine.site import Subnet
from unit.probe.responder import Responder, silent

from dhcp_fast.commands import probe
from dhcp_fast.server import trace_stream
from dhcp_fast.server.serving import Serving
from ipam_core.processes import health
from ipam_core.setting_values import Endpoint

STRANGER = "127.0.0.77"


@pytest.fixture
async def trusting(servers: Servers, subnet: Subnet) -> Serving:
    """A server that trusts the subnet's relay and one that has no subnet; one class gets nothing."""
    await subnet.site.client_class("toys", user_class="toy", deny=True)
    return await servers.start(trusted_relays=tuple(map(ip_network, (STRANGER, str(subnet.relay)))))


@pytest.fixture
async def pages(trusting: Serving) -> AsyncIterator[Endpoint]:
    streams = {"/trace": trace_stream.stream(lambda: trusting.engine)}
    async with await health.serve(Endpoint("127.0.0.1", 0), {}, streams) as served:
        yield Endpoint(*served.sockets[0].getsockname()[:2])


async def typed(server: str, pages: Endpoint, *more: str) -> Result:
    arguments = ["--server", server, "--health", str(pages), "--mac", "02:00:00:00:00:01", *more]
    return await asyncio.to_thread(CliRunner().invoke, probe, arguments)


async def test_it_tells_the_servers_own_reason(trusting: Serving, subnet: Subnet, pages: Endpoint) -> None:
    """And each time what is true then."""
    server = "{}:{}".format(*trusting.sockets[0].address)
    shown = await typed(server, pages)
    assert shown.exit_code == 1
    assert (
        "The server received it and dropped it (untrusted_relay): the relay is not among the trusted"
        in shown.stderr
    )
    assert "ipam create trusted-relays cidr=127.0.0.1/32" in shown.stderr
    shown = await typed(server, pages, "--giaddr", STRANGER)
    assert "The server received it and dropped it (no_subnet)" in shown.stderr
    assert f"A subnet must contain {STRANGER}, or list it in its relay_addresses." in shown.stderr
    shown = await typed(server, pages, "--giaddr", str(subnet.relay), "--user-class", "toy")
    assert "dropped it (denied_class)" in shown.stderr
    assert (
        "in the subnet 10.5.0.0/24. Its classes: toys.\nOne of the classes of the client has deny."
        in shown.stderr
    )
    shown = await typed(server, pages, "--giaddr", str(subnet.relay))
    assert shown.exit_code == 0, shown.stderr


async def test_a_server_that_does_not_hear_it_is_told_from_one_that_drops_it(pages: Endpoint) -> None:
    with Responder(silent) as another:
        shown = await typed("{}:{}".format(*another.address), pages)
    assert f"The server whose health address is {pages} did not receive it" in shown.stderr
    assert "Check:\n" in shown.stderr


async def test_an_empty_plan_is_the_likely_reason(servers: Servers) -> None:
    empty = await servers.start()
    streams = {"/trace": trace_stream.stream(lambda: empty.engine)}
    async with await health.serve(Endpoint("127.0.0.1", 0), {}, streams) as served:
        pages = Endpoint(*served.sockets[0].getsockname()[:2])
        shown = await typed("{}:{}".format(*empty.sockets[0].address), pages)
    assert "The plan has no IPv4 subnet yet." in shown.stderr
    assert "docs/tutorials/first-lan.md" in shown.stderr
