"""The compiled IPv6 plan while subnets come, change and go, against a search through all of them by ipaddress."""

from __future__ import annotations

from ipaddress import IPv6Address, IPv6Network
from random import Random
from typing import Any

import pytest

from dhcp_fast.plan.compile6 import SubnetView6
from dhcp_fast.plan.subnets6 import Plan6
from dhcp_fast.plan.tenant_view import TenantView

KEY = (1, 2)
SERVER_DUID = bytes([0, 4, *range(16)])
TENANT, OTHER = 4, 7
SITE = IPv6Network("2001:db8::/48")
DELEGATED = IPv6Network("2001:db8:8000::/33")
RELAYS = [int(IPv6Address("fd00::1")) + n for n in range(6)]
ANY_CLASS = -1
FIELDS: dict[str, Any] = {
    "fence": 1,
    "dhcp_enabled": True,
    "authoritative": True,
    "rapid_commit": False,
    "address_registration": False,
    "lease_time_seconds": 600,
    "min_lease_time_seconds": None,
    "max_lease_time_seconds": None,
    "preferred_lifetime_seconds": None,
    "renew_time_seconds": None,
    "rebind_time_seconds": None,
    "decline_quarantine_seconds": 86400,
    "reuse_margin_seconds": 10,
    "cache_threshold": 0.25,
    "boot_file": None,
    "interface_id": None,
    "ddns_enabled": False,
    "ddns_override_no_update": False,
    "ddns_override_client_update": False,
    "ddns_replace_client_name": "never",
    "ddns_domain": b"",
    "ddns_client_domains": b"",
    "ddns_generated_prefix": b"",
    "shared_network": None,
    "options": [],
    "pools": [],
    "forbidden": [],
    "reservations": [],
}


def network(place: int) -> IPv6Network:
    return IPv6Network((int(SITE.network_address) + (place << 64), 64))


def pool(no: int, first: IPv6Address, last: IPv6Address, length: int = 128, **more: Any) -> dict[str, Any]:
    row = {"class_index": ANY_CLASS, "sequential": False, "excluded": None, "options": []}
    return row | {"no": no, "first": int(first), "last": int(last), "prefix_length": length} | more


def range_pool(no: int, place: int) -> dict[str, Any]:
    """The addresses 0x100 to 0x1ff of the subnet, or all that are behind them."""
    base = network(place).network_address
    return pool(no, base + 0x100, base + 0x1FF if place % 2 else base + (1 << 64) - 1)


def delegation_pool(no: int, place: int) -> dict[str, Any]:
    """A /44 of which prefixes of /56 are delegated; it lies outside of the subnet."""
    first = int(DELEGATED.network_address) + (place << 84)
    return pool(no, IPv6Address(first), IPv6Address(first + (1 << 84) - 1), 56)


def described(no: int, place: int, **more: Any) -> dict[str, Any]:
    span = network(place)
    row = {"no": no, "first": int(span[0]), "last": int(span[-1])}
    return FIELDS | row | {"pools": [range_pool(100 + no, place), delegation_pool(200 + no, place)]} | more


class Model:
    """A plan of some /64 of two tenants, and the same as plain rows."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.plan = Plan6()
        self.tenants = {no: TenantView(no, []) for no in (TENANT, OTHER)}
        self.rows: dict[int, dict[str, Any]] = {}
        self.plan.set_relays([], TENANT)

    def put(self, no: int) -> None:
        taken = {row["place"] for other, row in self.rows.items() if other != no}
        row = {
            "place": self.rng.choice([n for n in range(30) if n not in taken]),
            "tenant": self.rng.choice((TENANT, OTHER)),
            "relays": self.rng.sample(RELAYS, self.rng.randrange(3)),
            "wire": self.rng.choice((None, None, "a", "b")),
            "interface": self.rng.choice((None, b"eth%d" % no)),
        }
        told = described(no, row["place"], shared_network=row["wire"], interface_id=row["interface"])
        self.plan.put(SubnetView6(self.tenants[row["tenant"]], KEY, told), row["relays"], [no])
        self.rows[no] = row

    def drop(self, no: int) -> None:
        self.plan.drop(no)
        self.rows.pop(no, None)

    def of(self, tenant: int) -> dict[int, dict[str, Any]]:
        return {no: row for no, row in self.rows.items() if row["tenant"] == tenant}

    def at(self, address: int, tenant: int) -> int | None:
        rows = self.of(tenant).items()
        return next((no for no, row in rows if IPv6Address(address) in network(row["place"])), None)

    def behind(self, relay: int, tenant: int) -> int | None:
        named = (no for no, row in self.of(tenant).items() if relay in row["relays"])
        return min(named, default=self.at(relay, tenant))

    def pool_at(self, tenant: int, address: int) -> int | None:
        for no, row in self.rows.items():
            for told in (range_pool(100 + no, row["place"]), delegation_pool(200 + no, row["place"])):
                if row["tenant"] == tenant and told["first"] <= address <= told["last"]:
                    return int(told["no"])
        return None

    def addresses(self) -> list[int]:
        ends = [(0, 0), (0, 1), (0, 0x100), (0, 0x1FF), (0, 0x200), (1, -1)]
        places = self.rng.sample(range(30), 6)
        inside = [int(network(place + far)[0]) + near for place in places for far, near in ends]
        beyond = [int(DELEGATED[0]) + (place << 84) + near for place in places for near in (-1, 0, 1 << 72)]
        return inside + beyond

    def mates(self, no: int) -> set[int]:
        own = self.rows[no]
        if own["wire"] is None:
            return {no}
        return {n for n, r in self.rows.items() if (r["wire"], r["tenant"]) == (own["wire"], own["tenant"])}


@pytest.mark.parametrize("seed", range(8))
def test_packets_find_what_a_search_through_all_finds(seed: int) -> None:
    model = Model(Random(seed))
    for _ in range(120):
        no = model.rng.randrange(1, 16)
        (model.put if model.rng.random() < 0.7 else model.drop)(no)
        for address in model.addresses():
            for tenant in (TENANT, OTHER):
                assert model.plan.address_subnet(address, tenant) == model.at(address, tenant)
                assert model.plan.lease_pool(tenant, address) == model.pool_at(tenant, address)
        for relay in RELAYS:
            for tenant in (TENANT, OTHER):
                assert model.plan.relay_subnet(relay, tenant) == model.behind(relay, tenant)
        for number in range(1, 16):
            row = model.rows.get(number)
            for tenant in (TENANT, OTHER):
                named = number if row and row["interface"] and row["tenant"] == tenant else None
                assert model.plan.interface_id_subnet(b"eth%d" % number, tenant) == named
            served = row is not None and row["tenant"] == TENANT
            assert model.plan.interface_subnet(number) == (number if served else None)
            if row:
                assert set(model.plan.wire_mates(number)) == model.mates(number)


def test_the_longest_prefix_says_whose_a_relay_is() -> None:
    plan = Plan6()
    relays = [("fd00::/8", 0), ("fd00::/64", TENANT), ("fd00::5/128", OTHER), ("::/1", 0)]
    networks = [(IPv6Network(text), tenant) for text, tenant in relays]
    plan.set_relays(
        [(int(net.network_address), int(net.netmask), tenant) for net, tenant in networks], TENANT
    )
    found = {
        "fd00::5": OTHER,
        "fd00::6": TENANT,
        "fd00:0:0:1::5": TENANT,
        "2001:db8::1": TENANT,
        "fe80::1": None,
    }
    entries = {text: plan.relay_entry(int(IPv6Address(text))) for text in found}
    assert {text: entry and entry.tenant_no for text, entry in entries.items()} == found


@pytest.mark.parametrize("seed", range(4))
def test_an_interface_id_is_found_among_many_of_which_some_are_the_same(seed: int) -> None:
    """Of the tenant's subnets with it the lowest number counts."""
    rng = Random(seed)
    plan, rows = Plan6(), dict[int, tuple[bytes, int]]()
    tenants = {no: TenantView(no, []) for no in (TENANT, OTHER)}
    plan.set_relays([], TENANT)
    names = [bytes(rng.choices((0, 97, 255), k=rng.randrange(1, 4))) for _ in range(25)]
    for _ in range(300):
        no = rng.randrange(1, 60)
        if rng.random() < 0.3:
            plan.drop(no)
            rows.pop(no, None)
        else:
            rows[no] = rng.choice(names), rng.choice((TENANT, OTHER))
            told = described(no, no, interface_id=rows[no][0])
            plan.put(SubnetView6(tenants[rows[no][1]], KEY, told), [], [])
        for name in (*rng.sample(names, 5), b"a\0a\0", b"b"):
            having = {no: tenant for no, (its, tenant) in rows.items() if its == name}
            for tenant in tenants:
                own = [no for no, its in having.items() if its == tenant]
                assert plan.interface_id_subnet(name, tenant) == min(own, default=None)


# --- what a pool may give


def planned(**fields: Any) -> tuple[Plan6, SubnetView6]:
    plan = Plan6()
    view = SubnetView6(TenantView(TENANT, []), KEY, described(1, 1, **fields))
    plan.set_relays([], TENANT)
    plan.put(view, [], [])
    return plan, view


def test_what_is_excluded_assigned_or_reserved_is_forbidden() -> None:
    base = int(network(1)[0])
    prefix = delegation_pool(201, 1)["first"] + (3 << 72)
    reservation = {"no": 9, "identities": [b"\4duid"], "hostname": None, "options": []}
    plan, view = planned(
        forbidden=[
            (base, base),
            (base + 0x110, base + 0x11F),
            (base + 0x118, base + 0x127),
            (base + 0x128,) * 2,
        ],
        reservations=[reservation | {"address": base + 0x180, "prefix": (prefix, 56)}],
    )
    found = {far for far in range(0x300) if plan.forbids(1, base + far)}
    assert found == {0, 0x180, *range(0x110, 0x129)}
    assert view.usable(101) == 0x100 - 0x19 - 1
    assert view.usable(201) == 4096 - 1


def test_a_pool_too_large_for_a_bitmap_has_none() -> None:
    base = network(1).network_address
    sizes = {10: 1 << 24, 11: (1 << 24) + 1}
    pools = [pool(no, base + (no << 40), base + (no << 40) + size - 1) for no, size in sizes.items()]
    _, view = planned(pools=pools)
    assert {no: view.size_of(no) for no in view.bitmaps} == {10: 1 << 24}


def test_what_is_taken_in_a_pool_outlives_a_change_that_leaves_it_as_it_was() -> None:
    plan, view = planned()
    tenant = TenantView(TENANT, [])
    assert set(view.bitmaps) == {101, 201}
    assert plan.put(SubnetView6(tenant, KEY, described(1, 1, lease_time_seconds=60)), [], []) == []
    assert sorted(plan.put(SubnetView6(tenant, KEY, described(1, 3)), [], [])) == [101, 201]
    plan.drop(1)
    assert plan.lease_pool(TENANT, range_pool(101, 3)["first"]) is None
    assert sorted(plan.put(SubnetView6(tenant, KEY, described(1, 3)), [], [])) == [101, 201]


def test_a_pool_without_a_bitmap_delegates_no_prefix_in_which_something_is_reserved() -> None:
    """A /32 of /60: what is reserved may be larger than one of its prefixes, or lie behind its beginning."""
    whole = IPv6Network("2001:db8::/32")
    wide, narrow, single = "2001:db8:0:100::/56", "2001:db8:0:208::/62", "2001:db8:0:30f::1"
    rows = [(wide, None), (narrow, None), (None, single)]
    reservations = [
        {
            "no": no,
            "identities": [b"\4%d" % no],
            "hostname": None,
            "options": [],
            "address": int(IPv6Address(address)) if address else None,
            "prefix": (int(IPv6Network(net)[0]), IPv6Network(net).prefixlen) if net else None,
        }
        for no, (net, address) in enumerate(rows, 1)
    ]
    plan, view = planned(pools=[pool(9, whole[0], whole[-1], 60)], reservations=reservations)
    assert 9 not in view.bitmaps
    found = {index for index in range(0x40) if plan.forbids_prefix(9, index)}
    taken = [IPv6Network(text) for text in (wide, narrow, single)]
    prefixes = enumerate(IPv6Network((int(whole[0]) + (n << 68), 60)) for n in range(0x40))
    assert found == {index for index, prefix in prefixes if any(prefix.overlaps(net) for net in taken)}
    assert found == {*range(0x10, 0x20), 0x20, 0x30}


ANYCAST = (0, *range(0xFDFFFFFFFFFFFF80, 0xFDFFFFFFFFFFFFFF + 1))


@pytest.mark.parametrize("size", [0x200, 1 << 40], ids=["with a bitmap", "without"])
@pytest.mark.parametrize("lowest", [0, 0xFDFFFFFFFFFFFF00 - 0x40], ids=["routers", "reserved"])
def test_no_pool_gives_an_anycast_address(size: int, lowest: int) -> None:
    """Of a link's routers (RFC 4291 section 2.6.1), and those that are reserved (RFC 2526)."""
    base = network(1).network_address
    plan, view = planned(pools=[pool(9, base + lowest, base + lowest + size - 1)])
    assert (9 in view.bitmaps) == (size == 0x200)
    lawful = set(ANYCAST).intersection(range(lowest, lowest + 0x200))
    found = {far for far in range(lowest, lowest + 0x200) if plan.forbids(1, int(base) + far)}
    assert found == lawful
    assert lawful
    if size == 0x200:
        assert view.usable(9) == size - len(lawful)
