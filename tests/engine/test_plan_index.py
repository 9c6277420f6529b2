"""The plan's sorted arrays while subnets come, change and go, against a search through all of them."""

from __future__ import annotations

import json
from ipaddress import IPv4Address, IPv4Network
from random import Random
from typing import Any

import pytest
from fuzz.engine import FIELDS, KEY, TENANT
from oracle import packets as say

from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.explain import explain
from dhcp_fast.plan.compile import SubnetView
from dhcp_fast.plan.pool_row import PoolRow
from dhcp_fast.plan.tenant_view import TenantView

OTHER = 7
RELAYS = [0x7F000001 + n for n in range(6)]
MAC = "02:00:00:00:00:01"
# The relays of the other tenant: two of those above, and every third /16.
THEIRS = [(relay, 0xFFFFFFFF) for relay in RELAYS[4:]] + [
    ((10 << 24) + (n << 16), 0xFFFF0000) for n in range(0, 30, 3)
]


class Model:
    """A plan of some /16 of two tenants, and the same as plain rows."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.engine = Engine(KEY)
        self.tenants = {no: TenantView(no, []) for no in (TENANT, OTHER)}
        self.rows: dict[int, dict[str, Any]] = {}
        self.engine.plan.set_relays([(0, 0, 0), *((base, mask, OTHER) for base, mask in THEIRS)], TENANT)

    def put(self, number: int) -> None:
        place = self.rng.choice([n for n in range(30) if n not in self.places(number)])
        row = {
            "place": place,
            "tenant": self.rng.choice((TENANT, OTHER)),
            "giaddrs": self.rng.sample(RELAYS, self.rng.randrange(3)),
            "wire": self.rng.choice((None, None, "a", "b")),
        }
        told = described(number, IPv4Network(((10 << 24) + (place << 16), 16))) | {
            "shared_network": row["wire"]
        }
        self.engine.put_subnet(SubnetView(self.tenants[row["tenant"]], KEY, told), row["giaddrs"], [])
        self.rows[number] = row

    def drop(self, number: int) -> None:
        self.engine.drop_subnet(number)
        self.rows.pop(number, None)

    def places(self, number: int) -> set[int]:
        return {row["place"] for no, row in self.rows.items() if no != number}

    def subnet_of(self, giaddr: int) -> int | None:
        """Of the relay's tenant: by the relay's address, of several the lowest number; else by the address in it."""
        owner = OTHER if any(giaddr & mask == base for base, mask in THEIRS) else TENANT
        rows = {no: row for no, row in self.rows.items() if row["tenant"] == owner}
        named = [no for no, row in rows.items() if giaddr in row["giaddrs"]]
        if named:
            return min(named)
        return next((no for no, row in rows.items() if (giaddr >> 16) - (10 << 8) == row["place"]), None)

    def mates(self, number: int) -> set[int]:
        row = self.rows.get(number)
        if row is None or row["wire"] is None:
            return {number}
        return {no for no, r in self.rows.items() if (r["wire"], r["tenant"]) == (row["wire"], row["tenant"])}


def selected(engine: Engine, giaddr: int) -> int | None:
    packet = say.discover(MAC).xid(1).with_relay(".".join(map(str, giaddr.to_bytes(4, "big"))))
    return explain(engine, packet.bytes(), RELAYS[0], 0).get("subnet")


@pytest.mark.parametrize("seed", range(6))
def test_every_relay_finds_its_subnet(seed: int) -> None:
    rng = Random(seed)
    model = Model(rng)
    for _ in range(120):
        number = rng.randrange(1, 25)
        (model.drop if rng.random() < 0.3 else model.put)(number)
        assert set(model.engine.plan.subnets) == set(model.rows)
        for no in range(1, 25):
            assert set(model.engine.plan.wire_mates(no)) == model.mates(no)
        for giaddr in (*RELAYS, *((10 << 24) + (place << 16) + 5 for place in range(30))):
            found, wanted = selected(model.engine, giaddr), model.subnet_of(giaddr)
            assert found == wanted or found in model.mates(wanted or 0), json.dumps(model.rows)


def networks(rng: Random, whole: IPv4Network) -> list[IPv4Network]:
    """A space cut at random into networks of all sizes between that of a /12 and of a /26."""
    if (whole.prefixlen > 12 and rng.random() < 0.3) or whole.prefixlen == 26:
        return [whole]
    low, high = whole.subnets()
    one = networks(rng, low) if rng.random() < 0.7 else [low]
    return one + networks(rng, high)


def described(no: int, network: IPv4Network) -> dict[str, Any]:
    first, last = int(network[0]), int(network[-1])
    more = {"no": no, "network": first, "mask": int(network.netmask), "gateway": first + 1}
    return FIELDS | more | {"pools": [PoolRow(no, first + 2, last - 1)]}


def edges(rng: Random, network: IPv4Network) -> list[int]:
    first, last = int(network[0]), int(network[-1])
    return [first - 1, first, rng.randint(first, last), last, last + 1]


@pytest.mark.parametrize("seed", range(4))
def test_many_subnets_of_all_sizes_are_found_by_any_address(seed: int) -> None:
    """So many that the search begins in the address's /16: larger ones reach into it, smaller ones share it."""
    rng = Random(seed)
    engine, tenant = Engine(KEY), TenantView(TENANT, [])
    engine.plan.set_relays([(0, 0, 0)], TENANT)
    where = dict(enumerate(rng.sample(networks(rng, IPv4Network("32.0.0.0/5")), 150), 1))
    put: dict[int, tuple[int, int]] = {}
    for turn in range(400):
        no = rng.choice(list(where))
        if rng.random() < (0.2 if turn < 300 else 0.9):
            engine.drop_subnet(no)
            put.pop(no, None)
        else:
            engine.put_subnet(SubnetView(tenant, KEY, described(no, where[no])), [], [])
            put[no] = int(where[no][0]), int(where[no][-1])
        for address in edges(rng, where[no]) + edges(rng, where[rng.choice(list(where))]):
            holding = [one for one, (first, last) in put.items() if first <= address <= last]
            assert selected(engine, address) == (holding[0] if holding else None), IPv4Address(address)
