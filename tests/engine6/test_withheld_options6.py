"""never_send over DHCPv6; see engine/test_withheld_options.py."""

from engine6.serving6 import Servers, duid
from engine6.site6 import Site6
from oracle import packets6 as say

DNS = {"addresses": ["2001:db8::53"]}


async def test_a_narrower_scope_withholds_what_a_wider_one_has(site: Site6, servers: Servers) -> None:
    near, far = await site.subnet(5), await site.subnet(6)
    for subnet in (near, far):
        await subnet.pool(0x100, 0x1FF)
    await site.option(23, DNS)
    await near.option(23, DNS, never_send=True)
    server = await servers.start()
    solicit = say.solicit(duid(1)).ia_na(1).asking(23)
    withheld = await servers.relay(server, near.link).advertise(solicit)
    assert 23 not in dict(withheld.options)
    assert 23 in dict((await servers.relay(server, far.link).advertise(solicit)).options)
