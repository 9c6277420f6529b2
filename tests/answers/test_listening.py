"""Where `ipam dns` listens: everywhere by default, on a host without IPv6 too, and it says what it cannot serve."""

import signal
import sys
from pathlib import Path

import asyncpg
import dns.asyncquery
import dns.message
import pytest
from answers import no_ipv6
from answers.serving import add_zone, eventually
from outage.processes import Role
from ports import free_port

from dhcp_fast.net.listen import open_dns
from ipam_core.errors import SettingsError
from ipam_core.setting_values import Endpoint
from ipam_core.settings import Settings

WITHOUT_IPV6 = (sys.executable, no_ipv6.__file__)


async def test_a_host_without_ipv6_is_served_over_ipv4(
    database: str, pool: asyncpg.Pool, tmp_path: Path
) -> None:
    await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"))
    port = free_port()
    told = {"database_url": database, "dns_listen": f"0.0.0.0:{port},[::]:{port}"}
    with Role(tmp_path, "dns", before=WITHOUT_IPV6, **told) as server:
        server.ready()

        async def answers() -> bool:
            return await answer(port) == {"192.0.2.1"}

        await eventually(answers)
        assert f"[::]:{port}" in server.said()
        assert "this host has no IPv6: DNS is served over IPv4 only" in server.said()


async def answer(port: int) -> set[str]:
    query = dns.message.make_query("www.example.org.", "A")
    found = await dns.asyncquery.udp(query, "127.0.0.1", port=port, timeout=5)
    return {rdata.to_text() for rrset in found.answer for rdata in rrset}


@pytest.mark.parametrize("host", ["[::]", "[::1]"])
def test_an_address_of_ipv6_that_was_asked_for_is_missed(database: str, tmp_path: Path, host: str) -> None:
    """Alone, or by its own name."""
    named = f"{host}:{free_port()}"
    also = f"127.0.0.1:{free_port()}," if host == "[::1]" else ""
    told = {"database_url": database, "dns_listen": also + named}
    server = Role(tmp_path, "dns", before=WITHOUT_IPV6, **told)
    server.start()
    try:
        assert server.ended() == 2
        said = f"ipam: dns_listen: {named} cannot be served: Address family not supported by protocol"
        assert said in server.said()
    finally:
        server.end(signal.SIGKILL)


def test_both_families_are_served_by_default() -> None:
    port = free_port()
    sockets, listeners = open_dns(Settings(dns_listen=(Endpoint("0.0.0.0", port), Endpoint("::", port))))
    try:
        assert [sock.address[:2] for sock in sockets] == [("0.0.0.0", port), ("::", port)]
        assert [sock.getsockname()[:2] for sock in listeners] == [("0.0.0.0", port), ("::", port)]
        with pytest.raises(SettingsError, match=rf"\[::1\]:{port} cannot be served: Address already in use"):
            open_dns(Settings(dns_listen=(Endpoint("::1", port),)))
    finally:
        for sock in (*sockets, *listeners):
            sock.close()
