"""The decision table of DHCPv6 against what every table must hold, whatever the single rules say, and against the
sentences of RFC 8415 section 18.3 that can be cited for one case."""

from __future__ import annotations

from itertools import product

import pytest
from oracle.answers6 import Answer, Association, answer, given_up
from oracle.decisions4 import Binding
from oracle.decisions6 import (
    FORBIDDEN,
    TO_OTHERS,
    Ask,
    Kind,
    Outcome,
    Place,
    Together,
    Way,
    decide,
    exists,
    together,
)

CASES = [
    case for case in product(Ask, Kind, Binding, Place, Way) if exists(case[0], case[1], case[2], case[3])
]
OWN = Association(Kind.NA, Binding.OWN_ACTIVE, Place.POOL)
UNKNOWN = Association(Kind.NA, Binding.NONE, Place.POOL)
PREFIX = Association(Kind.PD, Binding.OWN_ACTIVE, Place.POOL)
STRANDED = Association(Kind.NA, Binding.NONE, Place.WRONG_LINK)


def outcomes(*asks: Ask) -> list[tuple[tuple[Ask, Kind, Binding, Place, Way], Outcome]]:
    return [(case, decide(*case)) for case in CASES if case[0] in asks]


def test_every_case_is_decided_for_a_reason() -> None:
    for case in CASES:
        assert decide(*case).source, case


def test_what_is_dropped_changes_and_says_nothing() -> None:
    for case in CASES:
        found = decide(*case)
        if found.dropped:
            assert (found.gives, found.status, found.zeroed, found.row) == ("", "", False, ""), case
            assert answer(case[0], [Association(*case[1:4])], case[4]) == Answer("", dropped=found.dropped)


def test_a_status_stands_only_where_nothing_is_given() -> None:
    """18.3.2: no addresses in the IA and a Status Code option."""
    for case in CASES:
        found = decide(*case)
        assert not (found.status and (found.gives or found.zeroed or found.row)), case
        assert found.status in {"", "NoAddrsAvail", "NoPrefixAvail", "NoBinding", "NotOnLink"}, case
        assert not (case[1] is Kind.PD and found.status in ("NoAddrsAvail", "NotOnLink")), case
        assert not (case[1] is not Kind.PD and found.status == "NoPrefixAvail"), case


def test_an_advertise_writes_nothing() -> None:
    for case, found in outcomes(Ask.SOLICIT, Ask.SOLICIT_RAPID):
        if answer(case[0], [Association(*case[1:4])], case[4]).said == "advertise":
            assert found.row == "", case


def test_nobody_gets_what_another_holds_or_the_configuration_withholds() -> None:
    for case in CASES:
        if decide(*case).gives == "asked":
            assert not case[2].name.startswith("OTHERS_") or case[2].name.endswith(("EXPIRED", "RELEASED"))
            assert case[3] not in FORBIDDEN


def test_nothing_temporary_is_given() -> None:
    for case in CASES:
        if case[1] is Kind.TA:
            found = decide(*case)
            assert (found.gives, found.row) == ("", ""), case


def test_messages_to_another_server_are_none_of_ours() -> None:
    for _, found in outcomes(*TO_OTHERS):
        assert found.dropped == "other_server"
    for ask in TO_OTHERS:
        assert answer(ask, []).dropped == "other_server"


def test_renew_and_rebind_never_bind_what_was_not_the_clients() -> None:
    for case, found in outcomes(Ask.RENEW, Ask.REBIND):
        if found.row == "a":
            assert case[2] in (Binding.OWN_ACTIVE, Binding.OWN_EXPIRED), case


def test_release_and_decline_touch_the_clients_own_lease_only() -> None:
    for case, found in outcomes(Ask.RELEASE, Ask.DECLINE):
        assert found.row in ("", "r" if case[0] is Ask.RELEASE else "d"), case
        assert not found.row or case[2] is Binding.OWN_ACTIVE, case
        assert not found.gives, case


@pytest.mark.parametrize(
    ("ask", "case", "said", "status", "row"),
    [
        (Ask.SOLICIT, UNKNOWN, "advertise", "", ""),
        (Ask.SOLICIT_RAPID, UNKNOWN, "advertise", "", ""),
        (Ask.SOLICIT_RAPID, Association(Kind.NA, Binding.NONE, Place.POOL_RAPID), "reply", "", "a"),
        (Ask.SOLICIT, Association(Kind.NA, Binding.NONE, Place.NO_POOLS), "advertise", "NoAddrsAvail", ""),
        (Ask.SOLICIT, Association(Kind.PD, Binding.NONE, Place.EXHAUSTED), "advertise", "NoPrefixAvail", ""),
        (Ask.REQUEST, UNKNOWN, "reply", "", "a"),
        (Ask.REQUEST, STRANDED, "reply", "NotOnLink", ""),
        (Ask.REQUEST, Association(Kind.PD, Binding.NONE, Place.WRONG_LINK), "reply", "NoPrefixAvail", ""),
        (Ask.REQUEST, Association(Kind.NA, Binding.OTHERS_ACTIVE, Place.POOL), "reply", "NoAddrsAvail", ""),
        (Ask.RENEW, OWN, "reply", "", "a"),
        (Ask.RENEW, UNKNOWN, "reply", "NoBinding", ""),
        (Ask.RENEW, Association(Kind.NA, Binding.OWN_RELEASED, Place.POOL), "reply", "NoBinding", ""),
        (Ask.RENEW_UNNAMED, UNKNOWN, "reply", "", ""),
        (Ask.RENEW_UNNAMED, OWN, "reply", "", "a"),
        (Ask.REBIND_UNNAMED, PREFIX, "reply", "", "a"),
        (
            Ask.REBIND_UNNAMED,
            Association(Kind.PD, Binding.NONE, Place.NO_POOLS),
            "reply",
            "NoPrefixAvail",
            "",
        ),
        (Ask.REBIND, PREFIX, "reply", "", "a"),
        (Ask.REBIND, UNKNOWN, "reply", "NoBinding", ""),
        (Ask.RELEASE, OWN, "reply", "", "r"),
        (Ask.RELEASE, UNKNOWN, "reply", "NoBinding", ""),
        (Ask.DECLINE, OWN, "reply", "", "d"),
        (Ask.DECLINE, PREFIX, "reply", "", ""),
        (Ask.INFORMATION, UNKNOWN, "reply", "", ""),
        (Ask.SOLICIT, Association(Kind.TA, Binding.NONE, Place.POOL), "advertise", "NoAddrsAvail", ""),
        (Ask.RENEW, Association(Kind.TA, Binding.OWN_ACTIVE, Place.POOL), "reply", "NoBinding", ""),
    ],
)
def test_single_cases_of_section_18_3(ask: Ask, case: Association, said: str, status: str, row: str) -> None:
    whole = answer(ask, [case])
    assert (whole.said, whole.outcomes[0].status, whole.outcomes[0].row) == (said, status, row)


def test_what_is_not_on_the_link_comes_back_with_lifetimes_of_0() -> None:
    for binding in (Binding.OWN_ACTIVE, Binding.OWN_EXPIRED):
        for ask in (Ask.RENEW, Ask.REBIND):
            found = decide(ask, Kind.NA, binding, Place.WRONG_LINK)
            assert (found.zeroed, found.gives, found.status) == (True, "another", "")
    assert decide(Ask.REBIND, Kind.NA, Binding.NONE, Place.WRONG_LINK).zeroed
    assert decide(Ask.RENEW, Kind.NA, Binding.NONE, Place.WRONG_LINK).status == "NoBinding"


@pytest.mark.parametrize("ask", [Ask.RENEW_UNNAMED, Ask.REBIND_UNNAMED])
@pytest.mark.parametrize("kind", [Kind.NA, Kind.PD])
def test_an_association_that_names_no_lease_may_join_later(ask: Ask, kind: Kind) -> None:
    for binding in Binding:
        if not binding.name.startswith("OWN_"):
            assert decide(ask, kind, binding, Place.POOL).gives == "another"


def test_what_cannot_stay_is_replaced_in_one_answer() -> None:
    for place in FORBIDDEN:
        found = decide(Ask.RENEW, Kind.NA, Binding.OWN_ACTIVE, place)
        left = place in (Place.EXHAUSTED, Place.NO_POOLS)
        assert (found.zeroed, found.row, bool(found.gives)) == (True, "v", not left), place


def test_a_client_is_moved_to_its_reservation_in_one_answer() -> None:
    found = decide(Ask.RENEW, Kind.NA, Binding.OWN_ACTIVE, Place.TO_BE_MOVED)
    assert (found.gives, found.zeroed, found.row) == ("reserved", True, "v")


@pytest.mark.parametrize(
    ("cases", "said", "status"),
    [
        ([OWN], "reply", "Success"),
        ([UNKNOWN], "reply", "Success"),  # whose it is does not matter
        ([OWN, STRANDED], "reply", "NotOnLink"),
        ([OWN, PREFIX], "reply", "Success"),
        ([PREFIX], "", ""),
        ([], "", ""),
    ],
)
def test_a_confirm_is_answered_as_a_whole(cases: list[Association], said: str, status: str) -> None:
    whole = answer(Ask.CONFIRM, cases)
    assert (whole.said, whole.status) == (said, status)


def test_a_confirm_without_addresses_is_met_with_silence() -> None:
    assert answer(Ask.CONFIRM_UNNAMED, [OWN]).said == ""


def test_associations_are_answered_one_by_one() -> None:
    whole = answer(Ask.RENEW, [OWN, UNKNOWN, PREFIX])
    assert [(found.gives, found.status) for found in whole.outcomes] == [
        ("asked", ""),
        ("", "NoBinding"),
        ("asked", ""),
    ]


OTHERS = Association(Kind.NA, Binding.OTHERS_ACTIVE, Place.POOL)


@pytest.mark.parametrize(
    ("ask", "cases", "leases", "status"),
    [
        (Ask.REQUEST, [UNKNOWN, STRANDED], ("", ""), "NotOnLink"),
        (Ask.REQUEST, [UNKNOWN, OTHERS], ("given", ""), ""),
        (Ask.REQUEST, [OTHERS, OTHERS], ("", ""), "NoAddrsAvail"),
        (Ask.RENEW, [UNKNOWN, OTHERS], ("", ""), "NoBinding"),
        (Ask.RENEW, [OTHERS, OWN], ("zeroed", "given"), ""),
        (Ask.RENEW, [STRANDED, OWN], ("zeroed", "given"), ""),
        (Ask.REBIND, [STRANDED, UNKNOWN], ("zeroed", "zeroed"), ""),
        (Ask.RELEASE, [OWN, UNKNOWN], ("", ""), ""),
        (Ask.DECLINE, [UNKNOWN, OTHERS], ("", ""), "NoBinding"),
    ],
)
def test_two_leases_of_an_association(
    ask: Ask, cases: list[Association], leases: tuple[str, ...], status: str
) -> None:
    found = together(ask, tuple(decide(ask, case.kind, case.binding, case.place) for case in cases))
    assert found == Together(leases, status)


@pytest.mark.parametrize("ask", [Ask.RELEASE, Ask.DECLINE])
def test_the_message_succeeds_whatever_its_associations_say(ask: Ask) -> None:
    whole = answer(ask, [OWN, UNKNOWN])
    assert (whole.said, whole.status) == ("reply", "Success")
    assert [(found.shown, found.status) for found in whole.outcomes] == [(False, ""), (True, "NoBinding")]
    assert answer(ask, []).status == "Success"


@pytest.mark.parametrize("ask", [Ask.SOLICIT, Ask.CONFIRM, Ask.REBIND, Ask.INFORMATION])
def test_what_belongs_to_all_servers_is_not_taken_by_unicast(ask: Ask) -> None:
    assert answer(ask, [OWN], Way.UNICAST).dropped == "by_unicast"


@pytest.mark.parametrize("ask", [Ask.REQUEST, Ask.RENEW, Ask.RELEASE, Ask.DECLINE])
def test_what_belongs_to_one_server_is_answered_by_unicast_too(ask: Ask) -> None:
    """RFC 9915 16: never with UseMulticast, which is obsolete."""
    assert answer(ask, [OWN], Way.UNICAST) == answer(ask, [OWN], Way.MULTICAST)


def test_an_untrusted_relay_matters_to_what_it_relays_only() -> None:
    case = Association(Kind.NA, Binding.OWN_ACTIVE, Place.UNTRUSTED)
    assert answer(Ask.RENEW, [case], Way.RELAYED).dropped == "untrusted_relay"
    assert answer(Ask.RENEW, [case], Way.MULTICAST).said == "reply"


@pytest.mark.parametrize(
    ("held", "named", "bound", "gone"),
    [
        ("ab", "a", "a", "b"),
        ("ab", "ab", "ab", ""),
        ("ab", "", "c", "ab"),
        ("ab", "c", "", ""),
        ("a", "", "a", ""),
        ("", "c", "c", ""),
    ],
)
def test_what_an_association_no_longer_names_is_given_up(
    held: str, named: str, bound: str, gone: str
) -> None:
    assert given_up(frozenset(held), frozenset(named), frozenset(bound)) == frozenset(gone)
