"""Leases a circuit: a line (option 82) has so many and no more, whoever grants them, and keeps those that it has."""

from __future__ import annotations

from ipaddress import IPv4Address

import pytest
from engine.serving import Relay, Servers, at_once, cached, drops, mac_of, octets, reloaded
from engine.site import Site, Subnet, until
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from oracle import packets as say
from oracle.options4 import ACK, NAK
from oracle.packets import Packet

from dhcp_fast.leases.circuits import Circuits
from dhcp_fast.server.serving import Serving

pytestmark = pytest.mark.shared_server

LINE, OTHER_LINE = "eth1/3", "eth1/4"
SERVER = "127.0.0.1"
LIMIT = 2
ADDRESSES, RELAYS, NAMES = st.integers(0, 9), st.integers(0, 2), st.integers(0, 5)


# --- the counts alone


class CircuitsAgainstDict(RuleBasedStateMachine):
    """What leases tell, in whatever order, against a dict of what each told last."""

    def __init__(self) -> None:
        super().__init__()
        self.circuits = Circuits(1)
        self.rows: dict[int, tuple[int, int]] = {}
        self.running: set[int] = set()
        self.taken: list[tuple[int, tuple[int, int]]] = []

    @rule(address=ADDRESSES, relay=RELAYS, name=NAMES, active=st.booleans())
    def write(self, address: int, relay: int, name: int, active: bool) -> None:
        self.circuits.write(address, relay, name, active)
        self.rows[address] = (relay, name)
        self.running.discard(address)
        if active and (relay or name):
            self.running.add(address)

    @rule(address=ADDRESSES)
    def end(self, address: int) -> None:
        self.circuits.end(address)
        self.running.discard(address)

    @rule(address=ADDRESSES)
    def forget(self, address: int) -> None:
        self.circuits.forget(address)
        self.rows.pop(address, None)
        self.running.discard(address)

    @rule(relay=RELAYS, name=st.integers(1, 5))
    def take(self, relay: int, name: int) -> None:
        self.taken.append((self.circuits.take(relay, name), (relay, name)))

    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        if self.taken:
            index, _ = self.taken.pop(data.draw(st.integers(0, len(self.taken) - 1)))
            self.circuits.drop(index)

    @invariant()
    def agree(self) -> None:
        held = {key for key in self.rows.values() if key != (0, 0)} | {key for _, key in self.taken}
        assert len(self.circuits) == len(held)
        for relay in range(3):
            for name in range(6):
                key = (relay, name)
                active = sum(self.rows[address] == key for address in self.running)
                assert self.circuits.active(relay, name) == (active if key in held else None)


TestCircuitsAgainstDict = CircuitsAgainstDict.TestCase
TestCircuitsAgainstDict.settings = settings(max_examples=60, stateful_step_count=50, deadline=None)


def test_a_table_that_grows_and_empties_keeps_every_count() -> None:
    circuits, count = Circuits(1), 100_000
    index = {name: circuits.take(name % 7, name) for name in range(1, count)}
    assert len(circuits) == count - 1
    for name, place in index.items():
        assert circuits.take(name % 7, name) == place
        circuits.drop(place)
        circuits.drop(place)
    assert len(circuits) == 0
    assert circuits.active(1, 1) is None


# --- the server


@pytest.fixture
async def limited(servers: Servers, subnet: Subnet) -> Serving:
    return await servers.start(dhcp4_leases_per_circuit=LIMIT)


@pytest.fixture
def through(limited: Serving, subnet: Subnet, servers: Servers) -> Relay:
    return servers.relay(limited, subnet.relay)


def on_line(packet: Packet, line: str = LINE) -> Packet:
    return packet.circuit(line)


async def fill(relay: Relay, line: str = LINE) -> list[IPv4Address]:
    """The line's leases, of the clients 1 to LIMIT."""
    return [await take_lease(relay, number, line) for number in range(1, LIMIT + 1)]


async def take_lease(relay: Relay, number: int, line: str = LINE) -> IPv4Address:
    mac = mac_of(number)
    offer = await relay.offer(on_line(say.discover(mac), line))
    ack = await relay.ack(on_line(say.request_selecting(mac, offer.yiaddr, SERVER), line))
    return ack.yiaddr


def another(subnet: Subnet, held: IPv4Address) -> IPv4Address:
    """An address that the client does not hold to whom the cluster's own hash gave `held`."""
    return subnet.address(150 if held != subnet.address(150) else 151)


async def is_offered(relay: Relay, number: int, line: str = LINE) -> bool:
    sent = relay.send(on_line(say.discover(mac_of(number)), line))
    return await relay.answer_to(sent, 0.15) is not None


async def test_a_further_client_is_offered_nothing(limited: Serving, through: Relay) -> None:
    await fill(through)
    await through.unanswered(on_line(say.discover(mac_of(9))))
    assert drops(limited, "circuit_full") == 1
    await take_lease(through, 9, OTHER_LINE)
    await through.lease(mac_of(10))  # a client behind no circuit


async def test_the_same_name_under_another_relay_is_another_circuit(site: Site, servers: Servers) -> None:
    first, second = await site.subnet(5), await site.subnet(6)
    for subnet in (first, second):
        await subnet.pool(100, 199)
    server = await servers.start(dhcp4_leases_per_circuit=LIMIT)
    await fill(servers.relay(server, first.relay))
    await take_lease(servers.relay(server, second.relay), 9)


async def test_a_request_without_discover_cannot_pass(
    limited: Serving, through: Relay, subnet: Subnet
) -> None:
    """RFC 2131 section 3.1 step 4: a server that is asked by name and cannot satisfy says NAK."""
    await fill(through)
    await through.nak(on_line(say.request_selecting(mac_of(9), subnet.address(150), SERVER)))


async def test_a_flood_of_requests_cannot_pass(
    limited: Serving, through: Relay, subnet: Subnet, site: Site
) -> None:
    """Decided before any of them is written: grants under way count too."""
    requests = [
        on_line(say.request_selecting(mac_of(n), subnet.address(100 + n), SERVER)) for n in range(1, 41)
    ]
    replies = await through.answers_to(at_once(limited, through, *requests))
    assert [reply.message_type for reply in replies if reply] == [ACK] * LIMIT + [NAK] * (40 - LIMIT)
    assert await site.count("lease") == LIMIT


async def test_a_flood_of_rapid_commits_cannot_pass(site: Site, servers: Servers) -> None:
    """RFC 4039: the DISCOVER is the request; the first ones are granted, the others are silence."""
    subnet = await site.subnet(rapid_commit=True)
    await subnet.pool(100, 199)
    server = await servers.start(dhcp4_leases_per_circuit=LIMIT)
    relay = servers.relay(server, subnet.relay)
    discovers = [on_line(say.discover(mac_of(n)).rapid_commit()) for n in range(1, 21)]
    replies = await relay.answers_to(at_once(server, relay, *discovers), 1.0)
    assert [reply.message_type for reply in replies if reply] == [ACK] * LIMIT
    assert drops(server, "circuit_full") == 20 - LIMIT
    assert await site.count("lease") == LIMIT


async def test_a_request_that_is_repeated_is_not_a_further_client(
    limited: Serving, through: Relay, subnet: Subnet
) -> None:
    """While the first is under way, the client's own grant does not stand against it."""
    wanted = another(subnet, await take_lease(through, 1))
    request = on_line(say.request_selecting(mac_of(2), wanted, SERVER))
    replies = await through.answers_to(at_once(limited, through, request, request))
    assert [reply.message_type for reply in replies if reply] == [ACK, ACK]


async def test_a_grant_that_came_to_nothing_leaves_its_place(
    limited: Serving, through: Relay, subnet: Subnet, site: Site
) -> None:
    """The database refused: another client, of whom this server did not know, holds the address."""
    wanted = another(subnet, await take_lease(through, 1))
    await site.put_lease(wanted, octets(mac_of(7)), subnet.no)
    await through.nak(on_line(say.request_selecting(mac_of(2), wanted, SERVER)))
    await take_lease(through, 2)
    assert not await is_offered(through, 3)


async def test_its_clients_come_again_and_renew(limited: Serving, through: Relay) -> None:
    for number, address in enumerate(await fill(through), 1):
        mac = mac_of(number)
        await through.ack(on_line(say.request_rebinding(mac, address)))
        await through.ack(on_line(say.request_init_reboot(mac, address)))
        assert await take_lease(through, number) == address


async def test_a_lowered_limit_takes_nothing_away(servers: Servers, subnet: Subnet, database: str) -> None:
    """The leases are read from the database; those over the limit renew, and nobody is added."""
    addresses = await fill(servers.relay(await servers.start(), subnet.relay))
    server = await servers.start(dhcp4_leases_per_circuit=1)
    relay = servers.relay(server, subnet.relay)
    for number, address in enumerate(addresses, 1):
        await relay.ack(on_line(say.request_rebinding(mac_of(number), address)))
    assert not await is_offered(relay, 9)


async def test_a_client_that_releases_makes_room(limited: Serving, through: Relay, site: Site) -> None:
    first, _ = await fill(through)
    through.send(say.release(mac_of(1), first, SERVER))  # as clients do: past the relay's circuit
    await until("offered", lambda: is_offered(through, 9))


async def test_a_declined_address_is_no_lease(limited: Serving, through: Relay) -> None:
    first, _ = await fill(through)
    through.send(on_line(say.decline(mac_of(1), first, SERVER)))
    await until("offered", lambda: is_offered(through, 9))


async def test_a_lease_that_runs_out_makes_room(site: Site, servers: Servers) -> None:
    """By its time, whether or not anybody has written it (rule 17)."""
    subnet = await site.subnet(lease_time_seconds=1)
    await subnet.pool(100, 199)
    server = await servers.start(dhcp4_leases_per_circuit=LIMIT)
    server.engine.set_expirer(False)
    relay = servers.relay(server, subnet.relay)
    await fill(relay)
    await until("offered", lambda: is_offered(relay, 9))


async def test_a_renewal_that_names_no_circuit_stays_on_its_line(limited: Serving, through: Relay) -> None:
    """As it comes past an access node that inserts nothing; the row keeps the circuit, and so does the count."""
    first, _ = await fill(through)
    await through.ack(say.request_rebinding(mac_of(1), first))
    assert not await is_offered(through, 9)


async def test_a_client_that_moves_counts_where_it_is(limited: Serving, through: Relay) -> None:
    first, _ = await fill(through)
    await through.ack(on_line(say.request_rebinding(mac_of(1), first), OTHER_LINE))
    await take_lease(through, 3)
    assert not await is_offered(through, 9)
    await take_lease(through, 4, OTHER_LINE)
    assert not await is_offered(through, 9, OTHER_LINE)


async def test_a_client_that_moves_to_a_full_line_is_turned_away(
    limited: Serving, through: Relay, site: Site
) -> None:
    """NAK, and the lease on the line where it was stays as it is: anybody could have said that."""
    await fill(through)
    moved = await take_lease(through, 9, OTHER_LINE)
    await through.nak(on_line(say.request_rebinding(mac_of(9), moved)))
    assert (await site.lease(moved))["state"] == "a"


async def test_where_the_server_is_not_the_authority_it_is_silent(site: Site, servers: Servers) -> None:
    subnet = await site.subnet(authoritative=False)
    await subnet.pool(100, 199)
    server = await servers.start(dhcp4_leases_per_circuit=LIMIT)
    relay = servers.relay(server, subnet.relay)
    await fill(relay)
    await relay.unanswered(on_line(say.request_init_reboot(mac_of(9), subnet.address(150))))
    assert drops(server, "circuit_full") == 1


async def test_leases_that_others_grant_and_end_count(
    limited: Serving, through: Relay, servers: Servers, subnet: Subnet, site: Site
) -> None:
    """Another server's by the feed; an end that the API writes likewise."""
    other = servers.relay(await servers.start(dhcp4_leases_per_circuit=LIMIT), subnet.relay)
    first, second = await fill(other)
    await until("known", lambda: cached(limited, site.tenant_no, second))
    assert not await is_offered(through, 9)
    other.send(say.release(mac_of(1), first, SERVER))
    await until("offered", lambda: is_offered(through, 9))


async def test_the_counts_outlive_a_change_of_the_plan(
    limited: Serving, through: Relay, subnet: Subnet
) -> None:
    await fill(through)
    async with subnet.change():
        await subnet.set(lease_time_seconds=700)
    await reloaded(limited, subnet)
    assert not await is_offered(through, 9)


async def test_everything_read_anew_is_counted_once(limited: Serving, through: Relay, site: Site) -> None:
    """After a promotion or a restore everything is loaded again, over what the cache holds."""
    await fill(through)
    await limited.feed.load(site.connection)
    assert not await is_offered(through, 9)
    await take_lease(through, 1)
    await take_lease(through, 2)
    assert not await is_offered(through, 9)


async def test_without_the_setting_nothing_is_counted(server: Serving, relay: Relay) -> None:
    for number in range(1, 6):
        await take_lease(relay, number)
