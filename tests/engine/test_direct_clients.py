"""Clients without a relay: which subnet and tenant a packet is for, and whose word option 82 is there.

Decided by the engine itself without socket or database. 127.64.0.0/16 is on interface 7, on 8 are two subnets that
share no name, and 127.68.0.0/16 is far away; 9 leads to routers. Two tenants may have the same addresses.
"""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Any

import pytest
from engine.test_reply_address import copied
from fuzz.engine import CLOCK, FIELDS, KEY, NETWORK, TENANT
from oracle import packets as say
from oracle.message4 import parse_reply
from oracle.options4 import ACK, NAK, OFFER
from oracle.packets import Packet

from dhcp_fast.database.plan.class_conditions import conditions
from dhcp_fast.engine.configure import set_switches
from dhcp_fast.engine.engine import Engine, boot_clock
from dhcp_fast.engine.explain import explain
from dhcp_fast.engine.lease_rows import RowReader
from dhcp_fast.plan.compile import SubnetView
from dhcp_fast.plan.pool_row import PoolRow
from dhcp_fast.plan.tenant_view import TenantView

MAC, STRANGER = "02:00:00:00:00:01", "02:00:00:00:00:02"
OURS = int(IPv4Address("192.0.2.67"))
WIRE, TWO_SUBNETS, ROUTED = 7, 8, 9
FIRST, SECOND, THIRD, FAR = (NETWORK + (n << 16) for n in (0, 1, 2, 4))
OTHER_TENANT = TENANT + 1


def plan(network: int, tenant: int = TENANT, **fields: Any) -> SubnetView:
    told = {
        "no": network >> 16,
        "network": network,
        "pools": [PoolRow(network, network + 16, network + 200)],
    }
    return SubnetView(TenantView(tenant, fields.pop("classes", [])), KEY, FIELDS | told | fields)


def address(network: int, last: int = 100) -> IPv4Address:
    return IPv4Address(network + last)


@pytest.fixture
def engine() -> Engine:
    made = Engine(KEY)
    made.plan.set_relays([], TENANT)
    made.put_subnet(plan(FIRST), [], [WIRE])
    made.put_subnet(plan(SECOND), [], [TWO_SUBNETS])
    made.put_subnet(plan(THIRD), [], [TWO_SUBNETS])
    made.put_subnet(plan(FAR), [], [])
    now = boot_clock()
    made.set_clock(CLOCK, now, now)
    return made


def lease(engine: Engine, network: int, mac: str = MAC, tenant: int = TENANT) -> IPv4Address:
    """The client has one of the network's addresses."""
    RowReader(engine).feed(copied(mac, address(network), tenant, network >> 16))
    return address(network)


def said(engine: Engine, packet: Packet, interface: int, *, broadcast: bool = False) -> Any:
    """The reply's type, or why there is none."""
    found = explain(engine, packet.bytes(), OURS, interface, 68, broadcast)
    return found["drop"] or found["reply"][242]


# --- a client that was moved


def test_a_client_moved_to_our_wire_is_refused_its_old_address(engine: Engine) -> None:
    """4.3.2: on the wrong network; REBINDING, which is broadcast, says on which one the client is now."""
    held = lease(engine, FAR)
    assert said(engine, say.request_rebinding(MAC, held), WIRE, broadcast=True) == NAK
    assert said(engine, say.inform(MAC, held), WIRE, broadcast=True) == "no_subnet"


def test_what_comes_by_unicast_may_have_come_through_routers(engine: Engine) -> None:
    held = lease(engine, FAR)
    assert said(engine, say.request_renewing(MAC, held), WIRE) == ACK
    assert said(engine, say.request_renewing(MAC, held), ROUTED) == ACK
    assert said(engine, say.request_rebinding(MAC, held), ROUTED, broadcast=True) == ACK


@pytest.mark.parametrize("network", [SECOND, THIRD])
def test_an_interface_of_several_subnets_is_the_wire_of_each(network: int, engine: Engine) -> None:
    held = lease(engine, network)
    assert said(engine, say.request_rebinding(MAC, held), TWO_SUBNETS, broadcast=True) == ACK


# --- overlapping tenants


@pytest.fixture
def overlapping(engine: Engine) -> Engine:
    """The far network is two tenants'."""
    engine.put_subnet(plan(FAR, OTHER_TENANT, no=99), [], [])
    return engine


@pytest.mark.parametrize("tenant", [TENANT, OTHER_TENANT])
def test_a_renewal_is_for_the_tenant_whose_lease_it_is(tenant: int, overlapping: Engine) -> None:
    held = lease(overlapping, FAR, tenant=tenant)
    assert said(overlapping, say.request_renewing(MAC, held), ROUTED) == ACK


@pytest.mark.parametrize("tenant", [TENANT, OTHER_TENANT])
def test_another_clients_lease_there_is_another_tenants(tenant: int, overlapping: Engine) -> None:
    held = lease(overlapping, FAR, STRANGER, tenant=TENANT + OTHER_TENANT - tenant)
    lease(overlapping, FAR, MAC, tenant=tenant)
    assert said(overlapping, say.request_renewing(MAC, held), ROUTED) == ACK


@pytest.mark.parametrize(("relays", "tenant"), [([], TENANT), ([FAR + 1], OTHER_TENANT)])
def test_where_no_lease_tells_the_tenant_it_is_the_one_that_is_reached(
    relays: list[int], tenant: int, overlapping: Engine
) -> None:
    """By a relay of its own inside the subnet; else it is the default tenant."""
    overlapping.plan.set_relays([(relay, 0xFFFFFFFF, OTHER_TENANT) for relay in relays], TENANT)
    found = explain(overlapping, say.request_renewing(MAC, address(FAR)).bytes(), OURS, ROUTED, 68)
    assert (found["tenant"], found["reply"][242]) == (tenant, NAK)


def test_where_two_tenants_are_reached_there_is_silence(overlapping: Engine) -> None:
    """A NAK might take a client of the other tenant its address (engine rule 29)."""
    relays = [(FAR + 1, 0xFFFFFFFF, OTHER_TENANT), (FAR + 2, 0xFFFFFFFF, 0)]
    overlapping.plan.set_relays(relays, TENANT)
    renewing = say.request_renewing(MAC, address(FAR))
    assert said(overlapping, renewing, ROUTED) == "several_tenants"
    lease(overlapping, FAR, STRANGER)
    assert said(overlapping, renewing, ROUTED) == "several_tenants"
    assert overlapping.counters()["drops"] == {"several_tenants": 2}


def test_where_both_tenants_leased_to_it_there_is_silence(overlapping: Engine) -> None:
    for tenant in (TENANT, OTHER_TENANT):
        lease(overlapping, FAR, tenant=tenant)
    assert said(overlapping, say.request_renewing(MAC, address(FAR)), ROUTED) == "several_tenants"


@pytest.mark.parametrize("owner", [TENANT, OTHER_TENANT])
def test_a_wider_range_around_a_relay_somewhere_else_changes_nothing(owner: int, engine: Engine) -> None:
    """Whoever has a relay anywhere could else draw a range around both it and the clients of another tenant."""
    other = TENANT + OTHER_TENANT - owner
    distant = FAR + (2 << 16)
    relays = [(FAR + 1, 0xFFFFFFFF, owner), (distant + 1, 0xFFFFFFFF, other)]
    engine.plan.set_relays(relays, TENANT)
    engine.drop_subnet(FAR >> 16)
    engine.put_subnet(plan(FAR, owner, no=98), [], [])

    def told() -> list[Any]:
        packets = [say.request_renewing(MAC, address(FAR)), say.inform(MAC, address(FAR))]
        found = [explain(engine, packet.xid(1).bytes(), OURS, ROUTED, 68) for packet in packets]
        return [(each["tenant"], each["drop"], each["reply"]) for each in found]

    before = told()
    assert [tenant for tenant, *_ in before] == [owner, owner]
    wide = {"network": FAR, "mask": 0xFFFC0000, "no": 99, "pools": []}
    engine.put_subnet(SubnetView(TenantView(other, []), KEY, FIELDS | wide), [], [])
    assert told() == before


def test_a_lease_in_another_tenants_copy_of_the_range_takes_no_client_away(overlapping: Engine) -> None:
    """The other tenant's own device may claim any hardware address; the entry says whose the address is."""
    for tenant in (TENANT, OTHER_TENANT):
        lease(overlapping, FAR, tenant=tenant)
    overlapping.plan.set_relays([(FAR, 0xFFFF0000, OTHER_TENANT)], TENANT)
    found = explain(overlapping, say.request_renewing(MAC, address(FAR)).bytes(), OURS, ROUTED, 68)
    assert (found["tenant"], found["reply"][242]) == (OTHER_TENANT, ACK)


def test_an_address_of_one_tenant_alone_is_that_tenants(overlapping: Engine) -> None:
    """Unknown there: NAK, as ever."""
    assert said(overlapping, say.request_renewing(MAC, address(THIRD)), ROUTED) == NAK


def test_on_its_own_wire_an_address_needs_no_lease_to_tell(overlapping: Engine) -> None:
    overlapping.put_subnet(plan(FIRST, OTHER_TENANT, no=98), [], [])
    assert said(overlapping, say.request_renewing(MAC, address(FIRST)), WIRE) == NAK


# --- option 82 without a relay

# By the circuit, and by the subscriber.
LINES = [(FIRST + 9, [b"\3eth1/3"], None, []), (FIRST + 10, [b"\x09smith"], None, [])]


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize(("circuit", "last"), [("eth1/3", 9), ("eth1/4", 10)])
def test_option_82_counts_where_a_switch_says_it(
    circuit: str, last: int, trusted: bool, engine: Engine
) -> None:
    """Elsewhere a client could claim another's circuit. It comes back either way (RFC 3046 section 2.2)."""
    engine.put_subnet(plan(FIRST, reservations=LINES), [], [WIRE])
    set_switches(engine, [TWO_SUBNETS, WIRE] if trusted else [TWO_SUBNETS])
    packet = say.discover(MAC).circuit(circuit).remote("switch").suboption(6, "smith")
    found = explain(engine, packet.bytes(), OURS, WIRE, 68, True)
    reply: Any = parse_reply(found["reply"])
    assert reply.message_type == OFFER
    assert (reply.yiaddr == address(FIRST, last)) == trusted
    assert reply.options[82] == b"\1\6" + circuit.encode() + b"\2\6switch\6\5smith"


WORDS = [
    {"relay": True, "option": 1, "prefix": "eth1"},
    {"option": 82, "contains": "eth1"},
    {"option": 82, "suboption": 1, "equals": "eth1/3"},
]


@pytest.mark.parametrize("tree", WORDS)
@pytest.mark.parametrize("trusted", [False, True])
def test_no_client_puts_itself_into_a_class_by_option_82(
    trusted: bool, tree: dict[str, Any], engine: Engine
) -> None:
    """By broadcast or from its address; where a switch says it, it counts."""
    row = {"no": 1, "name": "hall", "match": tree, "template": False}
    denied = {"no": 1, "deny": True, "match": conditions(row, [row], [])}
    engine.put_subnet(plan(FIRST, classes=[denied]), [], [WIRE])
    set_switches(engine, [WIRE] if trusted else [])
    held = lease(engine, FIRST)
    for packet, broadcast in ((say.discover(MAC), True), (say.request_renewing(MAC, held), False)):
        found = explain(engine, packet.circuit("eth1/3").bytes(), OURS, WIRE, 68, broadcast)
        assert (found["drop"] == "denied_class") == trusted
        if not trusted:
            reply: Any = parse_reply(found["reply"])
            assert reply.options[82] == b"\1\6eth1/3"
