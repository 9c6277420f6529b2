"""IPv6 pools against Python's own sets: grants, releases, expiry, offers, and plans that change under them.

One subnet has a pool of 2^10 addresses, one of 2^8 delegated prefixes and one of nearly a whole /64, without a bitmap.
"""

from __future__ import annotations

from ipaddress import IPv6Address
from typing import Any

from extensions.pool_trial import PoolTrial
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from unit.plan.test_plan6 import FIELDS, KEY, TENANT, pool

from dhcp_fast.plan.compile6 import SubnetView6
from dhcp_fast.plan.tenant_view import TenantView

BEGIN = 800_000_000
OFFER_SECONDS = 30
SUBNET, ADDRESSES, PREFIXES, LARGE = 1, 10, 11, 12
LINK = int(IPv6Address("2001:db8::"))
DELEGATED = int(IPv6Address("2001:db8:8000::"))
PREFIX_BITS = 56
FIRST = {ADDRESSES: LINK + 0x1000, PREFIXES: DELEGATED, LARGE: LINK + (1 << 32)}
SIZE = {ADDRESSES: 1 << 10, PREFIXES: 1 << 8}
STEP = {ADDRESSES: 1, PREFIXES: 1 << (128 - PREFIX_BITS), LARGE: 1}
EDGES = [0, 1, 63, 64, 127, 128, 255]

indices = st.one_of(st.sampled_from(EDGES), st.integers(0, 255))
small_pools = st.sampled_from([ADDRESSES, PREFIXES])
pools = st.sampled_from([ADDRESSES, PREFIXES, LARGE])
clients = st.integers(1, 6)


def address_of(no: int, index: int) -> int:
    """Of the pool of addresses the last ones too, where a longer one ends."""
    if no == ADDRESSES and index in EDGES:
        index = SIZE[no] - 1 - index
    return FIRST[no] + index * STEP[no]


def subnet(forbidden: range, addresses: int) -> SubnetView6:
    """With so many addresses in its first pool; those that are `forbidden`, by their index there, it does not give."""
    ranges = [(FIRST[ADDRESSES] + forbidden[0], FIRST[ADDRESSES] + forbidden[-1])] if forbidden else []
    rows = [
        pool(ADDRESSES, IPv6Address(FIRST[ADDRESSES]), IPv6Address(FIRST[ADDRESSES] + addresses - 1)),
        pool(
            PREFIXES,
            IPv6Address(DELEGATED),
            IPv6Address(DELEGATED + (SIZE[PREFIXES] << 72) - 1),
            PREFIX_BITS,
        ),
        pool(LARGE, IPv6Address(FIRST[LARGE]), IPv6Address(LINK + (1 << 64) - 1)),
    ]
    told: dict[str, Any] = {"no": SUBNET, "first": LINK, "last": LINK + (1 << 64) - 1}
    described = FIELDS | told | {"pools": rows, "forbidden": ranges}
    return SubnetView6(TenantView(TENANT, []), KEY, described)


class PoolsAgainstSets(RuleBasedStateMachine):
    """`held`: address -> until when others may not have it; `offered`: (pool, index) -> client and end."""

    @initialize()
    def begin(self) -> None:
        self.now = BEGIN
        self.trial = PoolTrial(BEGIN)
        self.size = dict(SIZE)
        self.forbidden = range(0)
        self.held: dict[int, int] = {}
        self.offered: dict[tuple[int, int], tuple[int, int]] = {}
        assert sorted(self.trial.put(subnet(self.forbidden, SIZE[ADDRESSES]))) == [ADDRESSES, PREFIXES]
        assert [self.trial.is_hashed(no) for no in (ADDRESSES, PREFIXES, LARGE)] == [False, False, True]

    @rule(no=pools, index=indices, client=clients, lasts=st.integers(1, 90), margin=st.sampled_from([1, 10]))
    def grant(self, no: int, index: int, client: int, lasts: int, margin: int) -> None:
        """Without a margin an address is free the second after its lease's end, in which nobody looks at it."""
        address, ends = address_of(no, index), self.now + lasts
        self.trial.write(TENANT, address, client, "a", ends, ends + margin)
        self.held[address] = ends + margin

    @rule(no=pools, index=indices, client=clients)
    def release(self, no: int, index: int, client: int) -> None:
        address = address_of(no, index)
        self.trial.write(TENANT, address, client, "r", self.now, self.now)
        self.held[address] = self.now

    @rule(no=pools, index=indices, client=clients)
    def decline(self, no: int, index: int, client: int) -> None:
        address = address_of(no, index)
        self.trial.write(TENANT, address, client, "d", self.now, self.now + 60)
        self.held[address] = self.now + 60

    @rule(index=indices, client=clients)
    def grant_what_lies_in_no_pool(self, index: int, client: int) -> None:
        """Nor is a prefix of another length than the pool's, or an address of another tenant."""
        self.trial.write(TENANT, LINK + index, client, "a", self.now + 90, self.now + 90)
        self.trial.write(
            TENANT, DELEGATED + index * STEP[PREFIXES] + 1, client, "a", self.now + 90, self.now + 90
        )
        self.trial.write(TENANT + 1, address_of(ADDRESSES, index), client, "a", self.now + 90, self.now + 90)

    @rule(no=small_pools, index=indices, client=clients)
    def offer(self, no: int, index: int, client: int) -> None:
        if index in self.free(no):
            self.trial.offer(no, index, client)
            self.offered[no, index] = client, self.now + OFFER_SECONDS

    @rule(client=clients)
    def ask_elsewhere(self, client: int) -> None:
        """A client's open offers, of each pool the one made last, are over."""
        self.trial.forget(client, SUBNET)
        for no in SIZE:
            mine = [place for place, (whose, _) in self.offered.items() if place[0] == no and whose == client]
            for place in mine[-1:]:
                del self.offered[place]

    @rule(seconds=st.integers(1, 100))
    def wait(self, seconds: int) -> None:
        self.now += seconds
        self.trial.wait(seconds)
        self.offered = {place: made for place, made in self.offered.items() if made[1] > self.now}

    @rule(first=st.integers(0, 300), count=st.sampled_from([0, 1, 64, 200]))
    def exclude(self, first: int, count: int) -> None:
        self.forbidden = range(first, first + count)
        assert self.trial.put(subnet(self.forbidden, self.size[ADDRESSES])) == []
        self.offered.clear()

    @rule(size=st.sampled_from([100, 500, 1 << 10, 1 << 11]))
    def resize(self, size: int) -> None:
        """Another pool of addresses is counted anew; the pool of prefixes stays as it is."""
        fresh = self.trial.put(subnet(self.forbidden, size))
        assert fresh == ([] if size == self.size[ADDRESSES] else [ADDRESSES])
        self.size[ADDRESSES] = size
        self.offered.clear()

    def free(self, no: int) -> set[int]:
        free = {n for n in range(self.size[no]) if self.held.get(FIRST[no] + n * STEP[no], 0) <= self.now}
        free -= {index for pool_no, index in self.offered if pool_no == no}
        return free - set(self.forbidden) if no == ADDRESSES else free

    @invariant()
    def agree(self) -> None:
        if not hasattr(self, "trial"):
            return
        for no in SIZE:
            assert self.trial.free(no) == self.free(no)
        for address, until in self.held.items():
            assert self.trial.is_held(TENANT, address) == (until > self.now)
        assert self.trial.offers == len(self.offered)


PoolsAgainstSets.TestCase.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
TestPoolsAgainstSets = PoolsAgainstSets.TestCase
