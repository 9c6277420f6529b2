"""Lease table, wheel, offers and queue, each against a model of Python's own lists and dicts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from dhcp_fast.leases.expiry_wheel import Leases
from dhcp_fast.leases.offers import Offers
from dhcp_fast.state.queue import Operations

BEGIN = 800_000_000
PROFILE = settings(
    max_examples=60, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck)
)
SLOTS = 16383


class LeaseTableAgainstDict(RuleBasedStateMachine):
    """Entries by address and by client, while entries change hands."""

    def __init__(self) -> None:
        super().__init__()
        self.leases = Leases(BEGIN)
        self.owners: dict[tuple[int, int], int] = {}
        self.entries: dict[tuple[int, int], int] = {}

    @rule(
        tenant=st.integers(1, 2),
        address=st.integers(0, 30),
        client=st.sampled_from([1, 2, 3, 1 << 16, 5 << 16]),
    )
    def write(self, tenant: int, address: int, client: int) -> None:
        index = self.leases.make(tenant, address, client)
        assert self.entries.setdefault((tenant, address), index) == index
        self.owners[tenant, address] = client

    @precondition(lambda self: self.entries)
    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        """Out of all chains; the place in memory is the next new entry's."""
        key = data.draw(st.sampled_from(sorted(self.entries)))
        index = self.entries.pop(key)
        del self.owners[key]
        self.leases.drop(index)
        assert self.leases.find(*key) == 0

    @rule(
        client=st.sampled_from([1, 2, 1 << 16]),
        tenant=st.integers(1, 2),
        span=st.tuples(*[st.integers(0, 31)] * 2),
    )
    def look(self, client: int, tenant: int, span: tuple[int, int]) -> None:
        first, last = sorted(span)
        wanted = [
            self.entries[key]
            for key, owner in self.owners.items()
            if owner == client and key[0] == tenant and first <= key[1] <= last
        ]
        assert sorted(self.leases.of_client(client, tenant, first, last)) == sorted(wanted)

    @invariant()
    def find(self) -> None:
        for (tenant, address), index in self.entries.items():
            assert self.leases.find(tenant, address) == index
        assert self.leases.find(3, 0) == 0
        assert len(self.leases) == len(set(self.entries.values())) == len(self.entries)


def test_a_table_that_grows_keeps_every_entry() -> None:
    """Over the first 65,536 buckets and the first chunk of entries, twice."""
    leases, count = Leases(BEGIN), 200_000
    index = {address: leases.make(1, address * 7, address % 5000) for address in range(count)}
    for address in range(0, count, 97):
        assert leases.find(1, address * 7) == index[address]
    assert sorted(leases.of_client(4321, 1, 0, 1 << 32)) == [index[n] for n in range(4321, count, 5000)]


def test_entries_that_come_and_go_take_no_more_memory_than_those_there_are() -> None:
    leases = Leases(BEGIN)
    for turn in range(10):
        made = [leases.make(1, turn * 70_000 + address, address + 1) for address in range(70_000)]
        for index in made[1:]:
            leases.drop(index)
    assert (len(leases), leases.entries_made) == (10, 70_009)
    assert sorted(leases.of_client(1, 1, 0, 1 << 32)) == sorted(
        leases.find(1, turn * 70_000) for turn in range(10)
    )


def test_a_table_that_grows_leaves_out_what_was_dropped() -> None:
    leases = Leases(BEGIN)
    made = [leases.make(1, address, address + 1) for address in range(60_000)]
    for index in made[:50_000]:
        leases.drop(index)
    for address in range(100_000, 250_000):
        leases.make(1, address, address + 1)
    assert all(leases.find(1, address) == 0 for address in range(0, 50_000, 7))
    assert leases.find(1, 50_001) == made[50_001]
    assert leases.of_client(50_002, 1, 0, 1 << 32) == [made[50_001]]
    assert leases.of_client(7, 1, 0, 1 << 32) == []


class WheelAgainstDict(RuleBasedStateMachine):
    """An entry comes up at its second or earlier, never later; who comes up early is put again."""

    def __init__(self) -> None:
        super().__init__()
        self.leases = Leases(BEGIN)
        self.now = BEGIN
        self.due: dict[int, int] = {}
        self.entries = [self.leases.make(1, address, 1) for address in range(20)]

    @rule(
        place=st.integers(0, 19),
        after=st.one_of(st.integers(1, 20), st.integers(8180, 8200), st.integers(1, 100_000)),
    )
    def put(self, place: int, after: int) -> None:
        index = self.entries[place]
        self.leases.put(index, self.now + after)
        self.due[index] = min(self.now + after, self.due.get(index, self.now + after))

    @rule(seconds=st.one_of(st.integers(0, 5), st.integers(4000, 9000), st.integers(0, 30_000)))
    def pass_time(self, seconds: int) -> None:
        self.now += seconds
        while index := self.leases.take(self.now):
            assert index in self.due, "an entry came up that was not in the wheel"
            due = self.due.pop(index)
            if due > self.now:
                self.due[index] = due
                self.leases.put(index, due)
        late = {index: due for index, due in self.due.items() if due <= self.now}
        assert not late

    @rule()
    def a_clock_that_goes_back_finds_nothing_new(self) -> None:
        while index := self.leases.take(self.now - 100):
            self.leases.put(index, self.due[index])


class OffersAgainstList(RuleBasedStateMachine):
    """All offers by age, and each subnet's; found by client, counted by relay."""

    def __init__(self) -> None:
        super().__init__()
        self.offers = Offers()
        self.model: dict[int, tuple[int, int, int]] = {}

    @rule(
        client=st.sampled_from([1, 2, 3, 262145, 262146]), subnet=st.integers(1, 4), relay=st.integers(1, 3)
    )
    def offer(self, client: int, subnet: int, relay: int) -> None:
        """As the engine does: the client's older offer in the subnet is forgotten first."""
        if index := self.offers.find(client, subnet):
            self.forget(index)
        index = self.offers.add(client, subnet, 77, relay)
        assert index not in self.model
        self.model[index] = (client, subnet, relay)

    def forget(self, index: int) -> None:
        self.offers.remove(index)
        del self.model[index]

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        self.forget(data.draw(st.sampled_from(sorted(self.model))))

    @invariant()
    def agree(self) -> None:
        assert self.offers.by_age() == list(self.model)
        assert len(self.offers) == len(self.model)
        for subnet in range(1, 5):
            assert self.offers.of_subnet(subnet) == [i for i, (_, s, _) in self.model.items() if s == subnet]
        for relay in range(1, 4):
            assert self.offers.through(relay) == sum(r == relay for _, _, r in self.model.values())
        for index, (client, subnet, _) in self.model.items():
            assert self.offers.find(client, subnet) == index


class QueueAgainstList(RuleBasedStateMachine):
    """An operation runs when every earlier one on its address and of its client is over, and only then."""

    def __init__(self) -> None:
        super().__init__()
        self.queue = Operations()
        self.waiting: dict[int, tuple[int, int, bool]] = {}
        self.running: set[int] = set()
        self.packets: list[list[int]] = []

    def is_first(self, slot: int) -> bool:
        address, client, _ = self.waiting[slot]
        for other, (a, c, _) in self.waiting.items():
            if other == slot:
                return True
            if a == address or (client and c == client):
                return False
        raise AssertionError

    @rule(address=st.integers(1, 4), client=st.sampled_from([0, 2, 4, 6, 8]), bind=st.booleans())
    def arrive(self, address: int, client: int, bind: bool) -> None:
        slot = self.queue.put(address, client, bind)
        assert slot
        assert slot not in self.waiting
        self.waiting[slot] = (address, client, bind)

    @rule(addresses=st.lists(st.integers(1, 4), min_size=1, max_size=4), client=st.sampled_from([2, 4, 6]))
    def arrive_together(self, addresses: list[int], client: int) -> None:
        """One packet with an operation for each of several clients, as associations are (rule 31)."""
        slots = self.queue.put_parts(addresses, client)
        assert slots
        assert not set(slots) & (set(self.waiting) | self.kept())
        for number, (slot, address) in enumerate(zip(slots, addresses, strict=True)):
            self.waiting[slot] = (address, client + 2 * number, True)
        self.packets.append(slots)

    def kept(self) -> set[int]:
        """Slots whose operation is over while another of their packet's is not."""
        open_packets = [slots for slots in self.packets if set(slots) & set(self.waiting)]
        return {slot for slots in open_packets for slot in slots} - set(self.waiting)

    def over(self, slot: int) -> None:
        del self.waiting[slot]
        self.queue.finish(slot)
        self.packets = [slots for slots in self.packets if set(slots) & set(self.waiting)]

    @rule(bind=st.booleans())
    def begin(self, bind: bool) -> None:
        ready = [
            s
            for s in self.waiting
            if s not in self.running and self.is_first(s) and self.waiting[s][2] == bind
        ]
        slot = self.queue.take(bind)
        assert bool(slot) == bool(ready)
        if slot:
            assert slot in ready
            self.running.add(slot)

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def end(self, data: st.DataObject) -> None:
        slot = data.draw(st.sampled_from(sorted(self.running)))
        self.running.discard(slot)
        self.over(slot)

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def try_again(self, data: st.DataObject) -> None:
        """A batch without effect: ready again, still first."""
        slot = data.draw(st.sampled_from(sorted(self.running)))
        self.running.discard(slot)
        self.queue.again(slot)

    @invariant()
    def agree(self) -> None:
        assert len(self.queue) == len(self.waiting) + len(self.kept())
        for address in range(1, 5):
            first = next((s for s, (a, _, _) in self.waiting.items() if a == address), 0)
            assert self.queue.running(address) == first

    def teardown(self) -> None:
        """Whatever happened, everything runs in the end."""
        while self.waiting:
            for bind in (True, False):
                while slot := self.queue.take(bind):
                    self.running.add(slot)
            assert self.running, "operations wait for nobody"
            for slot in self.running:
                self.over(slot)
            self.running.clear()
        assert len(self.queue) == 0


MACHINES: list[Any] = [LeaseTableAgainstDict, WheelAgainstDict, OffersAgainstList, QueueAgainstList]


@pytest.mark.parametrize("machine", MACHINES)
def test_against_its_model(machine: Any) -> None:
    case = machine.TestCase
    case.settings = PROFILE
    case("runTest").runTest()


def test_a_request_sent_again_is_known() -> None:
    """The client's last operation under way, sent again; not once another one stands behind it."""
    queue = Operations()
    first = queue.put(1, 2, xid=7)
    assert queue.put(1, 2, xid=7) == 0
    assert queue.put(1, 2, xid=8) not in (0, first)
    assert queue.put(1, 2, xid=7) != 0
    assert len(queue) == 3


def test_all_slots_can_be_used_and_given_back() -> None:
    queue = Operations()
    for _ in range(2):
        slots = [queue.put(n, 2 * n) for n in range(1, SLOTS + 1)]
        assert len(set(slots)) == SLOTS
        assert queue.put(SLOTS + 1, 0) == 0
        while slot := queue.take():
            queue.finish(slot)
        assert len(queue) == 0
