"""Templates over DHCPv6; see engine/test_class_templates.py."""

from __future__ import annotations

import asyncpg
from engine6.serving6 import Servers, duid, leases
from engine6.site6 import Site6
from oracle import packets6 as say

from dhcp_fast.server.trace_stream import Watcher

CLIENT = duid(1)
LINK = "2001:db8:5::1"
LINE = {"option": 37, "family": 6, "relay": True, "offset": 4, "exists": True}


async def test_each_value_is_a_class(site: Site6, servers: Servers, connection: asyncpg.Connection) -> None:
    """What a relay says without its enterprise number. A pool of the template serves all values."""
    subnet = await site.subnet(5)
    lines = await site.client_class("line", priority=1, match=LINE, template=True)
    await site.client_class("banned", priority=2, match={"class": "line", "equals": "smith"}, deny=True)
    await subnet.pool(0x100, 0x1FF, class_no=lines)
    server = await servers.start()
    relay = servers.relay(server, LINK)
    watcher = Watcher(server.engine, b"", CLIENT)

    def saying(client: bytes, said: bytes) -> say.Packet:
        return (
            say.solicit(client).ia_na(1).through(LINK).relay_option(37, b"\0\0\x0d\xe9" + said).through("::")
        )

    try:
        await relay.unanswered(saying(CLIENT, b"smith"))
        await relay.advertise(saying(CLIENT, b"jones"))
        await relay.advertise(saying(duid(2), b"jones"))
        told = [watcher.entry(entry) for entry in watcher.trace.take()[0] if not entry["is_reply"]]
    finally:
        watcher.trace.close()
    assert [entry["classes"] for entry in told] == [["line:smith", "banned"], ["line:jones"]]
    assert server.counters()["class_values"] == 2
    await server.report_values()
    rows = await connection.fetch("select value, packets from class_value order by value")
    assert [tuple(row) for row in rows] == [(b"jones", 2), (b"smith", 1)]


async def test_a_client_without_a_value(site: Site6, servers: Servers) -> None:
    """Nor one whose value is shorter than the part that is asked for."""
    subnet = await site.subnet(5)
    lines = await site.client_class("line", match=LINE, template=True)
    await subnet.pool(0x100, 0x1FF, class_no=lines)
    server = await servers.start()
    relay = servers.relay(server, LINK)
    plain = say.solicit(CLIENT).ia_na(1).through(LINK)
    assert leases(await relay.ask(plain.through("::"))) == []
    assert leases(await relay.ask(plain.relay_option(37, b"\0\0\x0d\xe9").through("::"))) == []
    assert leases(await relay.ask(plain.relay_option(37, b"\0\0\x0d\xe9x").through("::"))) != []
    assert server.counters()["class_values"] == 1
