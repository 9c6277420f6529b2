"""Relays that nobody trusts show up in the operator's list by the address that they send from."""

from ipaddress import ip_network

from engine6.serving6 import Servers, duid
from engine6.site6 import Subnet6
from oracle import packets6 as say


async def test_a_relay_that_nobody_trusts_is_listed(servers: Servers, subnet: Subnet6) -> None:
    server = await servers.start(trusted_relays=(ip_network("2001:db8:ffff::/64"),))
    relay = servers.relay(server, subnet.link)
    for _ in range(3):
        await relay.unanswered(say.solicit(duid(1)).ia_na(1))
    assert server.counters()["drops"] == {"untrusted_relay": 3}
    await server.report_relays()
    rows = await subnet.site.connection.fetch("select address, count from unknown_relay")
    assert [(str(row["address"]), row["count"]) for row in rows] == [("::1", 3)]
