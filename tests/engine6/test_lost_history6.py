"""What was acknowledged counts while the database may err: it lost it, or its clock was put forward (rules 16, 26)."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest
from engine6.serving6 import Relay, Servers, chosen, duid, leases, statuses
from engine6.site6 import Site6, association_key
from oracle import packets6 as say
from oracle.message6 import Message
from oracle.options6 import IA_NA, NO_ADDRS_AVAIL

from dhcp_fast.engine.engine import boot_clock
from dhcp_fast.server import duties
from dhcp_fast.server.serving import Serving

HOLDER, OTHER = duid(1), duid(2)
EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
# A row of a client who gave the address back since.
FORMER = """
update lease set version = 2, duid = $1, client_key = set_byte('\\x06000300000001'::bytea || $1, 0, 6),
  renewed_at = now() - interval '1 minute'"""
RAN_OUT = FORMER + ", expires_at = now() - interval '20 s', reuse_at = now() - interval '10 s'"
Err = Callable[[Serving, Site6], Awaitable[None]]


@pytest.fixture(autouse=True)
def read_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duties, "FEED_SECONDS", 3600.0)


async def lose(server: Serving, site: Site6) -> None:
    """As a dump that is put in place does, from before there were leases."""
    await server.duties.read_feed(server)
    await site.connection.execute("delete from lease")
    await site.connection.execute("select setval('lease_version', 2)")
    await server.duties.read_feed(server)


async def put_forward(server: Serving, _site: Site6) -> None:
    now = boot_clock()
    database = datetime.now(UTC) - EPOCH + timedelta(days=1)
    server.engine.set_clock(round(database.total_seconds() * 1e6), now - 100, now)


@pytest.mark.parametrize("err", [lose, put_forward])
async def test_who_selects_what_another_has_gets_it_not(
    err: Err, relay: Relay, server: Serving, site: Site6
) -> None:
    await site.connection.execute("select setval('lease_version', 1000)")
    held: Message = await relay.lease(HOLDER)
    await err(server, site)
    answer = await relay.reply(chosen(say.request(OTHER, relay.server_id), held))
    assert (leases(answer), statuses(answer)) == ([], [NO_ADDRS_AVAIL])
    renewed = await relay.reply(chosen(say.renew(HOLDER, relay.server_id), held))
    assert leases(renewed) == leases(held)


async def test_what_is_advertised_while_the_clock_is_in_doubt_is_given(servers: Servers, site: Site6) -> None:
    """A lease that had ended before counts as running again then; its address is not offered, to be refused."""
    subnet = await site.subnet(6)
    await subnet.pool(0x100, 0x13F)
    ended = {"expires_at": -20.0, "reuse_at": -10.0}
    for last in range(0x100, 0x120):
        key = association_key(IA_NA, 1, duid(1000 + last))
        await site.put_lease(subnet.address(last), key, subnet.no, **ended)
    server = await servers.start()
    await put_forward(server, site)
    for number in range(20):
        assert leases(await servers.relay(server, subnet.link).lease(duid(number)))


async def go_back(server: Serving, site: Site6, change: str, *arguments: object) -> None:
    await server.duties.read_feed(server)
    await site.connection.execute(change, *arguments)
    await site.connection.execute("select setval('lease_version', 2)")
    await server.duties.read_feed(server)


async def test_a_former_client_is_not_given_it_again(relay: Relay, server: Serving, site: Site6) -> None:
    await site.connection.execute("select setval('lease_version', 1000)")
    held = await relay.lease(HOLDER)
    await go_back(server, site, FORMER, OTHER)
    offered = await relay.advertise(say.solicit(OTHER).ia_na(1))
    assert leases(offered) != leases(held)
    answer = await relay.reply(chosen(say.request(OTHER, relay.server_id), held))
    assert (leases(answer), statuses(answer)) == ([], [NO_ADDRS_AVAIL])


async def test_whom_an_older_row_refuses_gets_another_lease(
    relay: Relay, server: Serving, site: Site6
) -> None:
    await site.connection.execute("select setval('lease_version', 1000)")
    held = await relay.lease(HOLDER)
    await go_back(server, site, FORMER, OTHER)
    renewed = await relay.reply(chosen(say.renew(HOLDER, relay.server_id), held))
    assert leases(renewed) == []
    assert leases(await relay.lease(HOLDER)) != leases(held)


@pytest.mark.parametrize("change", [FORMER, RAN_OUT])
async def test_a_former_client_cannot_bring_its_row_back(
    change: str, relay: Relay, server: Serving, site: Site6
) -> None:
    await site.connection.execute("select setval('lease_version', 1000)")
    held = await relay.lease(HOLDER)
    await go_back(server, site, change, OTHER)
    answer = await relay.reply(chosen(say.rebind(OTHER), held))
    assert leases(answer) == []
    if change == RAN_OUT:
        renewed = await relay.reply(chosen(say.renew(HOLDER, relay.server_id), held))
        assert leases(renewed) == leases(held)


async def test_a_host_does_not_register_what_another_has(servers: Servers, site: Site6) -> None:
    await site.connection.execute("select setval('lease_version', 1000)")
    subnet = await site.subnet(6, address_registration=True)
    await subnet.pool(0x100, 0x1FF)
    server = await servers.start()
    relay = servers.relay(server, subnet.link)
    held = await relay.lease(HOLDER)
    await lose(server, site)
    address = leases(held)[0]
    await relay.ask(say.register(OTHER, address).through(subnet.link, peer=address))
    renewed = await relay.reply(chosen(say.renew(HOLDER, relay.server_id), held))
    assert leases(renewed) == leases(held)


async def test_what_is_given_back_is_free_also_where_its_row_is_lost(
    relay: Relay, server: Serving, site: Site6
) -> None:
    await site.connection.execute("select setval('lease_version', 1000)")
    held = await relay.lease(HOLDER)
    await lose(server, site)
    await relay.reply(chosen(say.release(HOLDER, relay.server_id), held))
    answer = await relay.reply(chosen(say.request(OTHER, relay.server_id), held))
    assert leases(answer) == leases(held)
