"""A client's way through a lease (RFC 8415 section 18.2), over a real server and PostgreSQL."""

from engine6.serving6 import Relay, chosen, duid, leases, statuses
from engine6.site6 import Site6, Subnet6
from oracle import packets6 as say
from oracle.options6 import IA_PD, SUCCESS

CLIENT = duid(1)


async def test_an_address_from_solicit_to_release(relay: Relay, site: Site6, subnet: Subnet6) -> None:
    reply = await relay.lease(CLIENT)
    (address,) = leases(reply)
    row = await site.lease(address)
    assert (row["state"], row["duid"], row["iaid"], row["ia_type"]) == ("a", CLIENT, 1, 3)
    renewed = await relay.reply(chosen(say.renew(CLIENT, relay.server_id), reply))
    assert leases(renewed) == [address]
    gone = await relay.reply(chosen(say.release(CLIENT, relay.server_id), reply))
    assert gone.status is not None
    assert gone.status.code == SUCCESS
    assert (await site.lease(address))["state"] == "r"


async def test_an_address_and_a_prefix_in_one_message(relay: Relay, site: Site6) -> None:
    reply = await relay.lease(CLIENT, say.solicit(CLIENT).ia_na(1).ia_pd(2))
    (address,), (prefix,) = leases(reply), leases(reply, IA_PD)
    assert prefix.startswith("2001:db8:f")
    assert prefix.endswith("/56")
    row = await site.lease(prefix.partition("/")[0])
    assert (row["state"], row["prefix_length"], row["iaid"], row["ia_type"]) == ("a", 56, 2, 25)
    assert (await site.lease(address))["state"] == "a"
    assert statuses(reply) == []
