"""Pools of IOS as subnets. A pool gives all of its network but what `ip dhcp excluded-address` names, so its ranges are
what the exclusions leave; each network takes along the exclusions that lie in it.
"""

import re
from ipaddress import IPv4Address, IPv4Network

from api.importers.cisco import reasons, statements
from api.importers.cisco.pools import Pool
from api.importers.cisco.statements import Block
from api.importers.clashes import Span, rest_of, settle
from api.importers.faults import SourceError
from api.importers.lines import Line, counted, lose
from api.importers.networks import Networks
from api.importers.options import Option, into_fields
from api.importers.plan import Fields, Plan, Planned, Planner, Reason

OTHERS = re.compile(r"^(?:dhcp ipv4|feature dhcp|router bgp \d+\n address-family|!! IOS XR)", re.MULTILINE)
USUAL: Fields = {"match_client_id": True}
"""IOS knows a client by the identifier that it sends, where it sends one."""


def read(text: str) -> Plan:
    """Raise SourceError where there are no pools of IOS."""
    blocks = statements.load(text)
    if not any(each.head.words[2:3] in (["pool"], ["excluded-address"]) for each in blocks):
        other = OTHERS.search(text)
        line = text[: other.start()].count("\n") + 1 if other else 1
        raise SourceError(
            line, "has no ip dhcp pool: pools of IOS and IOS-XE are read, IOS-XR and NX-OS are not"
        )
    return Cisco(blocks).plan()


class Excluded:
    """A span that is given to nobody, and its line."""

    def __init__(self, line: Line, span: Span, vrf: str | None) -> None:
        self.line = line
        self.span = span
        self.vrf = vrf
        self.used = False


class Cisco:
    """One router."""

    def __init__(self, blocks: list[Block]) -> None:
        self.planner = Planner("cisco")
        self.blocks = blocks
        self.networks = Networks()
        self.excluded: list[Excluded] = []
        self.pools: list[Pool] = []

    def plan(self) -> Plan:
        for block in self.blocks:
            self.sort(block)
        vrf = self.pools[0].vrf if self.pools and all(each.vrf for each in self.pools) else None
        mine = [each for each in self.pools if self.is_of(each, vrf)]
        for pool in mine:
            if pool.networks:
                self.serve(pool, vrf)
        for pool in mine:
            if not pool.networks:
                self.reserve(pool)
        for each in self.excluded:
            if not each.used:
                lose(
                    self.planner,
                    each.line,
                    "dropped",
                    " ".join(each.line.words),
                    "lies in no network of a pool",
                )
        settle(self.planner)
        plan = self.planner.finish()
        plan.statements = counted([line for each in self.blocks for line in (each.head, *each.lines)])
        return plan

    def sort(self, block: Block) -> None:
        words = block.head.words
        if words[2:3] == ["pool"] and len(words) > 3:
            self.pools.append(Pool(block, self.planner))
        elif words[2:3] == ["excluded-address"]:
            self.exclude(block.head)
        else:
            reason, why = reasons.of(words[3] if words[0] == "no" and len(words) > 3 else "".join(words[2:3]))
            self.lose_block(block, reason, why)

    def lose_block(self, block: Block, reason: Reason, why: str) -> None:
        for line in (block.head, *block.lines):
            lose(self.planner, line, reason, " ".join(line.words), why)

    def is_of(self, pool: Pool, vrf: str | None) -> bool:
        if pool.vrf == vrf:
            return True
        self.lose_block(pool.block, "manual", reasons.VRF.format(pool.vrf))
        return False

    def exclude(self, line: Line) -> None:
        words = line.words[3:]
        vrf = words[1] if words[:1] == ["vrf"] and len(words) > 1 else None
        try:
            ends = [int(IPv4Address(each)) for each in (words[2:] if vrf else words)]
            span = ends[0], ends[-1]
        except (ValueError, IndexError):
            lose(self.planner, line, "dropped", " ".join(line.words), "is no range of addresses")
            return
        self.excluded.append(Excluded(line, span, vrf))

    # --- networks

    def serve(self, pool: Pool, vrf: str | None) -> None:
        shared = {"shared_network": pool.name} if len(pool.networks) > 1 else {}
        fields = {"name": pool.name} | shared | USUAL | pool.fields
        for line, network in pool.networks:
            subnet = self.subnet(line, network, fields, pool.options)
            if subnet:
                self.ranges(line, network, subnet, vrf)
        if pool.host or pool.identity or pool.hostname:
            self.planner.warn(
                pool.line.line, "dropped", f"pool {pool.name}", "has a network, and no client of its own"
            )

    def subnet(
        self, line: Line, network: IPv4Network, fields: Fields, options: dict[int, Option]
    ) -> Planned | None:
        fields = dict(fields) | {"cidr": str(network)}
        rest = into_fields(options, fields)
        prefix = self.planner.add("prefixes", line.line, {"cidr": str(network)})
        made = prefix and self.planner.add("subnets", line.line, fields, prefix)
        if made is None:
            line.tell()
            return None
        self.networks.add(network, made)
        for option in rest.values():
            self.planner.add("options", option.line, option.fields, made)
        return made

    def ranges(self, line: Line, network: IPv4Network, subnet: Planned, vrf: str | None) -> None:
        first, last = int(network[0]), int(network[-1])
        holes = [
            each
            for each in self.excluded
            if each.vrf == vrf and each.span[0] <= last and first <= each.span[1]
        ]
        for each in holes:
            each.used = True
            span = max(each.span[0], first), min(each.span[1], last)
            self.planner.add("excludes", each.line.line, ends(span), subnet)
        edge = 1 if network.prefixlen <= 30 else 0
        for span in rest_of((first + edge, last - edge), sorted(each.span for each in holes)):
            self.planner.add("pools", line.line, ends(span), subnet)

    # --- clients

    def reserve(self, pool: Pool) -> None:
        what = f"pool {pool.name}"
        if pool.host is None or not pool.identity:
            lacks = "host" if pool.host is None else "client-identifier or hardware-address"
            self.lose_block(pool.block, "dropped", f"has neither a network nor a client: {lacks} is missing")
            return
        line, address, around = pool.host
        subnet = self.networks.around(address)
        if subnet is None and around is not None:
            subnet = self.subnet(line, around, dict(USUAL), {})
        if subnet is None:
            self.lose_block(pool.block, "manual", f"{address} lies in no network of a pool: say its mask")
            return
        for name, value in pool.fields.items():
            why = f"{name} {value} is of a subnet or a class: make a class for it, and give the class"
            lose(self.planner, pool.field_lines[name], "manual", what, why)
        fields = {"ip": str(address), "hostname": pool.hostname, "description": pool.name} | pool.identity
        made = self.planner.add("reservations", pool.line.line, fields, subnet)
        for option in pool.options.values() if made else ():
            self.planner.add("options", option.line, option.fields, made)


def ends(span: Span) -> Fields:
    return {"start_ip": str(IPv4Address(span[0])), "end_ip": str(IPv4Address(span[1]))}
