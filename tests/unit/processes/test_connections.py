"""Who has a place among the connections of a listener, and who makes room."""

import resource
from collections import Counter
from ipaddress import ip_address
from random import Random

import pytest

from ipam_core.processes import connections
from ipam_core.processes.connections import Connection, Connections, network_of, peer_address

ONE, OTHER = ip_address("192.0.2.1"), ip_address("192.0.2.2")


class Client:
    """Connects, and knows which of its connections were closed."""

    def __init__(self, places: Connections, address: str) -> None:
        self.places = places
        self.address = ip_address(address)
        self.closed: list[int] = []
        self.made: list[Connection | None] = []

    def connect(self, *, exempt: bool = False) -> Connection | None:
        number = len(self.made)
        made = self.places.admit(self.address, lambda: self.closed.append(number), exempt=exempt)
        self.made.append(made)
        return made


def test_the_longest_idle_of_a_full_network_makes_room() -> None:
    places = Connections(100, 4)
    client, other = Client(places, "192.0.2.1"), Client(places, "192.0.2.2")
    assert other.connect()
    first, second, *_ = [client.connect() for _ in range(4)]
    assert first
    assert second
    first.begin()
    first.rest()  # so that it is the one that was heard last
    assert client.connect()
    assert client.closed == [1]
    assert other.closed == []
    assert places.count == 5


def test_what_is_served_is_never_closed() -> None:
    places = Connections(100, 2)
    client = Client(places, "192.0.2.1")
    for made in (client.connect(), client.connect()):
        assert made
        made.begin()
    assert client.connect() is None
    assert client.closed == []
    assert places.refused == 1


def test_the_network_that_holds_most_makes_room_for_others() -> None:
    places = Connections(10, 8)
    crowd, few, fresh = (Client(places, f"192.0.2.{n}") for n in (1, 2, 3))
    for _ in range(8):
        crowd.connect()
    for _ in range(2):
        few.connect()
    for _ in range(5):
        assert fresh.connect()
    assert crowd.closed == [0, 1, 2, 3, 4]
    assert few.closed == []


def test_where_the_largest_is_busy_another_makes_room() -> None:
    places = Connections(4, 4)
    busy, idle, fresh = (Client(places, f"192.0.2.{n}") for n in (1, 2, 3))
    for _ in range(3):
        made = busy.connect()
        assert made
        made.begin()
    idle.connect()
    assert fresh.connect()
    assert idle.closed == [0]


def test_a_proxy_counts_in_all_alone() -> None:
    places = Connections(10, 2)
    proxy, client = Client(places, "192.0.2.1"), Client(places, "192.0.2.2")
    for _ in range(9):
        assert proxy.connect(exempt=True)
    for _ in range(3):
        assert client.connect()
    assert proxy.closed == []
    assert client.closed == [0, 1]
    assert places.count == 10


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7/32"),
        ("2001:db8:1:2ff:3::4", "2001:db8:1:200::/56"),
        ("::ffff:192.0.2.7", "192.0.2.7/32"),
        ("fe80::1%eth0", "fe80::/56"),
    ],
)
def test_by_which_network_is_counted(address: str, network: str) -> None:
    assert str(network_of(peer_address(address))) == network


def test_what_is_no_address_is_one_client() -> None:
    assert network_of(peer_address("unix")) is None


def test_one_host_of_ipv6_has_one_share() -> None:
    places = Connections(100, 4)
    for number in range(200):
        assert places.admit(ip_address(f"2001:db8::{number % 7}:{number:x}"), lambda: None)
    assert places.count == 4


def test_any_order_keeps_the_bounds() -> None:
    """Random clients for a while; each that was told to close, or closed by itself, is gone."""
    rng = Random(5)
    places = Connections(50, 6)
    alive: dict[Connection, int] = {}

    def connect(host: int) -> None:
        told: list[Connection] = []
        made = places.admit(ip_address(f"192.0.2.{host}"), lambda: alive.pop(told[0]) and None)
        if made is not None:
            told.append(made)
            alive[made] = host

    for _ in range(20_000):
        deed, some = rng.randrange(5), list(alive)
        if deed < 2 or not some:
            connect(rng.randrange(40))
        elif deed == 2:
            places.leave(gone := rng.choice(some))
            del alive[gone]
        else:
            rng.choice((Connection.begin, Connection.rest, Connection.rest))(rng.choice(some))
        assert places.count == len(alive) == sum(map(len, places.groups.values())) <= 50
        assert max(Counter(alive.values()).values(), default=0) <= 6
        assert all(places.groups.values())


def test_files_are_left_for_everything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    for soft, most in ((1024, 768), (65536, 4096), (resource.RLIM_INFINITY, 4096), (100, 1), (400, 144)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, soft=soft: (soft, soft))
        assert connections.most_connections() == max(1, min(most, soft - 256) if soft > 0 else most)
