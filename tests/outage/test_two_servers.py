"""Two DHCP servers on one database: the only thing that they share, and the only arbiter between them."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from outage.databases import execute, fetch
from outage.processes import Role, await_true
from outage.relays import Relay, split
from outage.storms import judge, renew, storm

from dhcp_fast.probe.client import Client, NoAnswer

Servers = tuple[Role, Role]

# Two servers that give the lowest free address, each in a lane of its own as long as it knows of the other.
SEQUENTIAL = "update pool set allocation = 'sequential'"
# Each takes the other for dead, so that both have the only lane and offer the same address all the time.
STRANGERS = (
    """create function look_dead() returns trigger language plpgsql as $$
       begin new.heartbeat_at := now() - interval '1 hour'; return new; end $$""",
    "create trigger look_dead before insert or update on node for each row execute function look_dead()",
)


@pytest.fixture
def sequential(plan_database: str) -> None:
    for statement in (SEQUENTIAL, *STRANGERS):
        execute(plan_database, statement)


@pytest.fixture
def servers(plan_database: str, tmp_path: Path) -> Iterator[Servers]:
    """Both ready; each with a server identifier of its own."""
    one, other = (server(plan_database, tmp_path, host) for host in ("127.0.0.2", "127.0.0.3"))
    with one, other:
        one.ready()
        other.ready()
        yield one, other


def server(dsn: str, folder: Path, host: str) -> Role:
    role = Role(folder, "dhcp", database_url=dsn)
    role.listen(host)
    return role


def test_a_storm_over_both_gives_no_address_twice(servers: Servers, plan_database: str) -> None:
    """Each with clients of its own; then each client renews at the server that did not give it its lease."""
    one, other = servers
    with storm(one.address) as here, storm(other.address, first_client=1_000_000) as there:
        here.goes_on(2000)
        there.goes_on(2000)
        results = here.result(), there.result()
    judge(plan_database, *results)
    renew(other.address, results[0])
    renew(one.address, results[1])


@pytest.mark.usefixtures("sequential")
def test_offers_of_the_same_addresses_collide_harmlessly(servers: Servers, plan_database: str) -> None:
    """Both give out of the low end of one pool; the database decides, and who loses is told so and begins anew."""
    one, other = servers
    with storm(one.address) as here, storm(other.address, first_client=1_000_000) as there:
        here.goes_on(2000)
        there.goes_on(2000)
        results = here.result(), there.result()
    judge(plan_database, *results)
    assert sum(role.metric("ipam_dhcp4_refused_writes_total") for role in servers) > 0


def test_a_relay_that_sends_to_both_gets_one_lease_a_client(servers: Servers, plan_database: str) -> None:
    """Both offer the address that the client's hash names; the server that was not chosen stays silent."""
    with Relay([role.address for role in servers]) as relay, storm(relay.address, rate=400.0) as running:
        running.goes_on(1200)
        result = running.result()
    found = judge(plan_database, result)
    assert (result.naks, result.duplicates > 0) == (0, True)
    assert fetch(plan_database, "select count(*) from lease where state = 'a'") == found.clients


@pytest.mark.usefixtures("sequential")
def test_a_relay_that_sends_to_both_and_offers_that_could_collide(
    servers: Servers, plan_database: str
) -> None:
    """They do not know of each other, but each hears what clients select from the other."""
    with Relay([role.address for role in servers]) as relay, storm(relay.address, rate=400.0) as running:
        running.goes_on(1200)
        result = running.result()
    judge(plan_database, result)
    assert result.naks < 0.1 * result.acks


def test_a_balancer_that_splits_every_exchange(plan_database: str, tmp_path: Path) -> None:
    """Rule 4: two servers with one identifier; the one that gets the REQUEST made no offer and decides afresh."""
    one, other = (server(plan_database, tmp_path, "127.0.0.1") for _ in range(2))
    with one, other:
        one.ready()
        other.ready()
        with (
            Relay([one.address, other.address], split) as relay,
            storm(relay.address, rate=400.0) as running,
        ):
            running.goes_on(1200)
            result = running.result()
        judge(plan_database, result)
        assert result.naks == 0
        assert one.metric("ipam_dhcp4_batch_leases_sum") == 0
        assert other.metric("ipam_dhcp4_batch_leases_sum") >= 1200


def test_one_of_two_is_killed_and_the_other_takes_over(servers: Servers, plan_database: str) -> None:
    """The survivor renews what the other one gave; started again, that one knows what happened meanwhile."""
    one, other = servers
    with Relay([role.address for role in servers]) as relay, storm(relay.address, rate=400.0) as running:
        running.goes_on(400)
        one.end(signal.SIGKILL)
        running.goes_on(800)
        one.start()
        one.ready()
        running.goes_on(400)
        result = running.result()
    judge(plan_database, result)
    renew(other.address, result)
    renew(one.address, result)


@pytest.mark.usefixtures("sequential")
def test_what_is_selected_from_another_server_is_not_offered(servers: Servers) -> None:
    """Rules 4 and 19: our offer is over, but its address is what the client has selected there. It is held for a
    second, so the silence that is waited for is short."""
    one, other = servers
    with (
        client(one, 1) as here,
        client(other, 1) as there,
        client(other, 2) as second,
        client(other, 3) as third,
    ):
        chosen, freed = here.discover().reply, there.discover().reply
        assert second.discover().reply.yiaddr != freed.yiaddr
        there.timeout, there.tries = 0.1, 1
        with pytest.raises(NoAnswer):
            there.select(chosen)
        assert freed.yiaddr == chosen.yiaddr != third.discover().reply.yiaddr
        assert here.select(chosen).reply.yiaddr == chosen.yiaddr


def test_both_say_that_they_are_ready(servers: Servers, plan_database: str) -> None:
    """Under names of their own, although they run on one host; one that ends in order says so."""
    await_true(lambda: states(plan_database) == ["ready", "ready"], "ready")
    servers[0].end(signal.SIGTERM)
    assert sorted(states(plan_database)) == ["ready", "stopped"]


def states(dsn: str) -> list[str]:
    found: list[str] = fetch(dsn, "select array_agg(state) from node")
    return found


def client(role: Role, number: int) -> Client:
    return Client(role.address, mac=b"\x02\x00\x00\x00\x00" + bytes([number]), timeout=0.5, tries=2)
