"""Objects of one plan that the server would refuse beside each other are settled, and that is said."""

from typing import Any

import pytest

from api.importers.clashes import settle
from api.importers.plan import Plan, Planned, Planner

CIDR = "192.0.2.0/24"


def planned(*objects: tuple[str, dict[str, Any]]) -> Plan:
    """In one subnet; the line of each is its place."""
    planner = Planner("test")
    prefix = planner.add("prefixes", 1, {"cidr": CIDR})
    subnet = planner.add("subnets", 2, {"cidr": CIDR}, prefix)
    for line, (family, fields) in enumerate(objects, 3):
        planner.add(family, line, fields, subnet)
    settle(planner)
    return planner.finish()


def span(first: int, last: int) -> dict[str, Any]:
    return {"start_ip": f"192.0.2.{first}", "end_ip": f"192.0.2.{last}"}


def host(last: int, card: int, **more: Any) -> dict[str, Any]:
    return {"ip": f"192.0.2.{last}", "mac": f"02:00:00:00:00:{card:02x}"} | more


def of(plan: Plan, family: str) -> list[Planned]:
    return [each for each in plan.objects if each.family == family]


def spans(plan: Plan, family: str) -> list[tuple[int, int]]:
    ends = [(each.fields["start_ip"], each.fields["end_ip"]) for each in of(plan, family)]
    return [(int(first.split(".")[3]), int(last.split(".")[3])) for first, last in ends]


@pytest.mark.parametrize(
    ("reserved", "left"),
    [
        ((15,), [(10, 14), (16, 20)]),
        ((10,), [(11, 20)]),
        ((20,), [(10, 19)]),
        ((10, 11, 20), [(12, 19)]),
        ((9, 21), [(10, 20)]),
        (range(10, 21), []),
    ],
)
def test_an_exclude_is_made_around_reservations(reserved: Any, left: list[tuple[int, int]]) -> None:
    hosts = [("reservations", host(last, last)) for last in reserved]
    plan = planned(("excludes", span(10, 20)), *hosts)
    assert spans(plan, "excludes") == left
    assert len(of(plan, "reservations")) == len(reserved)
    inside = [last for last in reserved if 10 <= last <= 20]
    told = [each for each in plan.warnings if each.reason == "approximated"]
    assert [each.why.split(" of ")[0] for each in told] == [
        f"is made around reservations 192.0.2.{last}" for last in inside
    ]


def test_an_exclude_is_made_around_another() -> None:
    plan = planned(("excludes", span(10, 20)), ("excludes", span(15, 30)), ("excludes", span(12, 13)))
    assert sorted(spans(plan, "excludes")) == [(10, 20), (21, 30)]
    assert len(plan.warnings) == 2


def test_of_two_that_overlap_the_first_stays_with_what_stands_in_it() -> None:
    plan = planned(("pools", span(40, 60)), ("pools", span(10, 45)), ("pools", span(61, 70)))
    assert spans(plan, "pools") == [(40, 60), (61, 70)]
    (told,) = plan.warnings
    assert (told.line, told.reason, told.why) == (4, "dropped", "overlaps pools 192.0.2.40 in line 3")


@pytest.mark.parametrize(
    "twin", [host(10, 2), host(11, 1), host(12, 3, mac="02-00-00-00-00-01"), host(12, 3, mac="2:0:0:0:0:1")]
)
def test_a_second_reservation_of_address_or_identity_is_told(twin: dict[str, Any]) -> None:
    plan = planned(("reservations", host(10, 1)), ("reservations", twin))
    assert [each.line for each in of(plan, "reservations")] == [3]
    assert [(each.line, each.reason) for each in plan.warnings] == [(4, "dropped")]


def test_ranges_outside_their_subnet_are_told() -> None:
    plan = planned(("pools", {"start_ip": "192.0.3.1", "end_ip": "192.0.3.9"}), ("excludes", span(30, 20)))
    assert not of(plan, "pools")
    assert not of(plan, "excludes")
    assert [each.line for each in plan.warnings] == [3, 4]


def test_a_subnet_in_another_is_told_with_all_that_stands_in_it() -> None:
    planner = Planner("test")
    for line, cidr in ((1, CIDR), (4, "192.0.2.128/25")):
        prefix = planner.add("prefixes", line, {"cidr": cidr})
        subnet = planner.add("subnets", line, {"cidr": cidr}, prefix)
        ends = {"start_ip": "192.0.2.130", "end_ip": "192.0.2.140"}
        planner.add("pools", line + 1, ends, subnet)
    settle(planner)
    plan = planner.finish()
    assert [each.line for each in plan.objects] == [1, 1, 2]
    assert [each.line for each in plan.warnings] == [4, 4, 5]
