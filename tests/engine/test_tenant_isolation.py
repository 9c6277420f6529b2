"""No object of one tenant changes a decision about a client of another (decisions: Ownership of packets).

Plans of three tenants are drawn at random over the same addresses, with the entries, bindings and links that only
admins
without a tenant write. Packets by every entrance are decided by the engine itself; then one tenant adds, changes and
deletes
its objects, and whoever was not its client is answered to the octet as before. tests/engine6 has the same of DHCPv6.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network
from random import Random
from typing import Any

import pytest
from engine.test_reply_address import copied
from fuzz.engine import CLOCK, FIELDS, KEY
from oracle import packets as say
from oracle.packets import Packet

from dhcp_fast.engine.engine import Engine, boot_clock
from dhcp_fast.engine.explain import explain
from dhcp_fast.engine.lease_rows import RowReader
from dhcp_fast.plan.compile import SubnetView
from dhcp_fast.plan.pool_row import PoolRow
from dhcp_fast.plan.relays import TrustedRelay
from dhcp_fast.plan.tenant_view import TenantView

DEFAULT, BLUE, RED = TENANTS = (3, 1, 2)  # the default one's number is not the lowest
NAMES = {DEFAULT: b"default", BLUE: b"blue", RED: b"red"}
OURS = int(IPv4Address("192.0.2.67"))
WIRES = (7, 8, 9)  # links of the server: one for each tenant, if it is bound
ROUTED = 10
SPACE = IPv4Network("10.0.0.0/18")
NETWORKS = [*SPACE.subnets(new_prefix=24), *SPACE.subnets(new_prefix=22), SPACE]
SEEDS = 40


@dataclass
class Subnet:
    """An object of a tenant; `bound` and `giaddrs` are not the tenant's to write."""

    no: int
    tenant: int
    network: IPv4Network
    fields: dict[str, Any] = field(default_factory=dict)
    classes: list[dict[str, Any]] = field(default_factory=list)
    giaddrs: list[int] = field(default_factory=list)
    bound: list[int] = field(default_factory=list)


class World:
    """Plan, entries and leases. `entries`: of relays; `ground`: links whose address is in a network, by index."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.numbers = iter(range(1, 10_000))
        self.subnets: list[Subnet] = []
        self.ground = {wire: IPv4Address(rng.choice(NETWORKS[:64])[1]) for wire in WIRES}
        for tenant in TENANTS:
            for _ in range(rng.randrange(1, 6)):
                self.add(tenant)
        self.entries = self.draw_entries()
        self.bind()
        self.leases = self.draw_leases()

    # --- what admins without a tenant write

    def holds_against(self, meddler: int, told: dict[str, Any]) -> bool:
        """Whether a packet without a lease is its tenant's whatever ranges the meddler draws: where a relay or link is
        in front of the subnet, unless a relay of the meddler's is inside it. The default tenant has the whole space."""
        within = [subnet.network for subnet in self.subnets if subnet.no == told["subnet"]]
        return (
            told["tenant_by"] == "reachable"
            and meddler != DEFAULT
            and not any(
                IPv4Address(entry.network) in network
                for network in within
                for entry in self.entries
                if entry.tenant_no == meddler
            )
        )

    def draw_entries(self) -> list[TrustedRelay]:
        """The whole space for the default tenant, by the setting; parts and hosts of it for each tenant."""
        found = {SPACE: TrustedRelay(int(SPACE[0]), int(SPACE.netmask))}
        for no in range(1, self.rng.randrange(2, 14)):
            tenant = self.rng.choice((0, *TENANTS))
            network = self.rng.choice(NETWORKS[:-1])
            if self.rng.random() < 0.5:
                network = IPv4Network(network[self.rng.randrange(1, 4)])
            sources = self.rng.choice(((), (), ((int(network[0]), int(network.netmask)),)))
            vss, client = self.rng.random() < 0.5, self.rng.random() < 0.5
            numbers = int(network[0]), int(network.netmask)
            found[network] = TrustedRelay(*numbers, tenant, no, sources, vss, client)
        for no, subnet in enumerate(self.rng.sample(self.subnets, len(self.subnets) * 2 // 3), 100):
            relay = IPv4Network(subnet.network[1])
            found[relay] = TrustedRelay(int(relay[0]), int(relay.netmask), subnet.tenant, no)
        return list(found.values())

    def bind(self) -> None:
        """Some links and relay addresses to subnets, a link to those of one tenant."""
        for wire in self.rng.sample(WIRES, self.rng.randrange(3)):
            tenant = self.rng.choice(TENANTS)
            for subnet in self.rng.sample(own := self.of(tenant), min(len(own), 2)):
                subnet.bound.append(wire)
        for subnet in self.rng.sample(self.subnets, len(self.subnets) // 3):
            subnet.giaddrs = [int(address) for address in self.rng.sample(self.relays(), 2)]

    # --- what a tenant writes

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
        """All that its tenant may say of it: pools, reservations, options, switches, its wire, classes."""
        first, last = int(subnet.network[0]), int(subnet.network[-1])
        low = self.rng.randrange(first + 8, first + 100)
        pools = [PoolRow(subnet.no, low, self.rng.randrange(low, last))]
        reserved = (
            self.rng.randrange(first + 2, last),
            [b"\1\1" + octets(self.rng.choice(MACS))],
            b"own",
            [],
        )
        subnet.fields = {
            "pools": pools if self.rng.random() < 0.9 else [],
            "reservations": [reserved] if self.rng.random() < 0.5 else [],
            "options": [(15, b"%d.example" % subnet.no, True, None), (6, bytes(4), True, None)],
            "gateway": first + 1,
            "dhcp_enabled": self.rng.random() < 0.9,
            "authoritative": self.rng.random() < 0.8,
            "rapid_commit": self.rng.random() < 0.3,
            "shared_network": self.rng.choice((None, None, "a", "b")),
            "lease_time_seconds": self.rng.randrange(600, 9000),
        }
        denied = {"mac_prefix": octets(self.rng.choice(MACS)), "deny": True, "no": 1}
        subnet.classes = [denied] if self.rng.random() < 0.3 else []

    def meddle(self, tenant: int) -> None:
        """The tenant adds, changes and deletes, as often as it likes."""
        for _ in range(self.rng.randrange(1, 6)):
            own = self.of(tenant)
            action = self.rng.choice(("add", "add", "change", "delete"))
            if action == "add" or not own:
                self.add(tenant)
            elif action == "change":
                self.change(self.rng.choice(own))
            else:
                self.subnets.remove(self.rng.choice(own))

    # --- the clients

    def draw_leases(self) -> list[tuple[str, IPv4Address, int]]:
        found = {}
        for mac in MACS:
            tenant = self.rng.choice(TENANTS)
            for subnet in self.rng.sample(own := self.of(tenant), min(len(own), 2)):
                address = subnet.network[self.rng.randrange(8, 200)]
                found.setdefault(address, (mac, address, tenant))  # two with one lease each are nobody's
        return list(found.values())

    def relays(self) -> list[IPv4Address]:
        inside = [network[number] for network in NETWORKS[:64:5] for number in (1, 2, 77)]
        gateways = [subnet.network[1] for subnet in self.subnets]
        entries = [IPv4Address(entry.network + 1) for entry in self.entries]
        return [*inside, *gateways, *gateways, *entries, IPv4Address("192.0.2.9")]

    def engine(self) -> Engine:
        made = Engine(KEY)
        made.plan.set_relays(self.entries, DEFAULT, NAMES)
        for subnet in self.subnets:
            told = {"no": subnet.no, "network": int(subnet.network[0]), "mask": int(subnet.network.netmask)}
            told |= {"interface": "bound" if subnet.bound else None}
            view = SubnetView(TenantView(subnet.tenant, subnet.classes), KEY, FIELDS | told | subnet.fields)
            by_address = [
                wire
                for wire, address in self.ground.items()
                if address in subnet.network and wire not in subnet.bound
            ]
            made.put_subnet(view, subnet.giaddrs, by_address, bound=subnet.bound)
        now = boot_clock()
        made.set_clock(CLOCK, now, now)
        numbers = {(subnet.tenant, subnet.network): subnet.no for subnet in self.subnets}
        for mac, address, tenant in self.leases:
            no = next((n for (t, net), n in numbers.items() if t == tenant and address in net), 0)
            RowReader(made).feed(copied(mac, address, tenant, no))
        return made

    # --- what they send

    def probes(self) -> Iterator[tuple[str, Packet, int, int]]:
        """(entrance, packet, interface, sender of the datagram), of every kind."""
        addresses = [
            *(subnet.network[9] for subnet in self.subnets),
            *(address for _, address, _ in self.leases),
        ]
        for relay in self.rng.sample(self.relays(), 20):
            for kind, packet in self.relayed(self.rng.choice(MACS), addresses):
                sender = self.rng.choice((int(relay), int(SPACE[9]), 0))
                yield kind, packet.with_relay(relay), 0, sender
        for wire in (*WIRES, ROUTED):
            for kind, packet in self.on_wire(self.rng.choice(MACS), addresses):
                yield kind, packet, wire, 0
        for mac, address, _ in self.leases:
            for kind, packet in by_ciaddr(mac, address):
                yield f"leased {kind}", packet, self.rng.choice((*WIRES, ROUTED)), 0
        for subnet in self.subnets:
            for kind, packet in by_ciaddr(STRANGER, subnet.network[self.rng.randrange(8, 200)]):
                yield f"routed {kind}", packet, ROUTED, 0
        for entry in self.entries:
            if entry.tenant_no:
                inside = IPv4Address(entry.network | ~entry.mask & 1)
                for kind, packet in by_ciaddr(self.rng.choice(MACS), inside):
                    yield f"bound {kind}", packet, ROUTED, 0

    def relayed(self, mac: str, addresses: list[IPv4Address]) -> Iterator[tuple[str, Packet]]:
        discover, other = say.discover(mac).rapid_commit(), self.rng.choice(addresses)
        network = b"\0" + self.rng.choice((*NAMES.values(), b"nobody"))
        yield "giaddr", discover
        yield "link selection", discover.link_selection(other)
        yield "subnet selection", discover.selecting_subnet(other)
        yield "VSS", discover.suboption(151, network)
        yield "VSS of the client", discover.option(221, network)
        yield "VSS, global", discover.suboption(151, b"\xff").link_selection(other)
        yield "ciaddr in a DISCOVER", discover.field(ciaddr=other)
        yield "rebinding", say.request_rebinding(mac, other)
        yield "init-reboot", say.request_init_reboot(mac, other)
        yield "inform", say.inform(mac, other)

    def on_wire(self, mac: str, addresses: list[IPv4Address]) -> Iterator[tuple[str, Packet]]:
        other = self.rng.choice(addresses)
        yield "link", say.discover(mac)
        yield "link, subnet selection", say.discover(mac).selecting_subnet(other)
        yield "link, ciaddr in a DISCOVER", say.discover(mac).field(ciaddr=other)
        yield "link, rebinding", say.request_rebinding(mac, other)
        yield "link, init-reboot", say.request_init_reboot(mac, other)
        yield (
            "link, selecting with ciaddr",
            say.request_selecting(mac, other, IPv4Address(OURS)).field(ciaddr=other),
        )


def by_ciaddr(mac: str, address: IPv4Address) -> Iterator[tuple[str, Packet]]:
    yield "renewing", say.request_renewing(mac, address)
    yield "inform", say.inform(mac, address)
    yield "release", say.release(mac, address, IPv4Address(OURS))


STRANGER = "02:00:00:00:00:99"  # who has no lease
MACS = [f"02:00:00:00:00:{number:02x}" for number in range(1, 7)]


def octets(mac: str) -> bytes:
    return bytes.fromhex(mac.replace(":", ""))


def decide(world: World, probes: list[tuple[str, Packet, int, int]]) -> list[tuple[int, Any]]:
    """(tenant, all that is decided) of each."""
    engine = world.engine()
    found = []
    for kind, packet, interface, sender in probes:
        broadcast = kind.startswith("link")
        told = explain(engine, packet.xid(1).bytes(), OURS, interface, 67, broadcast, None, sender or None)
        shown = {
            name: told.get(name)
            for name in ("drop", "reply", "tenant_by", "subnet", "pool", "reservation", "leases")
        }
        if "release" in kind:  # which gets no reply
            shown |= {"reply": None, "pool": None}
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
        on_its_link = probe[0].startswith("link") and world.owner(probe[2]) == meddler
        if tenant != meddler and not open_to_all and not on_its_link:
            assert is_now == was, (probe, tenant, meddler)


def test_the_generated_packets_reach_every_tenant_by_every_entrance() -> None:
    """Or the test above would show nothing."""
    served: Counter[tuple[str, int]] = Counter()
    for seed in range(SEEDS):
        world = World(Random(seed))
        probes = list(world.probes())
        for (kind, *_), (tenant, told) in zip(probes, decide(world, probes), strict=True):
            served[kind, tenant] += told["drop"] is None
    kinds = {kind for kind, _ in served} - {"bound release", "routed release"}  # no lease
    assert [(kind, tenant) for kind in kinds for tenant in TENANTS if not served[kind, tenant]] == []
