"""No object of one tenant changes a decision about a client of another, over DHCPv6; see
engine/test_tenant_isolation.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from ipaddress import IPv6Address, IPv6Network
from random import Random
from typing import Any

import pytest
from engine6.serving6 import duid
from oracle import packets6 as say
from oracle.options6 import VSS
from oracle.packets6 import Packet
from unit.plan.test_plan6 import FIELDS, KEY, SERVER_DUID, pool

from dhcp_fast.engine.configure import set_server_id
from dhcp_fast.engine.engine import Engine, boot_clock
from dhcp_fast.engine.explain6 import explain6
from dhcp_fast.engine.rehearse import hold_leases6
from dhcp_fast.plan.compile6 import SubnetView6
from dhcp_fast.plan.relays import TrustedRelay
from dhcp_fast.plan.tenant_view import TenantView

DEFAULT, BLUE, RED = TENANTS = (3, 1, 2)
NAMES = {DEFAULT: b"default", BLUE: b"blue", RED: b"red"}
OURS = int(IPv6Address("2001:db8:ffff::547"))
SERVER = SERVER_DUID
WIRES = (7, 8, 9)
ROUTED = 10
SPACE = IPv6Network("2001:db8::/58")
NETWORKS = [*SPACE.subnets(new_prefix=64), *SPACE.subnets(new_prefix=62), SPACE]
LINK_LOCAL = IPv6Address("fe80::1")
CLIENTS = [duid(number) for number in range(1, 7)]
STRANGER = duid(99)  # who has no lease
NOWHERE = "::"
SEEDS = 40
CLOCK = 800_000_000_000_000


@dataclass
class Subnet:
    no: int
    tenant: int
    network: IPv6Network
    fields: dict[str, Any] = field(default_factory=dict)
    classes: list[dict[str, Any]] = field(default_factory=list)
    links: list[int] = field(default_factory=list)
    bound: list[int] = field(default_factory=list)


class World:
    """As of IPv4; relays send from addresses that lie in the same networks."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.numbers = iter(range(1, 10_000))
        self.subnets: list[Subnet] = []
        self.ground = {wire: rng.choice(NETWORKS[:64])[1] for wire in WIRES}
        for tenant in TENANTS:
            for _ in range(rng.randrange(1, 6)):
                self.add(tenant)
        self.entries = self.draw_entries()
        self.bind()
        self.leases = self.draw_leases()

    def holds_against(self, meddler: int, told: dict[str, Any]) -> bool:
        """Whether a packet without a lease is its tenant's whatever ranges the meddler draws: where a relay or link is
        in front of the subnet, unless a relay of the meddler's is inside it. The default tenant has the whole space."""
        within = [subnet.network for subnet in self.subnets if subnet.no == told["subnet"]]
        return (
            told["tenant_by"] == "reachable"
            and meddler != DEFAULT
            and not any(
                IPv6Address(entry.network) in network
                for network in within
                for entry in self.entries
                if entry.tenant_no == meddler
            )
        )

    def draw_entries(self) -> list[TrustedRelay]:
        local = IPv6Network("fe80::/10")
        found = {net: TrustedRelay(int(net[0]), int(net.netmask)) for net in (SPACE, local)}
        for no in range(1, self.rng.randrange(2, 14)):
            network = self.rng.choice(NETWORKS[:-1])
            if self.rng.random() < 0.5:
                network = IPv6Network(network[self.rng.randrange(1, 4)])
            tenant = self.rng.choice((0, *TENANTS))
            vss, client = self.rng.random() < 0.5, self.rng.random() < 0.5
            found[network] = TrustedRelay(int(network[0]), int(network.netmask), tenant, no, (), vss, client)
        for no, subnet in enumerate(self.rng.sample(self.subnets, len(self.subnets) * 2 // 3), 100):
            relay = IPv6Network(subnet.network[1])
            found[relay] = TrustedRelay(int(relay[0]), int(relay.netmask), subnet.tenant, no)
        return list(found.values())

    def bind(self) -> None:
        for wire in self.rng.sample(WIRES, self.rng.randrange(3)):
            tenant = self.rng.choice(TENANTS)
            for subnet in self.rng.sample(own := self.of(tenant), min(len(own), 2)):
                subnet.bound.append(wire)
        for subnet in self.rng.sample(self.subnets, len(self.subnets) // 3):
            subnet.links = [int(address) for address in self.rng.sample(self.relays(), 2)]

    def of(self, tenant: int) -> list[Subnet]:
        return [subnet for subnet in self.subnets if subnet.tenant == tenant]

    def owner(self, interface: int) -> int:
        """Whose a link is; 0: a packet came by none."""
        bound = (subnet.tenant for subnet in self.subnets if interface in subnet.bound)
        return next(bound, DEFAULT) if interface else 0

    def add(self, tenant: int) -> None:
        free = [net for net in NETWORKS if not any(net.overlaps(own.network) for own in self.of(tenant))]
        if free:
            wide = [net for net in free if net not in NETWORKS[:64]]
            chosen = self.rng.choice(wide if wide and self.rng.random() < 0.4 else free)
            subnet = Subnet(next(self.numbers), tenant, chosen)
            self.change(subnet)
            self.subnets.append(subnet)

    def change(self, subnet: Subnet) -> None:
        """The interface_id is the tenant's to write, too."""
        first = subnet.network[0]
        low = self.rng.randrange(0x100, 0x200)
        prefixes = IPv6Address("2001:db8:8000::") + (subnet.no << 72)
        pools = [
            pool(subnet.no, first + low, first + low + self.rng.randrange(50)),
            pool(10_000 + subnet.no, prefixes, prefixes + (1 << 72) - 1, 68),
        ]
        client = self.rng.choice(CLIENTS)
        reserved = {"no": 1, "identities": [b"\4" + client], "hostname": None, "options": [], "prefix": None}
        subnet.fields = {
            "pools": pools if self.rng.random() < 0.9 else [],
            "reservations": [reserved | {"address": int(first + low)}] if self.rng.random() < 0.5 else [],
            "options": [(24, b"\1%c\0" % (97 + subnet.no % 26), True, None)],
            "dhcp_enabled": self.rng.random() < 0.9,
            "authoritative": self.rng.random() < 0.8,
            "rapid_commit": self.rng.random() < 0.3,
            "shared_network": self.rng.choice((None, None, "a", "b")),
            "interface_id": self.rng.choice((None, b"ge-1", b"ge-2")),
            "lease_time_seconds": self.rng.randrange(600, 9000),
        }
        denied = {"mac_prefix": client[4:], "deny": True, "no": 1}
        subnet.classes = [denied] if self.rng.random() < 0.3 else []

    def meddle(self, tenant: int) -> None:
        for _ in range(self.rng.randrange(1, 6)):
            own = self.of(tenant)
            action = self.rng.choice(("add", "add", "change", "delete"))
            if action == "add" or not own:
                self.add(tenant)
            elif action == "change":
                self.change(self.rng.choice(own))
            else:
                self.subnets.remove(self.rng.choice(own))

    def draw_leases(self) -> list[tuple[bytes, IPv6Address, int]]:
        found = {}
        for client in CLIENTS:
            tenant = self.rng.choice(TENANTS)
            for subnet in self.rng.sample(own := self.of(tenant), min(len(own), 2)):
                address = subnet.network[self.rng.randrange(8, 200)]
                found.setdefault(address, (client, address, tenant))
        return list(found.values())

    def relays(self) -> list[IPv6Address]:
        inside = [network[number] for network in NETWORKS[:64:5] for number in (1, 2, 0x77)]
        gateways = [subnet.network[1] for subnet in self.subnets]
        entries = [IPv6Address(entry.network + 1) for entry in self.entries]
        return [*inside, *gateways, *entries, IPv6Address("2001:db8:eeee::9")]

    def engine(self) -> Engine:
        made = Engine(KEY, 6)
        set_server_id(made, SERVER)
        made.plan.set_relays(self.entries, DEFAULT, NAMES)
        for subnet in self.subnets:
            told = {"no": subnet.no, "first": int(subnet.network[0]), "last": int(subnet.network[-1])}
            told |= {"interface": "bound" if subnet.bound else None}
            view = SubnetView6(TenantView(subnet.tenant, subnet.classes), KEY, FIELDS | told | subnet.fields)
            by_address = [
                wire
                for wire, address in self.ground.items()
                if address in subnet.network and wire not in subnet.bound
            ]
            made.put_subnet(view, subnet.links, by_address, bound=subnet.bound)
        now = boot_clock()
        made.set_clock(CLOCK, now, now)
        hold_leases6(
            made, [(tenant, int(address), association(client)) for client, address, tenant in self.leases]
        )
        return made

    def probes(self) -> Iterator[tuple[str, Packet, int, int, int]]:
        """(entrance, packet, sender, interface, address that it was sent to)."""
        for relay in self.rng.sample(self.relays(), 20):
            for kind, packet in self.relayed(self.rng.choice(CLIENTS)):
                yield kind, packet, int(relay), 0, OURS
        for wire in (*WIRES, ROUTED):
            client = self.rng.choice(CLIENTS)
            yield "link", say.solicit(client).ia_na(1).ia_pd(1), int(LINK_LOCAL), wire, 0
            yield "link, information", say.information_request(client), int(LINK_LOCAL), wire, 0
            switch = say.solicit(client).ia_na(1).through(NOWHERE).at_interface("ge-1")
            yield "switch on the link", switch, int(LINK_LOCAL), wire, 0
        for client, address, _ in self.leases:
            for kind, packet in by_unicast(client, address):
                yield f"leased {kind}", packet, int(address), self.rng.choice((*WIRES, ROUTED)), OURS
        for subnet in self.subnets:
            address = subnet.network[self.rng.randrange(8, 200)]
            for kind, packet in by_unicast(STRANGER, address):
                yield f"routed {kind}", packet, int(address), ROUTED, OURS
        for entry in self.entries:
            if entry.tenant_no:
                address = IPv6Address(entry.network | ~entry.mask & 1)
                for kind, packet in by_unicast(self.rng.choice(CLIENTS), address):
                    yield f"bound {kind}", packet, int(address), ROUTED, OURS

    def relayed(self, client: bytes) -> Iterator[tuple[str, Packet]]:
        links = [subnet.network[1] for subnet in self.subnets]
        near, far = self.rng.sample(links, 2)
        network = b"\0" + self.rng.choice((*NAMES.values(), b"nobody"))
        solicit = say.solicit(client).ia_na(1).ia_pd(1)
        yield "link-address", solicit.through(near)
        yield "interface-id", solicit.through(near).at_interface("ge-1")
        yield "behind a switch", solicit.through(NOWHERE).at_interface("ge-2").through(near)
        yield "VSS", solicit.through(near).relay_option(VSS, network)
        yield (
            "VSS of an inner relay",
            solicit.through(near, peer=far).relay_option(VSS, network).through(far, peer=near),
        )
        yield "VSS of the client", solicit.option(VSS, network).through(near)
        yield "rebinding", say.rebind(client).ia_na(1, near).through(near)
        yield "confirm", say.confirm(client).ia_na(1, near).through(near)
        yield "information", say.information_request(client).through(near)


def by_unicast(client: bytes, address: IPv6Address) -> Iterator[tuple[str, Packet]]:
    yield "renewing", say.renew(client, SERVER).ia_na(1, address)
    yield "request", say.request(client, SERVER).ia_na(1, address)
    yield "release", say.release(client, SERVER).ia_na(1, address)


def association(client: bytes) -> int:
    """The hash by which the cache knows the client's association, as an engine of one subnet tells it."""
    if client not in HASHES:
        engine = Engine(KEY, 6)
        set_server_id(engine, SERVER)
        engine.plan.set_relays([(0, 0, 0)], DEFAULT)
        first = SPACE[0]
        told = {"no": 1, "first": int(first), "last": int(first) + (1 << 64) - 1}
        told |= {"pools": [pool(1, first + 1, first + 9)]}
        engine.put_subnet(SubnetView6(TenantView(DEFAULT, []), KEY, FIELDS | told), [], [])
        packet = say.solicit(client).ia_na(1).through(first + 1)
        HASHES[client] = explain6(engine, packet.bytes(), int(first + 1))["given"][0][2]
    return HASHES[client]


HASHES: dict[bytes, int] = {}


def decide(world: World, probes: list[tuple[str, Packet, int, int, int]]) -> list[tuple[int, Any]]:
    engine = world.engine()
    names = ("drop", "reply", "tenant_by", "subnet", "reservation", "leases", "pools")
    found = []
    for _, packet, sender, interface, to in probes:
        told = explain6(engine, packet.xid(1).bytes(), sender, 547, interface, to)
        shown = {name: told.get(name) for name in names}
        found.append((told.get("tenant") or world.owner(interface), shown))
    return found


@pytest.mark.parametrize("seed", range(SEEDS))
def test_no_object_of_a_tenant_changes_a_decision_about_anothers_client(seed: int) -> None:
    rng = Random(seed)
    world = World(rng)
    probes = list(world.probes())
    before = decide(world, probes)
    meddler = rng.choice(TENANTS)
    held = {
        id(probe): world.holds_against(meddler, was) for probe, (_, was) in zip(probes, before, strict=True)
    }
    world.meddle(meddler)
    after = decide(world, probes)
    for probe, (tenant, was), (_, is_now) in zip(probes, before, after, strict=True):
        open_to_all = probe[0].startswith("routed") and not held[id(probe)]
        if tenant != meddler and not open_to_all:
            assert is_now == was, (probe, tenant, meddler)


def test_the_generated_packets_reach_every_tenant_by_every_entrance() -> None:
    served: Counter[tuple[str, int]] = Counter()
    for seed in range(SEEDS):
        world = World(Random(seed))
        probes = list(world.probes())
        for (kind, *_), (tenant, told) in zip(probes, decide(world, probes), strict=True):
            served[kind, tenant] += told["drop"] is None
    missing = [(kind, tenant) for kind, _ in served for tenant in TENANTS if not served[kind, tenant]]
    assert missing == []


@pytest.mark.parametrize("owner", [DEFAULT, BLUE])
def test_a_wider_range_around_a_relay_somewhere_else_changes_nothing(owner: int) -> None:
    """Whoever has a relay anywhere could else draw a range around both it and the clients of another tenant."""
    near, far = NETWORKS[0], NETWORKS[9]
    relays = [(near, owner), (far, RED)]
    engine = Engine(KEY, 6)
    set_server_id(engine, SERVER)
    entries = [TrustedRelay(int(network[1]), (1 << 128) - 1, tenant) for network, tenant in relays]
    engine.plan.set_relays(entries, DEFAULT, NAMES)

    def draw(no: int, tenant: int, network: IPv6Network) -> None:
        told = FIELDS | {"no": no, "first": int(network[0]), "last": int(network[-1])}
        engine.put_subnet(SubnetView6(TenantView(tenant, []), KEY, told), [], [])

    def told() -> list[Any]:
        source = int(near[99])
        packets = [packet.xid(1).bytes() for _, packet in by_unicast(STRANGER, near[99])]
        found = [explain6(engine, packet, source, 547, ROUTED, OURS) for packet in packets]
        return [(each.get("tenant"), each.get("drop"), each.get("reply")) for each in found]

    draw(1, owner, near)
    before = told()
    assert {tenant for tenant, *_ in before} == {owner}
    draw(2, RED, SPACE)
    assert told() == before
